"""The command line as its user types it: answers, JSON, and one line for bad input."""

import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console

import turnsmith as ts
from turnsmith.cli import main
from turnsmith.cli import play as play_command
from turnsmith.cli.bench import benches
from turnsmith.play.seat import Seat

NIM = Path(__file__).parent.parent.parent / "examples" / "nim.py"


def turnsmith(*words, cwd, answers=""):
    command = [sys.executable, "-m", "turnsmith", *words]
    return subprocess.run(command, cwd=cwd, input=answers, capture_output=True, text=True)


def answer(*words, cwd):
    ran = turnsmith(*words, "--json", cwd=cwd)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_games_and_players(tmp_path):
    """Every game is listed; a game's players say what they refuse."""
    assert {row["name"] for row in answer("games", cwd=tmp_path)} >= {"connect_four", "pig", "mastermind"}
    rows = {row["name"]: row for row in answer("players", "pig", cwd=tmp_path)}
    assert rows["mcts"]["refuses"] is None
    assert rows["negamax"]["refuses"]


def test_arena_json(tmp_path):
    """The arena's document has everything a program needs, adds up, and the same command gives the same games."""
    words = ("arena", "connect_four", "--players", "mcts:simulations=50,negamax:depth=2,random", "--games", "60")
    found = answer(*words, cwd=tmp_path)
    assert found["games"] == 60
    assert {"game", "seed", "seconds", "games_per_second", "players", "pairs", "seats"} <= found.keys()
    assert [p["games"] for p in found["players"]] == [40, 40, 40]
    assert sum(p["rate"] * p["games"] for p in found["players"]) == pytest.approx(60, abs=0.01)
    assert all(p["low"] <= p["rate"] <= p["high"] for p in found["players"])
    assert (tmp_path / "turnsmith.db").exists()
    assert answer(*words, cwd=tmp_path)["players"] == found["players"]
    assert answer(*words, "--store", "none", "--workers", "1", cwd=tmp_path)["players"] == found["players"]


def test_arena_for_people(tmp_path):
    """Without --json the arena prints tables."""
    ran = turnsmith("arena", "pig", "--players", "random,random", "--seats", "2", "--games", "10", cwd=tmp_path)
    assert ran.returncode == 0
    assert "random #2" in ran.stdout


ANY_GAME = ["playouts", "steps", "arena", "mcts", "negamax"]
"""What is measured of any game."""


def test_bench_takes_a_game_of_ones_own(tmp_path):
    """A file has the entries of the games that come along, then its own; what is no Bench is refused."""
    own = '\nfrom turnsmith.game import Bench\nBENCHES = {"answer": Bench(lambda: 42.0, "truths")}\n'
    (tmp_path / "sticks.py").write_text(NIM.read_text() + own)
    file = str(tmp_path / "sticks.py")
    *usual, last = (entries := benches(file))
    assert [name.split()[-1] for name in usual] == ANY_GAME
    assert (last, entries[last].measure(), entries[last].unit) == (f"{file} answer", 42.0, "truths")
    (tmp_path / "wrong.py").write_text(NIM.read_text() + '\nBENCHES = {"answer": 42}\n')
    refused = turnsmith("bench", "./wrong.py", cwd=tmp_path)
    assert refused.returncode == 2
    assert "BENCHES must be a dict of Bench by name" in refused.stderr


def test_bench_takes_any_game_by_name(tmp_path):
    """A game that declares no entry has those of any file; a text that is no game is refused with what there is."""
    rows = answer("bench", "tic_tac_toe", cwd=tmp_path)
    assert [row["name"] for row in rows] == [f"tic_tac_toe {name}" for name in ANY_GAME]
    assert all(row["value"] > 0 and row["unit"] for row in rows)
    assert "no entry's name contains 'nosuch'" in turnsmith("bench", "nosuch", cwd=tmp_path).stderr


def test_perft_counts_by_depth_and_by_move(tmp_path):
    """Published numbers of Connect Four, for people and as JSON; words that are no move are refused by their number."""
    ran = turnsmith("perft", "connect_four", "--depth", "7", "--divide", cwd=tmp_path)
    lines = [line.split()[:2] for line in ran.stdout.splitlines()]
    counts = ["7", "49", "343", "2,401", "16,807", "117,649", "823,536"]
    assert lines[:7] == [[str(depth), count] for depth, count in enumerate(counts, start=1)]
    assert [move for move, _count in lines[7:]] == list("abcdefg")
    found = answer("perft", "connect_four", "--depth", "3", "--after", "a a a a a a", cwd=tmp_path)
    assert [row["sequences"] for row in found["counts"]] == [6, 36, 216]
    assert sum(found["divide"].values()) == 216
    refused = turnsmith("perft", "connect_four", "--after", "d z", cwd=tmp_path)
    assert (refused.returncode, "--after, move 2: 'z' is not a legal move" in refused.stderr) == (2, True)


