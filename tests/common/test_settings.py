"""Texts that name games and players: read, refused with the reason, and written back."""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import turnsmith as ts
from turnsmith.common.errors import BadInput, shown, suggestion
from turnsmith.common.settings import Changes, as_texts, build, field_of, parse, setting, settings, show, split
from turnsmith.contract.registry import games
from turnsmith.play.player import players


@dataclass(frozen=True)
class Settings:
    depth: int = 4
    time: float = 0.0
    quick: bool = False
    style: Literal["calm", "wild"] = "calm"
    map: str = "plain"

    def __post_init__(self):
        if self.depth < 1:
            raise ValueError(f"depth={self.depth} must be at least 1")


def test_parse_allows_spaces():
    """Spaces around names, keys and values do not matter."""
    assert parse(" mcts : simulations = 400 , time=2 ") == ("mcts", {"simulations": "400", "time": "2"})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("mcts:400", "'400' in 'mcts:400' is not a setting; write key=value"),
        ("mcts:depth=", "'depth=' in 'mcts:depth=' is not a setting; write key=value"),
        ("mcts:depth=1,depth=2", "'depth' stands twice in 'mcts:depth=1,depth=2'; give it once"),
        (":depth=1", "':depth=1' has no name; write name or name:key=value"),
    ],
)
def test_parse_refuses(text, complaint):
    """A text that cannot be read is refused with what is wrong and what to write."""
    with pytest.raises(BadInput) as refused:
        parse(text)
    assert str(refused.value) == complaint


def test_split_gives_lone_settings_to_the_item_before():
    """A piece of a comma list that is only key=value belongs to the item before it, even if that had none."""
    assert split("random, mcts,time=2,depth=3, pig:target=20,") == ["random", "mcts:time=2,depth=3", "pig:target=20"]


def test_build_converts():
    """Each value becomes what its field says it is."""
    texts = {"depth": "6", "time": "0.5", "quick": "true", "style": "wild", "map": "7"}
    assert build(Settings, texts, "player") == Settings(6, 0.5, True, "wild", "7")


def test_a_long_text_keeps_both_ends():
    """A refusal that repeats a path tells which file it is, kind and all."""
    assert shown(f"/home/{'a' * 90}/minds/matrix.txt").endswith("a/minds/matrix.txt")
    assert len(shown("x" * 1000)) < 80


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"dept": "4"}, "has no setting 'dept' (did you mean 'depth'?); its settings: depth, time, quick, style, map"),
        ({"depth": "four"}, "depth=four must be a whole number"),
        ({"depth": "4.5"}, "depth=4.5 must be a whole number"),
        ({"time": "soon"}, "time=soon must be a number"),
        ({"time": "nan"}, "time=nan must be a number"),
        ({"time": "inf"}, "time=inf must be -1.8e+308 to 1.8e+308"),
        ({"depth": "9" * 30}, "depth=999999999999999999999999999999 must be -9.22e+18 to 9.22e+18"),
        ({"depth": "9" * 9999}, "…9999999999999999999999999999999999999999 must be a whole number"),
        ({"x" * 3000: "1"}, "has no setting 'xxx"),
        ({"map": "a\0b"}, r"'a\x00b' holds characters that cannot be printed; leave them out"),
        ({"map": "a" * 9999}, "has 9,999 characters; at most 4,000 are read"),
        ({"quick": "yes"}, "quick=yes must be true or false"),
        ({"style": "mild"}, "style=mild is not one of calm, wild"),
        ({"depth": "0"}, "depth=0 must be at least 1"),
    ],
)
def test_build_refuses(settings, complaint):
    """Unknown keys, values of the wrong kind and what the dataclass itself refuses name cause and cure."""
    with pytest.raises(BadInput) as refused:
        build(Settings, settings, "player")
    assert complaint in str(refused.value)
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 300


@given(
    st.builds(
        Settings,
        st.integers(1, 10**6),
        st.floats(allow_nan=False, allow_infinity=False),
        st.booleans(),
        st.sampled_from(["calm", "wild"]),
        st.text("abc-_.70", min_size=1),
    )
)
def test_show_is_read_back(settings):
    """The text of any settings builds the same settings again."""
    name, texts = parse(show("player", settings))
    assert name == "player"
    assert build(Settings, texts, "player") == settings


