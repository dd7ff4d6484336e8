"""Pac-Man's learning: mazes, the net by play, the league, SARSA, and the table."""

import numpy as np
import onnxruntime
import pytest
from test_pacman import drawn  # noqa: F401  (a fixture)

import turnsmith as ts
from turnsmith.arena.statistics import mean_interval
from turnsmith.games.pacman import episodes as sarsa_episodes
from turnsmith.games.pacman import league, maps, mazes, net, sarsa, selfplay, table
from turnsmith.learn.files import read_json
from turnsmith.player import player
from turnsmith.texts import BadInput


@pytest.fixture(scope="module")
def small_round(tmp_path_factory):
    """A folder in which one round of a few games was learned from, and what it said."""
    folder, said = tmp_path_factory.mktemp("value"), []
    selfplay.learn(folder, 1, 50, 1, 1, lambda done, total: None, lambda number, found: said.append(found))
    return folder, said


def test_mazes_are_sound_and_differ():
    """Every maze is a map without complaint and without dead ends, the same for the same seed."""
    texts = [mazes.maze(seed) for seed in range(40)]
    assert len(set(texts)) == 40
    assert texts[7] == mazes.maze(7)
    for text in texts:
        rows = maps.read(text, "maze").rows
        for x, y in maps.places(rows, ".PG"):
            assert sum(rows[y + dy][x + dx] != "#" for dx, dy in maps.STEPS) >= 2


def test_rows_tell_what_was_eaten_afterwards(small_round):
    """Shares are shares, inputs stay in range, and the share is what the game's end says of the same position."""
    rows = selfplay.Rows(**selfplay.read_arrays(selfplay.rows_file(small_round[0], 0)))
    assert len(rows.share) > 500
    assert (rows.share >= 0).all()
    assert (rows.share <= 1).all()
    assert (np.abs(rows.inputs) <= 1.001).all()
    alone = rows.inputs[:, net.INPUT_NAMES.index("last_pacman")] == 1
    assert rows.share[alone].mean() < rows.share[~alone].mean()


def test_the_fit_knows_more_than_the_mean(small_round):
    """On mazes never trained on the net errs less than a constant, and it goes on from where it was stopped."""
    folder, said = small_round
    assert said[0]["net"]["squared_error"] < 0.7 * said[0]["mean"]["squared_error"]
    stamp = selfplay.net_file(folder, 0).stat().st_mtime_ns
    selfplay.learn(folder, 1, 50, 1, 1, lambda done, total: None, lambda number, found: said.append(found))
    assert len(said) == 1
    assert selfplay.net_file(folder, 0).stat().st_mtime_ns == stamp


def test_the_search_and_onnx_say_the_same(small_round):
    """The net inside the search gives the number onnxruntime gives."""
    file = selfplay.net_file(small_round[0], 0)
    rows = selfplay.Rows(**selfplay.read_arrays(selfplay.rows_file(small_round[0], 0)))
    inputs = rows.inputs[:1]
    session = onnxruntime.InferenceSession(str(file))
    share = float(session.run(None, {"position": inputs})[0][0, 0])
    weights = np.array(net.numbers(str(file)))
    hidden = np.zeros(net.HIDDEN)
    net.begin_hidden(weights, hidden)
    for index in range(net.INPUTS):
        net.add_input(weights, net.FIRST + index * net.HIDDEN, float(inputs[0, index]), hidden)
    row = np.zeros(24, np.int64)
    row[net.EATEN], row[net.LEFT] = 10, 1000
    assert net.worth(weights, row, hidden) / 16 == pytest.approx(10 + 1000 * share, abs=0.1)


def test_a_net_of_another_kind_is_refused(tmp_path):
    """A file that is no net of ours gets one line."""
    file = tmp_path / "other.onnx"
    file.write_bytes(b"no net")
    with pytest.raises(BadInput, match="is not a net of ours"):
        net.numbers(str(file))


def test_learned_beats_the_default_weights():
    """At the same depth and on maps it never saw, its pacmans eat more and its ghosts let fewer be eaten."""
    names = {"default": "negamax:depth=2", "learned": "learned:depth=2"}
    cells = {}
    for ghosts in names:
        for pacmans in names:
            scores = table.eaten("pacman:map=ten,start=random", names[pacmans], names[ghosts], 40, 3, 2)
            cells[ghosts, pacmans] = scores.mean()
    assert cells["default", "learned"] > cells["default", "default"]
    assert cells["learned", "default"] < cells["default", "default"]


