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
takes one of the ten by the seed, `start=random` lets chance place the units, `moves=unit` moves one unit at a time.

How deep `negamax` comes from the first position in so many CPU seconds, on one core of a shared machine (`turnsmith
train pacman ingredients --map MAP --evaluation WHICH --seconds 0.3,1,3`), with the fifteen features and with the
Voronoi map:

| classic-middle | features 0.3 s | 1 s | 3 s | Voronoi 0.3 s | 1 s | 3 s |
|---|---|---|---|---|---|---|
| exact | 9 | 11 | 12 | 8 | 10 | 11 |
| without null windows | 9 | 11 | 12 | 8 | 10 | 11 |
| without killers | 9 | 11 | 12 | 9 | 10 | 11 |
| without history | 9 | 11 | 12 | 8 | 10 | 11 |
| without a table | 6 | 7 | 7 | 6 | 7 | 7 |
| with reductions | 10 | 11 | 12 | 10 | 12 | 14 |
| with reductions, top 24 | 11 | 12 | 15 | 12 | 14 | 15 |

| open-corners | features 0.3 s | 1 s | 3 s | Voronoi 0.3 s | 1 s | 3 s |
|---|---|---|---|---|---|---|
| exact | 7 | 8 | 9 | 6 | 7 | 8 |
| without null windows | 7 | 8 | 9 | 7 | 7 | 9 |
| without killers | 7 | 8 | 9 | 6 | 7 | 8 |
| without history | 7 | 8 | 9 | 7 | 7 | 8 |
| without a table | 6 | 6 | 7 | 5 | 6 | 6 |
| with reductions | 8 | 9 | 9 | 7 | 9 | 10 |
| with reductions, top 24 | 9 | 9 | 10 | 9 | 11 | 12 |

The table is what matters, two to five plies in 3 s; null windows, killers and history change the depth by one ply at
most, either way.

How its weights were tuned, how `learned` and `sarsa` learned, and who eats how much:
[Pac-Man's players](../explanation/pacman-players.md). How `zero` learned:
[Pac-Man by AlphaZero](../explanation/pacman-alphazero.md).
The game comes from [Kulka's thesis](../explanation/documents.md#pac-man).
"""
