"""A value of positions for any game: learned by self-play, kept as ONNX, asked inside every search."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.compile.kernel import compiled, interpreted
from turnsmith.contract.trainings import TrainingContext
from turnsmith.learn import value
from turnsmith.learn.fit import silent
from turnsmith.learn.recommend import advice
from turnsmith.learn.selfplay import DecisionRows, play
from turnsmith.nets.dense import Net, fresh, read_net
from turnsmith.play.batch import boards_of
from turnsmith.play.observe import observer
from turnsmith.search.value import value_in

sys.path.insert(0, str(Path(__file__).parent.parent / "search"))
from asking import Asked

NIM = str(Path(__file__).parent.parent.parent / "examples" / "nim.py")


@pytest.fixture(scope="module")
def nim(tmp_path_factory):
    """A game in a file, and the net, the results and the folder of a short training on it."""
    game, folder = ts.load(f"{NIM}:piles=1-2-3"), tmp_path_factory.mktemp("nim")
    settings = value.ValueTrainingSettings(
        rounds=8,
        games=256,
        hidden="16",
        epochs=4,
        rate=0.02,
        proof=40,
        compare=24,
        minutes=0.2,
        to=str(folder / "nim.onnx"),
    )
    done = value.train(settings, TrainingContext(folder, 2, game_text=game.text_name))
    return game, Path(done.document["net"]), done.document["proof"], folder


def some_net(game, folder):
    """A value that knows nothing of a game."""
    boards = game.board()
    seen, seats = observer(game, boards), int(boards[0].seats)
    about = {"kind": "value", "game": game.text_name, "sees": seen.described()}
    net = Net(fresh((*seen.shape, 5, 1 if seats == 2 else seats), 3), "Sigmoid", about)
    net.write(folder / "some.onnx", "a test")
    return net, folder / "some.onnx"


def test_a_few_rounds_play_a_small_game_perfectly(nim):
    """1-2-3 is lost for whoever begins: with the value, two plies suffice to win every game as the second."""
    game, net, proof, folder = nim
    table = ts.arena(game, [f"negamax:depth=2,value={net}", "random"], games=60, seed=1)
    second = table.seating[:, 1] == 0
    assert (table.returns[second, 1] == 1.0).all()
    assert (proof["games"], proof["name"]) == (40, f"negamax:depth=2,value={folder}/value-7.onnx,table=10")
    curve = [json.loads(line) for line in (folder / "curve.jsonl").read_text().splitlines()]
    assert curve[-1]["loss"] < 0.5 * curve[-1]["baseline"]
    assert "| rate |" in (folder / "card.md").read_text()
    assert (folder / "value-7.onnx").read_bytes() == net.read_bytes()


def test_a_net_is_recommended_only_if_it_won(nim):
    """It met the best player without it at equal CPU time; where the interval holds a half, it is not praised."""
    game, _, proof, folder = nim
    found = proof["compared"]
    assert found["games"] == 24
    assert "value=" in found["player"]
    assert "value=" not in found["against"]
    assert found["better"] == (found["low"] > 0.5)
    assert "compared: rate" in (folder / "card.md").read_text()
    beaten = advice({**found, "rate": 0.5, "low": 0.4, "high": 0.6, "better": False}, game, "mine.onnx", "")
    assert "not shown to be better, so meet that one (turnsmith play" in beaten
    praised = advice({**found, "rate": 0.9, "low": 0.8, "high": 0.95, "better": True}, game, "mine.onnx", "")
    assert "play against it: turnsmith play" in praised
    assert praised.count("value=mine.onnx") == 2


def test_minutes_bound_a_round(tmp_path):
    """Games that have not ended in time are left out; what has ended is whole."""
    game = ts.load("connect_four")
    boards = game.board()
    who = ts.player("negamax:depth=4", game)
    rows = play(game, boards, observer(game, boards), who, 4096, 0.1, 3, 2, silent, seconds=0.2)
    games = int(rows.game.max()) + 1
    assert 8 <= games < 4096
    assert np.unique(rows.game).tolist() == list(range(games))
    assert (np.bincount(rows.game) >= 7).all()  # nobody has four in a row before


@pytest.mark.parametrize(
    ("text", "search"),
    [
        (f"{NIM}:piles=2-3", "negamax:depth=2,table=6"),
        ("pig:target=12", "expectimax:depth=2,table=6"),
        ("pig:target=12,players=3", "maxn:depth=1"),
        ("leduc", "mcts:simulations=20"),
        ("connect_four:width=4,height=4", "mcts:simulations=20"),
    ],
)
def test_searches_ask_the_net_interpreted_and_compiled_alike(text, search, tmp_path):
    """Two opposed seats, three, chance and hidden cards: both ways give the same decision, value and work."""
    game = ts.load(text)
    _, file = some_net(game, tmp_path)
    position, random = game.start(2), np.random.default_rng(2)
    for _ in range(3):
        if position.outcome:
            break
        both = [Asked(game, f"{search},value={file}", how=how)(position) for how in (compiled, interpreted)]
        assert both[0][:1] + both[0][2:] == both[1][:1] + both[1][2:]
        assert both[0].value == pytest.approx(both[1].value, abs=1e-6)  # sums of float32 in another order
        position.push(int(random.choice(position.actions)))


def test_an_estimate_is_what_the_net_says(tmp_path):
    """One ply deep, the value of a decision is the best of the net's sayings of the positions after it."""
    game = ts.load(f"{NIM}:piles=2-3")
    net, file = some_net(game, tmp_path)
    position, said = game.start(), []
    for action in position.actions:
        after = ts.position(game, 0, [int(action)])
        seen = observer(game, game.board()).see(after.boards, after.view(after.mover), after.mover)
        share = float(value.chances(net, seen[None])[0, 0])
        said.append(1.0 - 2.0 * share)  # what the other expects, turned round, in -1..1
    found = Asked(game, f"negamax:depth=1,value={file}")(position)
    assert found.value == pytest.approx(max(said), abs=1e-6)
    assert said[list(position.actions).index(found.action)] == pytest.approx(max(said))


