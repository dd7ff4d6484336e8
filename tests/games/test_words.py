"""Every game speaks the language of who reads it: in one that brackets all texts, nothing stands without brackets."""

import itertools
import random
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import turnsmith as ts
from bracketed import BRACKETED, Brackets, known
from turnsmith import languages
from turnsmith.common.errors import BadInput
from turnsmith.common.settings import settings
from turnsmith.contract.game import CHANCE
from turnsmith.games.tactics.automata import Static
from turnsmith.languages import LANGUAGES, _, player_name, retold, speaking, worded
from turnsmith.play.player import POLICY, players

SHORT = {
    "backgammon": "", "breakthrough": "width=3,height=4", "connect_four": "", "dicewars": "players=2,areas=4",
    "go": "size=3", "goofspiel": "cards=3", "hex": "size=3", "homeguard": "", "kuhn": "", "leduc": "",
    "mastermind": "maker=seat", "othello": "size=4", "pacman": "t_max=12", "pig": "target=20", "tactics": "size=12",
    "tic_tac_toe": "", "trails": "size=5",
}  # fmt: skip
"""Games that are soon over."""
NOTATION = {
    "mastermind": "[a-f]{4}", "tactics": "(green|red)[1-4]", "backgammon": "seat-[01]|off-[1-6]",
    "homeguard": "[12]?(stay|portal)",
}  # fmt: skip
"""What people type, besides names of cells, which are one letter or two with a number, and ways such as 2w."""
CELL = r"\d*[a-zA-Z]{1,2}\d*"


class Strict(Brackets):
    """What is filled into a text must be in brackets by itself."""

    def gettext(self, message):
        return re.sub(r"(\{[^}]*\})", r"⟧\1⟦", super().gettext(message)) if message in self.known else message

    def ngettext(self, msgid1, msgid2, n):
        return re.sub(r"(\{[^}]*\})", r"⟧\1⟦", super().ngettext(msgid1, msgid2, n))


@pytest.fixture
def brackets(monkeypatch):
    """The language is spoken wherever a test goes."""
    spoken = Strict()
    spoken.known = known()
    monkeypatch.setattr(languages, "_catalogue", lambda language: spoken)


def bare(text):
    """What is left of a text without what stands in brackets."""
    return BRACKETED.sub(" ", text)


def told_in(svg: str) -> list[str]:
    """The texts of a picture that people see or hear."""
    found = []
    for part in ElementTree.fromstring(f"<g>{svg}</g>").iter():
        found += [part.text or ""] if part.tag.rpartition("}")[2] in ("text", "title") else []
        found += [part.get(name, "") for name in ("data-tip", "aria-label")]
    return found


def told_at(position: ts.Position) -> list[str]:
    """What people are told where a game stands."""
    game, mover = position.game, position.mover
    look = position.seen_by(mover) if mover >= 0 else position
    found = [re.sub(r"\[/?[^\]]*\]", "", look.text()), *told_in(look.picture())]
    if game.remark and mover >= 0:
        found.append(game.remark(position.board, look.state))
    for action in position.actions.tolist()[:40] if mover >= 0 else []:
        found += [] if game.tell else [worded(position.words(action))]
        found += [game.tip(position.board, look.state, action)] if game.tip else []
        found += told_in(game.overlay(position.board, look.state, action)) if game.overlay else []
    if game.refusal and mover >= 0:
        for wrong in ("xyzzy", position.words(int(position.actions[0])) + " a1", "red1", "reload", "cover", "5+5"):
            said = game.refusal(position.board, look.state, wrong)
            found.append((said or "").replace(wrong, ""))
    return found


def told_through(position: ts.Position, rng: random.Random) -> list[str]:
    """What people are told from the beginning to the end, and in the log."""
    found, begins = told_at(position), []
    while position.outcome is None and len(position.history) < 600:
        begins.append(len(position.history))
        position.push(rng.choice(position.actions.tolist()))
        if len(begins) % 25 == 3:
            found += told_at(position)
    for first, last in itertools.pairwise(begins[:60]):
        moves = [(look.state, action) for look, action in list(position.trail(first))[: last - first]]
        found += [position.game.tell(position.board, moves)] if position.game.tell else []
    ending = position.game.ending(position.board, position.state)
    return [*found, *told_at(position), ending, *map(_, position.game.goal(position.board).roles)]


