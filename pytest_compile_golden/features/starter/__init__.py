"""A first case for a repository that has none: for a transformers model, an exported program or the user's own code.

init_command: `compile-golden init`: a first case for a model, with pytest settings and a CI job for pull requests
starter_program: what a first case compiles: program and inputs as lines of Python, with breaks and kernels as counted
tests_of_folder: what is compiled in a folder, and tests with invariants alone for what of it can be called
transformers_model: a transformers model created from its configuration
"""
