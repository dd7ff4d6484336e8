"""A stranger's broken rules: each mistake is refused in one line before anything compiled meets it."""

import importlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import turnsmith as ts
from turnsmith.check import rules, tryout
from turnsmith.check.watch import TooLong, Watch
from turnsmith.contract import first_use
from turnsmith.contract.loading import load_untried

ROOT = Path(__file__).parents[2]
NIM = (ROOT / "examples" / "nim.py").read_text()

COUNT = "    count = 0\n"
LISTED = "            out[count] = pile * MOST_MATCHES + taken\n"
TAKE = "    state.matches[action // MOST_MATCHES] -= action % MOST_MATCHES + 1\n"
TURN = "    state.seat = 1 - state.seat\n"
LOSES = "    out[loser] = -1.0\n"
MOVER = "    return OVER if left(board, state) == 0 else int(state.seat)\n"
ACTIONS = "    board.actions = len(counts) * MOST_MATCHES"

MISTAKES = {
    "legal far out of range": (LISTED, LISTED.replace("[count]", "[count + 1000000]"), "legal fails", "IndexError"),
    "legal before the list": (LISTED, LISTED.replace("[count]", "[count - 100]"), "legal fails", "IndexError"),
    "no move while not over": (MOVER, "    return int(state.seat)\n", "legal lists nothing", "not OVER has a move"),
    "no move at the start": (
        COUNT,
        COUNT + "    return 0\n",
        "at the start: seat 0 is to move, but legal lists nothing",
    ),
    "more than listed": (
        "    return count\n",
        "    return count + 500\n",
        "legal returned 516, but must return how many",
    ),
    "beyond a state array": (TAKE, TAKE + "    state.matches[8] = 1\n", "apply fails", "index 8 is out of bounds"),
    "too few actions": (ACTIONS, "    board.actions = 12", "legal fails", "out of bounds for axis 0 with size 12"),
    "actions off by one": (ACTIONS, "    board.actions = 33", "legal lists 33", "board.actions is 33"),
    "no actions": (ACTIONS, "    board.actions = 0", "tables must fill seats, actions, outcomes and low < high"),
    "huge actions": (ACTIONS, "    board.actions = 10**12", "at most 256 seats and 16,777,216 actions"),
    "huge seats": ("board.high = 2, 0", "board.high = 10**9, 0", "at most 256 seats"),
    "wrong order": (LISTED, LISTED.replace("taken\n", "8 - taken\n"), "legal must list each number once, ascending"),
    "returns that are no number": (LOSES, LOSES.replace("-1.0", "np.nan"), "returns gives seat", "not a number"),
    "returns out of range": (
        LOSES,
        LOSES.replace("-1.0", "-7.0"),
        "returns gives seat",
        "-7.0 where board.low..board.high",
    ),
    "returns not filled": (LOSES, "", "returns gives seat", "nothing, or not a number"),
    "returns for too many": (LOSES, LOSES + "    out[100] = 1.0\n", "returns fails", "out of bounds"),
    "numpy's luck": (TURN, TURN + "    state.matches[7] = np.random.randint(9)\n", "apply (", "uses np.random.randint"),
    "Python's luck": (
        TURN,
        TURN + "    import random\n    state.matches[7] = int(9 * random.random())\n",
        "apply gave another state the second time",
    ),
    "a loop in apply": (
        TURN,
        TURN + "    while state.seat < 2:\n        pass\n",
        "apply does not come to an end (in apply",
    ),
    "an endless game": (TAKE, "", "no end after 20,000 random moves"),
    "apply does nothing": (TAKE + TURN, "    pass\n", "no end after 20,000 random moves"),
    "a misspelt field": (TURN, "    state.seet = 1 - state.seat\n", "apply fails", "no attribute 'seet'"),
    "a seat too large": (
        MOVER,
        MOVER.replace("int(state.seat)", "int(state.seat) + 7"),
        "to_move says 7, which is neither",
    ),
    "a negative seat": (
        MOVER,
        MOVER.replace("int(state.seat)", "int(state.seat) - 9"),
        "to_move says -9, which is neither",
    ),
    "chance without outcomes": (MOVER, MOVER.replace("int(state.seat)", "-1"), "board.outcomes is 0"),
    "an object field": (
        "seat=np.int64)",
        "seat=object)",
        "cannot be imported: BadInput: field 'seat': object does not",
    ),
    "wrong options": ("@dataclass(frozen=True)\n", "", "Options must be a frozen dataclass"),
    "legal without return": ("    return count\n", "", "legal returns nothing; it must return a whole number"),
    "a text for a mover": (MOVER, MOVER.replace("int(state.seat)", "'0'"), "to_move returns a str; it must"),
    "a fraction for a mover": (MOVER, MOVER.replace("int(state.seat)", "0.5"), "to_move returns a float; it must"),
    "a print": (TURN, TURN + "    print(action)\n", "apply (", "uses print; rules run millions of times"),
    "a print in a helper": ("    total = 0\n", "    total = 0\n    print(1)\n", "left (", "uses print"),
    "the board written to": (TURN, TURN + "    board.piles = 3\n", "apply fails", "writes into the board"),
    "tables of a wrong shape": ("np.zeros(1, Board)", "np.zeros(2, Board)", "tables must return np.zeros(1, Board)"),
    "tables without a board": (
        "    return boards\n",
        "    return boards[0]\n",
        "tables must return np.zeros(1, Board)",
    ),
    "tables that fail": ("int(count) for", "{}[count] for", "tables fails (in", "KeyError: '1'"),
    "a source that is no JSON": ("return asdict(options)", "return {1, 2}", "source must give what JSON can hold"),
    "a source that changes": (
        "return asdict(options)",
        "return {**asdict(options), 'piles': str(np.random.randint(1, 10))}",
        "gave another board the second time",
    ),
}


