"""Tactics: the promises of maps, sight against a sampler, tables against their definitions, the rules on drawn maps."""

import itertools
import math
import tomllib

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

import turnsmith as ts
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import compiled
from turnsmith.contract.game import CHANCE, OVER
from turnsmith.games import tactics
from turnsmith.games.tactics import config as configuration
from turnsmith.games.tactics import maps, picture, rules, tables
from turnsmith.games.tactics.config import Config, MapSettings
from turnsmith.games.tactics.odds import modifiers, ray, shots, told, way

STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))
FLAT = ["0" * 8] * 8


# ---------------------------------------------------------------- maps


def many_maps(side, count, settings=None):
    """int64[count, side, side]: heights and pieces."""
    made = [maps.generate(side, settings or MapSettings(), seed) for seed in range(count)]
    return (np.array([each[part].reshape(side, side) for each in made]) for part in (0, 1))


def reflected(grids):
    """m(x, y) = (side - 1 - y, side - 1 - x)."""
    return grids[:, ::-1, ::-1].transpose(0, 2, 1)


def walks(heights):
    """The graph of steps: up by one at most."""
    side = len(heights)
    cells = np.arange(side * side).reshape(side, side)
    ends = []
    for one, other in ((cells[:, :-1], cells[:, 1:]), (cells[:-1], cells[1:])):
        pairs = np.stack([one.ravel(), other.ravel()], 1)
        ends += [pairs, pairs[:, ::-1]]
    ends = np.concatenate(ends)
    climb = heights.ravel()[ends[:, 1]] - heights.ravel()[ends[:, 0]]
    ends = ends[climb <= 1]
    return csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), (side * side, side * side))


def check_promises(side, heights, pieces):
    """All that the generator promises of maps."""
    free = pieces == 0
    for axis in (1, 2):
        both = np.logical_and(*(np.take(free, range(k, side - 1 + k), axis) for k in (0, 1)))
        assert (np.abs(np.diff(heights, axis=axis))[both] <= 1).all()
    assert np.array_equal(heights, reflected(heights))
    assert np.array_equal(free, reflected(free))
    inside = np.pad(pieces, ((0, 0), (1, 1), (1, 1)))
    for dy, dx in itertools.product((-1, 0, 1), repeat=2):
        beside = inside[:, 1 + dy : 1 + dy + side, 1 + dx : 1 + dx + side]
        assert ((pieces == 0) | (beside == 0) | (pieces == beside)).all()
    x, y = np.meshgrid(np.arange(side), np.arange(side))
    x, y = np.minimum(x, side - 1 - x), np.minimum(y, side - 1 - y)
    assert free[:, (np.minimum(x, y) == 0) | (x + y <= 2)].all()
    for each, open_ in zip(heights, free, strict=True):
        graph = walks(each)
        assert open_.ravel()[0]
        assert set(np.flatnonzero(open_.ravel())) <= set(breadth_first_order(graph, 0)[0])
        assert len(breadth_first_order(graph.T, 0)[0]) == side * side


def test_a_thousand_maps_keep_every_promise():
    """Neighbours within 1 but for cover; mirrored; pieces apart, off border and corners; all of it can be walked."""
    heights, pieces = many_maps(24, 1000)
    check_promises(24, heights, pieces)
    ground = heights[pieces == 0]
    assert (ground.min(), ground.max(), heights.max()) == (0, 7, 9)
    assert 24 < np.mean(pieces.reshape(1000, -1).max(axis=1)) <= 28  # 14 pieces and their images, where there is room


@pytest.mark.parametrize("side", [8, 48])
def test_the_smallest_and_largest_maps_keep_them_too(side):
    """The promises do not depend on the size, and cover grows with it."""
    heights, pieces = many_maps(side, 20)
    check_promises(side, heights, pieces)
    assert pieces.max() > (2 if side == 8 else 90)


