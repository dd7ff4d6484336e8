"""Homeguard: lines of fire against a slow sampler, moves and rounds on drawn maps, covers as genes, the two minds."""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import turnsmith as ts
from turnsmith.cli import main
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import compiled, interpreted
from turnsmith.compile.rng import stream
from turnsmith.contract.game import OVER
from turnsmith.games.homeguard import minds, picture, rules
from turnsmith.studies.homeguard.lengths import lengths

SIZES = (7, 9, 11, 13, 15)
pick_move = interpreted(rules.pick_move)
EMPTY = {
    "rows": ["." * 9] * 9,
    "portals": [],
    "generator": "checkers",
    "starts": "corners",
    "strict": False,
}


@pytest.fixture(scope="module")
def game():
    return ts.load("homeguard")


def board_with(size=9, **covers):
    """A board with stones and trees on named cells: board_with(d4="T")."""
    rows = [["."] * size for _ in range(size)]
    for name, sign in covers.items():
        rows[int(name[1:]) - 1][ord(name[0]) - 97] = sign
    return rules.tables({**EMPTY, "rows": ["".join(row) for row in rows]})


def place_of(board, name):
    """The place of a cell by its name."""
    cell = (int(name[1:]) - 1) * int(board.side) + ord(name[0]) - 97
    assert cell % 2 == 0
    return cell // 2


def state_of(board, *names, hp=(40, 40, 40, 40)):
    """The player's soldiers, then the enemy's, on named cells."""
    states = np.zeros(1, rules.State)
    rules.setup(board, states[0])
    states[0].place[:] = [place_of(board, name) for name in names]
    states[0].hp[:] = hp
    return states[0]


def cells_of(board, state):
    return [rules.cell_name(board, int(place)) for place in state.place]


def drawn(count, **options):
    return rules.boards_of(rules.Options(**options), range(count), range(count))


# ---------------------------------------------------------------- boards


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("generator", ["checkers", "lines"])
def test_boards_are_the_same_from_seeds_and_from_descriptions(size, generator):
    """Many at once, one by one and read back from their descriptions, boards are the same bytes."""
    options = rules.Options(size=size, generator=generator, portals=4)
    boards = rules.draw_boards(options, np.arange(6, dtype=np.uint64))
    for seed, source in enumerate(rules.sources_of(boards)):
        assert source == rules.source(options, seed)
        assert rules.tables(source).tobytes() == boards[seed : seed + 1].tobytes()
        assert not {cell for pair in source["portals"] for cell in pair} & {
            0,
            size - 1,
            size * size - size,
            size * size - 1,
        }


def test_covers_and_portals_come_from_seeds_of_their_own():
    """`covers=5` gives all games the covers of game 5, each with the portals of its own seed."""
    usual, fixed = rules.Options(), rules.Options(covers=5)
    ours = [rules.source(usual, seed) for seed in range(20)]
    theirs = [rules.source(fixed, seed) for seed in range(20)]
    assert {str(source["rows"]) for source in theirs} == {str(ours[5]["rows"])}
    assert [source["portals"] for source in theirs] == [source["portals"] for source in ours]
    assert len({str(source["portals"]) for source in theirs}) == 20
    assert rules.source_of(usual, 5, 7) == theirs[7]


