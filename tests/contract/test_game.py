"""The contract: records, finding games, and what is refused on the way."""

import dataclasses
import json
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from numba.core.errors import NumbaExperimentalFeatureWarning

import turnsmith as ts
from turnsmith.contract.records import _RESERVED, board_record, record

NIM = Path(__file__).parents[2] / "examples" / "nim.py"


@pytest.mark.parametrize("name", ["size", "round", "data", "min", "dtype", "field", "copy", "_mine"])
def test_reserved_field_names_are_refused(name):
    """A field cannot have a name that NumPy records own."""
    with pytest.raises(ts.BadInput, match=f"no field can be called '{name}'"):
        record(**{name: np.int64})


def test_bool_fields_are_refused():
    """Numba cannot compile arrays of bool in records, so they are refused with what to write."""
    with pytest.raises(ts.BadInput, match=r"field 'alive': bool fields do not compile; use np\.int8"):
        record(alive=(np.bool_, 4))


def test_records_are_aligned_and_whole_words():
    """Every field stands at a multiple of its own size and the record is a multiple of eight bytes."""
    kind = record(small=np.int8, wide=np.int64, row=(np.int16, 3), last=np.float32, tail=np.int8)
    assert kind.itemsize % 8 == 0
    for name in ("small", "wide", "row", "last", "tail"):
        assert kind.fields[name][1] % kind.fields[name][0].base.alignment == 0


def test_records_have_no_bytes_between_fields():
    """NumPy copies fields only, so every byte belongs to one: copies and their hashes are the same."""
    kind = record(small=np.int8, wide=np.int64, tail=np.int8)
    assert sum(field[0].itemsize for field in kind.fields.values()) == kind.itemsize
    states = np.frombuffer(bytes(range(kind.itemsize)), kind)
    assert states.copy().tobytes() == bytes(range(kind.itemsize))


def test_boards_begin_with_what_loops_need():
    """A board record starts with the header, whatever follows."""
    assert board_record(width=np.int64).names[:6] == ("seats", "actions", "outcomes", "low", "high", "width")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("conect_four", "there is no game 'conect_four' (did you mean 'connect_four'?); there are "),
        ("./nowhere.py", "there is no file ./nowhere.py"),
        ("connect_four:widht=7", "connect_four has no setting 'widht' (did you mean 'width'?)"),
        ("connect_four:width=99", "width=99 must be 2 to 10"),
        ("connect_four:width=wide", "width=wide must be a whole number"),
        (f"{NIM}:piles=0", "piles=0 must be up to 8 numbers"),
    ],
)
def test_load_refuses(text, complaint):
    """Whatever cannot be loaded is refused in one line that names the cause."""
    with pytest.raises(ts.BadInput) as refused:
        ts.load(text)
    assert complaint in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "is not a game yet: it lacks Board, State, tables,"),
        ("import nonexistent_module\n", "cannot be imported: ModuleNotFoundError: No module named"),
        ("def broken(:\n", "cannot be imported: SyntaxError"),
    ],
)
def test_load_refuses_files_that_are_no_games(tmp_path, content, complaint):
    """A file that lacks parts, or cannot be imported, says so."""
    file = tmp_path / "draft.py"
    file.write_text(content)
    with pytest.raises(ts.BadInput) as refused:
        ts.load(str(file))
    assert complaint in str(refused.value)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("@dataclass(frozen=True)\n", "", "Options must be a frozen dataclass; write @dataclass(frozen=True)"),
        ('piles: str = setting("1-3-5-7")', "piles: str", "Options needs a default for piles"),
        (
            "misere: bool = setting(False)",
            "misere: list = ()",
            "the option misere must be int, float, bool, str or Literal",
        ),
        ("misere: bool = setting(False)", "misere: Bool = False", "Options cannot be read (NameError: name 'Bool'"),
        ("def legal(board", "legal = 5\n\n\ndef illegal(board", "legal must be a function, not 5"),
        ("seat=np.int64)", "seat=object)", "field 'seat': object does not compile; use whole or floating-point"),
        ("seat=np.int64)", "seat='seat')", "field 'seat': data type 'seat' not understood"),
        ("MOST_PILES, MOST_MATCHES =", "raise SystemExit(3)\nMOST_PILES, MOST_MATCHES =", "cannot be imported"),
    ],
)
def test_load_refuses_parts_of_the_wrong_kind(tmp_path, old, new, complaint):
    """Options, functions and fields of the wrong kind are refused in one line when the file is read."""
    assert old in NIM.read_text()
    file = tmp_path / "draft.py"
    file.write_text(NIM.read_text().replace(old, new))
    with pytest.raises(ts.BadInput) as refused:
        ts.load(str(file))
    assert complaint in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_path_may_hold_dots_and_colons(tmp_path):
    """Only a .py that ends the path ends it, and settings follow its colon."""
    folder = tmp_path / "my.python: games"
    folder.mkdir()
    (folder / "g.py").write_text(NIM.read_text())
    game = ts.load(f"{folder / 'g.py'}:piles=1-2")
    assert (game.name, game.home, game.options.piles) == ("g", str(folder / "g.py"), "1-2")


