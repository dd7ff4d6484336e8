"""Dice Wars: roll your dice against your neighbours' until the whole map is yours.

Two to eight players share a map of areas, each with one to eight dice. In a turn one attacks as often as one likes,
from an own area with at least two dice to an adjacent enemy one: both roll all their dice, and the attacker needs
strictly more. A won attack moves all dice but one into the target; a lost one leaves a single die behind. At the end of
a turn one gets as many dice as one's largest connected region has areas, each put on a random own area with fewer than
eight; what finds no place waits in a reserve that only its owner sees. Whoever owns every area wins. Eight rounds in
which everybody only passes, or 10,000 battles, end the game without a winner.

Areas are called a0, a1, …; an attack is `a12 a7`, and `end` ends the turn.

The edition of 2021 has 34 areas, owned in continuous parts; six transfers of dice a turn between own neighbours
(`a3 to a4`); a lost attack costs the defender a quarter of the attacker's dice, though never the last one; and what
waits in the reserve is at most 24 dice less the areas one owns.

The players are the field of the tournaments the game is known from. In 4000 games of five of them (`turnsmith arena
dicewars --players ste,wpm_c,sdc,rand,xlogin00 --games 4000 --seed 1`) they win as often as they did there:

| player | here | there (1704 games, ±3) |
|---|---|---|
| ste | 44.2 % | 46.6 % |
| sdc | 33.2 % | 30.7 % |
| wpm_c | 30.8 % | 31.3 % |
| xlogin00 | 8.6 % | 8.0 % |
| rand | 8.2 % | 8.6 % |

`wpm_s`, as a sixth at that table, wins 45.5 % (there 48.1 ± 3.9).

`maxn` and `maxn-net` are those of the study that [the page on the net](../dicewars-net.md) repeats: how they play, how
the net was trained, what it knows, and how they do among the others.
"""
