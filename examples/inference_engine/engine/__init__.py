"""A small inference engine: operators without kernels, a model of them, and the passes that fuse them."""
