"""The conformance suite: good games pass, and every law catches a game that breaks it."""

import dataclasses
import functools
import importlib
import inspect
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.check import answers, laws, nodes
from turnsmith.check.report import Report
from turnsmith.check.rules import CheckedRules
from turnsmith.check.secrets import survey
from turnsmith.compile.kernel import compiled, interpreted
from turnsmith.contract.drawing import cards_svg
from turnsmith.contract.loading import load_untried
from turnsmith.contract.trainings import TrainingContext, trainings
from turnsmith.games.connect_four import rules as connect_four

suite = importlib.import_module("turnsmith.check.checking")
ROOT = Path(__file__).parents[2]
NIM = ROOT / "examples" / "nim.py"
SHELLS = ROOT / "tests" / "games_for_tests" / "shells.py"
KUHN = ROOT / "src" / "turnsmith" / "games" / "kuhn.py"
SMALL_CHESS = ROOT / "tests" / "games_for_tests" / "small_chess.py"


@pytest.fixture(autouse=True)
def _from_the_root(monkeypatch):
    """Golden files are looked for below the current folder."""
    monkeypatch.chdir(ROOT)


# ---------------------------------------------------------------- good games


@functools.cache
def report_on(text):
    """What a check finds."""
    return suite.check(ts.load(text), positions=30, mutations=100)


@pytest.mark.parametrize("text", [*ts.games(), *map(str, (NIM, SHELLS))], ids=lambda text: Path(text).stem)
def test_good_games_pass(text):
    """Every game of ours keeps every law, and the report says on how many positions."""
    report = report_on(text)
    assert report.ok, str(report)
    assert report.positions >= 30  # Kuhn poker has 58 in all
    assert all(law.cases > 0 for law in report.laws)
    names = {law.name for law in report.laws}
    assert {suite.BOARD, suite.ENDS, suite.ANSWERS, suite.BOUNDED, suite.SAME, suite.KEPT, suite.TAMPERED} <= names


def test_every_law_is_checked_on_some_game():
    """A game with everything has every law apply, but for those of joint moves and of symmetries."""
    games = (str(SHELLS), str(SMALL_CHESS), "kuhn", "pacman", "connect_four", "go:size=3")
    applied = {law.name for text in games for law in report_on(text).laws}
    assert {law.name for law in laws.LAWS} <= applied


def test_same_seed_same_report():
    """A check repeats exactly, but for its duration."""
    one, other = (suite.check(ts.load(str(NIM)), positions=30, seed=5, mutations=50).to_dict() for _ in range(2))
    assert {**one, "seconds": 0} == {**other, "seconds": 0}
    assert json.loads(json.dumps(one)) == one


@pytest.mark.parametrize("name", [n for n in ts.games() if (ROOT / "tests" / "golden" / f"{n}.txt").exists()])
def test_golden_playthroughs_are_short_and_current(name):
    """Golden files are what the games give now, and a person can read them."""
    file = ROOT / "tests" / "golden" / f"{name}.txt"
    text = file.read_text()
    assert text == suite.playthroughs(ts.load(name))
    assert len(text.splitlines()) <= 240


def test_every_built_in_game_has_golden_playthroughs():
    """A new game brings its golden file: turnsmith check GAME --write-golden."""
    missing = [name for name in ts.games() if not suite.golden_file(ts.load(name)).exists()]
    assert missing == []


# ---------------------------------------------------------------- games that break a law


def broken(tmp_path, original, *changes):
    """A game that differs from a good one in a place or two."""
    source = original.read_text()
    for old, new in changes:
        assert source.count(old) == 1, f"{old!r} stands {source.count(old)} times in {original.name}"
        source = source.replace(old, new)
    file = tmp_path / f"broken_{original.stem}.py"
    file.write_text(source)
    return load_untried(str(file))


LEGAL, APPLY, REPLAY, PADDING, WEIGHTS, CHANCE, PICK, ROLLOUT, RETURNS, EVALUATE, WIN, PROMISING, SKIP, HASH = (
    law.name for law in laws.LAWS[:14]
)
WORDS, PICTURE, DRAWN, TURNED, TOLD, DESCRIBED, ENDING, POSITION = (law.name for law in laws.LAWS[14:22])
HIDE, OWN, RESAMPLE, WAITING, SECRECY, BELIEVE, POSSIBLE = (law.name for law in laws.LAWS[22:29])
BELIEF, FAIR, JOINT, PIECES, OBSERVED, IMAGES, REWIND = (law.name for law in laws.LAWS[29:])

NIM_LEGAL = "            out[count] = pile * MOST_MATCHES + taken\n"
NIM_TAKE = "    state.matches[action // MOST_MATCHES] -= action % MOST_MATCHES + 1\n"
NIM_WORDS = 'return f"{NAMES[action // MOST_MATCHES]} {action % MOST_MATCHES + 1}"'
NIM_TURN = "    state.seat = 1 - state.seat\n"

TELL = "def tell(board, moves):\n    return {}\n\n\ndef apply("
ROLL = "def roll(board, state, outcome):\n    return {}\n\n\ndef apply("
NO_ROW = "roll must give rows of a seat and its faces, not"