def test_a_bare_map_is_all_slopes():
    """Without pieces every two neighbours are within 1, and heights stay in the range asked for."""
    heights, pieces = many_maps(16, 100, MapSettings(pieces=0, lowest=2, highest=4))
    assert not pieces.any()
    assert (heights.min(), heights.max()) == (2, 4)
    assert np.abs(np.diff(heights, axis=1)).max() == 1


# ---------------------------------------------------------------- sight


def sight_of(heights):
    side = len(heights)
    sight = np.zeros((side * side, side * side), np.uint8)
    compiled(tables.measure_sight)(np.array(heights, np.int64).ravel(), side, 99, sight)
    return sight


def rough(seed, side=12):
    """A map without any order, where sight has much to do."""
    return np.random.default_rng(seed).integers(0, 4, (side, side))


def test_sight_is_symmetric_and_follows_the_mirror():
    """a sees b as b sees a, and their reflections see each other alike; on level ground everybody sees everybody."""
    for seed in range(10):
        heights = rough(seed)
        sight = sight_of(heights)
        assert np.array_equal(sight, sight.T)
        assert 0.05 < sight.mean() < 0.95
        image = maps.mirrored(12, np.arange(144))
        assert np.array_equal(sight_of(reflected(heights[None])[0])[np.ix_(image, image)], sight)
    assert sight_of(np.full((8, 8), 3)).all()


def test_raising_a_third_cell_never_adds_sight():
    """Sight is monotone."""
    random = np.random.default_rng(2)
    for seed in range(40):
        heights = rough(seed, 8)
        before, cell = sight_of(heights), int(random.integers(64))
        heights.ravel()[cell] += 1
        after = sight_of(heights)
        others = np.arange(64) != cell
        assert (after <= before)[np.ix_(others, others)].all()