@pytest.mark.usefixtures("brackets")
@pytest.mark.parametrize("name", ts.games())
def test_a_game_says_nothing_but_what_can_be_translated(name):
    """Whatever is written, drawn and answered in a short game is in the catalogues, or notation."""
    found = told_through(ts.load(f"{name}:{SHORT[name]}".rstrip(":")).start(1), random.Random(1))
    notation = re.compile(f"{CELL}|{NOTATION.get(name, CELL)}")
    left = {word for text in found for word in re.split(r"[^\w-]+", bare(text)) if re.search(r"[^\W\d_]", word)}
    assert {word for word in left if not notation.fullmatch(word)} == set()
    assert any(text != bare(text) for text in found)


@pytest.mark.usefixtures("brackets")
@pytest.mark.parametrize(
    "text", ["mastermind knuth", "connect_four perfect", "dicewars fast", "tactics static", "tactics master"]
)
def test_notes_of_players_can_be_translated(text):
    """What a player remarks on its decision is in the catalogues, whatever it reports."""
    name, player = text.split()
    game = ts.load(name)
    position, who = game.start(), players(game)[player]()
    for numbers in (np.zeros(POLICY), np.ones(POLICY), np.arange(POLICY) - 1.0):
        note = who.note(position, int(position.actions[-1]), numbers, np.zeros(0, np.uint8))
        assert set(re.findall(r"[^\W\d_]{2,}", bare(note))) == set(), note


@pytest.mark.usefixtures("brackets")
@pytest.mark.parametrize("player", ["matrix", "cells", "static"])
def test_reasons_of_players_can_be_translated(player):
    """What a player looked at and weighed, and why something is impossible."""
    position = ts.load("tactics").start()
    found = ts.player(player, position.game).inspect(position)
    told = [*found.inputs, *(text for each in found.choices for text in (each.name, each.impossible, *each.parts))]
    names = re.compile(f"{CELL}|{NOTATION['tactics']}|{'|'.join(each.name for each in settings(Static))}")
    left = {word for text in told for word in re.findall(r"[a-z]\w*", bare(text)) if not names.fullmatch(word)}
    assert left == set()


@pytest.mark.usefixtures("brackets")
def test_refusals_of_options_and_boards_can_be_translated():
    """Why options do not fit, and why a player does not play there."""
    for text in ("connect_four:width=10,height=10", "dicewars:areas=3", "homeguard:size=8", "tactics:size=15"):
        with pytest.raises(BadInput) as refused:
            ts.load(text)
        assert not re.search(r"[^\W\d_]", bare(str(refused.value)).removeprefix(text.partition(":")[0]))
    for player, text in (
        ("maximin", "homeguard:moves=unit"),
        ("fuzzy", "pacman:moves=unit"),
        ("eyes", "mastermind:pegs=3"),
    ):
        game = ts.load(text)
        reason = players(game)[player]().refuses(game, game.board()[0])
        assert reason
        assert not re.search(r"[^\W\d_]", bare(reason))


@pytest.mark.parametrize("name", ts.games())
def test_an_ending_kept_in_english_is_retold(name):
    """A store keeps why a match ended in English: whoever reads it later reads what the game says in their language."""
    position, rng = ts.load(f"{name}:{SHORT[name]}".rstrip(":")).start(2), random.Random(2)
    while position.outcome is None:
        position.push(rng.choice(position.actions.tolist()))
    with speaking("en"):
        kept = position.game.ending(position.board, position.state)
    for language in LANGUAGES:
        with speaking(language):
            assert retold(kept) == position.game.ending(position.board, position.state)


def test_seats_are_counted_from_one_in_every_language():
    """Also where chance has moved: the first is 1."""
    said = []
    for language in LANGUAGES:
        with speaking(language):
            said.append(player_name(CHANCE + 1))
    assert all(text.endswith(" 1") for text in said)
