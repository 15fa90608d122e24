"""One compile becomes one record: the only layer, with `targets`, that imports torch."""
