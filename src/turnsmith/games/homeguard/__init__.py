"""Homeguard: two soldiers against two; all move at once, then all fire at once.

Blue, the player, starts in the corners a1 and i9, red, the enemy, in i1 and a9 of a board of 9 x 9 cells (7 to 15, an
odd number). Cells whose column and row make an even sum are walked on; the others may hold a stone or a tree. Each
round both sides decide in secret for their two soldiers; then all four move, then all four fire.

A soldier stays, goes to one of the four cells diagonally beside it, or through a portal to its other end. Two of a side
never end a move on the same cell or side by side; enemies may meet on a cell, or pass through each other. A soldier
fires by itself at the enemy it hurts most, of equals at number one, up to 4.5 cells far: 10 hit points in the open, 5
if a stone on the line shields the target, none through a tree. Stones straight beside the shooter do not shield. The
line goes from middle to middle, looked at where it crosses every column and every row between; the worst cover counts,
but exactly between two cells the weaker one (`strict=true`: the stronger). Diagonals can never be blocked.

A soldier has 40 hit points. The dead are back at the end of the round with all of them: number one of either side in
a1, number two in i9; where somebody stands there, or a comrade beside it, in the other corner, else on the nearest free
cell. Two kills win. If both sides have them at once, or nobody after 40 rounds, the higher score wins: hit points taken
from enemies minus those lost, none counted beyond what a soldier had. Equal scores are a draw.

A move names both soldiers: `1c3 2stay`, `1b2 2portal`; numbers may be left out, `c3 -`. On the page click a cell for
soldier 1, then one for soldier 2; itself to stay. In a cell stands what a soldier would deal there, green, and take,
red, if all others stood still; of a whole move the tip says who would be hit.

Seats differ in one thing: blue comes back where it started, red behind blue's lines, and that is worth something.
Red wins 51.1 % of games of `greedy` against itself, draws counted as halves, 52.6 % of `maximin`, 58.8 % of
`mcts:simulations=300` and 59.0 % of random ones (`turnsmith arena homeguard --players greedy,greedy --games 4000 --seed
1` and so on; 400 games of `mcts`). It is not a matter of who commits first: with the starts of blue and red exchanged
it is blue who wins 60.1 % of 400 games of `mcts`. So compare players over both seats, as arenas do.

39 % of 2,000 games of `greedy` against itself end with two kills on both sides at once, and 22 % are draws (`turnsmith
balance homeguard --player greedy --games 2000`). Rounds until the first hit, the first kill and the end, in the median
of 1,000 new maps; games that have no end in 40 rounds; and games in which the score is level after 8 rounds (`turnsmith
train homeguard lengths`):

| cells a side | first hit | first kill | end | no end | level |
|---|---|---|---|---|---|
| 7 | 1 | 3 | 6 | 0.2 % | 26.5 % |
| 9 | 2 | 5 | 7 | 0.9 % | 29.7 % |
| 11 | 3 | 6 | 8 | 1.2 % | 38.2 % |
| 13 | 4 | 6 | 9 | 1.8 % | 45.0 % |
| 15 | 4 | 7 | 10 | 2.7 % | 54.7 % |

Against `maximin`, which wins 61.1 % (59.6 to 62.6) of 4,000 games against `greedy`, tree search needs its budget: 54 %
of 100 games with 20,000 simulations, and 73 % against `greedy` (`turnsmith arena homeguard --players
mcts:simulations=20000,leaf=evaluate,greedy,maximin --games 300 --seed 2`).

Maps are new with every seed. `generator=checkers` draws every cell between those walked on: nothing for a half, a stone
or a tree for a quarter each; `generator=lines` only along a lattice, the same for all cells of a segment. Portals are
drawn apart from covers: `covers=7` has the covers of seed 7 in every game, and in each the portals of its own seed. A
map's genes are its covers. The game comes from [Šindelář's thesis](../explanation/documents.md#homeguard).
"""
