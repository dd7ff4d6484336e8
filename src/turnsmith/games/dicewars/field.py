"""The field of the original tournaments, as it behaved, but for ties.

`p` is how likely an attack wins; `p_hold` how likely an area then survives every enemy neighbour once. Each decides
anew after every battle. Where attacks from one area are equally good the one on the lowest area is played; there it was
the first in the stored order of neighbours. That is another choice in 0.5 to 5.5 % of decisions, by player, and none
that shows in results.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from turnsmith.compile.kernel import popcount, scratch
from turnsmith.compile.rng import below
from turnsmith.contract.records import record
from turnsmith.games.dicewars.maps import MOST_DICE, ONE, region_of
from turnsmith.games.dicewars.rules import SEATS
from turnsmith.play.player import CompiledPlayer, Prepared, filled, numbers

KINDS = MOST_DICE + 1
PAIRS = SEATS * KINDS

# ---------------------------------------------------------------- what the players look at


def attacks_in(board, acts):
    """How many of the legal actions are attacks; they come first."""
    count = acts.shape[0]
    while count > 0 and acts[count - 1] >= board.edges:
        count -= 1
    return count


def end_of_turn(board):
    return board.actions - 1


def win_chance(board, view, edge):
    return board.odds[view.dice[board.source[edge]], view.dice[board.target[edge]]]


def hold_chance(board, view, area, dice, seat):
    """How likely `area`, held by `seat` with so many dice, survives one attack from every enemy neighbour."""
    chance = 1.0
    for edge in range(board.first_edge[area], board.first_edge[area + 1]):
        other = board.target[edge]
        strength, owner = view.dice[other], view.owner[other]
        chance *= 1.0 - board.odds[strength if owner != seat else 0, dice]
    return chance


def in_largest(view, area, seat):
    return (view.largest[seat] >> np.uint64(area)) & ONE != 0


def largest_regions(board, view, seat):
    """The areas of all own regions that are as large as the largest."""
    left = view.owned[seat]
    found = np.uint64(0)
    while left:
        region = region_of(board.beside, left, left & (~left + ONE))
        left &= ~region
        if np.int64(popcount(region)) == view.score[seat]:
            found |= region
    return found


# ---------------------------------------------------------------- the field


Randomly = numbers("most")
"""Attacks a turn."""
Likely = numbers("threshold", "liking")
"""How likely won and held an attack must be, and how much more it counts from the own largest region."""


def decide_rand(game, board, view, acts, data, memory, params, report, rng):
    count = attacks_in(board, acts)
    if count == 0 or view.attacks >= params.view(Randomly)[0].most:
        return end_of_turn(board)
    return acts[below(rng, count)]


@dataclass(frozen=True, repr=False)
class Rand(CompiledPlayer):
    name = "rand"
    summary = "a random attack, until there is none left"
    decide = decide_rand
    board_independent = True

    def prepare(self, game, boards):
        return Prepared.of(params=filled(Randomly, self, most=np.inf))


@dataclass(frozen=True, repr=False)
class Xlogin(Rand):
    name = "xlogin00"
    summary = "a random attack, at most two a turn"

    def prepare(self, game, boards):
        return Prepared.of(params=filled(Randomly, self, most=2.0))


def decide_sdc(game, board, view, acts, data, memory, params, report, rng):
    best, choice = -1, end_of_turn(board)
    for index in range(attacks_in(board, acts)):
        edge = acts[index]
        difference = np.int64(view.dice[board.source[edge]]) - np.int64(view.dice[board.target[edge]])
        if difference > best:
            best, choice = difference, np.int64(edge)
    return choice


@dataclass(frozen=True, repr=False)
class Sdc(CompiledPlayer):
    name = "sdc"
    summary = "the attack with the largest lead in dice, while there is none against it"
    decide = decide_sdc
    board_independent = True


def decide_ste(game, board, view, acts, data, memory, params, report, rng):
    settings = params.view(Likely)[0]
    threshold, liking = settings.threshold, settings.liking
    if board.seats == 2 and liking > 1.0:
        threshold, liking = 0.2, 3.0
    best, choice = -1.0, end_of_turn(board)
    for index in range(attacks_in(board, acts)):
        edge = acts[index]
        dice = np.int64(view.dice[board.source[edge]])
        value = win_chance(board, view, edge) * hold_chance(board, view, board.target[edge], dice - 1, view.seat)
        if value >= threshold or dice == MOST_DICE:
            if liking > 1.0 and in_largest(view, board.source[edge], view.seat):
                value *= liking
            if value > best:
                best, choice = value, np.int64(edge)
    return choice


@dataclass(frozen=True, repr=False)
class Ste(CompiledPlayer):
    name = "ste"
    summary = "the attack most likely won and held, if that is at least 20 % or it comes from eight dice"
    decide = decide_ste
    board_independent = True

    def prepare(self, game, boards):
        return Prepared.of(params=filled(Likely, self, threshold=0.2, liking=1.0))


@dataclass(frozen=True, repr=False)
class Stei(Ste):
    name = "stei"
    summary = "as ste from 40 % on, attacks from the own largest region counting double"

    def prepare(self, game, boards):
        return Prepared.of(params=filled(Likely, self, threshold=0.4, liking=2.0))


# ---------------------------------------------------------------- win probability models, one a number of players

# Logistic weights of each player's ln(score + 1) and ln(dice + 1), players in turn order from oneself.
WPM_C = {
    2: (1.30214778, 2.25563871, -1.30214778, -2.25563871),
    3: (1.03427841, 0.50262886, -0.78619448, -0.31264667, -0.74070513, -0.3344083),
    4: (1.04279419, 0.25416893, -0.64830571, -0.15321224, -0.64217824, -0.11354054, -0.59113493, -0.19902261),
    5: (
        *(0.88792394, 0.23898045, -0.50630318, -0.10684734, -0.48406202, -0.12877724, -0.48004353, -0.17429738),
        *(-0.51195613, -0.12572176),
    ),
    6: (
        *(0.84452717, 0.20915755, -0.4275969, -0.12319906, -0.438397, -0.11476484, -0.44610219, -0.10640943),
        *(-0.42926595, -0.15994294, -0.40215393, -0.12508173),
    ),
    7: (
        *(0.77043331, 0.22744643, -0.34448306, -0.16104125, -0.34304867, -0.16545059, -0.36316993, -0.14238659),
        *(-0.37359036, -0.13535348, -0.34917492, -0.13725688, -0.36908313, -0.11803061),
    ),
    8: (
        *(0.71518557, 0.2580538, -0.3303392, -0.13374949, -0.3288953, -0.16076534, -0.31261043, -0.14316612),
        *(-0.31785557, -0.16003507, -0.31410674, -0.16487769, -0.33290964, -0.12624279, -0.33843017, -0.14888412),
    ),
}
# The same of ln(dice) alone.
WPM_D = {
    2: (3.06600354, -3.06600354),
    3: (1.16329046, -0.81105584, -0.80085993),
    4: (0.91252927, -0.55857427, -0.51781521, -0.57183507),
    5: (0.80138262, -0.43013021, -0.4388323, -0.48048114, -0.45301658),
    6: (0.74465716, -0.40179109, -0.39851363, -0.39515928, -0.43863283, -0.38371555),
    7: (0.72382109, -0.39171476, -0.39423241, -0.38390144, -0.38401564, -0.36980703, -0.36138501),
    8: (0.72340846, -0.35936507, -0.38758583, -0.35487285, -0.37616735, -0.37974499, -0.34989554, -0.37451491),
}
# Weights of the scores alone: the own one, and the sum of all.
WPM_S = {2: (0.51862355, 0.10144455), 3: (0.24112347, -0.1668769), 4: (0.26457488, -0.33774431)}
WPM_S |= {
    5: (0.26777938, -0.49549444),
    6: (0.2700982, -0.65623513),
    7: (0.27109102, -0.80633131),
    8: (0.277179, -0.96923355),
}


def logistic(value):
    return 1.0 / (1.0 + np.exp(-value))


def count_dice(board, view, dice):
    """dice[seat]: all the dice of each seat."""
    for seat in range(board.seats):
        dice[seat] = 0
    for area in range(board.areas):
        dice[view.owner[area]] += view.dice[area]


Weights = record(score=(np.float64, SEATS), dice=(np.float64, SEATS))
"""Of each player's score and dice, players in turn order from oneself."""
Scores = numbers("own", "everybody")
"""The weight of the own score, and the sum of all weights."""
MOST_IN_ALL = 640  # dice a seat may come to: 62 full areas and what the turn's end adds