BREAKS = [
    # what people are told
    (NIM, "def apply(", TELL.format("''"), TOLD, "tell says nothing of action "),
    (NIM, "def apply(", TELL.format("7"), TOLD, "tell must return a text, not int"),
    (KUHN, "def apply(", ROLL.format("((12, (int(outcome) + 1,)),)"), TOLD, f"{NO_ROW} (12"),
    (KUHN, "def apply(", ROLL.format("((0, ()),)"), TOLD, f"{NO_ROW} (0, [])"),
    # what cannot even begin
    (
        NIM,
        "State = record(matches=(np.int64, MOST_PILES), seat=np.int64)",
        "State = np.dtype([('matches', np.int64, MOST_PILES), ('seat', np.int64)])",
        suite.BOARD,
        "State must be made by turnsmith.record",
    ),
    (NIM, "Board = board_record(", "Board = record(", suite.BOARD, "Board must be made by turnsmith.board_record"),
    (NIM, "return asdict(options)", "return {1, 2}", suite.BOARD, "source must give what JSON can hold (Object of"),
    (NIM, "return asdict(options)", "return options.pile", suite.BOARD, "source fails (in source, broken_nim.py, line"),
    (NIM, "2, 0, -1.0, 1.0", "2, 0, 1.0, 1.0", suite.BOARD, "tables must fill seats, actions, outcomes and low < high"),
    (
        NIM,
        "return asdict(options)",
        "return {**asdict(options), 'piles': str(np.random.randint(1, 10))}",
        suite.BOARD,
        "gave another board the second time",
    ),
    # what playouts ask
    (
        NIM,
        "def apply(",
        "def win(board, state):\n    return 0\n\n\ndef apply(",
        WIN,
        "win says 0, but the least move that ends the game with board.high for seat",
    ),
    (
        NIM,
        "def apply(",
        "def rollout(board, state, rng):\n    return 1000\n\n\ndef apply(",
        ROLLOUT,
        "rollout gives 1000, which is not legal",
    ),
    # what depth-first searches ask
    (
        NIM,
        "def apply(",
        "def order(board, state, action):\n    return 2_000_000\n\n\ndef apply(",
        PROMISING,
        "2000000, then 2000000; it must be one number within ±1,000,000",
    ),
    (
        NIM,
        "def apply(",
        "def loud(board, state, action):\n    state.seat = 1\n    return 0\n\n\ndef apply(",
        PROMISING,
        "loud changes the state (seat); it may only look at it",
    ),
    (
        NIM,
        "def apply(",
        "def skip(board, state):\n    return 1\n\n\ndef apply(",
        SKIP,
        "skip says that seat 0 passed, but then to_move says 0",
    ),
    # what learners are shown
    (
        NIM,
        "def apply(",
        "def symmetries(board):\n    return 2\n\n\n"
        "def reflect(board, state, symmetry, out):\n    out.matches[0] = state.matches[0]\n\n\n"
        "def reflect_action(board, state, symmetry, action):\n    return action\n\n\ndef apply(",
        IMAGES,
        "symmetry 1: reflect_action does not give the legal moves there",
    ),
    (
        NIM,
        "def apply(",
        "def feature_names(board):\n    return ['matches', 'seat']\n\n\n"
        "def features(board, view, viewer, out):\n    out[0] = view.matches[0]\n\n\ndef apply(",
        OBSERVED,
        "features leaves out place 1, or gives it another number the second time",
    ),
    (
        NIM,
        "def apply(",
        "def feature_names(board):\n    return ['matches']\n\n\n"
        "def features(board, view, viewer, out):\n    out[0] = np.inf\n\n\ndef apply(",
        OBSERVED,
        "features gives a number that is not finite",
    ),
    # what fails while playing
    (
        NIM,
        NIM_TURN,
        "    state.seatt = 1 - state.seat\n",
        suite.ENDS,
        "apply fails (in apply, broken_nim.py, line …): AttributeError: … no attribute 'seatt'",
    ),
    (
        NIM,
        "    total = 0\n",
        "    total = 1 // 0\n",
        suite.ENDS,
        "at the start: to_move fails (in left, broken_nim.py, line …): ZeroDivisionError",
    ),
    (
        NIM,
        NIM_TURN,
        NIM_TURN + "    board.piles = 3\n",
        suite.ENDS,
        "apply fails (in apply, broken_nim.py, line …): it writes into the board",
    ),
    (
        NIM,
        "    count = 0\n",
        "    count = 0\n    state.seat = 1\n",
        suite.ENDS,
        "legal changes the state (seat); it may only look",
    ),
    (NIM, "    return count\n", "    return count + 500\n", suite.ENDS, "legal returned 516, but must return how many"),
    (
        NIM,
        "    return count\n",
        "    return None\n",
        suite.ENDS,
        "legal returns nothing; it must return a whole number",
    ),
    # moves
    (
        NIM,
        NIM_LEGAL,
        NIM_LEGAL.replace("taken\n", "int(state.matches[pile]) - 1 - taken\n"),
        LEGAL,
        "legal must list each number once, ascending, but gives 0, 11, 10, 9",
    ),
    (NIM, NIM_LEGAL, NIM_LEGAL.replace("taken\n", "0\n"), LEGAL, "once, ascending, but gives 0, 9, 9, 9"),
    (NIM, NIM_LEGAL, NIM_LEGAL.replace("taken\n", "taken + 9\n"), LEGAL, "but board.actions is 36, so the greatest"),
    (
        NIM,
        "    return OVER if left(board, state) == 0 else int(state.seat)",
        "    return int(state.seat)",
        LEGAL,
        "seat 0 is to move, but legal lists nothing",
    ),
    (
        NIM,
        "    return OVER if left(board, state) == 0",
        "    return OVER if left(board, state) < 9",
        LEGAL,
        "to_move says OVER, but legal lists",
    ),
    (
        NIM,
        "== 0 else int(state.seat)",
        "== 0 else int(state.seat) + 1",
        LEGAL,
        "to_move says 2, which is neither a seat below 2",
    ),
    (
        NIM,
        NIM_TAKE,
        NIM_TAKE + "    state.seat = 5 if action > 20 else state.seat\n",
        APPLY,
        "at the start: then action …: to_move says -4",
    ),
    (
        NIM,
        NIM_TAKE,
        NIM_TAKE + "    state.matches[7] = np.random.randint(1000)\n",
        REPLAY,
        "chance must be a move of CHANCE",
    ),
    (
        SHELLS,
        "def apply(board, state, action):\n",
        "def apply(board, state, action):\n    for name in state.dtype.names:\n"
        "        if name.startswith('_'):\n            state[name] = 1\n",
        PADDING,
        "in the bytes between the fields",
    ),
    # chance
    (
        SHELLS,
        "        out[shell] = 1.0 / board.shells",
        "        out[shell] = 1.0 / 7",
        WEIGHTS,
        "weights sum to 0.71428",
    ),
    (SHELLS, "0.75, 0.25", "1.0, 0.0", WEIGHTS, "gives outcome 1 the probability 0.0"),
    (SHELLS, "def weights(", "def no_weights(", suite.BOARD, "has outcomes of CHANCE but there is no weights"),
    (
        SHELLS,
        "def weights(",
        "def weights(board, state, out):\n    pass\n\n\ndef no_weights(",
        WEIGHTS,
        "0 no probability",
    ),
    (
        SHELLS,
        "    return below(rng, board.shells)",
        "    return below(rng, board.shells - 1)",
        CHANCE,
        "sample gave 4 0 times",
    ),
    (SHELLS, "1 if below(rng, 4) == 0 else 0", "1 if below(rng, 3) == 0 else 0", CHANCE, "sample gave "),
    (
        SHELLS,
        "    return below(rng, board.shells)",
        "    return below(rng, board.shells + 1)",
        CHANCE,
        "sample gave 5, which is not listed",
    ),
    (
        SHELLS,
        "def rewind(",
        "def pick(board, state, rng):\n    return 0\n\n\ndef rewind(",
        PICK,
        "pick gave 0 4000 times",
    ),
    # values
    (NIM, "    out[1 - loser] = 1.0\n", "", RETURNS, "gives seat 0 nothing, or not a number,"),
    (
        NIM,
        "    out[loser] = -1.0\n",
        "    out[loser] = -2.0\n",
        RETURNS,
        "-2.0 where board.low..board.high is -1.0..1.0",
    ),
    (SHELLS, "    out[1] = 0.0", "    out[1] = np.inf", EVALUATE, "evaluate gives seat 1 inf where"),
    (
        NIM,
        "def words(",
        "def hash(board, state):\n    return np.uint64(left(board, state))\n\n\ndef words(",
        HASH,
        "and they differ in who moves or what is legal",
    ),
    # for people
    (
        NIM,
        NIM_WORDS,
        "return NAMES[action // MOST_MATCHES]",
        WORDS,
        "the words 'b' of action 9 are also those of action 10",
    ),
    (NIM, NIM_WORDS, "return ' '.join('x' * (action + 1))", WORDS, "the words 'x' of action 0 begin 'x x"),
    (NIM, NIM_WORDS, NIM_WORDS.replace("} {", "}  {"), WORDS, "must be pieces with one space between them"),
    (NIM, NIM_WORDS, "return action", WORDS, "words must return a text, not int"),
    (NIM, ' + "</svg>"', "", PICTURE, "picture is not well-formed XML"),
    (NIM, 'xmlns="http://www.w3.org/2000/svg" ', "", PICTURE, "picture must be <svg xmlns="),
    (
        NIM,
        '<g data-word="{match + 1}"',
        '<g data-word="{match + 2}"',
        PICTURE,
        "lacks a data-word for 1 and has a data-word",
    ),
    (NIM, "{clickable}>", ">", PICTURE, "the picture lacks a data-word for a"),
    (NIM, '[/]" for pile', '[/bold][/]" for pile', DRAWN, "text is not rich markup"),
    (
        SHELLS,
        '    return " ".join(shells)',
        '    assert state.pea\n    return " ".join(shells)',
        DRAWN,
        "text fails (in text, broken_shells.py, line",
    ),
    (
        NIM,
        "def picture(",
        "def tip(board, state, action):\n    return 7\n\n\ndef picture(",
        DRAWN,
        "tip must return a text",
    ),
    (
        NIM,
        "def picture(",
        "def overlay(board, state, action):\n    return '<line'\n\n\ndef picture(",
        DRAWN,
        "overlay is not well-formed parts of SVG",
    ),
    (
        SHELLS,
        "def picture(",
        "def remark(board, state):\n    assert not to_move(board, state)\n    return ''\n\n\ndef picture(",
        DRAWN,
        "remark fails",
    ),
    (
        NIM,
        "def picture(",
        "def json_state(board, state):\n    return 7\n\n\ndef picture(",
        DESCRIBED,
        "json_state must say which dataclass",
    ),
    (
        NIM,
        "def picture(",
        "@dataclass\nclass Heaps:\n    seat: int\n\n\n"
        "def json_state(board, state) -> Heaps:\n    return Heaps(state.seat)\n\n\ndef picture(",
        DESCRIBED,
        "json_state must give what JSON can hold",
    ),
    (NIM, 'return f"seat {1 - int(state.seat)} took the last match"', "return ''", ENDING, "ending says nothing"),
    # hidden information
    (SHELLS, "        state.pea = 0\n", "        state.pea = 9 - state.pea\n", HIDE, "once more changes it"),
    (
        SHELLS,
        "    if viewer == 1:\n        state.choice = 0\n",
        "    if viewer == 1:\n        state.choice = 0\n        state.over = 0\n",
        OWN,
        "the game is over, but to_move says",
    ),
    (
        SHELLS,
        "        state.pea = 0\n",
        "        state.pea = 0\n        state.chosen = 0\n",
        OWN,
        "seat 1 is to move, but to_move says 0 on its view",
    ),
    (
        SHELLS,
        "        state.pea = 0\n",
        "        state.pea = 0\n        state.lifted = 0\n",
        OWN,
        "on the mover's own view",
    ),
    (SHELLS, '"abcdefgh"[action]\n', '"abcdefgh"[action] + ("!" if state.pea else "")\n', OWN, "is called"),
    (
        SHELLS,
        "    view.pea = covered(board, view, rng) + 1\n",
        "    view.pea = covered(board, view, rng) + 1\n    view.lifted = 1\n",
        RESAMPLE,
        "hide(resample(view)) is not the view",
    ),
    (
        KUHN,
        "    for seat in range(view.dealt):\n        if not view.cards[seat]:\n",
        "    if viewer != view.made % board.seats:\n        view.bettor = 0\n"
        "    for seat in range(view.dealt):\n        if not view.cards[seat]:\n",
        WAITING,
        "hide(resample(view)) is not the view of seat 0 again, who waits for seat 1",
    ),
    (
        SHELLS,
        "        if not (int(state.lifted) >> shell) & 1:\n            out[count] = shell",
        "        if state.pea != shell + 1 or not state.placed or state.chosen:\n            out[count] = shell",
        SECRECY,
        "tells seat 0 something that hide took away",
    ),
    (
        SHELLS,
        '"abcdefgh"[action]\n',
        '"abcdefgh"[action] + ("!" if action + 1 == state.pea else "")\n',
        SECRECY,
        "tell seat 0 something that hide took away",
    ),
    (
        SHELLS,
        "    count = 0\n    for pea in",
        "    return 0\n    for pea in",
        BELIEVE,
        "believe lists no world for seat 0",
    ),
    (
        SHELLS,
        "    view.pea = world // board.shells + 1\n",
        "    view.pea = world // board.shells + 1\n    view.rounds += 1\n",
        BELIEVE,
        "has another view when it is revealed",
    ),
    (SHELLS, "    view.pea = world // board.shells + 1\n", "    view.pea = 1\n", BELIEVE, "of them differ"),
    (
        SHELLS,
        "                out[count] = pea * board.shells + choice",
        "                out[count] = 0",
        BELIEVE,
        "believe lists a world twice",
    ),
    (
        SHELLS,
        "    for pea in range(board.shells):\n",
        "    for pea in range(1, board.shells):\n",
        BELIEVE,
        "the true world is not among those that seat",
    ),
    (
        SHELLS,
        "    view.pea = covered(board, view, rng) + 1\n",
        "    view.pea = board.shells + 1\n",
        BELIEVE,
        "resample made a world that seat 0 does not believe in",
    ),
    (
        SHELLS,
        "    view.pea = covered(board, view, rng) + 1\n",
        "    view.pea = max(covered(board, view, rng), covered(board, view, rng)) + 1\n",
        FAIR,
        "resample gave ",
    ),
    # simultaneous moves
    (
        SHELLS,
        "    state.choice = 0\n    state.chosen = 0\n\n\ndef evaluate",
        "    state.choice = 0\n\n\ndef evaluate",
        REWIND,
        "rewind gives a state that never stood in this game",
    ),
    (
        SHELLS,
        "    state.choice = 0\n    state.chosen = 0\n\n\ndef evaluate",
        "    state.choice = 0\n    state.chosen = 0\n"
        "    if not state.lifted:\n        state.placed = 0\n        state.pea = 0\n\n\ndef evaluate",
        REWIND,
        "rewind undoes moves of chance",
    ),
]