def test_half_of_the_cells_hold_cover_as_many_stones_as_trees():
    """Over many maps the shares are those of the weights; portals do not touch."""
    boards = drawn(400, portals=4)
    odd = boards["cover"][:, 1:81:2]
    assert [(odd == kind).mean() for kind in range(3)] == pytest.approx([0.5, 0.25, 0.25], abs=0.02)
    assert not boards["cover"][:, 0:81:2].any()
    for board in boards:
        ends = [int(cell) // 2 for cell in board.portal[: board.pairs].ravel()]
        assert not any(rules.touch(board, one, other) for one, other in itertools.combinations(ends, 2))


@pytest.mark.parametrize(("size", "checkers", "lines"), [(7, 24, 12), (9, 40, 12), (11, 60, 12), (15, 112, 12)])
def test_genes_are_cells_or_segments(size, checkers, lines):
    """As many genes as the generators have, each changing its own cells, and portals left alone."""
    for generator, count in (("checkers", checkers), ("lines", lines)):
        source = rules.source(rules.Options(size=size, generator=generator), 3)
        assert len(rules.genes(source)) == count == len(rules.gene_values(source))
        bare = rules.with_genes(source, np.zeros(count, np.int64))
        assert bare["portals"] == source["portals"]
        changed = set()
        for gene in range(count):
            one = np.zeros(count, np.int64)
            one[gene] = 2
            cells = {n for n, sign in enumerate("".join(rules.with_genes(source, one)["rows"])) if sign == "T"}
            assert cells
            assert not cells & changed
            changed |= cells
    assert "".join(rules.with_genes({**EMPTY}, [1, 2] + [0] * 38)["rows"])[:5] == ".o.T."


def test_lines_are_horizontal_first_and_leave_squares_open():
    """The first gene is the segment of the upper left corner to the right; no cover lies within the squares."""
    source = rules.source(rules.Options(generator="lines"), 1)
    rows = rules.with_genes(source, [2] + [0] * 5 + [1] + [0] * 5)["rows"]
    assert rows[0] == ".T.T....."
    assert [row[0] for row in rows] == [".", "o", ".", "o", ".", ".", ".", ".", "."]
    everything = rules.with_genes(source, [1] * 12)["rows"]
    assert all(everything[y][x] == "." for y in (1, 2, 3) for x in (1, 2, 3))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rows": ["." * 9] * 8}, "odd number"),
        ({"rows": ["." * 5] * 5}, "odd number"),
        ({"rows": ["." * 9] * 8 + ["." * 8]}, "row 9 of rows has 8 characters"),
        ({"rows": ["." * 9] * 8 + ["x" + "." * 8]}, "holds 'x'"),
        ({"rows": ["." * 9] * 8 + ["o" + "." * 8]}, "row 9, column 1 holds cover where soldiers walk"),
        ({"rows": [".o" + "." * 7] + ["." * 9] * 8, "generator": "lines"}, "the same along a segment"),
        ({"rows": ["." * 9, "..o......"] + ["." * 9] * 7, "generator": "lines"}, "only on its lattice"),
        ({"portals": [[2, 80]]}, "corner"),
        ({"portals": [[2, 4], [4, 6]]}, "has a partner already"),
        ({"portals": [[2, 5]]}, "even cell"),
        ({"portals": [[2, True]]}, "pair of cells"),
        ({"portals": [[2, 4, 6]]}, "pair of cells"),
        ({"portals": "A"}, "list of at most"),
        ({"generator": "noise"}, "one of checkers, lines"),
        ({"starts": "anywhere"}, "one of corners, together"),
        ({"strict": 1}, "strict"),
        ({"size": 9}, "no 'size'"),
    ],
)
def test_wrong_descriptions_are_refused(change, said):
    """Each with the key, the row or the cell that is wrong."""
    with pytest.raises(BadInput, match=said):
        rules.tables({**EMPTY, **change})


def test_even_sizes_are_refused():
    """Corners could not all be walked on."""
    with pytest.raises(BadInput, match="size=8 must be odd"):
        ts.load("homeguard:size=8")


# ---------------------------------------------------------------- fire


def sampled(board, shooter, target):
    """The damage of a shot by the rulings, with fractions: slow, and written anew."""
    side = int(board.side)
    (x, y), (tx, ty) = ((2 * place % side, 2 * place // side) for place in (shooter, target))
    if math.hypot(tx - x, ty - y) > 4.5:
        return 0
    points = [(Fraction(c), y + Fraction((c - x) * (ty - y), tx - x)) for c in range(min(x, tx) + 1, max(x, tx))]
    points += [(x + Fraction((r - y) * (tx - x), ty - y), Fraction(r)) for r in range(min(y, ty) + 1, max(y, ty))]
    worst = 0
    for px, py in points:
        meant = []
        columns, rows = ({math.ceil(v - Fraction(1, 2)), math.floor(v + Fraction(1, 2))} for v in (px, py))
        for cx, cy in itertools.product(columns, rows):
            cover = int(board.cover[cy * side + cx])
            meant.append(0 if cover == 1 and math.hypot(cx - x, cy - y) < 2 else cover)
        worst = max(worst, max(meant) if board.strict else min(meant))
    return (10, 5, 0)[worst]


@pytest.mark.parametrize("strict", [False, True])
def test_damage_is_that_of_a_slow_sampler(strict):
    """Between all pairs of places, on maps of both generators and several sizes."""
    for options in ({"size": 7}, {"size": 9}, {"size": 9, "generator": "lines"}, {"size": 11}):
        for board in drawn(3, strict=strict, **options):
            for shooter, target in itertools.product(range(board.places), repeat=2):
                assert board.damage[shooter, target] == sampled(board, shooter, target)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 2), min_size=40, max_size=40), st.booleans())