def test_what_was_learned_is_proven_at_any_number_of_seats(tmp_path):
    """One seat with the value against all others without; alone, with and without; the words say what is even."""
    for text, words in (
        ("pig:target=12,players=3", "where 33% would be even"),
        ("mastermind:colors=2,pegs=2", "without it"),
    ):
        folder = tmp_path / text[:3]
        settings = value.ValueTrainingSettings(rounds=1, games=256, hidden="4", proof=6, compare=0, teacher="random")
        done = value.train(settings, TrainingContext(folder, 2, game_text=text))
        assert done.document["proof"]["games"] == 6
        assert words in done.text
        assert f"turnsmith play {text} --vs " in done.text
    scores = {**done.document["proof"], "seats": 2, "rate": None, "low": None, "high": None}  # as where nobody wins
    assert "without it" in value.in_words(scores)


def test_games_with_players_by_the_names_of_searches_learn_with_another():
    """Pac-Man's own negamax and Dice Wars' own maxn ask no values, so the next search that plays there does."""
    for text, search in (
        ("pacman:map=tiny", "expectimax"),
        ("dicewars", "mcts"),
        ("pig", "expectimax"),
        (NIM, "negamax"),
    ):
        game = ts.load(text)
        chosen = value.first_fit(
            game, game.board(), [f"{name}:{how}" for name, (how, _) in value.kinds_for(game).items()]
        )
        assert chosen.name == search


def test_a_search_that_asks_no_value_is_refused_before_anything_is_done(tmp_path):
    """So is one that does not play the game, or is none; no folder is left behind."""
    for search, match in (("random", "asks no value"), ("nonsense", "no player"), ("negamax", "cannot play pig")):
        with pytest.raises(ts.BadInput, match=match):
            value.train(
                value.ValueTrainingSettings(search=search), TrainingContext(tmp_path / "folder", game_text="pig")
            )
    assert not (tmp_path / "folder").exists()