def examined(game, law):
    """What one law finds interpreted, after the board and the random games that every law needs."""
    report = Report(game.text_name, 0)
    suite.check_board(report, game)
    if report.ok:
        found = suite.visit(report, game, interpreted, 60, 200)
        suite.check_laws(report, found, [each for each in laws.LAWS if each.name == law])
    return report


def sentences(report, law):
    """What a report says about a law."""
    return [sentence for result in report.laws if result.name == law for sentence in result.failures]


@pytest.mark.parametrize(("original", "old", "new", "law", "sentence"), BREAKS, ids=[each[4] for each in BREAKS])
def test_a_broken_game_is_found_out(tmp_path, monkeypatch, original, old, new, law, sentence):
    """The law that is broken fails with a sentence that says how, and where in the game."""
    monkeypatch.setattr(laws, "DRAWS", 4000)  # interpreted ones are slow
    report = examined(broken(tmp_path, original, (old, new)), law)
    pattern = ".*".join(map(re.escape, sentence.split("…")))
    assert any(re.search(pattern, found) for found in sentences(report, law)), str(report)


# ---------------------------------------------------------------- stages


def test_a_rule_that_fails_where_only_searches_ask_it(tmp_path):
    """Rules that random games do not need are run too."""
    game = broken(
        tmp_path, NIM, ("def words(", "def pick(board, state, rng):\n    return state.nothing\n\n\ndef words(")
    )
    found = sentences(suite.check(game, positions=20, mutations=50), suite.ANSWERS)[0]
    assert re.search(r"at the start: pick fails \(in pick, broken_nim\.py, line \d+\): AttributeError", found)