def test_a_level_names_an_opponent(tmp_path):
    """--vs hard is the level's player, in arenas too; a misspelt one is refused with what there is."""
    ran = turnsmith("play", "connect_four", "--vs", "easy", "--seat", "1", cwd=tmp_path, answers="quit\n")
    assert ran.returncode == 0, ran.stderr
    players = answer("arena", "pig", "--players", "easy,random", "--games", "4", "--store", "none", cwd=tmp_path)
    assert players["players"][0]["name"] == repr(ts.player("easy", ts.load("pig"))) != "random"
    assert "the levels easy, medium, hard, expert" in turnsmith("play", "pig", "--vs", "hrd", cwd=tmp_path).stderr


def test_evaluate(tmp_path):
    """Exact numbers over all starts, and intervals over some."""
    exact = answer("evaluate", "mastermind:colors=4,pegs=2", "--player", "knuth", "--games", "all", cwd=tmp_path)
    assert (exact["mean"], exact["games"], exact["exact"]) == (2.8125, 16, True)
    assert sum(exact["histogram"].values()) == 16
    some = answer("evaluate", "mastermind:colors=4,pegs=2", "--player", "eliminate", "--games", "400", cwd=tmp_path)
    assert some["low"] < 2.9427 < some["high"]
    assert some["exact"] is False
    few = ("mastermind:colors=4,pegs=2,tries=2", "--player", "eliminate", "--games")
    ends = [answer("evaluate", *few, games, cwd=tmp_path) for games in ("all", "400")]
    for found, count in zip(ends, (16, 400), strict=True):
        assert set(found["endings"]) == {"broken in 2 guesses", "not broken in 2 guesses"}
        assert sum(found["endings"].values()) == pytest.approx(found["histogram"]["2"])
        assert found["endings"]["not broken in 2 guesses"] / count == pytest.approx(0.65, abs=0.1)
    forced = ("--player", "optimal", "--opening", "random", "--openings", "16")
    every = answer("evaluate", "mastermind:colors=4,pegs=2", *forced, cwd=tmp_path)
    means = every["openings"]
    assert (every["games"], len(means), every["histogram"]["1"]) == (256, 16, 16)  # an opening may be the secret
    assert {round(mean, 4) for words, mean in means.items() if len(set(words.split())) == 2} == {2.8125}
    assert min(mean for words, mean in means.items() if len(set(words.split())) == 1) > 2.8125
    assert every["low"] < every["mean"] < every["high"]


def test_watch_and_replay(tmp_path):
    """A watched match is drawn, saved, and replays to the same document."""
    words = ("watch", "connect_four", "--players", "random,random", "--seed", "3")
    watched = answer(*words, "--svg", "frames", "--replay", "m.json", cwd=tmp_path)
    frames = sorted((tmp_path / "frames").glob("*.svg"))
    assert len(frames) == len(watched["actions"]) + 1
    assert all(frame.read_text().startswith("<svg") for frame in frames)
    assert answer("replay", "m.json", cwd=tmp_path) == watched
    seat = watched["returns"].index(1.0)
    assert f"Player {seat + 1} wins: 4 in a row; returns " in turnsmith("replay", "m.json", cwd=tmp_path).stdout


def test_a_changed_match_is_refused(tmp_path):
    """A replay whose returns do not follow from its moves is not believed."""
    turnsmith("watch", "connect_four", "--players", "random,random", "--replay", "m.json", cwd=tmp_path)
    found = json.loads((tmp_path / "m.json").read_text())
    found["returns"] = found["returns"][::-1]
    (tmp_path / "m.json").write_text(json.dumps(found))
    ran = turnsmith("replay", "m.json", cwd=tmp_path)
    assert ran.returncode == 2
    assert "does not end with the returns" in ran.stderr


def test_strategy_files(tmp_path):
    """A strategy tree is written as JSON and as GraphViz."""
    for name in ("tree.json", "tree.dot"):
        ran = turnsmith("strategy", "mastermind:colors=4,pegs=2", "--player", "optimal", "--to", name, cwd=tmp_path)
        assert ran.returncode == 0, ran.stderr
    json.loads((tmp_path / "tree.json").read_text())
    assert (tmp_path / "tree.dot").read_text().startswith("digraph")