def test_a_folder_is_a_game_too(tmp_path):
    """A folder with rules, picture and players is loaded by its __init__.py, and called by the folder's name."""
    folder = tmp_path / "sticks"
    folder.mkdir()
    rules, people = NIM.read_text().split(
        "# ---------------------------------------------------------------- for people"
    )
    (folder / "__init__.py").write_text('"""Sticks."""\n')
    (folder / "rules.py").write_text(rules)
    (folder / "picture.py").write_text(f"from .rules import MOST_MATCHES, NAMES\n#{people}")
    (folder / "players.py").write_text("from .nowhere import PLAYERS\n")
    with pytest.raises(ts.BadInput, match=r"cannot be imported: ModuleNotFoundError: No module named '.*\.nowhere'"):
        ts.load(f"{folder}/__init__.py").players()
    (folder / "players.py").write_text("LEVELS = {'easy': 'random'}\n")
    game = ts.load(f"{folder}/__init__.py:piles=1-2")
    assert (game.name, game.doc, game.levels()) == ("sticks", "Sticks.", {"easy": "random"})
    assert ts.load(game.text_name).start().push("a 1").legal == ("b 1", "b 2")
    (folder / "rules.py").unlink()
    other = folder.rename(tmp_path / "empty")
    with pytest.raises(ts.BadInput, match=r"cannot be imported: ModuleNotFoundError: No module named '.*\.rules'"):
        ts.load(f"{other}/__init__.py")
    whole = tmp_path / "whole"
    whole.mkdir()
    (whole / "__init__.py").write_text(NIM.read_text())
    assert ts.load(f"{whole}/__init__.py").name == "whole"


def test_a_game_without_options_has_no_settings(tmp_path):
    """Settings for a game that has none are refused."""
    content = NIM.read_text().replace("class Options", "class Choices")
    (tmp_path / "plain.py").write_text(content)
    with pytest.raises(ts.BadInput, match="plain has no settings; write just"):
        ts.load(f"{tmp_path / 'plain.py'}:piles=3")


def test_hide_needs_resample():
    """A game that hides must also say how to imagine what is hidden."""
    game = ts.load("connect_four")
    with pytest.raises(ts.BadInput, match="has hide but no resample"):
        dataclasses.replace(game, hide=lambda board, state, viewer: None)


def board_with(**header):
    """A board of Connect Four with another header."""
    boards = ts.load("connect_four").board()
    for name, value in header.items():
        boards[name] = value
    return boards


@pytest.mark.parametrize(
    ("tables", "complaint"),
    [
        (lambda source: None, "tables must return np.zeros(1, Board), filled; got NoneType"),
        (lambda source: board_with(seats=10**6), "at most 256 seats and 16,777,216 actions or outcomes; this one has"),
        (lambda source: board_with(actions=10**12), "this one has 2 seats, 1000000000000 actions and 0 outcomes"),
        (lambda source: board_with(outcomes=-1), "tables must fill seats, actions, outcomes and low"),
        (lambda source: board_with(high=np.inf), "low and high of the board must be finite"),
        (lambda source: board_with(outcomes=6), "the board has outcomes of CHANCE but there is no weights; write it"),
        (lambda source: np.zeros(1, np.int64), "tables must return np.zeros(1, Board), filled"),
        (
            lambda source: np.zeros(1, ts.load("connect_four").Board),
            "tables must fill seats, actions, outcomes and low",
        ),
    ],
)
def test_bad_tables_are_refused(tables, complaint):
    """A board of the wrong type, or without its header, is refused where it is made."""
    game = dataclasses.replace(ts.load("connect_four"), tables=tables)
    with pytest.raises(ts.BadInput) as refused:
        game.board()
    assert complaint in str(refused.value)