def test_an_index_that_only_compiled_code_gets_wrong(tmp_path):
    """Small numbers wrap around in Python; where the wider compiled ones leave an array, bounds checks say so."""
    game = broken(
        tmp_path,
        NIM,
        ("seat=np.int64)", "seat=np.int64, far=np.int8)"),
        (NIM_TURN, NIM_TURN + "    state.far = 100\n    state.seat += 0 * board.first[(state.far + state.far) >> 4]\n"),
    )
    report = suite.check(game, positions=20, mutations=50)
    assert "index is out of bounds" in sentences(report, suite.BOUNDED)[0]
    assert report.laws[-1].name == suite.BOUNDED


def test_rules_that_do_not_compile(tmp_path):
    """What Python takes and numba does not is reported with file and line."""
    game = broken(tmp_path, NIM, (NIM_TURN, "    state.seat = eval('1 - int(state.seat)')\n"))
    found = sentences(suite.check(game, positions=20, mutations=50), suite.BOUNDED)[0]
    assert re.search(r"broken_nim\.py, line \d+ in apply: numba cannot compile this: .*eval", found)


def widening(board, state, action):
    """Sets a bit where eight bits wrap around, which they do in Python only."""
    connect_four.apply(board, state, action)
    state.stones[0] |= np.uint64(((np.int8(100) + np.int8(100)) >> 8) & 1) << np.uint64(63)