def test_sight_is_that_of_a_sampler():
    """Off ties, a ray is clear where thousands of points along it are above the ground below them."""
    times, compared = np.linspace(0.0, 1.0, 4001)[1:-1], 0
    for seed in range(4):
        heights = rough(seed)
        sight = sight_of(heights)
        for a, b in np.random.default_rng(seed).integers(144, size=(400, 2)).tolist():
            (ay, ax), (by, bx) = divmod(a, 12), divmod(b, 12)
            dx, dy = bx - ax, by - ay
            common = math.gcd(dx, dy)
            if a == b or (dx // common % 2 and dy // common % 2):  # through corners of cells, which are ties
                continue
            over = heights[ay, ax] + 1 + times * (heights[by, bx] - heights[ay, ax])
            under = heights[np.floor(ay + 0.5 + times * dy).astype(int), np.floor(ax + 0.5 + times * dx).astype(int)]
            clearance = (over - under).min()
            if abs(clearance) > 0.01:
                assert sight[a, b] == (clearance > 0), (heights, a, b)
                compared += 1
    assert compared > 800


def test_through_a_corner_both_cells_beside_must_block():
    """A ray along the diagonal passes one pillar beside it, but not between two."""
    heights = np.zeros((8, 8), np.int64)
    heights[2, 3] = 5
    assert sight_of(heights)[2 * 8 + 2, 3 * 8 + 3]
    heights[3, 2] = 5
    assert not sight_of(heights)[2 * 8 + 2, 3 * 8 + 3]


def test_a_wall_hides_from_below_and_not_from_above():
    """Two levels block level eyes; from two levels higher one sees over them, though not straight down."""
    heights = np.zeros((8, 8), np.int64)
    heights[:, 4] = 2
    assert not sight_of(heights)[0, 7]
    assert sight_of(heights)[0, 4]
    heights[0, 3] = 2
    assert sight_of(heights)[3, 7]


# ---------------------------------------------------------------- tables


@pytest.fixture(scope="module")
def board():
    """A small random map with everything on it."""
    return ts.load("tactics:size=12,team=3").board(4)[0]


def cell_of(board, name):
    return next(c for c in range(board.cells) if rules.cell_name(board, c) == name)


def test_steps_are_the_shortest_ways(board):
    """Every pair of cells, against a search of its own; moves cost a point for every six steps."""
    side = int(board.side)
    graph = walks(board.heights[: board.cells].reshape(side, side).astype(np.int64))
    for start in range(0, board.cells, 7):
        order, before = breadth_first_order(graph, start)
        steps = {start: 0}
        for cell in order[1:].tolist():
            steps[cell] = steps[int(before[cell])] + 1
        expected = [steps.get(cell, tables.FAR) for cell in range(board.cells)]
        assert board.steps[start, : board.cells].tolist() == expected
        assert board.steps_to[: board.cells, start].tolist() == expected
        for points in (1, 2):
            reach = {cell for cell, count in steps.items() if 0 < count <= 6 * points}
            assert set(picture._cells(board, board.reach[0, points - 1, start])) == reach


def test_lines_of_fire_are_those_between_peeks(board):
    """Any ray from a cell or one to step to and back, to a cell or one to step to, within range, and no other."""
    side, heights = int(board.side), board.heights[: board.cells].astype(int)
    sight = sight_of(heights.reshape(side, side))

    def beside(cell):
        x, y = cell % side, cell // side
        found = [(x + dx, y + dy) for dx, dy in STEPS if 0 <= x + dx < side and 0 <= y + dy < side]
        return [y * side + x for x, y in found]

    peeks = [[c, *(n for n in beside(c) if abs(heights[n] - heights[c]) <= 1)] for c in range(board.cells)]
    shown = [[c, *(n for n in beside(c) if heights[n] <= heights[c] + 1)] for c in range(board.cells)]
    for shooter, target in itertools.product(range(board.cells), repeat=2):
        fire = shooter != target and sight[np.ix_(peeks[shooter], shown[target])].any()
        assert (board.odds[0, target, shooter] > 0) == fire


def test_the_chance_of_every_shot_is_the_sum_of_its_modifiers(board):
    """Named modifiers, also as if from elsewhere and against cover taken, agree with the tables that are played by."""
    state = np.zeros(1, rules.State)[0]
    rules.setup(board, state)
    names = set()
    for shooter, target in itertools.product(range(0, board.cells, 5), range(board.cells)):
        state.cell[0], state.cell[1] = shooter, target
        for taking in (0, 1):
            state.taking[1] = taking
            found = modifiers(board, state, 0, 1)
            names |= {name for name, _ in found}
            assert sum(value for _, value in found) == rules.chance_of(board, state, 0, 1)
            state.cell[0] = 0
            assert modifiers(board, state, 0, 1, shooter) == found
            state.cell[0] = shooter
        if found:
            raw = board.odds[0, target, shooter]
            assert board.threat[0, shooter, target] == min(95, raw)
    assert names == {"aim", "distance", "height", "half cover", "full cover", "taking cover", "limit"}


def test_the_ray_of_a_shot_is_one_of_its_lines_of_fire(board):
    """Every possible shot has a ray between cells that see each other, straight if there is a straight one."""
    side, heights = int(board.side), board.heights[: board.cells].astype(int)
    sight, bent = sight_of(heights.reshape(side, side)), 0
    for shooter, target in np.random.default_rng(3).integers(0, board.cells, (2000, 2)).tolist():
        found = ray(board, 0, shooter, target)
        assert (found is not None) == (board.odds[0, target, shooter] > 0)
        if found:
            assert sight[found]
            assert (found == (shooter, target)) == bool(sight[shooter, target])
            assert all(abs(a % side - b % side) + abs(a // side - b // side) <= 1
                       for a, b in zip(found, (shooter, target), strict=True))  # fmt: skip
            bent += found != (shooter, target)
    assert bent > 20


def test_a_way_is_as_long_as_the_steps_say(board):
    """Its cells lie side by side, none is climbed to by more than one level."""
    for start, end in np.random.default_rng(4).integers(0, board.cells, (200, 2)).tolist():
        if board.steps[start, end] < 255:
            cells = way(board, start, end)
            assert (cells[0], cells[-1], len(cells) - 1) == (start, end, board.steps[start, end])
            assert all(board.steps[a, b] == 1 for a, b in itertools.pairwise(cells))


# ---------------------------------------------------------------- rules


class Table:
    """A drawn map to play on, rules interpreted, soldiers put anywhere."""

    def __init__(self, rows=FLAT, team=1, **settings):
        source = {"rows": rows, "team": team, "config": settings}
        self.board = rules.tables(source)[0]
        self.state = np.zeros(1, rules.State)[0]
        rules.setup(self.board, self.state)

    def put(self, **cells):
        for name, cell in cells.items():
            unit = next(u for u in range(2 * self.board.team) if rules.unit_name(u) == name)
            self.state.cell[unit] = cell_of(self.board, cell)
        return self

    @property
    def mover(self):
        return rules.to_move(self.board, self.state)

    @property
    def acts(self):
        out = np.zeros(int(max(self.board.actions, self.board.outcomes)), np.int32)
        return out[: rules.legal(self.board, self.state, out)]

    @property
    def legal(self):
        return [rules.words(self.board, self.state, int(action)) for action in self.acts]

    def do(self, *words):
        for each in words:
            rules.apply(self.board, self.state, int(self.acts[self.legal.index(each)]))
        return self

    @property
    def unit(self):
        return rules.unit_name(self.state.unit)


def test_a_tip_names_every_modifier():
    """A cell nearer than the optimum costs 3; the shooter stands a level higher, the target behind half cover."""
    rows = [list("0" * 12) for _ in range(12)]
    rows[2][2], rows[5][5] = "1", "1"
    table = Table(["".join(row) for row in rows]).put(green1="c3", red1="f7")
    found = modifiers(table.board, table.state, 0, 1)
    assert told(found) == "aim 65, distance +12, height +5, half cover -20 = 62 %"
    assert picture.tip(table.board, table.state, table.board.cells) == told(found)
    assert shots(table.board, table.state, 0, cell_of(table.board, "c3")) == {1: 62}
    there = int(cell_of(table.board, "h3"))
    assert "from there: aim 65, distance +10, half cover -20 = 55 %" in picture.tip(table.board, table.state, there)


def test_what_is_pointed_at_is_drawn():
    """A shot has its ray and the side that covers, a move its way, the cover there and the shots from there."""
    rows = [list("0" * 12) for _ in range(12)]
    rows[5][5] = "2"
    table = Table(["".join(row) for row in rows]).put(green1="c6", red1="g6")
    shot = picture.overlay(table.board, table.state, table.board.cells)
    assert shot.count("<circle") == 1, "the wall is seen past by a step aside"
    assert 'stroke-width="5"' in shot, "full cover from the west"
    move = picture.overlay(table.board, table.state, cell_of(table.board, "e6"))
    assert move.count("<polyline") == 2
    assert 'stroke-width="5"' in move
    assert "%" in move
    assert picture.overlay(table.board, table.state, table.board.actions - 1) == ""
    drawn = picture.picture(table.board, table.state)
    assert 'data-tip="red1: 10 of 10 hit points, 4 of 4 shots, height 0, full cover west"' in drawn
    assert "full cover east" in picture.tip(table.board, table.state, cell_of(table.board, "e6"))
    table.do("red1", "hit 4")
    assert "hit −4" in picture.picture(table.board, table.state)
    table.do("red1", "miss")
    assert ">miss<" in picture.picture(table.board, table.state)


def test_cover_counts_by_the_side_the_shooter_stands_on():
    """A wall to the north covers from the north and up to 63 degrees beside it, and is flanked from the east."""
    rows = [list("0" * 12) for _ in range(12)]
    rows[5][5] = "2"
    board = Table(["".join(row) for row in rows]).board
    target = cell_of(board, "f7")
    levels = {name: tables.cover_from(board, target, *offset(board, target, name)) for name in ("f1", "j5", "k6", "l7")}
    assert levels == {"f1": 2, "j5": 2, "k6": 0, "l7": 0}
    assert board.shelter[target] == 2
    assert board.shelter[0] == 0  # the border gives none


def offset(board, target, name):
    side, cell = int(board.side), cell_of(board, name)
    return cell % side - target % side, cell // side - target // side


def test_soldiers_take_turns_and_the_dead_leave_the_order():
    """Green 1, red 1, green 2, red 2; a round ends behind the last that lives; who has nobody left has lost."""
    table = Table(team=2)
    assert [table.unit, table.do("skip").unit, table.do("skip").unit, table.do("skip").unit] == [
        *("green1", "red1", "green2", "red2")
    ]
    table.do("skip")
    assert (table.unit, table.state.turn) == ("green1", 1)
    table.put(green1="d4", red1="d6", red2="e6").do("red1")
    assert table.mover == CHANCE
    assert table.legal == ["miss", "hit 3", "hit 4", "hit 5"]
    table.do("hit 5", "red1", "hit 5")  # a second shot for the second point
    assert table.state.alive.tolist() == [2, 1]
    assert (table.unit, table.do("skip").unit, table.do("skip").unit) == ("green2", "red2", "green1")
    table.do("red2", "hit 5", "red2", "hit 5")
    assert table.mover == OVER
    out = np.zeros(2)
    rules.returns(table.board, table.state, out)
    assert out.tolist() == [1.0, -1.0]
    assert rules.ending(table.board, table.state) == "no red soldier is left, in round 3"


def test_a_move_costs_a_point_for_every_six_steps():
    """Six steps leave a point, seven none; nobody ends on another, everybody may pass."""
    table = Table(["0" * 16] * 16).put(red1="b1")
    assert "b1" not in table.legal
    assert {"g1", "m1"} <= set(table.legal)
    assert "n1" not in table.legal
    assert table.do("g1").state.points == 1
    assert (table.do("h1").unit, Table(["0" * 16] * 16).do("h1").unit) == ("red1", "red1")


def test_up_by_one_and_down_without_limit():
    """A step up of two is none; a fall of nine is."""
    rows = ["09999999", "01999999", *(["99999999"] * 6)]
    table = Table(rows).put(red1="h8")
    assert table.legal == ["a2", "b2", "cover", "skip"]
    table = Table(rows).put(green1="c1", red1="h8")
    assert "a1" in table.legal


def test_magazines_empty_and_are_filled():
    """Four shots, then only reloading brings the next; a full magazine cannot be filled."""
    table = Table().put(green1="d4", red1="d7")
    assert "reload" not in table.legal
    for _ in range(2):
        table.do("red1", "miss", "red1", "miss", "skip")
    assert table.state.ammo[0] == 0
    assert "red1" not in table.legal
    assert table.do("reload").state.ammo[0] == 4
    assert table.state.points == 1


def test_taking_cover_lasts_until_the_next_activation():
    """Only beside something higher, 20 off for whoever shoots, over when its turn comes."""
    assert "cover" not in Table().legal
    table = Table(["01" + "0" * 6, *FLAT[1:]]).put(green1="a1", red1="a4").do("cover")
    before = min(95, int(table.board.odds[0, 0, cell_of(table.board, "a4")]))
    assert rules.chance_of(table.board, table.state, 1, 0) == before - 20
    assert table.unit == "red1"
    assert table.do("skip").state.taking[0] == 0


def test_forty_rounds_are_a_draw():
    """Who only waits shares the points."""
    table = Table(turn={"rounds": 3})
    for _ in range(6):
        assert table.mover != OVER
        table.do("skip")
    assert table.mover == OVER
    assert rules.ending(table.board, table.state) == "3 rounds are over"


def test_cooldowns_and_shots_that_end_the_activation():
    """A cooldown of 1 is once an activation, of 2 every other one; a shot may end it all."""
    table = Table(cooldown={"shoot": 2}).put(green1="d4", red1="d7").do("red1", "miss")
    assert "red1" not in table.legal
    table.do("skip", "skip")
    assert "red1" not in table.legal
    table.do("skip", "skip")
    assert "red1" in table.legal
    table = Table(turn={"shot_ends": True}).put(green1="d4", red1="d7").do("red1", "miss")
    assert table.unit == "red1"


def test_chances_of_a_shot_and_one_that_cannot_miss():
    """The miss has what the hit leaves, damages share the rest; at 100 % there is no miss."""
    table = Table().put(green1="a1", red1="g1").do("red1")
    out = np.zeros(6)
    rules.weights(table.board, table.state, out)
    assert out[:4] == pytest.approx([0.2, 0.8 / 3, 0.8 / 3, 0.8 / 3])
    table = Table(hit={"most": 100}, soldiers={"trooper": {"aim": 100}}).put(green1="a1", red1="g1").do("red1")
    assert table.legal == ["hit 3", "hit 4", "hit 5"]
    with np.errstate(over="ignore"):
        drawn = {int(rules.sample(table.board, table.state, np.array([n], np.uint64))) for n in range(40)}
    assert drawn == {3, 4, 5}


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("h8", "red1 stands on h8; green1 must end its move on a free cell"),
        ("shoot 1", "green1 has no line of fire to red1 within its range; move first"),
        ("green1", "green1 is on your side; shoot at a living enemy"),
        ("h7", "green1 needs 3 points for 15 steps; it has 2"),
        ("reload", "the magazine of green1 is full"),
        ("cover", "green1 is not in cover"),
        ("jump", "'jump' is no move; name a cell such as c5"),
    ],
)
def test_refusals_say_why(said, why):
    """What a person cannot do is refused in the game's own terms."""
    rows = ["00009000", *(["00009000"] * 6), "00000000"]
    table = Table(rows)
    assert why in rules.refusal(table.board, table.state, said)
    assert rules.shorthand(table.board, table.state, "move c5") == "c5"