def test_lines_are_symmetric_but_for_stones_beside_the_shooter(genes, strict):
    """With trees alone damage is the same both ways; with stones it differs only where one stands beside a stone."""
    source = {**EMPTY, "strict": strict}
    trees = rules.tables(rules.with_genes(source, [2 * (gene == 2) for gene in genes]))[0]
    assert np.array_equal(trees.damage, trees.damage.T)
    board = rules.tables(rules.with_genes(source, genes))[0]
    for one, other in np.argwhere(board.damage != board.damage.T):
        cells = [2 * int(place) + step for place in (one, other) for step in (-9, -1, 1, 9)]
        assert any(0 <= cell < 81 and board.cover[cell] == 1 for cell in cells)
    assert set(np.unique(board.damage)) <= {0, 5, 10}


def test_range_and_cover_on_a_drawn_map():
    """36 places are in range on an empty map, 12 cannot be blocked; stones halve, trees stop, and a stone beside
    the shooter does nothing."""
    board = board_with()[0]
    middle = place_of(board, "e5")
    assert int((board.damage[middle] > 0).sum()) == 37  # with the own place, where enemies may stand too
    full = rules.tables(rules.with_genes(EMPTY, [2] * 40))[0]
    assert int((full.damage[middle] > 0).sum()) == 13
    board = board_with(d5="o", f5="T", e2="o", b5="o")[0]
    assert board.damage[middle, place_of(board, "c5")] == 10
    assert board.damage[place_of(board, "c5"), middle] == 10  # beside both
    assert board.damage[middle, place_of(board, "g5")] == board.damage[place_of(board, "g5"), middle] == 0
    assert board.damage[place_of(board, "a5"), middle] == 5  # its own stone is ignored, the other is not
    assert board.damage[middle, place_of(board, "e1")] == 5


# ---------------------------------------------------------------- moves


@pytest.mark.parametrize("size", [7, 15])
def test_offered_moves_never_leave_two_of_a_team_side_by_side(size):
    """Through random games every offered move, of either team, keeps its soldiers apart; standing still is offered."""
    out = np.zeros(rules.MOVES, np.int32)
    for seed, board in enumerate(drawn(4, size=size)):
        states, rng = np.zeros(1, rules.State), stream(seed)
        state = states[0]
        rules.setup(board, state)
        for _ in range(30):
            chosen = []
            for seat in range(2):
                moves = out[: rules.list_moves(board, state, seat, out)].tolist()
                assert moves[0] == 0
                for move in moves:
                    first, second = (
                        int(board.near[state.place[2 * seat + k], way]) for k, way in enumerate(rules.ways_of(move))
                    )
                    apart = max(abs(int(board.x[first]) - board.x[second]), abs(int(board.y[first]) - board.y[second]))
                    assert min(first, second) >= 0
                    assert apart > 1
                chosen.append(int(pick_move(board, state, seat, rng)))
                assert chosen[-1] in moves
            rules.resolve(board, state, *chosen)


def test_actions_are_in_their_order():
    """Stay, right and down, right and up, left and down, left and up, portal."""
    board = rules.tables({**EMPTY, "portals": [[40, 16]]})[0]
    ways = [rules.cell_name(board, place) for place in board.near[20]]
    assert ways == ["e5", "f6", "f4", "d6", "d4", "h2"]
    assert [rules.way_name(board, 20, way) for way in (0, 1, 5)] == ["stay", "f6", "portal"]
    assert board.near[0].tolist() == [0, 5, -1, -1, -1, -1]
    assert board.steps[20, 8] == 1
    assert board.steps[0, 4] == 6  # to the middle, through the portal, and to the corner


# ---------------------------------------------------------------- rounds


def test_all_fire_at_once_at_whom_they_hurt_most():
    """The first of equals is hit; a doomed soldier fires, and what is beyond its hit points is not counted."""
    board = board_with(d5="o")[0]
    state = state_of(board, "a5", "i1", "c5", "e5", hp=(40, 40, 10, 5))
    rules.resolve(board, state, 0, 0)
    assert state.hp.tolist() == [20, 40, 40, 5]  # red1 came back, and had fired, as red2 had through its own stone
    assert state.hit.tolist() == [10, 0, 10, 10]
    assert state.target.tolist() == [2, rules.NOBODY, 0, 0]
    assert (state.dealt.tolist(), state.kills.tolist()) == ([10, 20], [1, 0])
    assert rules.lead(state, 0) == -10
    assert state.turn == 1


