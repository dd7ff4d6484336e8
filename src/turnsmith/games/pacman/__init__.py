"""Pac-Man for two: one side moves all pacmans, the other all ghosts, and every dot counts.

The teams move in turn, pacmans first, all units of a team at once: each goes up, left, down or right, or stays. Two
units of a team never end on one cell, though they may follow each other or swap. A pacman that meets a ghost, whoever
of them moved, is gone for good, and eats nothing there; a pacman that comes to a dot eats it. It is over when no dot
or no pacman is left, or after t_max plies. The pacmans' return is the share of the dots they have eaten, 0 to 1; the
ghosts' is its negative.

Units are numbered from 1 by column, then by row. A move names each of them with its way: `1w 2a` (w up, a left, s down,
d right, n stay); the letters alone, `wa`, will do.

Maps are text files (`maps.py` says how they look): five of 17 x 20 with two starts each, chosen so that self-play at
depth 2 leaves the pacmans 0.2 to 0.6 of the dots (`turnsmith train pacman fairness`), and two smaller ones. `map=ten`
takes one of the ten by the seed, `start=random` lets luck place the units, `moves=unit` moves one unit at a time.

How deep `negamax` comes from the start of classic-middle in so many CPU seconds, on one core of a shared machine
(`turnsmith train pacman ingredients --seconds 0.3,1`):

| search | 0.3 s | 1 s |
|---|---|---|
| exact | 9 | 11 |
| without null windows | 9 | 11 |
| without killers | 9 | 11 |
| without history | 9 | 11 |
| without a table | 6 | 7 |
| with reductions | 10 | 11 |
| with reductions, top 24 | 11 | 12 |

The table is what matters: teams come to the same cells in many orders. The first move tried cuts nine times in ten
without killers and history, so those add little.

How its weights were tuned, how `learned` learned, and who eats how much: [Pac-Man's players](../pacman-players.md).
"""