def test_a_source_is_of_what_json_can_hold():
    """A description that JSON cannot hold is refused, for nobody could store it."""
    game = dataclasses.replace(ts.load("connect_four"), source=lambda options, seed: {1, 2})
    with pytest.raises(ts.BadInput, match="source must give what JSON can hold"):
        game.board()


@pytest.mark.parametrize(
    "text", ["connect_four", "connect_four:width=5,height=4", "pig:target=20", f"{NIM}:misere=true"]
)
def test_a_game_is_named_by_its_text(text):
    """The text of a game loads an equal game, and its repr is what one types."""
    game = ts.load(text)
    again = eval(repr(game), {"turnsmith": ts})
    assert game.text_name == text
    assert (again.options, again.digest) == (game.options, game.digest)


@pytest.mark.parametrize("name", ts.games())
def test_every_game_has_a_sentence_and_a_json_source(name):
    """Built-in games have a first sentence, and boards that are made from JSON."""
    game = ts.load(name)
    assert ts.games()[name].endswith(".")
    assert game.doc.startswith(ts.games()[name])
    source = game.describe(3)
    assert json.loads(json.dumps(source)) == source
    assert game.build(source).tobytes() == game.board(3).tobytes()


def test_listing_games_does_not_wait_for_numba():
    """Importing turnsmith and listing its games imports neither numba nor numpy."""
    code = "import sys, turnsmith; print(*turnsmith.games()); print(*{'numba', 'numpy'} & set(sys.modules))"
    listed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split("\n")
    assert "connect_four" in listed[0]
    assert listed[1] == ""


def test_public_names_are_all_there():
    """Every name of the public list can be had, and a wrong one is an AttributeError."""
    for name in ts.__all__:
        assert getattr(ts, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'plya'"):
        ts.plya  # noqa: B018


def test_submodules_do_not_hide_public_functions():
    """`turnsmith.play.position` stays the function although a file has that name."""
    assert callable(ts.position)
    assert callable(ts.player)
    assert ts.position("connect_four", history=[3]).history == [3]


def test_all_reserved_fields_of_a_file_are_refused_at_once(tmp_path):
    """Those of boards and states, each with its line; the contract lists every name that is taken."""
    file = tmp_path / "mine.py"
    file.write_text(
        "import numpy as np\nfrom turnsmith import game\n\n"
        "Board = game.board_record(flat=np.int8,\n    ply=np.int8,\n    size=np.int8)\n"
        "State = game.record(_own=np.int8, diagonal=np.int8)\n"
    )
    told = "'flat' (line 4), 'size' (line 6), '_own' (line 7), 'diagonal' (line 7): NumPy records own these names"
    with pytest.raises(ts.BadInput, match=re.escape(f"mine.py: no field can be called {told}")):
        ts.load(str(file))
    page = (Path(__file__).parents[2] / "docs" / "reference" / "contract.md").read_text("utf-8")
    listed = re.search(r"so no field can: (.*?); nor one", page, re.DOTALL)[1]
    assert {name for name in _RESERVED if not name.startswith("_")} <= set(re.findall(r"`(\w+)`", listed))


def test_numbers_of_rules_wrap_without_a_word(tmp_path):
    """Neither a check nor a picture warns of it, and a program's own numbers are warned of as ever."""
    file, text = tmp_path / "mixing.py", NIM.read_text("utf-8")
    mixed = "    np.uint64(2**63 + 1) * np.uint64(board.seats + 5)\n"
    for name in ("picture(board, state)", "words(board, state, action)", "source(options, seed)"):
        body = mixed.replace("board.seats", "2") if name.startswith("source") else mixed
        text = re.sub(rf"def {re.escape(name)}:\n", lambda found, body=body: found[0] + body, text)
    assert text.count("2**63 + 1") == 3
    file.write_text(text)
    ran = subprocess.run(
        [sys.executable, "-W", "always", "-m", "turnsmith", "check", file, "--positions", "20", "--mutations", "5"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert (ran.returncode, "RuntimeWarning" in ran.stderr) == (0, False)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)  # of records that begin alike, as always
        position = ts.load(str(file)).start()
        assert position.picture()
        assert position.legal
        assert not said, [str(one.message) for one in said]
        np.uint64(2**63 + 1) * np.uint64(3)
        assert "overflow" in str(said[0].message)
