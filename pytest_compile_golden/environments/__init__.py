"""Other torch versions: environments to run the suite in, and what it does there. Does not import torch."""