def test_rules_that_compute_something_else_when_compiled():
    """A difference between interpreted and compiled code names the rule and both answers."""
    symmetric = ("symmetries", "reflect", "reflect_action")  # their law would find it first
    usual = {each.name: each.default for each in dataclasses.fields(ts.Game) if each.name in symmetric}
    game = dataclasses.replace(ts.load("connect_four"), apply=widening, name="widening", **usual)
    report = suite.check(game, positions=20, mutations=50)
    found = sentences(report, suite.SAME)[0]
    assert re.search(r"state\.stones is \[9223\d+, \d+\] interpreted, but \[\d+, \d+\] compiled", found)
    assert suite.BOUNDED not in [law.name for law in report.laws]  # nobody else can load this game


def scribble(board, state):
    """Writes into the board."""
    board.connect = 3
    return np.uint64(0)


def test_a_board_that_is_written_to_by_compiled_code():
    """Compiled code can write into a board unseen, so boards are compared afterwards."""
    game, report = dataclasses.replace(ts.load("connect_four"), hash=scribble, name="scribble"), Report("scribble", 0)
    found, _ = nodes.play(CheckedRules(game, 0, compiled), 0, 100)
    suite._check_boards_kept(report, [nodes.CheckedPosition(found, 0)])
    assert report.ok
    found.rules.hash(found.states[0])
    suite._check_boards_kept(report, [nodes.CheckedPosition(found, 0)])
    assert sentences(report, suite.KEPT) == ["a rule wrote into the board, which never changes during a game"]


def test_boards_drawn_all_at_once():
    """They must be the boards that are made one by one, and give back the same descriptions; one needs the other."""
    game = ts.load("dicewars")

    def with_other(draw=game.draw_boards, sources=game.sources_of):
        report = Report(game.text_name, 0)
        suite.check_board(report, dataclasses.replace(game, draw_boards=draw, sources_of=sources))
        return next(law for law in report.laws if law.name == suite.DRAWN)

    def darker(options, seeds):
        boards = game.draw_boards(options, seeds)
        boards["odds"][3, 5, 5] = 0.5
        return boards

    assert with_other().failures == []
    assert with_other().cases == 20
    assert with_other(draw=darker).failures == ["seed 3: draw_boards makes another board than tables"]
    assert "20 seeds gave 19 boards" in str(with_other(draw=lambda o, seeds: game.draw_boards(o, seeds[1:])).failures)
    other = with_other(sources=lambda boards: [{**each, "players": 3} for each in game.sources_of(boards)])
    assert other.failures[0] == "seed 0: sources_of describes the board otherwise than source"
    assert "sources_of fails" in with_other(sources=lambda boards: boards["hexes"]).failures[0]
    with pytest.raises(ts.BadInput, match="one of draw_boards and sources_of"):
        dataclasses.replace(game, sources_of=None)


def test_a_picture_that_turns_round_with_the_mover():
    """A board that is drawn from the side of whoever moves is found out; from one side it is not."""
    game = ts.load("backgammon")
    assert examined(game, TURNED).ok
    turning = dataclasses.replace(game, picture=lambda board, state: game.picture(board, state, state.seat))
    found = sentences(examined(turning, TURNED), TURNED)[0]
    assert "the picture for who sees all is mirrored by the move before" in found