def test_ties_go_to_the_first_enemy():
    """Two enemies in the open: both soldiers fire at number one."""
    board = board_with()[0]
    state = state_of(board, "c3", "i9", "e3", "c5")
    rules.resolve(board, state, 0, 0)
    assert state.target.tolist()[0] == 2
    assert state.hp.tolist() == [20, 40, 30, 40]


def test_enemies_may_meet_and_swap():
    """Two of different teams pass through each other, or end on one cell, where nothing is between them."""
    board = board_with()[0]
    state = state_of(board, "d4", "i9", "e5", "a9")
    rules.resolve(board, state, 1 * 6, 4 * 6)
    assert cells_of(board, state)[::2] == ["e5", "d4"]
    state = state_of(board, "c3", "i9", "e5", "a9")
    rules.resolve(board, state, 1 * 6, 4 * 6)
    assert cells_of(board, state)[::2] == ["d4", "d4"]
    assert state.hp.tolist() == [30, 40, 30, 40]


@pytest.mark.parametrize(
    ("places", "hp", "back"),
    [
        (("b6", "i1", "b8", "h8"), (10, 40, 40, 40), {0: "a1"}),  # its own corner
        (("b6", "i1", "b8", "h8"), (40, 40, 10, 40), {2: "a1"}),  # the enemy's comes back there too
        (("b6", "i1", "b8", "h8"), (10, 40, 10, 40), {0: "a1", 2: "a1"}),  # neither team comes first
        (("b6", "b2", "b8", "h8"), (10, 40, 40, 40), {0: "i9"}),  # a comrade stands beside it
        (("b6", "i1", "b8", "a1"), (10, 40, 40, 40), {0: "i9"}),  # somebody stands on it
        (("b6", "a1", "b8", "i9"), (10, 40, 40, 40), {0: "c3"}),  # both taken, and what touches the comrade
        (("b6", "i9", "b8", "a1"), (10, 40, 40, 40), {0: "b2"}),
    ],
)
def test_the_dead_come_back(places, hp, back):
    """On the corner of their number, the other one, or the nearest free place; with full hit points."""
    board = board_with()[0]
    state = state_of(board, *places, hp=hp)
    rules.resolve(board, state, 0, 0)
    cells = cells_of(board, state)
    for unit, cell in back.items():
        assert cells[unit] == cell
        assert state.hp[unit] == 40
    assert int(state.kills.sum()) == len(back)


def test_both_soldiers_of_a_team_come_back_at_once():
    """Each on its own corner."""
    board = board_with()[0]
    state = state_of(board, "b6", "h4", "b8", "h2", hp=(10, 10, 40, 40))
    rules.resolve(board, state, 0, 0)
    assert cells_of(board, state)[:2] == ["a1", "i9"]
    assert state.kills.tolist() == [0, 2]
    assert rules.to_move(board, state) == OVER


def swapped(state):
    """The same position with the seats changed."""
    other = np.zeros(1, rules.State)[0]
    order = [2, 3, 0, 1]
    for name in ("place", "hp", "stood", "hit"):
        other[name] = state[name][order]
    other.target[:] = [(target + 2) % 4 if target >= 0 else target for target in state.target[order]]
    other.dealt[:], other.kills[:], other.turn = state.dealt[::-1], state.kills[::-1], state.turn
    return other


def test_seats_do_not_matter_for_a_round():
    """Whoever is called player: the same moves give the same round, deaths and returns to the field included."""
    deaths = 0
    for seed, board in enumerate(drawn(20)):
        states, rng = np.zeros(1, rules.State), stream(seed)
        state = states[0]
        rules.setup(board, state)
        for _ in range(25):
            first, second = (int(pick_move(board, state, seat, rng)) for seat in range(2))
            other = swapped(state)
            rules.resolve(board, state, first, second)
            rules.resolve(board, other, second, first)
            assert swapped(other).tobytes() == state.tobytes()
        deaths += int(state.kills.sum())
    assert deaths > 40


def test_scores_follow_from_hit_points_and_kills():
    """What a seat has dealt is forty a kill and what the enemies lack: nothing is counted beyond their hit points."""
    for seed, board in enumerate(drawn(10)):
        states, rng = np.zeros(1, rules.State), stream(seed)
        state = states[0]
        rules.setup(board, state)
        for _ in range(30):
            rules.resolve(board, state, *(int(pick_move(board, state, seat, rng)) for seat in range(2)))
            lost = [80 - int(state.hp[2 * seat : 2 * seat + 2].sum()) for seat in range(2)]
            assert state.dealt.tolist() == [40 * int(state.kills[seat]) + lost[1 - seat] for seat in range(2)]


