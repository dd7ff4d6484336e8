"""Pac-Man's learning: mazes, the net by play, the league, SARSA, and the table."""

import numpy as np
import onnxruntime
import pytest
from test_pacman import drawn  # noqa: F401  (a fixture)

import turnsmith as ts
from turnsmith.arena.statistics import mean_interval
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import compiled
from turnsmith.compile.rng import stream
from turnsmith.contract.trainings import TrainingContext, hear_nothing
from turnsmith.games.pacman import maps, mazes, net, sarsa
from turnsmith.games.pacman.evaluation import nearest_dot
from turnsmith.games.pacman.ghosts import OriginalGhosts
from turnsmith.games.pacman.negamax import FIRST_WEIGHT
from turnsmith.learn.run import Run
from turnsmith.nets.files import read_json
from turnsmith.play import step
from turnsmith.play.player import player
from turnsmith.play.position import PositionView
from turnsmith.studies.pacman import cells, league, selfplay, table
from turnsmith.studies.pacman import episodes as sarsa_episodes
from turnsmith.studies.pacman import trainings as declares


@pytest.fixture(scope="module")
def small_run(tmp_path_factory):
    """A run in which a few games were learned from, with one sweep, and what came of it."""
    folder = tmp_path_factory.mktemp("value")
    done = selfplay.train(declares.PacmanValueSettings(games=400, sweeps=1), TrainingContext(folder))
    return Run(folder, {}), done.document


def test_mazes_are_sound_and_differ():
    """Every maze is a map without complaint and without dead ends, the same for the same seed."""
    texts = [mazes.maze(seed) for seed in range(40)]
    assert len(set(texts)) == 40
    assert texts[7] == mazes.maze(7)
    for text in texts:
        rows = maps.read(text, "maze").rows
        for x, y in maps.places(rows, ".PG"):
            assert sum(rows[y + dy][x + dx] != "#" for dx, dy in maps.STEPS) >= 2


def test_positions_tell_what_was_eaten_afterwards(small_run):
    """Inputs stay in range, a caught pacman has none, and what was eaten later is no more than was left."""
    mazes = [selfplay.played(small_run[0], number, 1) for number in range(1000, 1005)]
    rows = selfplay.rows_of(mazes)
    left = np.concatenate([each.states["left"] for each in mazes])
    later = np.concatenate([each.later for each in mazes])
    played = later[:, 0] >= 0
    assert played.sum() > 500
    assert (later[~played] == -1).all()
    assert (later[played, 0] <= later[played, 1]).all()
    assert (later[played, 1] <= left[played]).all()
    assert (np.abs(rows.inputs) <= 1.3).all()
    assert (rows.inputs[rows.there == 0] == 0).all()
    alone = played & (rows.there.sum(axis=1) == 1)
    assert later[alone, 1].mean() < later[played & ~alone, 1].mean()


def test_the_fit_knows_more_than_the_mean(small_run):
    """On mazes never trained on the nets err less than a constant, and a run goes on from where it was stopped."""
    run, said = small_run
    expected = [(sweep, side) for sweep in (0, 1) for side in ("pacmans", "ghosts")]
    assert [(found["sweep"], found["side"]) for found in said] == expected
    for found in said:
        assert found["net"]["squared_error"] < 0.7 * found["mean"]["squared_error"]
    stamps = {path: path.stat().st_mtime_ns for path in run.folder.glob("*.onnx")}
    again = selfplay.train(declares.PacmanValueSettings(games=400, sweeps=1), TrainingContext(run.folder))
    assert again.document == said
    assert {path: path.stat().st_mtime_ns for path in run.folder.glob("*.onnx")} == stamps
    assert "turnsmith" in run.path("card.md").read_text()
    with pytest.raises(BadInput, match="was begun with games=400; use the same, or another folder"):
        selfplay.train(declares.PacmanValueSettings(games=800, sweeps=1), TrainingContext(run.folder))


