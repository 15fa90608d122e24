"""Caches that are saved in one process and loaded in another, for real: hits, misses and bypasses."""

from __future__ import annotations

import pytest

from pytest_compile_golden import cache_round_trip
from pytest_compile_golden.errors import CaptureFailed, InvalidOption
from pytest_compile_golden.round_trip import RoundTrip
from tests import round_trip_programs as programs


@pytest.fixture(scope="module")
def trip() -> RoundTrip:
    return cache_round_trip(
        programs.product,
        [programs.product, programs.with_other_config, programs.with_other_source, programs.with_unnamed_pass],
    )


def test_what_was_saved_answers_in_a_new_process(trip: RoundTrip) -> None:
    assert trip.saved == {"inductor": 1, "aot_autograd": 1}
    assert not trip.first.hits and trip.first.misses == {"aot": 1, "fx": 1}
    assert trip.then[0].hit and trip.then[0].hits["aot"] == 1


def test_another_config_and_another_source_miss(trip: RoundTrip) -> None:
    for use in trip.then[1:3]:
        assert not use.hit and use.misses == {"aot": 1, "fx": 1} and not use.hits


def test_a_pass_without_a_name_is_bypassed(trip: RoundTrip) -> None:
    assert trip.then[3].bypasses["aot"] == 1 and not trip.then[3].hits


def test_a_pass_with_a_name_is_found_by_it_and_training_is_kept_in_both_directions() -> None:
    trip = cache_round_trip(programs.training_with_named_pass, [programs.training_with_named_pass, programs.training])
    same, without = trip.then
    assert trip.saved["inductor"] == 2
    assert same.hit and not without.hit and without.misses["aot"] == 1


def test_what_is_no_program_or_fails_is_said() -> None:
    with pytest.raises(InvalidOption, match="a module-level function without arguments"):
        cache_round_trip(lambda: programs.product())
    with pytest.raises(CaptureFailed, match=r"(?s)the round trip of failing failed.*no such model"):
        cache_round_trip(programs.failing)
