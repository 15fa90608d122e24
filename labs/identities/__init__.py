"""Programs written in another way: what torch.compile makes of the same values, spelled differently."""