def test_one_word_for_two_things(tmp_path):
    """A card that is no move leaves the button of its name alone; where both can be played, the word is found out."""
    hand = [("your hand", ["1", "3"], True)]
    root = ElementTree.fromstring(cards_svg(hand, {"1": {0}, "2": {1}, "3": {1}}))
    words = [(part.get("data-word"), len(part.findall(".//*[@height='54']"))) for part in root if part.get("data-word")]
    assert words == [("1", 1), ("2", 0), ("3", 0)], "the second card of the hand is none, and all players are there"
    both = "".join(re.findall("<g.*</g>", cards_svg(hand, {"1": {0}, "3": {0, 1}})))
    game = broken(
        tmp_path, NIM, ('    return "".join(out) + "</svg>"', f"    return ''.join(out) + {both + '</svg>'!r}")
    )
    assert "parts that look different have the data-word" in sentences(examined(game, PICTURE), PICTURE)[0]


def test_an_endless_game(tmp_path, monkeypatch):
    """A game that does not end is given up with a sentence."""
    game = broken(tmp_path, NIM, (NIM_TAKE, ""))
    monkeypatch.setattr(suite, "MOST_PLIES", 300)
    report = Report("endless", 0)
    suite.visit(report, game, interpreted, 20, 300)
    assert sentences(report, suite.ENDS) == [
        "no end after 300 random moves; let the game end some time, for example as a draw"
    ]


def test_a_field_that_follows_from_a_hidden_one(tmp_path):
    """Hiding the pea but not its parity keeps hide and resample in step; playing out all worlds finds the leak."""
    leak = (
        ("State = record(pea=", "State = record(odd=np.int8, pea="),
        ("        state.pea = action + 1\n", "        state.pea = action + 1\n        state.odd = action % 2\n"),
    )
    game = broken(tmp_path, SHELLS, *leak)
    assert examined(game, RESAMPLE).ok
    assert examined(game, BELIEVE).ok
    found = sentences(examined(game, BELIEF), BELIEF)[0]
    assert "believes in 5 worlds, but with all it has seen only 3 are possible" in found


def looked_at(game):
    """What the laws of hidden information find interpreted, and what seats see."""
    report = Report(game.text_name, 0)
    found = suite.visit(report, game, interpreted, 60, 200)
    suite.check_laws(report, found, [law for law in laws.LAWS if law.name in (HIDE, OWN, RESAMPLE, WAITING, POSSIBLE)])
    return report, survey(found)


KUHN_HIDE = (
    "        if seat != viewer and not (shown and is_in(board, state, seat)):\n            state.cards[seat] = 0\n"
)
KUHN_STATE = "State = record(cards=(np.int8, SEATS), "
KUHN_DEAL = "        state.dealt += 1\n"
KUHN_FILL = "            view.cards[seat] = 1 + pick_bit(unseen(view.cards, int(board.seats) + 1), rng)\n"


def test_seats_see_what_kuhn_poker_shows_them():
    """Nobody's card but one's own, the others' at the end; everything else is open and tells of nothing hidden."""
    report, seen = looked_at(ts.load("kuhn"))
    assert report.ok
    assert [str(each) for each in seen.fields["cards"]] == [
        "hidden [1], but shown at the end; the rest open",
        "hidden [0], but shown at the end; the rest open",
    ]
    assert {str(each) for name, sights in seen.fields.items() if name != "cards" for each in sights} == {"open"}
    assert seen.forgetting == seen.telling == []


def test_a_leak_that_a_law_finds(tmp_path):
    """A field that follows from a hidden one: resample fills in cards of the wrong parity, which no moves lead to."""
    leak = (
        (KUHN_STATE, f"{KUHN_STATE}odd=np.int8, "),
        (KUHN_DEAL, f"{KUHN_DEAL}        state.odd = (state.cards[0] + state.cards[1]) % 2\n"),
    )
    report, seen = looked_at(broken(tmp_path, KUHN, *leak))
    assert "a world that no moves lead to" in sentences(report, POSSIBLE)[0]
    assert seen.telling == ["odd"]


KEPT_TO = (
    (KUHN_STATE, f"{KUHN_STATE}higher=np.int8, "),
    (KUHN_DEAL, f"{KUHN_DEAL}        state.higher = 1 + (state.cards[1] > state.cards[0])\n"),
    (
        KUHN_FILL,
        f"{KUHN_FILL}            while view.dealt == 2 and view.higher != 1 + (view.cards[1] > view.cards[0]):\n"
        f"                view.cards[seat] = 0\n    {KUHN_FILL}",
    ),
)


@pytest.mark.parametrize(
    ("changes", "name", "shown"),
    [
        ([(KUHN_HIDE, "        pass\n")], "cards", "open"),
        (
            [(KUHN_HIDE, KUHN_HIDE.replace("seat != viewer and", "seat != viewer == to_move(board, state) and"))],
            "cards",
            "hidden [1], but shown at the end and where others move; the rest open",
        ),
        (KEPT_TO, "higher", "open; tells of cards"),
    ],
    ids=["never hidden", "shown to who waits", "follows from what is hidden, and resample keeps to it"],
)
def test_leaks_that_only_the_table_shows(tmp_path, changes, name, shown):
    """No law can know that these were not meant."""
    report, seen = looked_at(broken(tmp_path, KUHN, *changes))
    assert report.ok, str(report)
    assert str(seen.fields[name][0]) == shown
    assert seen.telling == (["higher"] if name == "higher" else [])
    forgets = [each for each in seen.forgetting if "has seen before what rules out worlds that resample gives" in each]
    assert bool(forgets) == ("others move" in shown)