def with_mistake(folder, old, new, *_):
    """A file like Nim's with one thing done wrong."""
    assert NIM.count(old) == 1, f"{old!r} stands {NIM.count(old)} times in the good game"
    file = folder / "my_game.py"
    file.write_text(NIM.replace(old, new))
    return file


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_found_out(tmp_path, monkeypatch, mistake):
    """What is wrong is said in one line, when the file is read or when its rules are tried out."""
    monkeypatch.setattr(rules, "INTERPRETED_SECONDS", 0.5)
    file = with_mistake(tmp_path, *MISTAKES[mistake])
    try:
        found = tryout.answer(str(file))
    except ts.BadInput as refusal:
        found = str(refusal)
    assert found is not None
    assert "\n" not in found
    assert all(words in found for words in MISTAKES[mistake][2:]), found


# ---------------------------------------------------------------- from outside


def turnsmith(folder, *arguments):
    """Run the command line in a folder."""
    command = [sys.executable, "-m", "turnsmith", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=300, cwd=folder, env=environment, check=False
    )


ARENA = ("arena", "./my_game.py", "--players", "random,mcts:simulations=10", "--games", "6")


@pytest.mark.parametrize(
    ("mistake", "command"),
    {
        "legal far out of range": ARENA,
        "no move while not over": ARENA,
        "beyond a state array": ("watch", "./my_game.py", "--players", "random,random", "--replay", "match.json"),
        "a seat too large": ("play", "./my_game.py"),
        "numpy's luck": ("evaluate", "./my_game.py", "--player", "random"),
        "an object field": ("players", "./my_game.py"),
        "a loop in apply": ARENA,
    }.items(),
)
def test_commands_refuse_it_before_anything_is_compiled(tmp_path, mistake, command):
    """Exit code 2, one line on stderr that names the cause, no signal, no hang, nothing written."""
    with_mistake(tmp_path, *MISTAKES[mistake])
    ran = turnsmith(tmp_path, *command)
    assert (ran.returncode, ran.stdout) == (2, ""), ran.stderr
    assert len(ran.stderr.splitlines()) == 1
    assert all(words in ran.stderr for words in MISTAKES[mistake][2:]), ran.stderr
    assert [file.name for file in tmp_path.iterdir() if file.name != "__pycache__"] == ["my_game.py"]