# ---------------------------------------------------------------- configuration and options


@pytest.mark.parametrize(
    ("toml", "complaint"),
    [
        ("map.higest = 3", "'map' has no 'higest' (did you mean 'highest'?)"),
        ("map.highest = 99", "'map': highest=99 must be 0 to 31"),
        ("turn.points = '2'", "'turn': points=2 must be a whole number"),
        ("turn.shoot = 3", "'turn': shoot=3 must not be above points=2"),
        ("weapons.rifle.damage = [5, 3]", "'weapons.rifle': damage=[5, 3] must be the least and the greatest"),
        ("soldiers.scout.weapon = 'bow'", "soldiers.scout.weapon=bow is not one of rifle"),
        ("green = ['sniper']", "'sniper' of green is not one of trooper"),
        ("map.shapes = ['5x5']", "shapes must be some of 1x1, 2x1"),
        ("turn = 3", "'turn' must be a table with keys"),
        ("weapon.damag = 3", "'weapon' has no 'damag' (did you mean 'damage'?)"),
        ("soldier = 3", "'soldier' must be a table with keys"),
        ("turn.rounds =", "is not TOML"),
    ],
)
def test_a_wrong_configuration_is_refused_by_name(tmp_path, toml, complaint):
    """Key, type and range, with what is allowed."""
    file = tmp_path / "my.toml"
    file.write_text(toml)
    with pytest.raises(BadInput) as refused:
        ts.load(f"tactics:config={file}")
    assert complaint in str(refused.value)
    assert str(file) in str(refused.value)