def test_files_that_do_not_fit_are_refused(nim, tmp_path):
    """Another game, another kind of net, nonsense of what it sees, and no file at all are one sentence each."""
    game, net, _, _ = nim
    good, boards = read_net(net), game.board()
    for wrong, match in (
        ({"kind": "policy"}, "is no value of positions"),
        ({"sees": {**good.about["sees"], "slots": [[9, 0, 64, 0, 0, 0, 0, 0, 0, 4, 0.0, 0.0, 0]]}}, "cannot be"),
        ({"sees": {**good.about["sees"], "slots": [["x"]]}}, "is not said"),
        ({"sees": {**good.about["sees"], "record": []}}, "other fields"),
        ({"sees": "all"}, "no list of numbers"),
    ):
        Net(good.layers, "Sigmoid", {**good.about, **wrong}).write(tmp_path / "wrong.onnx", "a test")
        with pytest.raises(ts.BadInput, match=match):
            value_in(game, boards, tmp_path / "wrong.onnx")
    for text, file, match in (
        ("pig", net, "was trained for"),
        ("connect_four", net, "inputs"),
        (NIM, "no.onnx", "no file"),
    ):
        with pytest.raises(ts.BadInput, match=match):
            ts.arena(text, [f"maxn:depth=1,value={file}", "random"], games=2)


def test_slots_that_would_leave_the_record_are_refused(nim, tmp_path):
    """Whatever number of whatever slot is changed to something wild, the file is refused or reads inside the record."""
    game, net, _, _ = nim
    good, boards, random = read_net(net), game.board(), np.random.default_rng(1)
    refused = 0
    for _ in range(300):
        slots = [list(slot) for slot in good.about["sees"]["slots"]]
        slot = slots[random.integers(len(slots))]
        slot[random.integers(len(slot))] = int(random.choice([-1, 1, 7, 63, 64, 65, 1000, 2**31, 2**62]))
        Net(good.layers, "Sigmoid", {**good.about, "sees": {**good.about["sees"], "slots": slots}}).write(
            tmp_path / "wild.onnx", "a test"
        )
        try:
            data = value_in(game, boards, tmp_path / "wild.onnx")
        except ts.BadInput:
            refused += 1
            continue
        assert len(data)
        ts.player(f"negamax:depth=1,value={tmp_path}/wild.onnx", game).act(game.start())
    assert 100 < refused < 300


def test_rows_are_the_same_on_any_number_of_threads():
    """Self-play is named by its seed alone; games are whole, and every row knows how its game ended."""
    game = ts.load(f"{NIM}:piles=2-3")
    boards = boards_of(game, 0)
    asked = (game, boards, observer(game, boards), ts.player("random", game), 300, 0.5, 7)
    one, two = (play(*asked, workers, silent) for workers in (1, 2))
    for name in vars(one):
        assert np.array_equal(getattr(one, name), getattr(two, name), equal_nan=True), name
    assert len(np.unique(one.game)) == 512  # rounded up to whole batches
    assert (np.abs(one.returns) == 1.0).all()
    assert 0.4 < one.random.mean() < 0.6


def test_what_a_position_was_worth_is_traced_back_from_the_end():
    """Half of what came later and half of what was thought; a random move cuts the thread; seats are turned."""
    rows = DecisionRows(
        inputs=np.zeros((4, 1)), mover=np.array([0, 1, 0, 0]), thought=np.array([0.0, 1.0, -1.0, 0.0]),
        random=np.array([False, False, True, False]), game=np.array([0, 0, 0, 1]), start=np.array([0, 0, 0, 1]),
        returns=np.array([[1.0, -1.0]] * 3 + [[-1.0, 1.0]]),
    )  # fmt: skip
    found = value.targets(rows, -1.0, 1.0, 0.5, opposed=True)
    # row 2 was upset: worth what was thought, 0. row 1, the other's: half of 1 - 0 and half of 1. row 0: 1/2 and 1/2.
    assert found[:, 0].tolist() == [0.25, 1.0, 0.0, 0.25]
    silent_rows = replace(rows, thought=np.full(4, np.nan))  # nothing was thought: only the ends count
    assert value.targets(silent_rows, -1.0, 1.0, 0.5, opposed=True)[:, 0].tolist() == [1.0, 0.0, 1.0, 0.0]
    both = value.targets(rows, -1.0, 1.0, 0.5, opposed=False)
    assert both[3].tolist() == [0.25, 1.0]
    clean = value.sample_of(rows, ts.load("connect_four").board()[0], 0.5, True, 0).clean
    assert clean.tolist() == [False, False, False, True]