@dataclass(frozen=True)
class Underscored:
    """Fields whose plain names are taken."""

    name = "underscored"
    name_: str = setting("plain")
    """Which one."""
    from_: int = setting(1, 0, 9)
    """Where it begins."""


def test_an_underscore_at_the_end_of_a_field_is_not_written():
    """Such a field is read, shown, explained and refused by its plain name, and has no other."""
    assert build(Underscored, {"name": "other", "from": "3"}, "player") == Underscored("other", 3)
    assert show("player", Underscored("other", 3)) == "player:name=other,from=3"
    assert [(each.name, each.field, each.about) for each in settings(Underscored)] == [
        ("name", "name_", "Which one."), ("from", "from_", "Where it begins."),
    ]  # fmt: skip
    for texts, complaint in (({"from": "10"}, "from=10 must be 0 to 9"), ({"from_": "1"}, "has no setting 'from_'")):
        with pytest.raises(BadInput, match=complaint):
            build(Underscored, texts, "player")
    with pytest.raises(ValueError, match="from=-1 must be 0 to 9"):
        Underscored(from_=-1)


def test_show_leaves_out_defaults():
    """Only what differs from the defaults is written."""
    assert show("player", Settings()) == "player"
    assert show("player", Settings(time=2.0, quick=True)) == "player:time=2,quick=true"


@dataclass(frozen=True)
class Configured:
    size: int = setting(8, 1, 100)
    changes: Annotated[str, Changes()] = setting("")


def test_settings_with_a_point_are_gathered_and_shown_as_they_were():
    """They become one text setting in the order given; other classes have none such."""
    name, texts = parse("game:turn.rounds=20,size=9,hit.half=10")
    built = build(Configured, texts, "game")
    assert built == Configured(9, "turn.rounds=20,hit.half=10")
    assert show(name, built) == "game:size=9,turn.rounds=20,hit.half=10"
    assert as_texts(built) == {"size": "9", "turn.rounds": "20", "hit.half": "10"}
    assert build(Configured, {"changes": "a.b=1", "c.d": "2"}, "game").changes == "a.b=1,c.d=2"
    assert (field_of(Configured, "a.b"), field_of(Settings, "a.b")) == ("changes", "a.b")
    with pytest.raises(BadInput, match="player has no setting"):
        build(Settings, {"turn.rounds": "3"}, "player")


def test_suggestion_only_for_near_words():
    """A near miss is suggested, nonsense is not."""
    assert suggestion("conect_four", ["connect_four", "pig"]) == " (did you mean 'connect_four'?)"
    assert suggestion("xyzzy", ["connect_four", "pig"]) == ""


# ---------------------------------------------------------------- ranges


@dataclass(frozen=True)
class Ranged:
    depth: int = setting(4, 1, 120)
    """How far."""
    time: float = setting(0.5, 0.0, 86_400.0)
    """How long."""
    quick: bool = setting(False)
    style: Literal["calm", 2] = setting("calm")
    map: str = setting("plain")


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"depth": 0}, "depth=0 must be 1 to 120"),
        ({"depth": 10**30}, "depth=1000000000000000000000000000000 must be 1 to 120"),
        ({"depth": 10**9999}, "depth=10**9999 must be 1 to 120"),
        ({"depth": 4.0}, "depth=4.0 must be a whole number"),
        ({"depth": True}, "depth=True must be a whole number"),
        ({"depth": None}, "depth=None must be a whole number"),
        ({"time": -1}, "time=-1 must be 0 to 86,400"),
        ({"time": float("inf")}, "time=inf must be 0 to 86,400"),
        ({"time": 10**400}, "time=10**400 must be 0 to 86,400"),
        ({"time": float("nan")}, "time=nan must be a number"),
        ({"quick": 1}, "quick=1 must be true or false"),
        ({"style": "2"}, "style=2 is not one of calm, 2"),
        ({"map": 7}, "map=7 must be a text"),
        ({"map": "a\nb"}, r"'a\nb' holds characters that cannot be printed; leave them out"),
    ],
)
def test_settings_made_in_python_are_checked(given, complaint):
    """The dataclass itself refuses what its texts would be refused for, in the same words."""
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the words are compared below
        Ranged(**given)
    assert str(refused.value) == complaint