def test_rules_that_do_not_compile_stop_the_arena(tmp_path):
    """What Python takes and numba does not is no game that anybody forfeits."""
    with_mistake(tmp_path, TURN, "    state.seat = eval('1 - int(state.seat)')\n")
    ran = turnsmith(tmp_path, "arena", "./my_game.py", "--players", "random,random", "--store", "none")
    assert (ran.returncode, ran.stdout) == (2, ""), ran.stderr
    assert len(ran.stderr.splitlines()) == 1
    assert "my_game.py, line" in ran.stderr
    assert "eval" in ran.stderr


@pytest.mark.parametrize(
    "mistake", ["huge actions", "huge seats", "an object field", "wrong options", "a loop in apply"]
)
def test_check_names_it_without_a_traceback(tmp_path, monkeypatch, mistake):
    """The whole check comes to an end, and says of each mistake what it is."""
    monkeypatch.setattr(rules, "INTERPRETED_SECONDS", 0.5)
    try:
        found = str(ts.check(load_untried(str(with_mistake(tmp_path, *MISTAKES[mistake])))))
    except ts.BadInput as refusal:
        found = str(refusal)
    assert all(words in found for words in MISTAKES[mistake][2:]), found


def test_compiled_code_that_does_not_come_back_is_given_up(monkeypatch):
    """Where an exception is not heard, somebody is told, who can end the process."""
    monkeypatch.setattr(importlib.import_module("turnsmith.check.watch"), "GRACE", 0.1)
    watch, told = Watch(), []
    watch.give_up = told.append
    with pytest.raises(TooLong), watch.over("legal", 0.01):
        time.sleep(2.0)  # hears of nothing, as compiled code
    assert told[0] == "legal does not come to an end when it is compiled"


def test_rules_are_tried_out_once(tmp_path, monkeypatch):
    """What passed is remembered by its functions: another process, or another comment, costs nothing."""
    monkeypatch.setattr(first_use, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(first_use, "_passed", set())
    asked = []
    monkeypatch.setattr(tryout, "fault_of", asked.append)  # finds nothing
    for turn, text in enumerate([NIM, "# a comment\n" + NIM, NIM.replace("= 1 - state.seat", "= (1 - state.seat)")]):
        file = tmp_path / f"game_{turn}.py"
        file.write_text(text)
        ts.load(str(file))
        first_use._passed.clear()  # as another process would
        ts.load(str(file))
    assert asked == [str(tmp_path / "game_0.py")]
    (tmp_path / "other.py").write_text(NIM.replace("out[1 - loser] = 1.0", "out[1 - loser] = 0.5"))
    ts.load(str(tmp_path / "other.py"))
    assert asked == [str(tmp_path / "game_0.py"), str(tmp_path / "other.py")]


def test_a_check_that_passes_counts_as_tried_out(tmp_path, monkeypatch):
    """After turnsmith check nothing is tried out again; what failed is not remembered."""
    monkeypatch.setattr(first_use, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(first_use, "_passed", set())
    monkeypatch.setattr(tryout, "fault_of", lambda text: "tried out")
    good = tmp_path / "good.py"
    good.write_text(NIM)
    with pytest.raises(ts.BadInput, match=r"tried out; 'turnsmith check .*good\.py' says more"):
        ts.load(str(good))
    monkeypatch.setattr(
        importlib.import_module("turnsmith.check.checking"), "_check", lambda *arguments: None
    )  # finds nothing
    assert ts.check(load_untried(str(good))).ok
    ts.load(str(good))
