"""The program's frames in stack traces."""

from __future__ import annotations

from pytest_compile_golden.facts.frames import frames

TRACE = """\
skipping cudagraphs due to cpu device. Found from :
   File "/home/me/model.py", line 3, in forward
    return self.block(x)
  File "/home/me/block.py", line 14, in torch_dynamo_resume_in_block_at_12
    with off:
    ^^^^^^^^^
  File "/home/me/generated.py", line 5, in unknown
  File "/home/me/last.py", line 6
      File "/home/me/nested.py", line 7, in inner
        y = x + 1
"""


def test_frames_are_read_however_a_message_indents_them() -> None:
    found = list(frames(TRACE))
    assert [frame.location for frame in found] == [
        "model.py:3",
        "block.py:14",
        "generated.py:5",
        "last.py:6",
        "nested.py:7",
    ]
    assert [frame.quoted for frame in found if frame.code] == [
        "forward: return self.block(x)",
        "torch_dynamo_resume_in_block: with off:",
        "inner: y = x + 1",
    ]