def test_single_numbers_are_changed_by_their_keys(tmp_path):
    """In the text of a game, of all weapons or of one, on top of a file; the game's name loads the same again."""
    file = tmp_path / "my.toml"
    file.write_text("hit.half = 15\n[weapons.bow]\nrange = 9\n")
    game = ts.load(f"tactics:config={file},team=2,turn.rounds=20,weapon.damage=4,weapons.bow.damage=2-6,soldier.hp=7")
    config = game.describe()["config"]
    assert config["weapons"]["rifle"]["damage"] == [4, 4]
    assert (config["weapons"]["bow"]["damage"], config["weapons"]["bow"]["range"]) == ([2, 6], 9)
    assert (config["turn"]["rounds"], config["hit"]["half"], config["soldiers"]["trooper"]["hp"]) == (20, 15, 7)
    assert ts.load(game.text_name).options == game.options
    assert ts.load(game.text_name).digest == game.digest
    mixed = ts.load("tactics:turn.shot_ends=true,map.raises=1,map.shapes=1x1-2x2").describe()["config"]
    assert (mixed["turn"]["shot_ends"], mixed["map"]["raises"], mixed["map"]["shapes"]) == (True, [1], ["1x1", "2x2"])


def test_a_file_says_what_all_weapons_and_soldiers_have(tmp_path):
    """`[weapon]` means in a file what `weapon.` means in a game's text; one of them may still differ."""
    file = tmp_path / "my.toml"
    file.write_text("[weapon]\ndamage = [4, 4]\nrange = 9\n[weapons.bow]\nrange = 7\n[soldier]\nhp = 7\n")
    config = ts.load(f"tactics:config={file}").describe()["config"]
    assert {name: (each["damage"], each["range"]) for name, each in config["weapons"].items()} == {
        "rifle": ([4, 4], 9),
        "bow": ([4, 4], 7),
    }
    assert config["soldiers"]["trooper"]["hp"] == 7
    file.write_text("")
    said = ts.load(f"tactics:config={file},weapon.damage=4,weapon.range=9,soldier.hp=7").describe()["config"]
    assert said["weapons"]["rifle"] == config["weapons"]["rifle"]


