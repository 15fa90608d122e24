"""What every first capture of a process imports and sets up is done by importing this."""

import torch

from pytest_compile_golden import capture

capture(torch.sin, torch.randn(3), target="cuda-sm90")
