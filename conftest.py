"""What every run from this folder has."""

# The plugin's own tests run pytest in throw-away projects; pytest wants this at the top of the tree.
pytest_plugins = ["pytester"]
