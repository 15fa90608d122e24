"""Turns one compile into one record. Only this layer and `targets` import torch."""