def test_a_sweep_asks_the_search(small_run):
    """What a sweep learns from is what a search of two plies says of the position."""
    run = small_run[0]
    first, file = selfplay.played(run, 1000, 1), run.path(selfplay.net_name(0))
    searching = player(f"learned:depth=2,exact=true,file={file}", first.game)
    ready = searching.prepare(first.game, first.boards)
    for side in (0, 1):
        values = selfplay.ahead([first], file, side, 1)
        begin = FIRST_WEIGHT + side * net.NUMBERS
        ready.params[begin + net.TRUST], ready.params[begin + net.WITH_MAP] = 1.0, 0.0
        for index in np.nonzero(first.states["ply"] % 2 == side)[0][:20]:
            states = first.states[index : index + 1].copy()
            position = PositionView(first.game, first.boards, states)
            report, memory = np.zeros(3), np.zeros(ready.memory, np.uint8)
            compiled(step.ask)(
                first.game, first.boards, states, position.actions, searching.where(first.game), ready.data, memory,
                ready.params, report, stream(1),
            )  # fmt: skip
            eaten, left = int(states[0]["eaten"]), int(states[0]["left"])
            expected = (values[index] + eaten) / (eaten + left) * (1 - 2 * side)
            assert report[0] == pytest.approx(min(1.0, max(-1.0, expected)), abs=1e-5)


@pytest.mark.parametrize("side", [0, 1])
def test_the_search_and_onnx_say_the_same(small_run, side):
    """The nets inside the search, added up bit by bit, give the numbers onnxruntime gives."""
    run = small_run[0]
    file, first = run.path(selfplay.net_name(1)), selfplay.played(run, 1000, 1)
    inputs = selfplay.rows_of([first]).inputs
    session = onnxruntime.InferenceSession(str(file))
    board, map_tables = first.boards[0], first.map_tables[0]
    weights = np.array(net.numbers(str(file)))[side * net.NUMBERS :][: net.NUMBERS]
    for index in range(0, 60, 7):
        state = first.states[index]
        shares = session.run(None, {"position": inputs[index, : state.pacmans]})[0][:, side]
        weights[net.TRUST], weights[net.WITH_MAP] = 1.0, 0.0
        weights[net.TURNS] = (board.t_max - state.ply + 1) // 2 // 8 * 8
        row = np.zeros(24, np.int64)
        row[net.COUNT], row[net.EATEN], row[net.LEFT] = state.pacmans, state.eaten, state.left
        for unit in range(state.pacmans):
            row[net.PACMAN + unit] = state.pacman[unit]
            row[net.NEAREST + unit] = nearest_dot(map_tables, state.dots, int(state.pacman[unit]))
        row[net.GHOST : net.GHOST + 4] = state.ghost[:4]
        value = net.by_net(weights, board, map_tables, state.dots, row, bool(state.ply % 2)) / 16
        assert value == pytest.approx(state.eaten + net.SOON * shares.sum(), abs=0.04)


def test_a_net_of_another_kind_is_refused(tmp_path):
    """A file that is no net of ours gets one line."""
    file = tmp_path / "other.onnx"
    file.write_bytes(b"no net")
    with pytest.raises(BadInput, match="is no net of ours; name an ONNX file"):
        net.numbers(str(file))


def test_learned_beats_the_default_weights():
    """At the same depth and on maps it never saw, its pacmans eat more and its ghosts let fewer be eaten."""
    names = {"default": "negamax:depth=2", "learned": "learned:depth=2"}
    found = {}
    for ghosts in names:
        for pacmans in names:
            scores = cells.eaten("pacman:map=ten,start=random", names[pacmans], names[ghosts], 40, 3, 2)
            found[ghosts, pacmans] = scores.mean()
    assert found["default", "learned"] > found["default", "default"]
    assert found["learned", "default"] < found["default", "default"]


