"""Measures of maps: each on trees made by hand whose value is known."""

from __future__ import annotations

import numpy as np
import pytest
from drawn import homeguard

import turnsmith as ts
from turnsmith.common.errors import BadInput
from turnsmith.contract.grids import Grid, form_of
from turnsmith.games.homeguard.grid import GRID
from turnsmith.maps import measures
from turnsmith.maps.measures import MEASURES, MeasuredBranches, measure_maps, measure_trees, of_kind, seat_advantage
from turnsmith.maps.tree import PADDING, Trees, reachable_best, stack


def tree(leads, best=None, actions=None, **sides):
    """One tree: how the player stands after each round of each branch; a round has one layer."""
    scores = np.array([leads], np.int16)
    actions = np.arange(len(leads))[:, None] + np.zeros(scores.shape[1:]) if actions is None else actions
    actions = np.array([actions], np.int16).reshape(scores.shape)
    best = reachable_best(actions, scores) if best is None else np.array([best], np.int16)
    found = {name: np.array([numbers], np.int16) for name, numbers in sides.items()}
    return Trees(actions, scores, best, found, layers_a_round=1)


def one(name, *made, **more):
    """A measure of trees, rounded."""
    return measure_trees(stack(made), [name], **more)[name].round(9).tolist()


def test_drama_is_the_mean_root_of_the_winners_deficit():
    """Over the rounds in which it is behind, 0 where it never is; whoever wins; a draw does not count."""
    assert one("drama", tree([[-4, -9, 1, 10]])) == [2.5]
    assert one("drama", tree([[16, 0, -1, -5]])) == [4.0]
    assert one("drama", tree([[1, 2, 3, 4]])) == [0.0]
    assert one("drama", tree([[-4, -9, 1, 10], [16, 0, -1, -5], [1, 2, 3, 4], [9, 9, 9, 0]])) == [round(6.5 / 3, 9)]


def test_uncertainty_is_the_distance_of_the_lead_from_a_straight_line():
    """Squared, a mean over the rounds, the later half for the late one; the loser's side gives the same."""
    assert one("uncertainty", tree([[1, 2, 3, 4]])) == [0.0]
    for sign in (1, -1):
        uneven = tree([[5 * sign, 5 * sign, 20 * sign, 20 * sign]])  # .25 .25 1 1 instead of .25 .5 .75 1
        assert one("uncertainty", uneven) == [0.125 / 4]
        assert one("late_uncertainty", uneven) == [0.0625 / 2]
    assert one("late_uncertainty", tree([[0, 0, 0, 0, 10]])) == [round((0.6**2 + 0.8**2) / 3, 9)]


def test_uncertainty_of_damage_looks_at_what_the_winner_has_dealt():
    """The winner's own damage, whatever it takes."""
    dealt, taken = [[[1], [2], [3], [8]], [[0], [0], [0], [4]]], [[[0], [0], [0], [4]], [[2], [4], [6], [8]]]
    lead = [[1, 2, 3, 4], [-2, -4, -6, -4]]
    made = tree(lead, dealt=dealt, taken=taken)
    first = (1 / 8 - 0.25) ** 2 + (2 / 8 - 0.5) ** 2 + (3 / 8 - 0.75) ** 2
    assert one("damage_uncertainty", made) == [round(first / 4 / 2, 9)]
    assert one("late_damage_uncertainty", made) == [round((3 / 8 - 0.75) ** 2 / 2 / 2, 9)]


def test_lead_change_carries_the_last_leader_over_draws():
    """Or counts every change of sign, as the thesis does."""
    made = tree([[5, 0, -5, 0, 5, 5]])
    assert one("lead_change", made) == [2.0]
    assert measures.lead_change(MeasuredBranches(made), strict=True).tolist() == [4.0]
    assert one("lead_change", tree([[0, 0, 5, 0, 5, 1]])) == [0.0]
    assert one("lead_change", tree([[5, -5, 5, -5], [1, 1, 1, 1], [5, -5, 5, 0]])) == [1.5]


