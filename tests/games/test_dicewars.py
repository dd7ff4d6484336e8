"""Dice Wars: odds, maps, rules, and the field of the original tournaments."""

import itertools

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.contract.game import OVER
from turnsmith.games.dicewars import rules
from turnsmith.games.dicewars.field import WPM_S, logistic
from turnsmith.games.dicewars.maps import read_grid, write_grids
from turnsmith.games.dicewars.rules import odds


def test_odds_are_counted_exactly():
    """Small battles by listing every roll, large ones by their known digits."""
    table = odds()
    for a, d in ((1, 1), (2, 1), (2, 2), (3, 2), (2, 3)):
        rolls = list(itertools.product(range(1, 7), repeat=a + d))
        won = sum(sum(roll[:a]) > sum(roll[a:]) for roll in rolls)
        assert table[a, d] == pytest.approx(won / len(rolls), abs=1e-12)
    assert np.round(table[8, [2, 5, 8]], 5).tolist() == [0.99998, 0.94773, 0.47109]
    assert np.round(table[2, [1, 4, 7]], 5).tolist() == [0.83796, 0.03588, 0.00007]


def test_maps_are_like_those_of_the_original():
    """Over 1000 maps: sizes 12 to 21 with mean 15.3, degrees from 1 with mean 3.25, always connected."""
    game = ts.load("dicewars")
    sizes, degrees = [], []
    for seed in range(1000):
        board = game.board(seed)[0]
        grid = board.grid
        linked = (board.beside[:29, None] >> np.arange(29, dtype=np.uint64)) & np.uint64(1)
        sizes += np.bincount(grid[grid >= 0]).tolist()
        degrees += linked.sum(axis=1).tolist()
        reached = np.zeros(29, bool)
        reached[0] = True
        for _ in range(29):
            reached |= linked[reached].any(axis=0)
        assert reached.all()
    assert len(sizes) == 29_000
    assert (min(sizes), max(sizes)) == (12, 21)
    assert np.mean(sizes) == pytest.approx(15.3, abs=0.15)
    assert min(degrees) == 1
    assert max(degrees) <= 9
    assert np.mean(degrees) == pytest.approx(3.25, abs=0.1)


def test_maps_are_read_as_written_and_damage_is_named():
    """A map survives its text; a wrong row or sign is refused with its place."""
    grid = ts.load("dicewars").board(5)["grid"]
    [rows] = write_grids(grid)
    assert np.array_equal(read_grid(rows), grid[0])
    with pytest.raises(ts.BadInput, match="27 rows"):
        read_grid(rows[1:])
    with pytest.raises(ts.BadInput, match="row 3 of the map has 31"):
        read_grid([*rows[:2], rows[2][1:], *rows[3:]])
    with pytest.raises(ts.BadInput, match=r"row 1, column 2 of the map: '\?'"):
        read_grid([rows[0][0] + "?" + rows[0][2:], *rows[1:]])


def test_the_start():
    """Four players on 29 areas: eight areas for the first, seven for the others, three dice everywhere."""
    position = ts.load("dicewars").start(seed=2)
    owners = position.state.owner[:29]
    assert np.bincount(owners).tolist() == [8, 7, 7, 7]
    assert set(position.state.dice[:29]) == {3}
    assert position.mover == 0
    spread = ts.load("dicewars:dice=random").start(seed=2).state
    assert 82 <= spread.dice[:29].sum() <= 87
    assert spread.dice[:29].min() >= 1


@pytest.mark.parametrize(("areas", "players"), [(34, 4), (20, 3), (29, 8)])
def test_continuous_ownership_hangs_together(areas, players):
    """In continuous parts most players own one region where random dealing scatters them."""
    text = f"dicewars:areas={areas},players={players},ownership="
    together = [ts.load(text + "continuous").start(seed=s).state.score[:players].sum() for s in range(10)]
    scattered = [ts.load(text + "random").start(seed=s).state.score[:players].sum() for s in range(10)]
    assert sum(together) > 1.3 * sum(scattered)


def regions(board, state, seat):
    """Sizes of the regions of a seat, found by walking."""
    left = {a for a in range(board.areas) if state.owner[a] == seat}
    sizes = []
    while left:
        queue, size = [left.pop()], 0
        while queue:
            area = queue.pop()
            size += 1
            near = {b for b in left if (int(board.beside[area]) >> b) & 1}
            left -= near
            queue += near
        sizes.append(size)
    return sizes


def test_battles_and_reinforcement_keep_the_books():
    """Along random games: battles move dice as they should, and masks, scores and counts agree with the areas."""
    for seed in range(3):
        game = ts.load("dicewars:areas=12")
        position = ts.Position(game, seed, draws_chance=False)
        rng = np.random.default_rng(seed)
        while position.outcome is None:
            before = position.state
            action = int(rng.choice(position.actions))
            words = position.words(action)
            position.push(action)
            after, board = position.state, position.board
            if words in ("won", "lost"):
                a, d = before.attacker, before.defender
                assert after.dice[a] == 1
                if words == "won":
                    assert (after.owner[d], after.dice[d]) == (before.seat, before.dice[a] - 1)
                else:
                    assert (after.owner[d], after.dice[d]) == (before.owner[d], before.dice[d])
                assert after.battles == before.battles + 1
            for seat in range(4):
                mine = [a for a in range(12) if after.owner[a] == seat]
                assert int(after.owned[seat]) == sum(1 << a for a in mine)
                assert after.score[seat] == max(regions(board, after, seat), default=0)
            assert 1 <= after.dice[:12].min() <= after.dice[:12].max() <= 8
        assert sorted(position.outcome.returns)[:3] == [pytest.approx(-1 / 3)] * 3
        assert "owns every area" in position.outcome.ending