def test_the_league_goes_on_and_keeps_its_size(tmp_path):
    """A second call adds an iteration to the first one's; other settings are refused; weights play."""
    few = {"trials": 2, "exploiter_trials": 1, "games": 2, "map": "small,start=random,t_max=60"}
    said = [
        league.train(declares.PacmanLeagueSettings(iterations=iterations, **few), TrainingContext(tmp_path))
        for iterations in (1, 2)
    ]
    assert said[1].document[:1] == said[0].document
    assert [found["iteration"] for found in said[1].document] == [0, 1]
    against = said[1].document[0]["against"]
    assert list(against) == [
        *("pacmans against default", "ghosts against default", "pacmans against original-ghosts"),
        *("pacmans against exploiter", "ghosts against exploiter"),
    ]
    assert all(0.0 <= score <= 1.0 for score in against.values())
    newest = tmp_path / "main-1.json"
    assert said[1].text == str(newest)
    assert read_json(newest)["score"] == 1.0
    game = ts.load("pacman")
    named = player(f"negamax:depth=2,weights={newest}", game)
    assert named.act(game.start()).action >= 0
    weights = league.Weights(declares.PacmanLeagueSettings(**few))
    genes = np.array([read_json(newest)[name] for name in weights.default if name != league.FIXED])
    prepared = [each.prepare(game, game.board()).params for each in (weights.player(genes), named)]
    assert (prepared[0] == prepared[1]).all()
    with pytest.raises(BadInput, match="was begun with games=2"):
        league.train(declares.PacmanLeagueSettings(**{**few, "games": 3}), TrainingContext(tmp_path))


def test_the_league_plays_both_sides_but_the_arcades_ghosts():
    """Everybody is met from both sides, the arcade's ghosts only as ghosts; a share is what was eaten, or was not."""
    tables = league.both_sides([ts.player("random"), OriginalGhosts()], 3)
    assert tables.tolist() == [[0, 1], [1, 0]] * 3 + [[0, 2]] * 4
    returns = np.array([[0.3, -0.3], [0.3, -0.3]])
    assert league.share(returns, np.array([0, 1])).tolist() == [0.3, 0.7]


def test_the_table_is_kept_and_drawn(tmp_path):
    """Every cell is filled, drawn and written down, and found again instead of being played again."""
    few = {"pacmans": "random,fuzzy", "ghosts": "random,original-ghosts", "games": 20}
    settings = declares.TableSettings(plot=str(tmp_path / "plot.svg"), **few)
    done = table.train(settings, TrainingContext(tmp_path / "run"))
    first = done.document
    assert [(cell["ghosts"], cell["pacmans"]) for cell in first][1] == ("random", "fuzzy")
    assert all(cell["low"] <= cell["eaten"] <= cell["high"] and cell["games"] == 20 for cell in first)
    assert (tmp_path / "plot.svg").read_text().count("<circle") == 2 * 10 + 2
    assert done.text.splitlines()[3].startswith(f"| original-ghosts | {first[2]['eaten']:.3f} ± ")
    own, random = (np.array([cell["starts"][start][0] for cell in first]) for start in ("map", "random"))
    assert np.allclose((own + random) / 2, [cell["eaten"] for cell in first], atol=2e-4)
    assert done.text.count("\n| random |") == 3
    stamps = {file: file.stat().st_mtime_ns for file in tmp_path.glob("run/cells/*.json")}
    assert len(stamps) == 4
    assert table.train(declares.TableSettings(**few), TrainingContext(tmp_path / "run")).document == first
    by_name = declares.TableSettings(pacmans="random", ghosts="original ghosts", games=20)  # a row of the usual table
    (cell,) = table.train(by_name, TrainingContext(tmp_path / "run")).document
    assert (cell["ghosts"], cell["eaten"]) == ("original ghosts", first[2]["eaten"])
    assert {file: file.stat().st_mtime_ns for file in tmp_path.glob("run/cells/*.json")} == stamps