BAD = [
    ("arena", "nosuch", "--players", "random"),
    ("arena", "connect_four", "--players", "randon,random"),
    ("arena", "connect_four", "--players", "mcts:simulations=many"),
    ("arena", "connect_four:width=99", "--players", "random"),
    ("arena", "connect_four", "--players", "random", "--games", "0"),
    ("arena", "connect_four", "--players", "random", "--keep", "some"),
    ("arena", "connect_four", "--players", "random", "--seats", "3"),
    ("arena", "connect_four", "--players", "random", "--store", "sqlite:////no/such/folder/x.db"),
    ("arena", "connect_four"),
    ("frobnicate",),
    ("evaluate", "pig", "--player", "random"),
    ("evaluate", "mastermind", "--player", "random", "--games", "some"),
    ("evaluate", "mastermind", "--player", "random", "--opening", "aabb"),
    ("evaluate", "mastermind", "--player", "random", "--opening", "random", "--openings", "0"),
    ("evaluate", "mastermind:colors=2,pegs=2", "--player", "random", "--opening", "random", "--openings", "5"),
    ("evaluate", "mastermind", "--player", "random", "--opening", "random", "--games", "9"),
    ("replay", "nosuch.json"),
    ("watch", "pig", "--players", "negamax,random"),
    ("play", "pig", "--seat", "7"),
    ("strategy", "mastermind", "--player", "optimal", "--to", "tree.txt"),
    ("strategy", "connect_four", "--player", "random", "--to", "tree.json"),
    ("check", "./nosuch.py"),
    ("check", "pacman:map=nosuch"),
    ("train", "pacman", "sarsa", "--rate", "3"),
    ("bench", "nosuch"),
    ("mastermind:colors=6",),
    ("play", "mastermind:colors=12,pegs=8"),
    ("arena", "connect_four", "--players", "random,random", "--limit", "nan"),
    ("arena", "connect_four", "--players", "random,random", "--limit", "inf"),
    ("arena", "connect_four", "--players", "random,random", "--games", "3000000000"),
    ("arena", "connect_four", "--players", "random,random", "--seed", "-1"),
    ("arena", "connect_four", "--players", "random,random", "--store", "sqlite://:memory:"),
    ("arena", "connect_four", "--players", "random,random", "--store", "sqlite:///x.db?nonsense=1"),
    ("arena", "connect_four", "--players", "random,random", "--store", "sqlite:///."),
    ("arena", "connect_four", "--players", "random,random", "--workers", "-1"),
    ("arena", "connect_four", "--players", ""),
    ("arena", "connect_four", "--players=", "--games", "2"),
    ("watch", "connect_four", "--players", "random,random", "--delay", "-1"),
    ("watch", "connect_four", "--players", "random,random", "--delay", "nan"),
    ("watch", "connect_four", "--players", "random,random", "--replay", "."),
    ("watch", "connect_four", "--players", "random,random", "--replay", "/dev/null"),
    ("watch", "connect_four", "--players", "random,random", "--replay", "nowhere/m.json"),
    ("watch", "connect_four", "--players", "random,random", "--svg", "/dev/null/frames"),
    ("evaluate", "mastermind", "--player", "random", "--games", "9" * 18),
    ("evaluate", "mastermind", "--player", "random", "--games", "9" * 5000),
    ("serve", "--port", "99999"),
    ("serve", "--think", "nan"),
    ("train", "pacman", "sarsa", "--episodes", "9" * 20),
    ("train", "pacman", "sarsa", "--seed", "-1"),
    ("train", "pacman", "sarsa", "--folder", "/dev/null/x"),
    ("train", "pacman", "ingredients", "--seconds", "nan"),
    ("train", "dicewars", "generate", "--positions", "9" * 14),
    ("",),
    ("games", "\udcff"),
]


