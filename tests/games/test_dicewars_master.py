"""Dice Wars: the learned value, and the players that look ahead with it."""

import hashlib

import numpy as np
import onnxruntime
import pytest

import turnsmith as ts
from turnsmith.arena.runners import ArenaPlan, play_compiled
from turnsmith.compile.kernel import compiled, interpreted
from turnsmith.contract.trainings import TrainingContext
from turnsmith.games.dicewars import rounds, value
from turnsmith.games.dicewars.rules import DONE, WON
from turnsmith.nets.dense import write_onnx
from turnsmith.play.position import Position
from turnsmith.studies.dicewars import selfplay
from turnsmith.studies.dicewars.trainings import DicewarsValueSettings

FIELD = ["ste", "wpm_c", "sdc", "rand", "xlogin00"]


def look(board, views, me, weights, inputs, chances):
    return value.worth(board[0], views[0], me, weights, inputs, chances)


def judged(position, seat, kernel=compiled):
    """What the value sees of a position, the chances it gives, and what the position is worth."""
    inputs, chances = np.zeros(value.INPUTS), np.zeros(value.SEATS)
    arguments = (position.view(seat), seat, value.weights_in(value.SHIPPED), inputs, chances)
    worth = kernel(look)(position.boards, *arguments)
    return inputs.reshape(value.SEATS, value.FEATURES), chances, worth


def some_positions(count=12):
    """Positions from the middle of games of the field."""
    for seed in range(count):
        position = ts.load("dicewars").start(seed)
        for _ in range(5 * seed):
            if position.outcome is None:
                position.push(ts.player("ste", position.game).act(position.seen_by(position.mover)).action)
        if position.outcome is None:
            yield position


def test_the_value_is_the_same_interpreted_compiled_and_in_onnxruntime():
    """Chances sum to one and agree with the interpreted rules and with the file run by another engine."""
    net = onnxruntime.InferenceSession(value.SHIPPED)
    for position in some_positions(6):
        inputs, chances, _ = judged(position, position.mover)
        plain_inputs, plain, _ = judged(position, position.mover, interpreted)
        assert np.allclose(inputs, plain_inputs, rtol=1e-12)
        assert np.allclose(chances, plain, rtol=1e-9)
        assert chances.sum() == pytest.approx(1.0)
        scores = net.run(None, {"position": inputs[:4].astype(np.float32)})[0][:, 0]
        alive = [position.state.owned[(position.mover + p) % 4] > 0 for p in range(4)]
        raised = np.where(alive, np.exp(scores - scores.max()), 0.0)
        assert np.allclose(chances[:4], raised / raised.sum(), atol=1e-5)


def test_what_the_value_sees_is_counted_right():
    """Shares, dangers and growth of one position, counted again in plain Python."""
    for position in some_positions():
        board, state, me = position.board, position.state, position.mover
        seen, _, _ = judged(position, me)
        areas = range(int(board.areas))
        beside = {a: [b for b in areas if (int(board.beside[a]) >> b) & 1] for a in areas}
        for player in range(4):
            seat = (me + player) % 4
            own = [a for a in areas if state.owner[a] == seat]
            dice = sum(int(state.dice[a]) for a in own)
            assert seen[player, value.DICE_SHARE] == pytest.approx(dice / state.dice.sum())
            danger = 0.0
            for a in own:
                hold = 1.0
                for b in beside[a]:
                    if state.owner[b] != seat and state.dice[b] > 1:
                        hold *= 1.0 - board.odds[state.dice[b], state.dice[a]]
                danger += 1.0 - hold
            assert seen[player, value.AREAS_IN_DANGER] == pytest.approx(danger / board.areas)
            wins = 0.0
            for a in areas:
                if state.owner[a] != seat:
                    own_beside = [b for b in beside[a] if state.owner[b] == seat and state.dice[b] > 1]
                    wins += max((board.odds[state.dice[b], state.dice[a]] for b in own_beside), default=0.0)
            assert seen[player, value.WINS] == pytest.approx(wins / board.areas)


def best_end(position, seat, ahead):
    """The value of a turn by plain recursion over all attacks, won or lost."""
    best = judged(position, seat)[2]
    if ahead == 0 or position.mover != seat:
        return best
    for action in position.actions[:-1].tolist():
        position.push(action)
        outcomes = list(zip(position.actions.tolist(), position.chances.tolist(), strict=True))
        position.pop()
        total = 0.0
        for outcome, chance in outcomes:
            total += chance * best_end(position.push(action).push(outcome), seat, ahead - 1)
            position.pop()
        best = max(best, total)
    return best