def test_what_seats_see_is_in_the_report():
    """For programs a record of every field and seat; a game that hides nothing has none."""
    told = json.loads(json.dumps(report_on("kuhn").to_dict()))["secrets"]
    cards = next(each for each in told["fields"] if each["name"] == "cards")
    assert cards["seats"][1] == {
        "seat": 1, "elements": 10, "status": "partly", "hidden": [], "at_times": [0], "shown": ["at the end"],
        "tells_at_once": [], "tells_later": [],
    }  # fmt: skip
    assert "secrets" not in report_on("connect_four").to_dict()


def test_a_world_that_is_not_believed_in(tmp_path):
    """A belief that leaves out worlds is found out even where the true one is in it."""
    game = broken(tmp_path, SHELLS, ("    for pea in range(board.shells):", "    for pea in range(board.shells - 1):"))
    assert "believes in 4 worlds and misses 1 possible ones" in sentences(examined(game, BELIEF), BELIEF)[0]


def test_integers_that_lead_elsewhere():
    """A state that the integers of its history do not give again is found out."""
    rules = CheckedRules(ts.load(str(NIM)), 0, compiled)
    found, _ = nodes.play(rules, 0, 100)
    law = next(law for law in laws.LAWS if law.name == POSITION)
    assert not list(law.faults(nodes.CheckedPosition(found, 2)))
    found.states[2] = found.states[1]
    assert "lead to another state" in next(law.faults(nodes.CheckedPosition(found, 2)))


def test_words_that_are_not_taken_back(monkeypatch):
    """Words that Position does not read back as their move are found out."""
    rules = CheckedRules(ts.load(str(NIM)), 0, compiled)
    found, _ = nodes.play(rules, 0, 100)
    law = next(law for law in laws.LAWS if law.name == POSITION)
    monkeypatch.setattr(rules, "words", lambda state, action: "b 1")
    assert "the words 'b 1' of action 0 are taken for action 9" in next(law.faults(nodes.CheckedPosition(found, 0)))
    monkeypatch.setattr(rules, "words", lambda state, action: "z")
    assert "the words of action 0 are not taken back: 'z' is not a legal move" in next(
        law.faults(nodes.CheckedPosition(found, 0))
    )


def test_commitments_that_are_undone_one_at_a_time(monkeypatch):
    """With several open commitments rewind must undo them all at once."""
    rules = CheckedRules(ts.load(str(SHELLS)), 0, interpreted)
    found = nodes.Playthrough(rules, [0, 1, 2], [bytes([ply]) for ply in range(4)], [0, 1, 2, 0], [(0,)] * 4)
    law = next(law for law in laws.LAWS if law.name == REWIND)
    monkeypatch.setattr(rules, "rewind", lambda state: bytes([max(0, state[0] - 1)]))
    assert list(law.faults(nodes.CheckedPosition(found, 3))) == ["rewind goes further back when it is called again"]
    monkeypatch.setattr(rules, "rewind", lambda state: bytes([0]))
    assert list(law.faults(nodes.CheckedPosition(found, 3))) == []


def test_a_later_stage_waits_for_the_earlier(tmp_path):
    """Nothing is compiled while the interpreted rules break a law."""
    report = suite.check(broken(tmp_path, NIM, ("    out[1 - loser] = 1.0\n", "")), positions=30, mutations=50)
    assert not report.ok
    assert not {suite.BOUNDED, suite.SAME, POSITION, suite.GOLDEN} & {law.name for law in report.laws}


def test_a_failing_child_process_is_reported(monkeypatch):
    """If the process with bounds checks dies, its last words are the finding."""
    monkeypatch.setattr(sys, "executable", "false")
    with pytest.raises(suite.Fault, match="the process that runs the rules failed: it ended with code 1"):
        answers.bounds_checked(ts.load(str(NIM)), [])


# ---------------------------------------------------------------- golden playthroughs


def test_golden_playthroughs(tmp_path):
    """They are written on demand, compared afterwards, and a change is shown by its line."""
    game, file = ts.load(str(NIM)), tmp_path / "golden" / "nim.txt"
    assert suite.check(game, positions=20, golden=file, write=True, mutations=50).ok
    written = file.read_text()
    assert suite.check(game, positions=20, golden=file, mutations=50).ok
    assert file.read_text() == written
    lines = written.splitlines()
    lines[3] = lines[3].replace("seat 0", "seat 1")
    file.write_text("\n".join(lines))
    found = sentences(suite.check(game, positions=20, golden=file, mutations=50), suite.GOLDEN)[0]
    assert found.startswith(f"line 4 of {file} says '1  seat 1 ")
    assert "if that is meant, write it anew" in found
    with pytest.raises(ts.BadInput, match="there is no file"):
        suite.check(game, golden=tmp_path / "nowhere.txt")


def test_golden_files_are_named_by_the_game_and_its_options():
    """Games with other options have files of their own."""
    names = [suite.golden_file(ts.load(text)).name for text in ("pig", "pig:target=20", f"{NIM}:misere=true")]
    assert names == ["pig.txt", "pig-target=20.txt", "nim-misere=true.txt"]


# ---------------------------------------------------------------- the command


def turnsmith(*arguments):
    """Run the command line."""
    return subprocess.run([sys.executable, "-m", "turnsmith", *map(str, arguments)], capture_output=True, text=True)


