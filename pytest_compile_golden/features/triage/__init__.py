"""A script that reproduces a problem of torch.compile, judged: what is wrong, since when and why."""