def test_every_number_of_the_configuration_has_a_key():
    """Each key of the file, said with the value it has anyway, changes nothing."""
    table, told = configuration.as_table(Config()), []
    tables = {name: table[name] for name in ("map", "turn", "hit", "cooldown", "static")}
    tables |= {"weapons.rifle": table["weapons"]["rifle"], "soldiers.trooper": table["soldiers"]["trooper"]}
    for section, values in tables.items():
        for key, value in values.items():
            text = "-".join(map(str, value)) if isinstance(value, list) else str(value).lower()
            told.append(f"{section}.{key}={text if isinstance(value, (list, bool)) else value}")
    assert len(told) > 35
    assert configuration.as_table(configuration.changed(Config(), ",".join(told))) == table


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ("weapn.damage=3", "the rules have no 'weapn.damage' (did you mean 'weapon'?); there are map.…, turn.…"),
        ("weapon.damge=3", "(did you mean 'weapon.damage'?); there are weapon.magazine, weapon.damage"),
        ("weapons.bow.damage=3", "weapons are rifle"),
        ("weapons.damage=3", "the rules have no 'weapons.damage'"),
        ("hit.half.more=3", "(did you mean 'hit.half'?)"),
        ("weapon.damage=0", "'weapons.rifle': damage=[0, 0] must be the least and the greatest, within 1 to 100"),
        ("weapon.damage=2.5", "weapon.damage=2.5 must be a whole number"),
        ("hit.half=300", "'hit': half=300 must be 0 to 100"),
        ("turn.shot_ends=1", "turn.shot_ends=1 must be true or false"),
        ("turn.shoot=3", "shoot=3 must not be above points=2"),
        ("changes=team=3", "must have a point"),
    ],
)
def test_a_wrong_change_is_refused_by_name(change, complaint):
    """Key, type and range, with what is allowed."""
    with pytest.raises(BadInput) as refused:
        ts.load(f"tactics:{change}")
    assert complaint in str(refused.value)