def test_the_command_prints_what_it_checked():
    """A good game: a table of laws with the number of positions, exit code 0."""
    table = turnsmith("check", "kuhn", "--positions", 20, "--mutations", 0).stdout
    assert "What seats see" in table
    assert "No law knows what is meant to be secret" in table
    ran = turnsmith("check", NIM, "--positions", 20)
    assert "What seats see" not in ran.stdout
    assert ran.returncode == 0, ran.stderr
    assert "20 positions" in ran.stdout
    assert "legal moves are in range" in ran.stdout


def test_the_command_with_json_and_a_broken_game(tmp_path):
    """A broken game: one JSON document and nothing else on stdout, exit code 1."""
    game = broken(tmp_path, NIM, ("    out[1 - loser] = 1.0\n", ""))
    ran = turnsmith("check", game.home, "--positions", 20, "--json")
    report = json.loads(ran.stdout)
    assert ran.returncode == 1
    assert report["ok"] is False
    assert [law["failed"] > 0 for law in report["laws"] if law["name"] == RETURNS] == [True]
    shown = turnsmith("check", game.home, "--positions", 20)
    assert shown.returncode == 1
    assert "returns gives seat 0 nothing" in shown.stdout


def test_the_command_refuses_bad_input():
    """What cannot be checked at all: exit code 2 and one line."""
    bad = {(NIM, "--positions", 0): "'--positions'", ("nowhere.py",): "there is no file nowhere.py"}
    for arguments, complaint in bad.items():
        ran = turnsmith("check", *arguments)
        assert (ran.returncode, ran.stdout) == (2, "")
        assert complaint in ran.stderr
        assert len(ran.stderr.splitlines()) == 1


# ---------------------------------------------------------------- the page that teaches it


def test_the_game_of_the_contract_page(tmp_path):
    """The pieces of the first tutorial and of docs/reference/contract.md make a game that keeps every law."""
    pages = [ROOT / "docs" / "tutorials" / "twenty-one.md", ROOT / "docs" / "reference" / "contract.md"]
    pieces = [piece for page in pages for piece in re.findall(r"```python\n(.*?)```", page.read_text(), re.S)]
    file = tmp_path / "my_game.py"
    file.write_text("\n\n".join(pieces))
    report = suite.check(ts.load(str(file)), positions=15, mutations=50)
    assert report.ok, str(report)
    shares = trainings(str(file))["shares"]
    done = shares.train(shares.Settings(games=4), TrainingContext(game_text=str(file)))
    assert done.document["games"] == 4


def test_the_contract_page_names_every_function():
    """The tables of docs/reference/contract.md have a row for everything a game may define."""
    page = (ROOT / "docs" / "reference" / "contract.md").read_text()
    made = {"name", "options", "doc", "home", "alias", "joint"}  # by loading
    parts = {field.name for field in dataclasses.fields(ts.Game) if field.init} - made
    assert [part for part in sorted(parts) if f"`{part}" not in page] == []


@pytest.mark.parametrize("module", ["helpers", "sources", "genes"])
def test_the_contract_page_names_every_helper(module):
    """Whoever knows only the page finds every function that is there for games."""
    page, home = (ROOT / "docs" / "reference" / "contract.md").read_text(), f"turnsmith.{module}"
    functions = inspect.getmembers(importlib.import_module(home), inspect.isfunction)
    own = [name for name, each in functions if each.__module__ == home and not name.startswith("_")]
    assert [name for name in own if f"`{name}(" not in page] == []


def test_every_level_is_tried(tmp_path):
    """A level whose player fails, or moves illegally, is named."""
    player = """
from dataclasses import dataclass
from turnsmith import Decision, Player
@dataclass(frozen=True, repr=False)
class Wrong(Player):
    name = "wrong"
    def act(self, position):
        return Decision(99, "x")
PLAYERS = {"wrong": Wrong}
LEVELS = {"easy": "random", "hard": "wrong"}
"""
    file = tmp_path / "levels.py"
    file.write_text(NIM.read_text() + player)
    report = suite.check(load_untried(str(file)), positions=20, mutations=0)
    assert "the level hard (wrong) makes the illegal move 99" in str(report.to_dict())


def test_a_check_without_time_says_what_it_left_out():
    """Time that is over costs positions, laws and stages, never an answer; what is looked at is the same as ever."""
    game, heard = ts.load(str(NIM)), []
    short = ts.check(game, seconds=1e-6, mutations=10)
    assert short.ok
    assert any("interpreted, of: legal moves are in range" in what for what in short.left_out)
    assert "10 of 10 descriptions that were tampered with" in short.left_out
    assert "levels" in short.left_out
    assert short.to_dict()["left_out"] == short.left_out
    assert f"no time for {short.left_out[0]}" in str(short)
    whole = ts.check(game, positions=20, mutations=10, seconds=1e6, tell=heard.append)
    bare = ts.check(game, positions=20, mutations=10)
    assert whole.left_out == bare.left_out == []
    assert whole.to_dict()["laws"] == bare.to_dict()["laws"]
    assert {"random games, interpreted", "random games, compiled", "levels"} <= set(heard)
    ran = turnsmith("check", NIM, "--seconds", "0.000001", "--json")
    assert (ran.returncode, json.loads(ran.stdout)["ok"]) == (3, True)
    assert json.loads(ran.stdout)["left_out"]