def test_passing_for_eight_rounds_ends_it():
    """When everybody only passes, nobody wins; dice stop at eight an area and the rest waits in the reserve."""
    position = ts.load("dicewars").start(seed=1)
    for _ in range(31):
        position.push("end")
        assert position.outcome is None
    position.push("end")
    assert position.outcome.ending == "eight rounds of passing"
    assert position.outcome.returns == (0.0, 0.0, 0.0, 0.0)


def test_every_end_of_a_turn_since_the_last_battle_counts():
    """The end of the turn in which the last battle was is the first of the 32, as on the original platform."""
    position = ts.load("dicewars").start(seed=1)
    position.push(position.legal[0])
    for _ in range(31):
        position.push("end")
        assert position.outcome is None
    assert position.push("end").outcome.ending == "eight rounds of passing"


@pytest.mark.parametrize(("battles", "winner"), [(rules.MOST_BATTLES - 2, 0), (rules.MOST_BATTLES - 1, -1)])
def test_nobody_wins_by_the_last_battle_allowed(battles, winner):
    """When the 10,000th battle takes the last area the limit comes first, as on the original platform."""
    game = ts.load("dicewars:players=2,areas=2")
    board, states = game.board(1)[0], np.zeros(1, game.State)
    state = states[0]
    rules.setup(board, state)
    state.battles = battles
    for action in (int(board.first_edge[int(np.argmin(board.owner[:2]))]), rules.WON):
        rules.apply(board, state, action)
    assert rules.to_move(board, state) == OVER
    assert state.winner == winner
    assert (rules.ending(board, state) == "10,000 battles") == (winner < 0)


def test_odd_dice_are_shared_out_as_on_the_original_platform():
    """With dice=random a seat gets what is left by the seats left, rounded: 22, 21, 22, 21 of 86 dice."""
    boards = rules.draw_boards(rules.Options(dice="random"), np.arange(60, dtype=np.uint64))
    seen = {}
    for board in boards:
        shares = [int(board.dice[:29][board.owner[:29] == seat].sum()) for seat in range(4)]
        left = sum(shares)
        seen[left] = shares
        for seat, share in enumerate(shares):
            assert share == round(left / (4 - seat))  # Python rounds halves to the even number, as was done there
            left -= share
    assert sorted(seen) == [82, 83, 84, 85, 86, 87]
    assert seen[86] == [22, 21, 22, 21]


def test_reserves_are_their_owners_business():
    """A view keeps the own reserve and blanks the others'."""
    position = ts.load("dicewars:areas=4").start(seed=1)
    for _ in range(28):
        position.push("end")
    assert position.state.reserve[:4].min() > 0
    seen = position.view(position.mover)[0]
    others = [seat for seat in range(4) if seat != position.mover]
    assert seen.reserve[position.mover] == position.state.reserve[position.mover]
    assert not seen.reserve[others].any()


def test_edition_of_2021():
    """34 areas; six transfers a turn; a lost attack costs the defender a quarter of the attacker's dice."""
    position = ts.Position(ts.load("dicewars:edition=2021"), 3, draws_chance=False)
    assert position.board.areas == 34
    transfers = 0
    while any(" to " in words for words in position.legal):
        before = position.state.dice[:34].sum()
        position.push(next(words for words in position.legal if " to " in words))
        assert position.state.dice[:34].sum() == before
        transfers += 1
    assert transfers == 6
    attack = next(
        (
            int(a)
            for a in position.actions
            if a < position.board.edges and position.state.dice[position.board.source[a]] >= 4
        ),
        None,
    )
    assert attack is not None
    defender = position.board.target[attack]
    dice, lost = position.state.dice[position.board.source[attack]], position.state.dice[defender]
    position.push(attack).push("lost")
    assert position.state.dice[defender] == max(1, lost - dice // 4)


def test_the_field_meets_as_on_the_original_platform():
    """12,000 games of the field of five agree with what was measured there to three points, seats included."""
    table = ts.arena("dicewars", ["ste", "wpm_c", "sdc", "rand", "xlogin00"], games=12_000, seed=1, workers=2).to_dict()
    there = [0.466, 0.313, 0.307, 0.086, 0.080, *(0.309, 0.266, 0.225, 0.201)]
    for row, rate in zip(table["players"] + table["seats"], there, strict=True):
        assert row["low"] <= rate + 0.03, row
        assert row["high"] >= rate - 0.03, row


def test_wpm_s_attacks_from_the_odds_it_should():
    """Its threshold follows from its weights: 0.82 with a region of one, 0.75 with seven, 0.73 with twenty."""
    own, everybody = WPM_S[4]
    for score, threshold in ((1, 0.82), (7, 0.75), (20, 0.73)):
        growth = np.log(logistic(everybody * score + own)) - np.log(logistic(everybody * score))
        assert np.exp(-0.05 - growth) == pytest.approx(threshold, abs=0.006)


@pytest.mark.parametrize("seats", [2, 3, 8])
def test_every_player_plays_every_table(seats):
    """All but those who refuse the table finish their games with any number of seats."""
    game = ts.load(f"dicewars:players={seats},areas=16")
    willing = [name for name, kind in game.players().items() if not kind().refuses(game, game.board()[0])]
    table = ts.arena(game, willing, games=24, seed=2)
    assert not table.reasons
    assert table.games == 24