@pytest.mark.parametrize(
    ("kills", "dealt", "turn", "value", "said"),
    [
        ((2, 1), (80, 75), 9, 1.0, "blue has 2 kills"),
        ((1, 2), (90, 80), 9, -1.0, "red has 2 kills"),
        ((2, 2), (85, 90), 9, -1.0, "both have 2 kills"),
        ((2, 2), (90, 90), 9, 0.0, "both have 2 kills"),
        ((1, 0), (40, 30), 40, 1.0, "40 rounds are over; score +10"),
        ((0, 0), (0, 0), 40, 0.0, "40 rounds are over"),
    ],
)
def test_ends(kills, dealt, turn, value, said):
    """Two kills win; where both have them, or nobody after 40 rounds, the score decides, and equal ones are a draw."""
    board = board_with()[0]
    state = state_of(board, "a1", "i9", "i1", "a9")
    state.kills[:], state.dealt[:], state.turn = kills, dealt, turn
    assert rules.to_move(board, state) == OVER
    out = np.zeros(2)
    rules.returns(board, state, out)
    assert out.tolist() == [value, -value]
    assert said in rules.ending(board, state)


# ---------------------------------------------------------------- hidden commitments


def test_the_enemy_cannot_see_what_the_player_has_committed(game):
    """All commitments of a player look the same to the enemy: record, picture, text, words; and it believes in each."""
    start = game.start(4)
    seen, shown = set(), set()
    for action in start.actions.tolist():
        position = game.start(4)
        position.push(action)
        view = position.seen_by(1)
        seen.add(view.state.tobytes())
        shown.add((view.picture(), view.text(), view.legal))
        assert position.seen_by(0).state.committed == action + 1
    assert len(seen) == len(shown) == 1
    worlds = np.zeros(rules.MOVES, np.int32)
    count = rules.believe(view.board, view.state, 1, worlds)
    assert worlds[:count].tolist() == start.actions.tolist()


@pytest.mark.parametrize("text", ["homeguard:size=7", "homeguard:size=7,generator=lines,moves=unit"])
def test_search_is_fair_and_finishes(text):
    """Tree search plays both seats, jointly and unit by unit, and the same seed plays the same match."""
    game = ts.load(text)
    matches = [ts.play(game, ["mcts:simulations=40,leaf=evaluate", "mcts:simulations=40"], seed=3) for _ in range(2)]
    assert matches[0].actions == matches[1].actions
    assert len(matches[0].returns) == 2


# ---------------------------------------------------------------- minds


def reference(board, state, seat, reply):
    """What a mind should choose, by playing every round out; `reply`: whether the opponent answers."""
    out, values = np.zeros(rules.MOVES, np.int32), {}
    own = out[: rules.list_moves(board, state, seat, out)].tolist()
    theirs = out[: rules.list_moves(board, state, 1 - seat, out)].tolist() if reply else [0]
    foes = [int(place) for place in state.place[2 - 2 * seat : 4 - 2 * seat]]
    for move in own:
        gains = []
        for answer in theirs:
            after = np.array([state])[0]
            rules.resolve(board, after, *((move, answer) if seat == 0 else (answer, move)))
            gains.append(int(rules.lead(after, seat) - rules.lead(state, seat)))
        ends = [int(board.near[state.place[2 * seat + k], way]) for k, way in enumerate(rules.ways_of(move))]
        steps = sum(min(int(board.steps[end, foe]) for foe in foes) for end in ends)
        values[move] = (min(gains), -steps, -move)
    best = max(values, key=values.__getitem__)
    return best, values[best][0]


@pytest.mark.parametrize(("mind", "reply"), [(minds.greedy_move, False), (minds.maximin_move, True)])
def test_minds_choose_as_defined(mind, reply):
    """On positions of random games, by the score after the round, then by steps, then by the lower number."""
    think, resolve = compiled(mind), rules.resolve
    out = np.zeros(rules.MOVES, np.int32)
    for seed in range(3):
        boards, states, rng = drawn(1, size=7, covers=seed), np.zeros(1, rules.State), stream(seed)
        board, state = boards[0], states[0]
        rules.setup(board, state)
        for _ in range(3 if reply else 10):
            for seat in range(2):
                moves = out[: rules.list_moves(board, state, seat, out)].copy()
                assert think(board, state, seat, moves) == reference(board, state, seat, reply)
            resolve(board, state, *(int(pick_move(board, state, seat, rng)) for seat in range(2)))


