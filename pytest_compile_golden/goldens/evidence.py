"""The evidence file beside goldens: what is known about their texts, for machines, and never compared.

`evidence.jsonl` belongs to the goldens without a version in its folder, `evidence@torch-2.15.jsonl` to the overlays of
that version. Each line is a JSON object: a golden's name without version and file type, and one fact about its text.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path, PurePosixPath

from pytest_compile_golden.errors import GoldenError
from pytest_compile_golden.goldens import files, header
from pytest_compile_golden.goldens.header import DamagedGolden, Header
from pytest_compile_golden.lines import split_lines

STEM = "evidence"
_EXTENSION = "jsonl"


def of(root: Path, golden: PurePosixPath) -> str:
    """The evidence of the golden at that path; empty if there is none."""
    return read(root, _beside(golden)).get(_stem(golden), "")


def put(root: Path, golden: PurePosixPath, known: str, wrote: Header | None = None) -> None:
    """Make `known` the evidence of a golden; a file that would hold none is removed.

    wrote: the header of the golden; None if it is removed. Raises GoldenError for an evidence file that is not ours.
    """
    path, stem = _beside(golden), _stem(golden)
    where = files.inside(root, path)
    by_golden = read(root, path)
    if by_golden.get(stem, "") == known:
        return
    with suppress(DamagedGolden):
        wrote = wrote or header.read(where)[0]
        if where.exists():
            header.read(where)
    lines = sorted(
        f'{{"{name}":{fact}}}\n' for name, facts in {**by_golden, stem: known}.items() for fact in split_lines(facts)
    )
    if lines and wrote is not None:
        files.write(where, header.render(Header(STEM, wrote.torch, wrote.triton), "#") + "".join(lines), STEM)
    else:
        files.remove(where)


def read(root: Path, path: PurePosixPath) -> dict[str, str]:
    """The evidence in a file by the name of the golden that it is about.

    Empty if there is no such file or it is damaged: nothing depends on evidence, and an update writes it again.
    """
    try:
        data = files.read(files.inside(root, path)) or b""
        _, body = header.parse(data.decode("utf-8", "replace").replace("\r\n", "\n"), "#", str(path))
    except GoldenError:
        return {}
    return split(body)


def split(body: str) -> dict[str, str]:
    """The evidence in a file's body by the name of the golden that it is about."""
    facts: dict[str, list[str]] = {}
    for line in split_lines(body):
        stem, colon, fact = line.partition(":")
        if colon and stem.startswith('{"') and stem.endswith('"') and fact.endswith("}"):
            facts.setdefault(stem[2:-1], []).append(f"{fact[:-1]}\n")
    # The digest of the text comes first, as `formats.evidence` writes it.
    return {
        stem: "".join(sorted(each, key=lambda fact: not fact.startswith('["text"'))) for stem, each in facts.items()
    }


def _beside(golden: PurePosixPath) -> PurePosixPath:
    _, at, release = golden.stem.partition("@")
    return golden.with_name(f"{STEM}{at}{release}.{_EXTENSION}")


def _stem(golden: PurePosixPath) -> str:
    return golden.stem.partition("@")[0]