@pytest.mark.parametrize("ahead", [1, 2, 3])
def test_looking_ahead_equals_plain_recursion(ahead):
    """With every attack looked into, the search finds the best expectation there is."""
    for seed in range(3):
        position = Position(ts.load("dicewars:players=2,areas=6"), seed, draws_chance=False)
        decision = ts.player(f"fast:ahead={ahead},width=50", position.game).act(position.seen_by(position.mover))
        assert (decision.value + 1) / 2 == pytest.approx(best_end(position, position.mover, ahead), rel=1e-9)


def whole_round(game, boards, states, me, acts, rng):
    rounds.play_round(game, boards[0], states[0], me, acts, rng)


def test_a_round_ends_where_the_own_turn_begins():
    """Interpreted and compiled play the same round; it stops at the own turn, at the end, or without a last area."""
    for position in some_positions(6):
        game, me, acts = position.game, position.mover, np.zeros(500, np.int32)
        ends = []
        for how in (compiled, interpreted):
            states, rng = position.view(me).copy(), np.array([5], np.uint64)
            how(whole_round)(game, position.boards, states, me, acts, rng)
            ends.append((states.tobytes(), int(rng[0])))
        assert ends[0] == ends[1]
        assert states[0].battles > position.state.battles
        assert states[0].phase == DONE or not states[0].owned[me] or states[0].seat == me


def look_ahead(game, boards, views, me, count, weights, inputs, chances, acts, rng):
    never = np.zeros(1, np.int64)
    return rounds.outlook(game, boards[0], views[0], me, count, weights, inputs, chances, acts, never, rng)


def test_the_outlook_is_what_replies_of_ste_lead_to():
    """The mean of many rounds is that of rounds which the player ste itself played on."""
    game = ts.load("dicewars")
    start, ste = game.start(3), ts.player("ste", game)
    me, found = start.mover, []
    for luck in range(150):
        position = Position(game, luck, start.boards).push("end")
        while position.mover != me:
            position.push(ste.act(position.seen_by(position.mover)).action)
        found.append(judged(position, me)[2])
    scratch = (value.weights_in(value.SHIPPED), np.zeros(value.INPUTS), np.zeros(value.SEATS), np.zeros(500, np.int32))
    mean = compiled(look_ahead)(game, start.boards, start.view(me), me, 4000, *scratch, np.array([1], np.uint64))
    assert mean == pytest.approx(np.mean(found), abs=4 * np.std(found) / np.sqrt(len(found)))
    assert judged(start, me)[2] != pytest.approx(mean, abs=0.01)  # which is not what the value says at once


def test_fast_beats_the_field():
    """It wins more than half of all games at tables of four, three of the field against it."""
    table = ts.arena("dicewars", ["fast", *FIELD], games=1200, seed=3, workers=2).to_dict()
    assert table["players"][0]["name"] == "fast"
    assert table["players"][0]["low"] > 0.5


@pytest.mark.parametrize(
    ("name", "games", "moves"),
    [("fast", 200, "e4aeda2a158c9487"), ("strong", 20, "f7939ec354209de0"), ("maxn-net", 20, "12069edfe1578012")],
)
def test_the_shipped_players_play_as_they_did(name, games, moves):
    """All actions of the same games are those of before: whoever changes decisions or weights says so here."""
    game, random = ts.load("dicewars"), np.random.default_rng(0)
    others = [*FIELD, "wpm_s", "stei"]
    seats = [np.roll([0, *(1 + random.permutation(len(others))[:3])], index) for index in range(games)]
    plan = ArenaPlan(game, [ts.player(text, game) for text in (name, *others)], np.array(seats, np.int32), 5)
    batch = play_compiled(plan, np.arange(games))
    assert hashlib.sha256(batch.log.tobytes()).hexdigest()[:16] == moves


