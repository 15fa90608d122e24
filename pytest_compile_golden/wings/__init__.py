"""What the core does not need: values, machine code, scripts, proofs, starting files and the site."""