def learned_table(folder, episodes, seed=1, tell=hear_nothing):
    """The table that a short run of SARSA learns, and how it did in mazes it never saw."""
    settings = declares.SarsaSettings(episodes=episodes, mazes=10, seed=seed)
    done = sarsa_episodes.train(settings, TrainingContext(folder, tell=tell))
    return sarsa.read_values(done.text), done.document


def test_sarsa_learns_from_nothing(tmp_path):
    """After some episodes it eats more in mazes it never saw than with an empty table, beyond both intervals."""
    mazes = sarsa_episodes.draw(sarsa_episodes.FIRST_TEST_MAZE, 10)
    empty = sarsa_episodes.shares(mazes, np.zeros((sarsa.SITUATIONS, 5)), sarsa_episodes.GREEDY, 1, 0, 200)
    _, said = learned_table(tmp_path, 3000)
    assert [found["episodes"] for found in said] == [1000, 2000, 3000]
    assert said[-1]["low"] > mean_interval(empty)[2]


def test_sarsa_goes_on_to_the_same_table(tmp_path, monkeypatch):
    """A run that is stopped between two rounds ends where one that was not ends; another seed ends elsewhere."""
    monkeypatch.setattr(sarsa_episodes, "ROUND", 100)

    def stop(line):
        if line.startswith("200 episodes"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learned_table(tmp_path / "stopped", 400, tell=stop)
    stopped, said = learned_table(tmp_path / "stopped", 400)
    whole, whole_said = learned_table(tmp_path / "whole", 400)
    assert said == whole_said
    assert (stopped == whole).all()
    assert (learned_table(tmp_path / "other", 400, seed=2)[0] != whole).any()
    with pytest.raises(BadInput, match="was begun with seed=1; use the same, or another folder"):
        learned_table(tmp_path / "whole", 400, seed=2)


def test_bad_settings_and_tables_of_sarsa_are_refused(tmp_path):
    """Settings out of range and files that are no table get one line."""
    with pytest.raises(ValueError, match=r"rate=2.0 must be 0 to 1"):
        declares.SarsaSettings(rate=2.0)
    with pytest.raises(ValueError, match="episodes=0 must be 1 to"):
        declares.SarsaSettings(episodes=0)
    game, file = ts.load("pacman"), tmp_path / "table.json"
    for text in ('{"values": [[1, 2]]}', "[]", '{"values": "many"}'):
        file.write_text(text)
        with pytest.raises(BadInput, match="is no table of 512 x 5 values; make one by"):
            player(f"sarsa:file={file}", game).act(game.start())


def test_situations_turn_with_the_map(drawn):  # noqa: F811
    """A position and the same turned by a quarter are one situation, and the preferred way turns along."""
    rows = ["#######", "#. P  #", "# # # #", "#     #", "# # # #", "#    G#", "#######"]
    seen = []
    for _ in range(4):
        position = drawn(*rows)
        seen.append(sarsa.situation(position.board, position.state, 0))
        rows = ["".join(column) for column in list(zip(*rows, strict=True))[::-1]]
    assert len({int(number) for number, _ in seen}) == 1
    assert [int(ahead) for _, ahead in seen] == [(int(seen[0][1]) + turn) % 4 for turn in range(4)]


def test_the_shipped_table_eats_what_its_file_says():
    """The shipped table eats in its judging mazes, from ghosts as they are now, what its file says."""
    shipped = read_json(sarsa.SHIPPED)
    mazes = sarsa_episodes.draw(sarsa_episodes.FIRST_TEST_MAZE, sarsa_episodes.TEST_MAZES)
    eaten = sarsa_episodes.shares(
        mazes, sarsa.read_values(""), sarsa_episodes.GREEDY, sarsa_episodes.TEST_SEED, 0, sarsa_episodes.TESTS
    )
    assert eaten.mean() == pytest.approx(shipped["judged again"]["eaten"], abs=1e-4)
    assert shipped["settings"] == vars(declares.SarsaSettings())
