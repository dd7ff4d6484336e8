"""A game: two record types, a handful of functions, and all that they may declare. Begin with ``game.py``."""