def test_lead_possibility_change_counts_when_winning_becomes_possible_or_not():
    """By the best score that can be reached."""
    assert one("lead_possibility_change", tree([[0, 0, 0, 5]], best=[[1, 0, 1, 5]])) == [2.0]
    shared = tree([[0, 0, 0, 5], [0, 0, 0, -5]], actions=[[0, 0, 0, 0], [0, 0, 1, 0]])
    assert one("lead_possibility_change", shared) == [0.5]  # the second loses its chance with its third action


def test_best_scores_by_depth_and_of_all():
    """The mean over branches after each layer, and the best end."""
    made = tree([[0, 1], [0, 7], [0, -3]], actions=[[0, 0], [0, 1], [1, 0]])
    assert one("global_best", made) == [7.0]
    assert one("mean_best", made) == [[round(11 / 3, 9), round(5 / 3, 9)]]


def test_the_information_print_grows_where_actions_decide():
    """One bit where the first action decides between two scores, none before the action that does."""
    actions = [[0, 0], [0, 1], [1, 0], [1, 1]]
    first = tree([[0, 1], [0, 1], [0, 2], [0, 2]], actions=actions)
    second = tree([[0, 1], [0, 2], [0, 1], [0, 2]], actions=actions)
    same = tree([[0, 1], [0, 1], [0, 1], [0, 1]], actions=actions)
    share = tree([[0, 1], [0, 1], [0, 1], [0, 2]], actions=actions)
    third = 0.75 * np.log2(4 / 3) + 0.25 * 2
    found = measure_trees(stack([first, second, same, share]), ["information_print"])["information_print"]
    assert np.allclose(found, [[1, 1], [0, 1], [0, 0], [third - 0.5, third]])


def test_what_the_score_does_not_tell():
    """Portals, first contact, steps, cells and exposure, of draws too."""
    zero, quiet = [[0, 0, 0], [0, 0, 5]], [[[0], [0], [0]], [[0], [0], [0]]]
    portals = [[[1, 0], [0, 0], [1, 1]], [[0, 0], [0, 0], [0, 1]]]
    assert one("portal_use", tree(zero, used_portal=portals)) == [2.0]
    hurt = [[[0], [0], [0]], [[0], [5], [10]]]
    assert one("first_contact", tree(zero, dealt=quiet, taken=hurt)) == [(4 + 2) / 2]
    assert one("first_contact", tree(zero, dealt=[[[5]] * 3] * 2, taken=quiet)) == [1.0]
    cells = [[[0, 8], [1, 8], [1, 8], [0, 9]], [[0, 8]] * 4]
    assert one("distance_moved", tree(zero, positions=cells)) == [(1.5 + 0) / 2]
    assert one("unique_cells", tree(zero, positions=cells)) == [(4 + 2) / 2]
    seen = [[[2, 0], [1, 1], [0, 2]], [[0, 0], [0, 0], [3, 3]]]
    assert one("exposure", tree(zero, exposure=seen)) == [1.0]


def test_important_branches_are_those_above_the_median_at_half_time():
    """Only they count then; where none is above it, all do. Padding is neither."""
    leads, best = [[-9, -9, 5, 5], [-4, -4, 5, 5], [-1, -1, 5, 5]], [[1] * 4, [2] * 4, [3] * 4]
    made = tree(leads, best=best)
    assert one("drama", made) == [2.0]
    assert one("drama", made, important=True) == [1.0]
    assert one("drama", tree(leads, best=[[2] * 4] * 3), important=True) == [2.0]
    larger = tree([[1, 1, 1, 1]] * 5)
    assert one("drama", made, larger, important=True) == [1.0, 0.0]


def test_padding_counts_for_nothing():
    """A tree has the same measures alone and beside a larger one."""
    dice = np.random.default_rng(3)
    sides = {"positions": (5, 2), "used_portal": (4, 2), "exposure": (4, 2), "dealt": (4, 1), "taken": (4, 1)}

    def random_tree(branches):
        made = {name: dice.integers(0, 9, (branches, *shape)) for name, shape in sides.items()}
        return tree(5 * dice.integers(-3, 4, (branches, 4)), actions=dice.integers(0, 2, (branches, 4)), **made)

    small, large = random_tree(5), random_tree(40)
    together = stack([small, large])
    assert (together.scores[0, 5:] == PADDING).all()
    for important in (False, True):
        alone, beside = measure_trees(small, important=important), measure_trees(together, important=important)
        assert set(alone) == {*of_kind("tree"), *of_kind("depth")}
        for name in alone:
            assert np.allclose(alone[name][0], beside[name][0]), name