@pytest.mark.parametrize("words", BAD, ids=lambda words: ascii(" ".join(words))[:80])
def test_bad_input_is_one_line_and_exit_2(words, tmp_path, monkeypatch, capsys):
    """Bad input: exit code 2, one line on stderr, nothing on stdout, nothing written."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main(list(words))
    said = capsys.readouterr()
    assert end.value.code == 2
    assert len(said.err.strip().splitlines()) == 1
    assert said.err.startswith("turnsmith: ")
    assert "bug" not in said.err
    assert said.out == ""
    assert list(tmp_path.iterdir()) == []


def test_a_refusal_as_its_user_sees_it(tmp_path):
    """The same in a process of its own."""
    ran = turnsmith("arena", "connect_four", "--players", "randon,random", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("turnsmith: there is no player 'randon' (did you mean 'random'?)")


def session(text, lines, people=(0,), table=None, seed=1, **hears):
    """What a person sees who types `lines`."""
    position = ts.load(text).start(seed)
    shown = io.StringIO()
    typed = iter(lines)

    def ask(_):
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    game = position.game
    seats = {seat: Seat(ts.player(name, game), game, position.boards) for seat, name in (table or {}).items()}
    play_command.session(position, set(people), seats, Console(file=shown, width=100), ask, **hears)
    return position, shown.getvalue()


def test_a_person_plays_connect_four():
    """Moves, an illegal one refused with the legal ones, undo, hints and the end."""
    lines = ["a", "z", "undo", "help", "hint negamax:depth=4", "legal", "a", "a", "a", "a"]
    position, shown = session("connect_four", lines, table={1: "negamax:depth=1"})
    assert "'z' is not a legal move here; legal: a, b" in shown
    assert "negamax:depth=4 would play" in shown
    assert "Goodbye." in shown or position.outcome is not None


def wait_until(is_so):
    until = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.05)


def helpers():
    """The processes that compile for this one, and how much each lets others go first."""
    asked = ["ps", "-o", "pid=,ni=,args=", "--ppid", str(os.getpid())]
    lines = subprocess.run(asked, capture_output=True, text=True).stdout.splitlines()
    return {int(line.split()[0]): int(line.split()[1]) for line in lines if "compile_ahead" in line}


def test_who_is_really_played_is_compiled_meanwhile(tmp_path):
    """Whoever has made a move, by a process of the lowest priority, which ends with the game."""
    (tmp_path / "nim.py").write_text(NIM.read_text())
    heard, before = [], helpers()
    position, _ = session(str(NIM), ["a 1"], table={1: "mcts:simulations=20"}, improve=heard.append)
    assert heard == [ts.player("mcts:simulations=20", position.game)]
    with play_command.improving(ts.load(str(tmp_path / "nim.py"))) as improve:
        improve(heard[0])
        wait_until(lambda: [nice for who, nice in helpers().items() if who not in before] == [19])
    wait_until(lambda: helpers().keys() <= before.keys())


def test_the_terminal_shows_no_folded_card():
    """At the end a person sees what the rules uncover: in Leduc poker not the card of whoever folded, or made fold."""
    position, shown = session("leduc", ["raise", "fold"])
    assert "Player 1 wins: player 2 folded" in shown or "You win: player 2 folded" in shown
    assert str(position.seen_by(0)) in shown
    assert str(position) not in shown


def test_two_people_at_one_terminal():
    """With two people nobody else moves, and the end says why."""
    position, shown = session("connect_four", list("abababa"), people=(0, 1))
    assert position.outcome.winner == 0
    assert "4 in a row" in shown


def test_a_person_breaks_a_code():
    """Mastermind shows the history and never the secret; a hint says how many codes remain."""
    position, shown = session("mastermind:colors=4,pegs=2", ["aa", "hint", "bb"])
    assert "remain" in shown
    assert position.outcome is None or "Goodbye." not in shown


def test_a_person_makes_the_code():
    """As the maker, an answer no code fits is refused by naming the turn and the answers that could be."""
    lines = ["0+0", "1+1", "2+2", "0+0", "0+0"]
    _, shown = session("mastermind:colors=4,pegs=2,maker=seat", lines, people=(1,), table={0: "knuth"})
    shown = " ".join(shown.split())
    assert "the answer 1+1 cannot exist" in shown
    assert "the answer 2+2 counts 4 pegs, but a code has 2" in shown
    assert "turn 2: no code answers 0+0 to" in shown or "turn 3: no code answers 0+0 to" in shown
    assert "possible there: " in shown


def test_save_and_replay_what_was_played(tmp_path):
    """A game saved half-way replays."""
    session("connect_four", ["d", "e", f"save {tmp_path}/half.json"], people=(0, 1))
    assert ts.load_match(tmp_path / "half.json").actions == [3, 4]
    assert turnsmith("replay", str(tmp_path / "half.json"), cwd=tmp_path).returncode == 0
