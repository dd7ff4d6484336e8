"""Texts that name games and players: read, refused with the reason, and written back."""

from dataclasses import dataclass
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnsmith.texts import BadInput, build, parse, show, split, suggestion


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


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"dept": "4"}, "has no setting 'dept' (did you mean 'depth'?); its settings: depth, time, quick, style, map"),
        ({"depth": "four"}, "depth=four must be a whole number"),
        ({"depth": "4.5"}, "depth=4.5 must be a whole number"),
        ({"time": "soon"}, "time=soon must be a number"),
        ({"time": "nan"}, "time=nan must be a number"),
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
    assert "\n" not in str(refused.value)


@given(
    st.builds(
        Settings,
        st.integers(1, 10**6),
        st.floats(allow_nan=False),
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


def test_show_leaves_out_defaults():
    """Only what differs from the defaults is written."""
    assert show("player", Settings()) == "player"
    assert show("player", Settings(time=2.0, quick=True)) == "player:time=2,quick=true"


def test_suggestion_only_for_near_words():
    """A near miss is suggested, nonsense is not."""
    assert suggestion("conect_four", ["connect_four", "pig"]) == " (did you mean 'connect_four'?)"
    assert suggestion("xyzzy", ["connect_four", "pig"]) == ""