def test_a_match_replays_without_its_files(tmp_path):
    """Classes, weapons and the map of files are in the description of the board."""
    file, drawn = tmp_path / "my.toml", tmp_path / "map.txt"
    drawn.write_text("\n".join(FLAT))
    file.write_text(
        "green = ['trooper', 'scout']\n[soldiers.scout]\nhp = 6\nsteps = 8\nweapon = 'shotgun'\n"
        "[weapons.shotgun]\ndamage = [4, 8]\noptimum = 2\nfarther = -12\nrange = 7\nmagazine = 2\n"
    )
    game = ts.load(f"tactics:config={file},map={drawn},team=2")
    source, board = game.describe(), game.board()[0]
    file.unlink()
    drawn.unlink()
    again = rules.tables(source)[0]
    assert again.tobytes() == board.tobytes()
    assert board.hp[:4].tolist() == [10, 10, 6, 6]
    assert board.magazine[2] == 2
    assert board.outcomes == 9
    assert board.odds[1, cell_of(board, "h1"), 0] == 65 + 15 - 12 * 5
    assert board.odds[1, cell_of(board, "h2"), 0] == 0  # beyond its range, not that of the rifle
    assert board.odds[0, cell_of(board, "h2"), 0] > 0
    with pytest.raises(BadInput, match="of a larger or smaller board than tactics has"):
        ts.load("tactics").build(source)


