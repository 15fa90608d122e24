"""The evidence file beside goldens: what is known about their texts, for machines, and never compared.

`evidence.jsonl` belongs to the goldens without a version in its folder, `evidence@torch-2.15.jsonl` to the overlays of
that version. Each line is a JSON object: a golden's name without version and file type, and one fact about its text.

The trail consists of facts only, so it has no file of its own: its lines here are the golden. It is named as if it had
one, `trail.jsonl`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path, PurePosixPath

import msgspec

from pytest_compile_golden.common.files import Folder
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.goldens.golden_header import (
    DamagedGolden,
    Header,
    golden_bytes,
    parse_bytes,
    read_golden,
)

STEM = "evidence"
_EXTENSION = "jsonl"
_TRAIL = "trail"
_GOLDEN = '["golden",'


def of(goldens: Folder, golden: PurePosixPath) -> str:
    """The evidence of the golden at that path; empty if there is none."""
    return read(goldens, file_of(golden)).get(_stem(golden), "")


def facts_of(goldens: Folder, golden: PurePosixPath) -> str:
    """The facts that a golden consists of; empty if there is none.

    Raises GoldenError for a file that is not ours, or is damaged (DamagedGolden), as after a merge with conflicts.
    """
    return _read(goldens, file_of(golden)).get(_stem(golden), "")


def put(
    goldens: Folder, golden: PurePosixPath, known: str, wrote: Header | None = None
) -> None:
    """Make `known` the evidence of a golden; a file that would hold none is removed.

    wrote: the header of the golden; None if it is removed. Raises GoldenError for an evidence file that is not ours.
    """
    path, stem = file_of(golden), _stem(golden)
    by_golden = read(goldens, path)
    if by_golden.get(stem, "") == known:
        return
    with suppress(DamagedGolden):
        wrote = wrote or read_golden(goldens, path)[0]
        if goldens.read(path) is not None:
            read_golden(goldens, path)
    lines = sorted(
        f'{{"{name}":{fact}}}\n'
        for name, facts in {**by_golden, stem: known}.items()
        for fact in split_lines(facts)
    )
    if lines and wrote is not None:
        head = Header(STEM, wrote.torch, wrote.triton)
        data = golden_bytes(head, "#", "".join(lines), goldens.root / path)
        goldens.write(path, data, STEM)
    else:
        goldens.remove(path)


def holds(golden: PurePosixPath) -> bool:
    """Whether a golden consists of facts, and is kept in the evidence instead of a file of its own."""
    return golden.suffix == f".{_EXTENSION}" and _is_trail(_stem(golden))


def _is_trail(stem: str) -> bool:
    return stem.partition(".")[0] == _TRAIL


def held(goldens: Folder, folder: PurePosixPath) -> list[PurePosixPath]:
    """The goldens that the evidence in a folder holds, as if each had a file."""
    return [
        named
        for name in goldens.names_in(folder)
        if name.startswith(STEM) and name.endswith(f".{_EXTENSION}")
        for named in held_in(folder / name, read(goldens, folder / name))
    ]


def held_in(path: PurePosixPath, known: Mapping[str, str]) -> dict[PurePosixPath, str]:
    """The goldens that an evidence file holds, with their facts. known: what `read` made of it."""
    return {
        path.with_name(path.name.replace(STEM, stem, 1)): facts
        for stem, facts in known.items()
        if _is_trail(stem)
    }


def golden(root: Path, path: PurePosixPath, facts: str) -> tuple[Header, str]:
    """A golden that the evidence holds as `facts`. Raises DamagedGolden."""
    lines = split_lines(facts)
    try:
        (wrote,) = (
            msgspec.json.decode(line, type=_Wrote)
            for line in lines
            if line.startswith(_GOLDEN)
        )
    except (ValueError, msgspec.MsgspecError):
        how = f"it does not say which torch wrote the {_stem(path)}, or says it more than once"
        raise DamagedGolden(root / file_of(path), how) from None
    head = Header(
        _stem(path).partition(".")[0],
        wrote.torch,
        wrote.triton,
        wrote.normaliser,
        wrote.known,
    )
    return head, "".join(f"{line}\n" for line in lines if not line.startswith(_GOLDEN))


def put_golden(goldens: Folder, path: PurePosixPath, head: Header, body: str) -> None:
    """Make `body` a golden that the evidence holds. Raises GoldenError as `put` does."""
    wrote = _Wrote(head.torch, head.triton, head.normaliser, head.known)
    facts = f"{msgspec.json.encode(wrote).decode()}\n{body}"
    try:
        golden(goldens.root, path, facts)
    except DamagedGolden as error:
        raise GoldenError(
            f"{path} was not written, because it could not be read back: {error.how}. Reject it."
        ) from None
    put(goldens, path, facts, head)


class _Wrote(msgspec.Struct, frozen=True, array_like=True, tag="golden"):
    """What wrote a golden that the evidence holds: the header of its file, if it had one."""

    torch: str
    triton: str | None
    normaliser: int
    known: tuple[str, ...]


def read(goldens: Folder, path: PurePosixPath) -> dict[str, str]:
    """The evidence in a file by the name of the golden that it is about.

    Empty if there is no such file or it is damaged: nothing depends on evidence, and an update writes it again.
    """
    try:
        return _read(goldens, path)
    except GoldenError:
        return {}


def _read(goldens: Folder, path: PurePosixPath) -> dict[str, str]:
    data = goldens.read(path)
    if data is None:
        return {}
    return dict(_parsed(data, goldens.root / path))


# Each golden of a case asks for that of its own.
@lru_cache(maxsize=64)
def _parsed(data: bytes, where: Path) -> dict[str, str]:
    return split(parse_bytes(data, "#", where)[1])


def split(body: str) -> dict[str, str]:
    """The evidence in a file's body by the name of the golden that it is about."""
    facts: dict[str, list[str]] = {}
    for line in split_lines(body):
        stem, colon, fact = line.partition(":")
        if (
            colon
            and stem.startswith('{"')
            and stem.endswith('"')
            and fact.endswith("}")
        ):
            facts.setdefault(stem[2:-1], []).append(f"{fact[:-1]}\n")
    # The digest of the text comes first, as `formats.evidence` writes it.
    return {
        stem: "".join(sorted(each, key=lambda fact: not fact.startswith('["text"')))
        for stem, each in facts.items()
    }


def file_of(golden: PurePosixPath) -> PurePosixPath:
    """The evidence file beside a golden, which holds the golden itself if that consists of facts."""
    _, at, release = golden.stem.partition("@")
    return golden.with_name(f"{STEM}{at}{release}.{_EXTENSION}")


def _stem(golden: PurePosixPath) -> str:
    return golden.stem.partition("@")[0]
