"""Whether a cost is given to the same change beside another one as it is alone: the ground truth of attribution."""