def test_a_configuration_is_read_as_it_is_written():
    """All of it goes into JSON and back, and the page shows every table with its defaults."""
    table = configuration.as_table(Config())
    assert configuration.as_table(configuration.read(table)) == table
    shown = tomllib.loads(tactics.__doc__.split("```")[1].removeprefix("toml"))
    assert set(table) - set(shown) == {"red"}
    for name in ("turn", "hit", "cooldown", "static"):
        assert shown[name] == table[name]
    assert shown["map"] == {name: value for name, value in table["map"].items() if name != "tries"}
    assert set(shown["weapons"]["carbine"]) == set(table["weapons"]["rifle"])
    assert configuration.read(shown).classes == ("trooper", "scout")


def test_options_are_refused_by_name(tmp_path):
    """Odd sizes, files that are not there, maps that are not square."""
    with pytest.raises(BadInput, match="size=9 must be even"):
        ts.load("tactics:size=9")
    with pytest.raises(BadInput, match=r"there is no map file \./none\.txt"):
        ts.load("tactics:map=./none.txt")
    (tmp_path / "bad.txt").write_text("\n".join([*FLAT[1:], "0000000"]))
    with pytest.raises(BadInput, match="row 8 has 7 signs; the map is square, so it needs 8"):
        ts.load(f"tactics:map={tmp_path / 'bad.txt'}")
    with pytest.raises(BadInput, match="row 1, column 1: '!' is no height"):
        rules.tables({"rows": ["!0000000", *FLAT[1:]], "team": 1, "config": {}})


def test_a_pool_is_so_many_maps():
    """Seeds share the maps of a pool; without one every seed has its own."""
    pooled = [ts.load("tactics:size=8,pool=3").describe(seed)["rows"] for seed in range(6)]
    assert pooled[:3] == pooled[3:]
    assert len({tuple(rows) for rows in pooled}) == 3
    assert ts.load("tactics:size=8").describe(3)["rows"] not in pooled


def test_the_terminal_is_eighty_columns_wide():
    """A map of 24 x 24 with everything said below it fits."""
    from rich.text import Text

    position = ts.load("tactics").start(1)
    assert max(len(line) for line in Text.from_markup(position.text()).plain.split("\n")) <= 80