def test_the_league_goes_on_and_keeps_its_size(tmp_path):
    """A second call adds an iteration to the first one's; other settings are refused; weights play."""
    said = []
    few = {"trials": 2, "exploiter_trials": 1, "games": 2, "map": "small,start=random,t_max=60"}
    for iterations in (1, 2):
        settings = league.Settings(iterations=iterations, **few)
        newest = league.run(tmp_path, settings, 1, lambda done, total: None, said.append)
    assert [found["iteration"] for found in said] == [0, 0, 1]
    assert said[0] == said[1]
    assert newest.name == "main-1.json"
    assert read_json(newest)["score"] == 1.0
    game = ts.load("pacman")
    assert player(f"negamax:depth=2,weights={newest}", game).act(game.start()).action >= 0
    with pytest.raises(BadInput, match="was begun with games=2"):
        league.run(tmp_path, league.Settings(**{**few, "games": 3}), 1, lambda done, total: None, said.append)


def test_the_table_is_kept_and_drawn(tmp_path):
    """Every cell is filled, drawn and written down, and found again instead of being played again."""
    columns, rows = {"random": "random", "fuzzy": "fuzzy"}, {"random": "random", "arcade": "original-ghosts"}
    first = table.fill(tmp_path, columns, rows, 20, 1, 1, lambda done, total: None)
    assert [(cell["ghosts"], cell["pacmans"]) for cell in first][1] == ("random", "fuzzy")
    assert all(cell["low"] <= cell["eaten"] <= cell["high"] and cell["games"] == 20 for cell in first)
    assert table.plot(first).count("<circle") == 2 * 10 + 2
    assert table.markdown(first).splitlines()[3].startswith(f"| arcade | {first[2]['eaten']:.3f} ± ")
    stamps = {file: file.stat().st_mtime_ns for file in tmp_path.glob("*.json")}
    assert len(stamps) == 4
    assert table.fill(tmp_path, columns, rows, 20, 1, 1, lambda done, total: None) == first
    assert {file: file.stat().st_mtime_ns for file in tmp_path.glob("*.json")} == stamps


def learned_table(folder, episodes, seed=1):
    """The table that a short run of SARSA learns, and how it did in mazes it never saw."""
    settings, said = sarsa_episodes.Settings(episodes=episodes, mazes=10, seed=seed), []
    file = sarsa_episodes.learn(folder, settings, lambda done, total: None, said.append)
    return sarsa.read_values(str(file)), said


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

    def stop(found):
        if found["episodes"] == 200:
            raise KeyboardInterrupt

    settings = sarsa_episodes.Settings(episodes=400, mazes=10)
    with pytest.raises(KeyboardInterrupt):
        sarsa_episodes.learn(tmp_path / "stopped", settings, lambda done, total: None, stop)
    stopped, said = learned_table(tmp_path / "stopped", 400)
    assert [found["episodes"] for found in said] == [300, 400]
    whole, _ = learned_table(tmp_path / "whole", 400)
    assert (stopped == whole).all()
    assert (learned_table(tmp_path / "other", 400, seed=2)[0] != whole).any()
    with pytest.raises(BadInput, match="was begun with seed=1; use the same, or another folder"):
        learned_table(tmp_path / "whole", 400, seed=2)


def test_bad_settings_and_tables_of_sarsa_are_refused(tmp_path):
    """Settings out of range and files that are no table get one line."""
    with pytest.raises(BadInput, match=r"--rate 2.0 must be 0 to 1"):
        sarsa_episodes.Settings(rate=2.0)
    with pytest.raises(BadInput, match="must be at least 1"):
        sarsa_episodes.Settings(episodes=0)
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


def test_the_shipped_table_is_what_training_says():
    """The shipped table eats in its judging mazes what its curve says it ate."""
    shipped = read_json(sarsa.SHIPPED)
    mazes = sarsa_episodes.draw(sarsa_episodes.FIRST_TEST_MAZE, sarsa_episodes.TEST_MAZES)
    eaten = sarsa_episodes.shares(
        mazes, sarsa.read_values(""), sarsa_episodes.GREEDY, sarsa_episodes.TEST_SEED, 0, sarsa_episodes.TESTS
    )
    assert eaten.mean() == pytest.approx(shipped["curve"][-1]["eaten"], abs=1e-4)
    assert shipped["settings"] == vars(sarsa_episodes.Settings())
