"""A process that has done every import and first set-up, of which each run of pytest is a fork.

warm_command: `compile-golden warm ARGUMENTS`: pytest, without the seconds that importing torch takes
warm_plugin: `pytest --compile-golden-watch`, which is `compile-golden warm --watch`
warm_server: the warm process: it imports pytest and torch, sets torch up for virtual targets, and forks for each run
"""