def test_settings_keep_what_is_in_range():
    """Ends of a range belong to it, and NumPy's numbers become Python's."""
    assert Ranged(np.int64(120), np.float32(0.5), True, 2, "x") == Ranged(120, 0.5, True, 2, "x")
    assert type(Ranged(np.int64(120)).depth) is int
    assert build(Ranged, {"depth": "1", "time": "0", "style": "2"}, "player") == Ranged(1, 0.0, False, 2)
    assert Ranged() == Ranged(4, 0.5, False, "calm", "plain")


def test_help_names_the_range():
    """What a setting may be stands in its help."""
    assert [s.help for s in settings(Ranged)[:3]] == ["How far. 1 to 120.", "How long. 0 to 86,400.", ""]


def every_kind():
    for name in games():
        game = ts.load(name)
        if game.options is not None:
            yield name, type(game.options)
        for kind in players(game).values():
            yield f"{name}-{kind.name}", kind


@pytest.mark.parametrize("kind", [kind for _, kind in every_kind()], ids=[name for name, _ in every_kind()])
def test_every_number_of_every_player_and_game_has_a_range(kind):
    """No number that can be set is without bounds, and what is beyond them is refused by name."""
    for each in settings(kind):
        if each.kind in (int, float):
            assert each.low is not None, each.name
            for beyond in (each.low - 1, each.high * 2, 10**30, -(10**30)):
                with pytest.raises(BadInput, match=f"^x: {each.name}=.* must be "):
                    build(kind, {each.name: str(beyond)}, "x")


def test_refusals_name_the_player():
    """Settings that never returned, or ran one simulation, are refused."""
    with pytest.raises(BadInput, match=r"^mcts: simulations=10+ must be 0 to 1,000,000,000$"):
        ts.player(f"mcts:simulations={10**30}")
    with pytest.raises(BadInput, match=r"^strong: rounds=1000000000000 must be 0 to 1,000,000$"):
        ts.player("strong:rounds=1000000000000", ts.load("dicewars"))
    with pytest.raises(BadInput, match=r"^solve: limit=-5 must be 1 to 100,000,000$"):
        ts.player("solve:limit=-5")


# ---------------------------------------------------------------- nonsense


def read_or_refused(read, *given):
    """What `read` makes of it, or None where it refuses by one short line."""
    try:
        return read(*given)
    except BadInput as error:
        line = str(error)
    assert line.isprintable()
    assert len(line) < 400
    return None


@given(st.text(max_size=60) | st.text(":,= \0\nax1é", max_size=60))
def test_nonsense_is_read_or_refused_in_one_line(text):
    """Any text is a name with settings, or is refused by one short line; so is every item of a list."""
    for item in [text, *split(text)]:
        read = read_or_refused(parse, item)
        if read is not None:
            name, found = read
            assert parse(name + ":" + ",".join(f"{key}={value}" for key, value in found.items())) == read


@given(st.sampled_from(["depth", "time", "quick", "style", "map"]), st.text(max_size=40) | st.from_regex(r"-?\d+e?\d*"))
def test_nonsense_for_a_setting_is_read_or_refused_in_one_line(key, value):
    """Any text for any kind of setting gives a checked value or one short line."""
    read = read_or_refused(build, Ranged, {key: value}, "player")
    assert read is None or Ranged(**vars(read)) == read


@pytest.mark.parametrize("length", [4001, 10_000, 1_000_000])
def test_long_texts_are_refused_shortly(length):
    """A text that is too long is not repeated in full."""
    with pytest.raises(BadInput, match=f"has {length:,} characters; at most 4,000 are read"):
        parse("a" * length)
    assert len(shown("a" * length)) < 100


def test_a_refusal_is_one_line_whatever_was_given():
    """Line ends of any alphabet in a text do not break the sentence that refuses it."""
    for sign in "\n\r\x0b\x1c\x85\u2028":
        with pytest.raises(BadInput) as refusal:
            parse(f"mcts:no{sign}setting")
        assert len(str(refusal.value).splitlines()) == 1
