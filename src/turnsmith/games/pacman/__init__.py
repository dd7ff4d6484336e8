"""Pac-Man for two: one side moves all pacmans, the other all ghosts, and every dot counts.

The teams move in turn, pacmans first, all units of a team at once: each goes up, left, down or right, or stays. Two
units of a team never end on one cell, though they may follow each other or swap. A pacman that meets a ghost, whoever
of them moved, is gone for good, and eats nothing there; a pacman that comes to a dot eats it. It is over when no dot
or no pacman is left, or after t_max plies. The pacmans' return is the share of the dots they have eaten, 0 to 1; the
ghosts' is its negative.

Units are numbered from 1 by column, then by row. A move names each of them with its way: `1w 2a` (w up, a left, s down,
d right, n stay); the letters alone, `wa`, will do.
"""
