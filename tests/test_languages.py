"""Languages: catalogues that say all the code says, the language of who reads, and no text missed in the terminal."""

import io
import threading

import catalogues
import numpy as np
import pytest
from babel.messages import Catalog
from rich.console import Console
from rich.text import Text

from bracketed import brackets, unsaid
from turnsmith import languages
from turnsmith.cli.play import session
from turnsmith.contract.loading import load
from turnsmith.contract.registry import built_in
from turnsmith.languages import DOMAINS, LANGUAGES, Sentence, _, carried, counted, retold, speaking, wanted
from turnsmith.languages import marked as marked_text
from turnsmith.play.player import player, players
from turnsmith.play.seat import Seat

OTHERS = [code for code in LANGUAGES if code != "en"]
MOST_MOVES = 400
NOTATION = {"tactics": {"green", "red"}}
"""Words by which something is called in moves, so that one can type them."""


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("code", OTHERS)
def test_catalogues_say_what_the_code_says(code, domain):
    """Nothing is missing, nothing is left over, gaps are the same; `make languages` would change nothing."""
    found, path = catalogues.brought_up(code, domain), catalogues.path_of(code, domain)
    assert list(catalogues.lacking(found)) == []
    assert path.read_bytes() == catalogues.written(found), "run make languages"
    assert path.with_suffix(".mo").read_bytes() == catalogues.compiled(found), "run make languages"


def test_a_gap_is_no_f_string():
    with pytest.raises(ValueError, match="not by an f-string"):
        list(catalogues.marked_in('_(f"your {thing}")'))


def test_lacking_says_what_is_wrong():
    catalogue = Catalog(locale="cs")
    catalogue.add("{a} and {b}", "{a} a {c}")
    catalogue.add(("{} die", "{} dice"), ("{} kostka", "", ""))
    assert list(catalogues.lacking(catalogue)) == [
        "'{a} and {b}' has other placeholders than ('{a} a {c}',)",
        "'{} die' has no translation",
    ]


@pytest.mark.parametrize(
    ("header", "found"),
    [("", "en"), ("cs", "cs"), ("de;q=1, sk-SK; q=0.8, en;q=0.7", "sk"), ("cs;q=0, sk;q=0.1", "sk"), ("x;q=y", "en")],
)
def test_what_a_browser_wants(header, found):
    assert wanted(header) == found


def test_a_browser_that_wants_nothing_there_is_gets_the_usual():
    assert wanted("de, fr", "sk") == "sk"


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({}, "en"),
        ({"LANG": "sk_SK.UTF-8"}, "sk"),
        ({"LC_ALL": "C", "LANG": "cs_CZ"}, "en"),
        ({"LANGUAGE": "de:cs:sk"}, "cs"),
    ],
)
def test_what_a_terminal_speaks(environment, found):
    assert languages.of_terminal(environment) == found


def test_slavic_languages_have_three_forms():
    with speaking("cs"):
        said = [counted("{stars} star", "{stars} stars", n).format(stars=n) for n in (1, 3, 5)]
    assert said == ["1 hvězda", "3 hvězdy", "5 hvězd"]


def test_work_is_done_in_the_language_of_who_wants_it():
    """A thread speaks English by itself, and what was spoken before comes back."""
    heard = []
    with speaking("cs"), speaking("sk"):
        for work in (lambda: heard.append(_("Draw")), carried(lambda: heard.append(_("Draw")))):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
    assert heard == ["Draw", "Nerozhodne"]
    assert languages.language() == "en"


def test_a_sentence_is_said_to_whoever_reads_it():
    said = Sentence(marked_text("{who} is thinking"), who="mcts")
    heard = []
    for code in LANGUAGES:
        with speaking(code):
            heard.append(str(said))
    assert heard == ["mcts is thinking", "mcts přemýšlí", "mcts premýšľa"]


def test_what_was_kept_in_english_is_told_again():
    with speaking("cs"):
        assert retold("1,000 simulations, lines up to 7 decisions long").startswith("simulací: 1,000, nejdelší")
        assert retold("Player 2 wins") == "Hráč 2 vyhrává"
        assert retold("nothing that anybody has ever said") == ""
    assert retold("nothing that anybody has ever said") == "nothing that anybody has ever said"


def test_a_game_in_a_file_brings_its_own_texts(tmp_path, monkeypatch):
    """languages/cs/LC_MESSAGES/NAME.mo beside NAME.py, from when the game is loaded."""
    monkeypatch.setattr(languages, "_others", {})
    source = load("tic_tac_toe")._module_file.read_text()
    (tmp_path / "crosses.py").write_text(source.replace("three in a row", "three crosses of my own"))
    folder = tmp_path / "languages" / "cs" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    catalogue = catalogues.Texts(locale="cs", charset="utf-8", fuzzy=False)
    catalogue.add("three crosses of my own", "tři moje křížky")
    (folder / "crosses.mo").write_bytes(catalogues.compiled(catalogue))
    load(str(tmp_path / "crosses.py"))
    try:
        with speaking("cs"):
            assert _("three crosses of my own") == "tři moje křížky"
            assert _("Draw") == "Nerozhodně"
        with speaking("sk"):
            assert _("three crosses of my own") == "three crosses of my own"
    finally:
        languages._catalogue.cache_clear()


# ---------------------------------------------------------------- no text is missed


@pytest.mark.parametrize("name", built_in())
def test_a_game_in_the_terminal_says_nothing_else(name, monkeypatch):
    """Every text of a short game is in the catalogues, and of how games end; words of moves are those one types."""
    said = brackets()
    monkeypatch.setattr(languages, "_catalogue", lambda language: said)
    game = load(name)
    position = game.start(3)
    typed = set()
    out = Console(file=io.StringIO(), width=400, color_system=None, highlight=False)
    rng = np.random.default_rng(3)
    turns = 0

    def ask(prompt):
        nonlocal turns
        turns += 1
        typed.update(*(move.split() for move in position.legal))
        out.print(prompt)
        if turns > 3:
            raise EOFError
        return ("help", position.legal[0], "no such move")[turns - 1]

    seats = range(1, int(position.board.seats))
    session(position, {0}, {seat: Seat(player("random", game), game, position.boards) for seat in seats}, out, ask)
    while position.outcome is None and len(position.history) < MOST_MOVES:
        typed.update(*(move.split() for move in position.legal))
        position.push(int(rng.choice(position.actions)))
    if position.outcome is not None:
        out.print(position.text(0), position.outcome.said(), position.outcome.tally())
    told = Text.from_markup(out.file.getvalue()).plain
    allowed = {*players(game), game.name, *game.name.split("_"), "no", "such", "move", "help"}
    allowed |= NOTATION.get(name, set())
    allowed |= {part for word in typed for part in [word, *word.replace("-", " ").split()]}
    assert set(unsaid(told, allowed)) == set(), told