def test_the_minds_beat_chance(game):
    """Both win most games against random moves, on either side."""
    for name in ("greedy", "maximin"):
        table = ts.arena(game, [name, "random"], games=400, seed=1).to_dict()
        row = next(row for row in table["players"] if row["name"] == name)
        assert row["low"] > 0.7


def test_the_minds_refuse_one_soldier_at_a_time():
    """They decide for both."""
    with pytest.raises(BadInput, match="both soldiers at once"):
        ts.play(ts.load("homeguard:moves=unit"), ["greedy", "random"])


# ---------------------------------------------------------------- lengths and checks


def test_larger_boards_take_longer():
    """Rounds until the first hit, the first kill and the end come one after another, later on larger boards."""
    rows = [lengths(rules.Options(size=size), 100, "greedy", "maximin") for size in (7, 15)]
    for row in rows:
        assert 1 <= row["first hit"] < row["first kill"] < row["end"] < 40
    assert rows[0]["end"] < rows[1]["end"]
    assert rows == [lengths(rules.Options(size=size), 100, "greedy", "maximin") for size in (7, 15)]


def test_other_boards_keep_the_laws():
    """The largest, by the other generator, with every option, unit by unit."""
    text = "homeguard:size=15,generator=lines,starts=together,strict=true,portals=4,moves=unit"
    report = ts.check(ts.load(text), positions=20, mutations=100)
    assert report.ok, str(report)


# ---------------------------------------------------------------- for people


def test_words_may_be_short(game):
    """Numbers of soldiers can be left out, and standing still has short names."""
    position = game.start(3)
    for said in ("1b2 2stay", "b2 stay", "B2 -", "1b2 skip", "b2 2s"):
        assert position.words(position.parse(said)) == "1b2 2stay"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("b2", "leaves out soldier 2"),
        ("c3 stay", r"soldier 1 on a1 cannot do 'c3'; it can do stay, b2"),
        ("portal stay", "cannot do 'portal'"),
        ("2stay 1stay", "is no move; say for soldier 1 and soldier 2"),
        ("", "is no move"),
        ("b2 stay stay", "is no move"),
    ],
)
def test_wrong_words_are_refused_with_the_reason(game, said, why):
    """In the terms of the game."""
    with pytest.raises(BadInput, match=why):
        game.start(3).push(said)


def test_soldiers_that_would_touch_are_refused_by_name():
    """The words say what is wrong, though each soldier alone could go there."""
    board = board_with()[0]
    state = state_of(board, "c3", "e5", "i1", "a9")
    assert "side by side" in rules.refusal(board, state, "d4 stay")


def test_tips_say_who_would_be_hit():
    """For how much, if the others stay; and who would die."""
    board = board_with(h3="o")[0]
    state = state_of(board, "d2", "i9", "i3", "a9", hp=(40, 40, 5, 40))
    assert picture.tip(board, state, 1 * 6) == "if red stays: red1 -5 dies, blue1 -10"
    assert picture.tip(board, state, 4 * 6) == "if red stays: no shot hits"


def test_a_shared_cell_has_a_part_for_each_soldier():
    """Where both soldiers could go, both can be clicked, and what is drawn tells what it would deal and take."""
    board = board_with()[0]
    state = state_of(board, "c3", "c5", "g5", "a9")
    svg = picture.picture(board, state)
    assert svg.count('data-word="1d4"') == svg.count('data-word="2d4"') == 1
    assert [picture.forecast(board, state, unit, place_of(board, "d4")) for unit in (0, 1)] == [(10, 10), (10, 0)]


@pytest.mark.parametrize(("words", "code"), [(["--games", "20", "--json"], 0), (["--player", "clever"], 2)])
def test_lengths_are_measured_on_the_command_line(capsys, words, code):
    """One row a size; a mind that is not there is refused by its name."""
    with pytest.raises(SystemExit) as stopped:
        main(["train", "homeguard", "lengths", *words])
    said = capsys.readouterr()
    assert stopped.value.code == code
    if code == 0:
        assert [row["size"] for row in json.loads(said.out)["sizes"]] == [7, 9, 11, 13, 15]
    else:
        assert "clever" in said.err
