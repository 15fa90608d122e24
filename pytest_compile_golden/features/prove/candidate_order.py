"""In which order candidates are tried."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pytest_compile_golden.features.prove.candidates import Pool
from pytest_compile_golden.features.prove.edit_search import FEW, TRAIL, Search, Tried
from pytest_compile_golden.features.prove.prove_protocol import Edit
from pytest_compile_golden.features.prove.source_differences import words_in

ALONE = 8
"""How many of the likeliest candidates are tried alone, and again after each that has an effect."""
TOGETHER = 20
"""How many of the others are first tried at once."""
COLD = 40
"""How many are tried at once if each try has to import and register everything anew."""


def explore(
    search: Search, pool_of: Callable[[Tried], Pool], together: int, alone: int = ALONE
) -> None:
    """Try the likeliest alone, then the others in groups, and then what needs others to compile; after each that has an
    effect, the likeliest are others."""
    seen: set[Edit] = set()

    def likely() -> list[Edit]:
        return [
            edit
            for edit in likeliest(search, pool_of(search.best))
            if edit not in seen | search.unfit
        ]

    def one_helps() -> bool:
        for edit in likely()[:alone]:
            seen.add(edit)
            if search.explore([edit]):
                seen.clear()  # what had no effect before may have one now
                return True
        return False

    def then_others(helped: bool = True) -> None:
        while helped and not search.ended:
            helped = one_helps()

    def in_groups(edits: Sequence[Edit]) -> None:
        for start in range(0, len(edits), together):
            then_others(search.explore(edits[start : start + together]))
            then_others(search.explore_later(FEW))

    then_others()
    then_others(search.explore_later(FEW))
    if search.ended:
        return
    # Which others mostly need.
    rest = [edit for edit in likely() if edit.kind not in ("call", "added")]
    in_groups(rest)
    then_others(search.explore_later())
    in_groups(pool_of(search.best).others(seen.union(search.unfit, rest)))
    while search.explore_later():
        then_others()


def likeliest(search: Search, pool: Pool) -> list[Edit]:
    """The candidates by how much what still differs speaks for them."""
    left = search.best.distance
    words, trail = (
        words_in(left.texts(stem) if left else ()) for stem in (search.stem, TRAIL)
    )
    return pool.likeliest(words, trail, search.best.edits)
