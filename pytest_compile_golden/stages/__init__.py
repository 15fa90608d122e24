"""The ordered pipeline of stages: pure functions from recorded data to normalised text and facts."""

from pytest_compile_golden.stages.artifact import Artifact
from pytest_compile_golden.stages.registry import Stage, get_stage, register_stage, stages

__all__ = ["Artifact", "Stage", "get_stage", "register_stage", "stages"]
