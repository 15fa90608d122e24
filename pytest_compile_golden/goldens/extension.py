"""What `golden` is to syrupy: an extension that syrupy itself never reads, writes or deletes with."""

from __future__ import annotations

from typing import Any, NoReturn

from syrupy.data import SnapshotCollections
from syrupy.extensions.base import AbstractSyrupyExtension

from pytest_compile_golden.errors import GoldenError


class GoldenExtension(AbstractSyrupyExtension):
    """Goldens have a store of their own, because syrupy's has no versions, and deletes what a run did not use.

    Everything that would give syrupy a way to a golden is refused; discovery finds nothing, so no golden is "unused".
    """

    file_extension = "golden"

    def serialize(self, data: Any, **_: Any) -> str:
        return str(data)

    def discover_snapshots(self, **_: Any) -> SnapshotCollections:
        return SnapshotCollections()

    def delete_snapshots(self, **_: Any) -> NoReturn:
        raise _not_ours()

    def read_snapshot_collection(self, **_: Any) -> NoReturn:
        raise _not_ours()

    def read_snapshot_data_from_location(self, **_: Any) -> NoReturn:
        raise _not_ours()

    @classmethod
    def write_snapshot_collection(cls, **_: Any) -> NoReturn:
        raise _not_ours()


def _not_ours() -> GoldenError:
    return GoldenError(
        "goldens are compared with the `golden` fixture only; use `snapshot` for syrupy's own snapshots."
    )