def test_many_trees_are_measured_as_one_by_one():
    """Also those beyond what is measured at once; a round of two layers counts as one move."""
    dice = np.random.default_rng(4)
    actions = dice.integers(0, 3, (300, 6, 8)).astype(np.int16)
    scores = np.repeat(5 * dice.integers(-3, 4, (300, 6, 4)), 2, axis=2).astype(np.int16)
    made = Trees(actions, scores, reachable_best(actions, scores))
    found = measure_trees(made)
    for number in (0, 255, 256, 299):
        alone = measure_trees(made[number : number + 1])
        assert all(np.allclose(alone[name][0], found[name][number]) for name in found)
    leads = [tree(scores[number, :, 1::2]) for number in (0, 299)]
    assert one("drama", *leads) == found["drama"][[0, 299]].round(9).tolist()


def test_covers_and_symmetry_of_maps():
    """A full map, an empty one, a pair of like covers and one of unlike ones; any game with grids has both."""

    def of(rows, name):
        grid = GRID.grid_of({**homeguard(0, pairs=0), "rows": rows})
        return MEASURES[name].of(grid, GRID)

    empty = ["." * 9] * 9
    full = ["".join("o" if (row + column) % 2 else "." for column in range(9)) for row in range(9)]
    like, unlike = ([".o.....o."[:7] + second + ".", *empty[1:]] for second in "oT")
    alone = [".o.......", *empty[1:]]
    assert [of(rows, "cover_density") for rows in (empty, full, like)] == [0.0, 1.0, 2 / 40]
    assert [of(rows, "symmetry") for rows in (empty, full, like, unlike, alone)] == [1.0, 1.0, 1.0, 0.0, 0.0]
    grids = []
    for text in ("pacman:map=tiny", "tactics:size=8", "dicewars"):
        game, form = ts.load(text), form_of(text)
        grids.append((form.grid_of(game.describe(1)), form))
    found = measure_maps(grids)
    assert set(found) == {"cover_density", "symmetry"}
    assert found["symmetry"][1] == 1.0  # a map of Tactics is its own image
    assert all(((values >= 0) & (values <= 1)).all() for values in found.values())


def test_seat_advantage_is_played_on_the_map_itself():
    """A map on which the pacman eats all at once, and one on which it is caught first; starts count once."""
    game = ts.load("pacman:map=tiny")
    usual = {**game.describe(), "t_max": 4}
    near = {**usual, "rows": ["########", "#P.   G#", "########"]}
    far = {**usual, "rows": ["########", "#PG    #", "########"]}
    eaten, low, high = seat_advantage(game, near, ["negamax:depth=2"], games=4, opening=0)
    assert -1 <= low <= eaten <= high <= 1
    caught = seat_advantage(game, far, ["negamax:depth=2", "negamax:depth=2"], games=4, opening=0)[0]
    assert caught == 0.0
    assert eaten > 0.3
    with pytest.raises(BadInput, match="name one player, or 2"):
        seat_advantage(game, near, ["random"] * 3)
    with pytest.raises(BadInput, match="balance is between seats"):
        seat_advantage(ts.load("mastermind"), ts.load("mastermind").describe(), ["random"])
    with pytest.raises(BadInput, match="map tiny has no pacman"):
        seat_advantage(game, {**usual, "rows": ["####"]}, ["random"])


def test_every_measure_has_a_sentence_and_wrong_ones_are_refused():
    """Sentences end with a full stop; what trees cannot tell is refused by name."""
    for name, each in MEASURES.items():
        assert each.name == name
        assert each.about.endswith("."), name
    made = tree([[1, 2]])
    for name, reason in (
        ("dramma", r"there is no measure 'dramma' \(did you mean 'drama'\?\)"),
        ("symmetry", "symmetry is measured of maps, not of trees"),
        ("portal_use", "portal_use needs used_portal of the trees"),
    ):
        with pytest.raises(BadInput, match=reason):
            measure_trees(made, [name])
    assert measure_maps([(Grid({"cover": np.zeros((9, 9), np.int16)}), GRID)], ["symmetry"])["symmetry"].tolist() == [
        1.0
    ]