@cache
def prepared_wpm(offset: float, weights: tuple[float, ...]) -> Prepared:
    """data: ln(count + offset) of every count of dice, 0 for nobody's; `weights`: of score and dice, in turn."""
    counts, params = np.arange(MOST_IN_ALL) + offset, np.zeros(1, Weights)
    params["score"][0, : len(weights) // 2], params["dice"][0, : len(weights) // 2] = weights[::2], weights[1::2]
    return Prepared.of(data=np.log(np.maximum(counts, 1.0)), params=params.view(np.float64))


def decide_wpm(game, board, view, acts, data, memory, params, report, rng):
    """params: Weights; data: the logarithm of every dice count.

    The published player takes its own score for everybody's; as the opponent it is, it keeps that flaw. An attack is
    weighed as if the turn ended with it: the own score is already added to the dice.
    """
    me, seats, log = np.int64(view.seat), np.int64(board.seats), data.view(np.float64)
    dice, weights = scratch(8, np.int64), params.view(Weights)[0]
    count_dice(board, view, dice)
    score = np.int64(view.score[me])
    own_score = np.log(score + 1.0)
    base = 0.0
    for step in range(seats):
        base += weights.score[step] * own_score + weights.dice[step] * log[dice[(me + step) % seats]]
    own_weight, own_now = weights.dice[0], log[dice[me]]
    after = base + own_weight * (log[dice[me] + score] - own_now)
    best, choice = logistic(after), end_of_turn(board)
    eight, eight_value = np.int64(-1), -1.0
    lost = scratch(KINDS, np.float64)  # by the dice that attack, and won by whose dice fall: filled when asked
    won = scratch(PAIRS, np.float64)
    for index in range(KINDS):
        lost[index] = -1.0
    for index in range(PAIRS):
        won[index] = -1.0
    for index in range(attacks_in(board, acts)):
        edge = np.int64(acts[index])
        a, d = np.int64(view.dice[board.source[edge]]), np.int64(view.dice[board.target[edge]])
        rival = np.int64(view.owner[board.target[edge]])
        which = rival * KINDS + d
        if won[which] < 0.0:
            fall = log[dice[rival] - d] - log[dice[rival]]
            won[which] = logistic(after + weights.dice[(rival - me) % seats] * fall)
        if lost[a] < 0.0:
            lost[a] = logistic(base + own_weight * (log[dice[me] + score - a + 1] - own_now))
        p = board.odds[a, d]
        value = p * won[which] + (1.0 - p) * lost[a]
        if value > best:
            best, choice = value, edge
        if a == MOST_DICE and value > eight_value:
            eight, eight_value = edge, value
    if choice != end_of_turn(board):
        from_eight = view.dice[board.source[choice]] == MOST_DICE
        return choice if from_eight or np.log(best / logistic(base)) >= -0.05 else end_of_turn(board)
    return eight if eight >= 0 else choice


@dataclass(frozen=True, repr=False)
class WpmC(CompiledPlayer):
    name = "wpm_c"
    summary = "the attack that improves a logistic model of winning most, from scores and dice"
    decide = decide_wpm
    board_independent = True

    def prepare(self, game, boards):
        return prepared_wpm(1.0, WPM_C[int(boards[0].seats)])


@dataclass(frozen=True, repr=False)
class WpmD(CompiledPlayer):
    name = "wpm_d"
    summary = "as wpm_c, from the dice alone"
    decide = decide_wpm
    board_independent = True

    def prepare(self, game, boards):
        weights = WPM_D[int(boards[0].seats)]
        return prepared_wpm(0.0, tuple(number for weight in weights for number in (0.0, weight)))


def decide_wpm_s(game, board, view, acts, data, memory, params, report, rng):
    """params: Scores; everybody's score is taken for one's own."""
    me, weights = np.int64(view.seat), params.view(Scores)[0]
    base = weights.everybody * view.score[me]
    growth = np.log(logistic(base + weights.own)) - np.log(logistic(base))
    home = largest_regions(board, view, me)
    best, choice = -1.0, np.int64(-1)
    for index in range(attacks_in(board, acts)):
        edge = np.int64(acts[index])
        grows = board.beside[board.target[edge]] & home != 0  # an attack from home is one beside home too
        if not grows and view.dice[board.source[edge]] < MOST_DICE:
            continue
        value = np.log(win_chance(board, view, edge)) + (growth if grows else 0.0)
        if value >= -1.0 and (choice < 0 or value > best):
            best, choice = value, edge
    if choice >= 0 and (best >= -0.05 or view.dice[board.source[choice]] == MOST_DICE):
        return choice
    return end_of_turn(board)


@dataclass(frozen=True, repr=False)
class WpmS(CompiledPlayer):
    name = "wpm_s"
    summary = "the likeliest attack around the own largest region, while it is likely enough, or from eight dice"
    decide = decide_wpm_s
    board_independent = True

    def prepare(self, game, boards):
        own, everybody = WPM_S[int(boards[0].seats)]
        return Prepared.of(params=filled(Scores, self, own=own, everybody=everybody))


FIELD = (Rand, Xlogin, Sdc, WpmD, WpmC, Ste, Stei, WpmS)
