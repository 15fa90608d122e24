"""The ordered pipeline of stages: pure functions from recorded data to normalised text and facts."""

import pytest_compile_golden.stages.pipeline  # noqa: F401  # registers the built-in stages
from pytest_compile_golden.stages.artifact import Artifact
from pytest_compile_golden.stages.registry import Stage, get_stage, register_stage, stage_or_stand_in, stages

__all__ = ["Artifact", "Stage", "get_stage", "register_stage", "stage_or_stand_in", "stages"]
