"""Homeguard: two soldiers against two; all move at once, then all fire at once."""
