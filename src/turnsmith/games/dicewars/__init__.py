"""Dice Wars: roll your dice against your neighbours' until the whole map is yours.

Two to eight players share a map of areas, each with one to eight dice. In a turn one attacks as often as one likes,
from an own area with at least two dice to an adjacent enemy one: both roll all their dice, and the attacker needs
strictly more. A won attack moves all dice but one into the target; a lost one leaves a single die behind. At the end of
a turn one gets as many dice as one's largest connected region has areas, each put on a random own area with fewer than
eight; what finds no place waits in a reserve that only its owner sees. Whoever owns every area wins. Eight rounds of
turns that end without a battle since, or 10,000 battles, end the game without a winner.

Areas are called a0, a1, …; an attack is `a12 a7`, and `end` ends the turn.

The edition of 2021 has 34 areas, owned in continuous parts; six transfers of dice a turn between own neighbours
(`a3 to a4`); a lost attack costs the defender a quarter of the attacker's dice, though never the last one; and what
waits in the reserve is at most 24 dice less the areas one owns.

The players are the field of the tournaments the game is known from, `maxn` and `maxn-net` of
[the study](../explanation/documents.md#dice-wars) that [the page on the net](../explanation/dicewars-net.md) repeats,
and `fast`, `strong` and `master`, which have learned by play.
Compared with the unmodified original, rules and decisions are the same, except that ties between attacks from one area
go to the lowest area here and to the first neighbour stored there.
[The page on the players](../explanation/dicewars-players.md) says how close the field is to the original and how much
the others win.
"""
