"""Caches that really are saved in one process and loaded in another: hits, misses and bypasses."""

from __future__ import annotations

import pytest

from pytest_compile_golden import cache_round_trip
from pytest_compile_golden.api.cache_round_trip import RoundTrip
from pytest_compile_golden.errors import CaptureFailed, InvalidOption
from tests import round_trip_programs as programs


@pytest.fixture(scope="module")
def trip(forked_processes: None) -> RoundTrip:
    return cache_round_trip(
        programs.product,
        [
            programs.product,
            programs.with_other_config,
            programs.with_other_source,
            programs.with_unnamed_pass,
        ],
    )


def test_a_saved_cache_hits_in_a_new_process(trip: RoundTrip) -> None:
    assert trip.saved == {"inductor": 1, "aot_autograd": 1}
    assert not trip.first.hits and trip.first.misses == {"aot": 1, "fx": 1}
    assert trip.then[0].hit and trip.then[0].hits["aot"] == 1


def test_a_different_config_and_a_different_source_miss(trip: RoundTrip) -> None:
    for use in trip.then[1:3]:
        assert not use.hit and use.misses == {"aot": 1, "fx": 1} and not use.hits


def test_an_unnamed_pass_bypasses_the_cache(trip: RoundTrip) -> None:
    assert trip.then[3].bypasses["aot"] == 1 and not trip.then[3].hits


def test_a_named_pass_is_part_of_the_key_and_training_is_saved_in_both_directions(
    forked_processes: None,
) -> None:
    trip = cache_round_trip(
        programs.training_with_named_pass,
        [programs.training_with_named_pass, programs.training],
    )
    same, without = trip.then
    assert trip.saved["inductor"] == 2
    assert same.hit and not without.hit and without.misses["aot"] == 1


def test_an_answer_for_another_program_is_told(
    trip: RoundTrip, forked_processes: None
) -> None:
    assert not trip.first.differs and not any(use.differs for use in trip.then)
    stale = cache_round_trip(programs.checkpointed, [programs.checkpointed_otherwise])
    assert not stale.first.differs
    assert bool(stale.then[0].differs) == stale.then[0].hit


def test_invalid_and_failing_programs_are_reported(forked_processes: None) -> None:
    with pytest.raises(
        InvalidOption, match="a module-level function without arguments"
    ):
        cache_round_trip(lambda: programs.product())
    with pytest.raises(
        CaptureFailed, match=r"(?s)the round trip of failing failed.*no such model"
    ):
        cache_round_trip(programs.failing)
