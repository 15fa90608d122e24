"""Other torch versions: environments to run the suite in, and what it does there. Does not import torch.

bisect_versions: the torch versions between two that pip finds, and the first of them that differs
install_torch: fills one environment with the standard tools: venv, then uv if it is installed, then pip
run_suite: runs the suite with one interpreter, in a separate process that records. Whatever happens to it is a result
side_recorder: sides as recordings: read, or remembered, or else the suite is run
sides: what can be compared: a recorded run, the goldens of a version, an interpreter with torch, or a torch version
torch_environments: environments with a torch version in them, created once with venv and pip (or uv)
"""
