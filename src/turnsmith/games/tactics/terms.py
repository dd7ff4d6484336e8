"""What a matrix of Tactics looks at and what it may do, defined word for word.

Exported files, the documentation and `matrix.py` all take the names and their order from here; `fill_inputs` and
`fill_actions` compute what is said.
"""

from __future__ import annotations

from turnsmith.languages import marked

TERMS = {
    "chance": "the chance of a shot in percent, by the rules: 0 without a line of fire or out of range, else "
    "aim + distance + height - cover - taking cover, cut to the least and the greatest chance of the "
    "configuration",
    "exposure of a cell": "the sum, over living enemies, of the chance that the enemy, from where it stands "
    "and whatever its magazine, hits a soldier on that cell who is not taking cover",
    "threat to a cell": "the sum, over living enemies, of the greatest chance that the enemy, from where it stands "
    "or from any cell it could walk to in a turn of its own with the points for one shot left, free or not, hits a "
    "soldier on that cell who is not taking cover",
    "near cell": "a free cell that the soldier can walk to now with the points for one shot left after it: "
    "steps <= pace * (points left - points of a shot), and moving is not cooling down",
    "best chance from a cell": "the greatest chance against any living enemy as if the soldier stood there, "
    "whatever its magazine; enemies who take cover count as such",
    "rank": "the order of cells that decides between equals, the lowest first: for green row * side + column, "
    "for red (side - 1 - column) * side + side - 1 - row, both counted from 0",
    "attack cell": "the near cell with the best chance from it; among equals the fewest steps, then the "
    "lowest rank. If no near cell has a chance above 0, the near cell with the fewest steps from it to an enemy, "
    "then the lowest rank",
    "balanced cell": "the near cell with the greatest (best chance from it * living enemies - exposure of "
    "it), then the lowest rank. If no near cell has a chance above 0, the same as the attack cell",
    "defence cell": "the free cell within all points left that has the least exposure; among equals the "
    "greatest sum of cover on its four sides (1 for half, 2 for full), then the fewest steps from it to an enemy, "
    "then the lowest rank",
    "living": "the number of living enemies, at least 1",
}
"""Words that the meanings below use."""

INPUTS = {
    marked("one"): "always 1",
    marked("hp"): "hit points / hit points of its class when unhurt",
    marked("ammo"): "shots in the magazine / size of the magazine",
    marked("points"): "action points left / points of a whole turn",
    marked("hit now"): "the greatest chance against an enemy it may shoot at now / 100; 0 if it may not shoot at all",
    marked("hit after attack move"): "the best chance from the attack cell / 100; 0 if there is no such cell",
    marked("hit after balanced move"): "the best chance from the balanced cell / 100; 0 if there is no such cell",
    marked("exposure now"): "exposure of the cell it stands on / (100 * living)",
    marked("exposure at attack cell"): "exposure of the attack cell / (100 * living); exposure now if there is no "
    "such cell",
    marked("exposure at defence cell"): "exposure of the defence cell / (100 * living); exposure now if there is no "
    "such cell",
    marked("in cover"): "1 if a side of its cell is higher than the cell, else 0",
    marked("own alive"): "living soldiers of its side / soldiers of a whole side",
    marked("enemies alive"): "living enemies / soldiers of a whole side",
    marked("distance"): "steps on foot to the nearest living enemy / cells a side of the map, at most 1; unreachable "
    "counts as 255",
    marked("threat now"): "threat to the cell it stands on / (100 * living)",
    marked("threat at attack cell"): "threat to the attack cell / (100 * living); threat now if there is no such cell",
    marked("threat at defence cell"): "threat to the defence cell / (100 * living); threat now if there is no such "
    "cell",
    marked("threat at balanced cell"): "threat to the balanced cell / (100 * living); threat now if there is no such "
    "cell",
}
"""The rows: all within 0 to 1. A matrix may have only the first of them."""

ACTIONS = {
    marked("reload"): "fill the magazine; possible unless it is full, or there are too few points, or it is cooling "
    "down",
    marked("shoot"): "shoot at the enemy with the greatest chance; among equals at the one with fewest hit points, "
    "then at the lowest number; possible with ammunition, points, no cooldown and an enemy whose chance is above "
    "0",
    marked("attack move"): "go to the attack cell; possible if there is one",
    marked("defence move"): "go to the defence cell; possible if there is one",
    marked("balanced move"): "go to the balanced cell; possible if there is one",
    marked("take cover"): "take cover, which ends the turn; possible in cover, unless it is cooling down",
    marked("skip"): "end the turn; always possible",
}
"""The columns; among equal scores the first possible one is played."""
