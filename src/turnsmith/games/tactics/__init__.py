"""Tactics: two squads on a map of heights; every shot has its odds, and cover is half of them.

Green and red start in opposite corners of a map that is its own mirror image, so neither has the better ground.
Soldiers take turns, green 1, red 1, green 2, red 2, …; the dead leave the order at once. In its turn a soldier has
two action points: a move takes one for every started six steps, a shot one, filling the magazine one; taking cover
and skipping end the turn. One can step up by one level and down by any number, and pass soldiers but not stop on
them. Whoever has nobody left has lost; after 40 rounds it is a draw.

A soldier can shoot at an enemy within 18 cells if any ray is clear from its cell, or a neighbouring one it could step
to and back from, to the enemy's cell, or one the enemy could step to. Eyes are one level above the ground, and a ray
is clear if it is nowhere below the higher of the two cells at an edge it crosses. The chance is a sum, in percent:
the soldier's aim of 65; +15 for a distance of 6 cells, 3 less for every cell nearer and 4 less for every cell
farther; 5 for every level the shooter stands higher, up to 20 either way; -20 if the side of the target that the
shooter stands on is one level higher than the target, -40 if it is two; -20 while the target takes cover, which it
can beside a higher cell and until its next turn. It is never below 5 or above 95. A hit takes 3 to 5 of a soldier's
10 points; a magazine has four shots.

A move is the name of a cell, `c5`; a shot that of an enemy, `red2`; and `reload`, `cover`, `skip`. What the page and
`tip` say of a shot: `aim 65, distance +12, height +5, half cover -20 = 62 %`; of a move also the best shot from
there.

Maps are new with every seed; `pool=64` shares 64 of them among all seeds, which makes tournaments fast, as the tables
of a map (steps, sight and chances between all pairs of cells) take some 7 ms; `map=./my.txt` is a map of one's own, a
line a row and a sign a cell, its height.

Among 2,000 games of `static` against itself, on 1,000 new maps, 9 are draws (0.45 %), who begins wins 50.8 % (48.5 to
53.1), and half the games take at most 97 moves, shots' outcomes included, 95 % at most 128 (`turnsmith arena tactics
--players static,static --games 2000 --seed 1`). Waiting in cover pays: `camper` wins 67.8 % of 400 games
against `static` (`turnsmith arena tactics:pool=64 --players matrix,rusher,camper,sniper,static,random --games 6000
--seed 5`). Random games are draws, so let `mcts` judge by the game's own estimate: `mcts:leaf=evaluate`.
The game comes from [Halíř's thesis](../explanation/documents.md#tactics), which leaves most numbers open.
`matrix` was evolved; [its page](../explanation/tactics-players.md) says how, how far the evolution of the thesis comes,
and what goes beyond it. `turnsmith train tactics --help` lists what can be evolved, for other rules too.

Every number above is in the configuration, `config=./my.toml`; a file says what differs, and a wrong key, type or range
is refused by its name. Single numbers can be said without a file, `tactics:turn.rounds=20,weapon.damage=2-4`. Both
there and in a file, `weapon` and `soldier` are of all of them, `weapons.carbine` and `soldiers.scout` of one. These
are the usual numbers, but for a second class of soldiers:

```toml
green = ["trooper", "scout"]  # classes in order, again from the first; red has the same unless it is named

[map]  # heights lowest to highest, pieces of cover in half a map of 24 x 24, their shapes and levels
lowest = 0
highest = 7
pieces = 14
shapes = ["1x1", "2x1", "1x2", "3x1", "1x3", "L3", "2x2"]
raises = [1, 2]

[turn]
points = 2
shoot = 1
reload = 1
shot_ends = false
rounds = 40

[hit]
least = 5
most = 95
level = 5
height = 20
half = 20
full = 40
taking = 20

[cooldown]  # own turns that must begin before the same can be done again
move = 0
shoot = 0
reload = 0
cover = 0

[soldiers.scout]
hp = 8
aim = 65
steps = 8
weapon = "carbine"

[weapons.carbine]
magazine = 4
damage = [2, 4]
optimum = 4
bonus = 15
nearer = -3
farther = -6
range = 12

[static]  # thresholds of the player of that name
shoot = 50
better = 15
poor = 20
weak = 50
safer = 5
```
"""