def test_looking_further_judges_more_positions():
    """Whoever looks further ahead in the turn expects no less of it; fast, strong and master judge ever more."""
    for position in some_positions(4):
        seen = position.seen_by(position.mover)
        worths = [ts.player(f"fast:ahead={n},width=50", position.game).act(seen).value for n in (1, 2, 3)]
        assert worths[0] <= worths[1] + 1e-9 <= worths[2] + 2e-9
        notes = [ts.player(name, position.game).act(seen).note for name in ("fast", "strong", "master")]
        judged = [int(note.partition(" ")[0].replace(",", "")) for note in notes]
        assert judged[0] < judged[1] < judged[2]


@pytest.mark.parametrize("options", ["players=2", "players=8", "edition=2021", "areas=40"])
def test_the_players_play_every_kind_of_game(options):
    """Other numbers of players, other maps and the later edition end with a winner, and nobody forfeits."""
    game = ts.load(f"dicewars:{options}")
    match = ts.play(game, ["strong", *["fast"] * (int(game.board()[0].seats) - 1)], seed=2)
    assert match.ending == f"player {match.returns.index(1.0) + 1} owns every area"


def test_a_wrong_net_is_refused(tmp_path):
    """A file with other layers, or none at all, gets a sentence."""
    layers = [(np.zeros((3, 2), np.float32), np.zeros(2, np.float32))]
    write_onnx(layers, tmp_path / "other.onnx", "something else")
    position = ts.load("dicewars").start(0)
    with pytest.raises(ts.BadInput, match="not a value of Dice Wars"):
        ts.player(f"fast:file={tmp_path / 'other.onnx'}", position.game).act(position.seen_by(0))
    with pytest.raises(ts.BadInput, match="there is no file"):
        ts.player(f"fast:file={tmp_path / 'none.onnx'}", position.game).act(position.seen_by(0))
    with pytest.raises(ts.BadInput, match="ahead=9 must be 1 to 6"):
        ts.player("fast:ahead=9", position.game)


def test_rows_of_selfplay_tell_who_won():
    """Each row is a turn's end of the learning player; its winner is the match's, counted from the mover on."""
    rows = selfplay.play_round("fast", 40, 1, 100, TrainingContext())
    assert rows.inputs.shape == (len(rows.winner), 4, value.FEATURES)
    assert np.allclose(rows.inputs[:, :, value.DICE_SHARE].sum(axis=1), 1.0, atol=1e-5)
    assert rows.living[np.arange(len(rows.winner)), rows.winner].all()
    assert set(rows.start) <= set(range(100, 110))
    assert set(rows.quarter) == {0, 1, 2, 3}
    last = rows.quarter == 3
    lead = rows.inputs[last][:, :, value.DICE_SHARE].argmax(axis=1)
    assert (lead == rows.winner[last]).mean() > 0.75


def test_the_shipped_value_knows_more_than_counting():
    """On games it never saw its log-loss is below that of counting dice, though counting is fitted to them.

    So it is in every quarter but the last, where nearly all is decided and a handful of upsets weigh most.
    """
    rows = selfplay.play_round("fast", 2000, 77, 0, TrainingContext(workers=2))
    found = selfplay.quality(value.read_onnx(value.SHIPPED), rows, rows)
    assert found["net"]["log_loss"] < found["dice"]["log_loss"] - 0.1
    quarters = zip(found["net"]["quarters"], found["dice"]["quarters"], strict=True)
    assert [net["log_loss"] < dice["log_loss"] for net, dice in quarters][:3] == [True, True, True]


def test_learning_needs_torch_and_says_so(tmp_path, monkeypatch):
    """Without torch the command says how to get it and writes nothing."""
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(ts.BadInput, match=r"pip install 'turnsmith\[learn\]'"):
        selfplay.learn(DicewarsValueSettings(rounds=1, games=40), TrainingContext(tmp_path / "v"))
    assert not (tmp_path / "v").exists()


def test_the_line_is_a_plan_of_attacks():
    """The attacks planned can be made one after another while they are won; they are no more than it looks ahead."""
    longest = 0
    for position in some_positions(8):
        seat = position.mover
        for name, ahead in (("strong", 1), ("master", 2), ("fast:ahead=3,width=6", 3)):
            decision = ts.player(name, position.game).act(position.seen_by(seat))
            assert decision.line[0] == decision.words
            assert len(decision.line) <= ahead
            longest = max(longest, len(decision.line))
            look = position.seen_by(seat)
            for words in decision.line:
                assert look.mover == seat
                action = look.parse(words)
                look = look.after([action] if words == "end" else [action, WON])
    assert longest == 3
