"""Keeps torch's log handlers from writing to a stream of pytest's that is closed when torch logs at exit."""

from __future__ import annotations

import logging
import sys


def release_captured() -> None:
    """Give stderr to handlers that torch made while pytest captured it; call before pytest closes what it captured.

    With TORCH_LOGS=+inductor, torch logs its caches when the interpreter exits (torch/_inductor/remote_cache.py:
    dump_cache_stats).
    """
    for name, logger in logging.Logger.manager.loggerDict.items():
        if name.partition(".")[0] == "torch" and isinstance(logger, logging.Logger):
            for handler in logger.handlers:
                stream = getattr(handler, "stream", None)
                if isinstance(handler, logging.StreamHandler) and type(stream).__module__ == "_pytest.capture":
                    handler.stream = sys.__stderr__  # `setStream` flushes the other one, which may be closed
