"""``turnsmith explain`` as its user types it: a position by seed and moves, or from a saved match; any player."""

import json
import re
import shlex
from pathlib import Path

import pytest
from typed import turnsmith

import turnsmith as ts

GAME = "tactics:size=12,team=1"
PAGE = Path(__file__).parent.parent.parent / "docs" / "how-to" / "tactics-designers.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a saved match."""
    folder = tmp_path_factory.mktemp("explained")
    ts.play(GAME, ["static", "matrix"], seed=3).save(folder / "match.json")
    return folder


def test_a_position_of_a_saved_match(folder):
    """At a ply, or the last decision; the document names the position and holds every part of every score."""
    ran = turnsmith("explain", GAME, "--player", "matrix", "--match", "match.json", "--ply", "0", "--json", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    position = ts.load(GAME).start(3)
    assert (found["move"], found["seat"], found["player"]) == (0, 0, "matrix")
    assert found["words"] == ts.player("matrix", position.game).act(position).words
    assert [len(choice["parts"]) for choice in found["inspection"]["choices"]] == [18] * 7
    ran = turnsmith("explain", "tactics", "--player", "static", "--match", "match.json", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    assert "static would play" in ran.stdout
    assert "\nrule " in ran.stdout


def test_a_position_by_moves_in_words(folder):
    """With ; or spaces between them; chance follows the seed. The best choice is first and marked."""
    first = ts.load(GAME).start(5).legal[0]
    for after in (first, f"{first}; skip", f"{first} skip"):
        ran = turnsmith("explain", GAME, "--player", "matrix", "--seed", "5", "--after", after, cwd=folder)
        assert ran.returncode == 0, ran.stderr
        rows = ran.stdout[ran.stdout.index("\nchoice ") :].splitlines()[2:]
        assert " ← " in rows[0]
        assert any("impossible: " in row for row in rows)
    short = turnsmith("explain", "connect_four", "--player", "negamax:depth=3", "--after", "d d c", cwd=folder)
    assert "at most" in short.stdout
    assert "seat 1" in short.stdout


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("tactics", "--after", "g1; zz"), "--after, move 2: 'zz' is no move"),
        (("tactics", "--ply", "3"), "--ply counts the moves of a saved match"),
        (("tactics", "--match", "match.json", "--seed", "3"), "leave out --seed and --after, or --match"),
        (("pig", "--match", "match.json"), "is a match of tactics:size=12,team=1, not of pig"),
        (("tactics", "--match", "match.json", "--ply", "9999"), "--ply 9999: the match has"),
        (("tactics", "--match", "none.json"), "there is no file none.json"),
    ],
)
def test_a_position_that_is_none_is_refused(folder, words, complaint):
    """In one line that says what to name instead."""
    ran = turnsmith("explain", *words, "--player", "random", cwd=folder)
    assert (ran.returncode, len(ran.stderr.splitlines())) == (2, 1)
    assert complaint in ran.stderr


def test_where_nobody_decides_is_refused(folder):
    """Behind the last move the game is over; after a shot chance decides."""
    match = ts.load_match(folder / "match.json")
    plies = [ply for ply, position in enumerate(match.positions()) if position.mover < 0]
    for ply in (plies[0], plies[-1]):
        words = ("--match", "match.json", "--ply", str(ply))
        ran = turnsmith("explain", "tactics", "--player", "matrix", *words, cwd=folder)
        assert ran.returncode == 2
        assert f"nobody decides after {ply} moves" in ran.stderr


def test_why_in_a_game_at_the_terminal(tmp_path):
    """`why` asks like `hint`, and shows the scores where the player tells them."""
    answers = "why matrix\nwhy random\nquit\n"
    ran = turnsmith("play", GAME, "--vs", "static", "--seed", "3", cwd=tmp_path, answers=answers)
    assert ran.returncode == 0, ran.stderr
    assert "it looks at one 1, hp 1" in ran.stdout
    assert "random does not tell how it weighs what it might do." in ran.stdout


def test_the_page_for_designers_says_what_commands_say(tmp_path, monkeypatch):
    """Every turnsmith command of docs/how-to/tactics-designers.md runs, in order, and prints the lines that stand below
    it; the win rate is measured by hand, a short one here."""
    monkeypatch.setenv("COLUMNS", "118")
    blocks = re.findall(r"```console\n(.*?)```", PAGE.read_text(), re.S)
    commands = [
        each for block in blocks for each in re.split(r"^\$ ", block, flags=re.M) if each.startswith("turnsmith")
    ]
    assert len(commands) == 6
    for command in commands:
        line, *said = command.splitlines()
        ran = turnsmith(*shlex.split(line.replace("--games 1000", "--games 10"))[1:], cwd=tmp_path)
        assert ran.returncode == 0, ran.stderr
        printed = [row.rstrip() for row in ran.stdout.splitlines()]
        assert [row for row in said if row.strip() and row not in printed and " games " not in row] == [], line
