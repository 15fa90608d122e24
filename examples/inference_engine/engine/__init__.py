"""A small inference engine: operators without kernels, a model built from them, and the passes that fuse them."""
