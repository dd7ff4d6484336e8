"""Descriptions of boards from anybody: read where they are sound, refused in one line where they are not."""

import pytest

import turnsmith as ts
from turnsmith.contract import sources
from turnsmith.contract.registry import games


@pytest.mark.parametrize(
    ("name", "changed", "complaint"),
    [
        ("dicewars", {"players": 99}, "players=99 must be 2 to 8"),
        ("dicewars", {"players": 1_000_000}, "players=1000000 must be 2 to 8"),
        ("dicewars", {"players": "4"}, "players=4 must be a whole number"),
        ("dicewars", {"edition": 2022}, "edition=2022 must be 2,020 to 2,021"),
        ("dicewars", {"owners": "9" * 29}, "owners holds '9'; it may hold 0123"),
        ("dicewars", {"owners": "0" * 29}, "there are 4 players, but only 1 of them own an area"),
        ("dicewars", {"dice": "3" * 10**6}, "has 1,000,000 characters"),
        ("dicewars", {"map": "A" * 896}, "map must be a list of texts, one a row, not AAA"),
        ("dicewars", {"map": [["A"] * 32] * 28}, "map must be a list of texts"),
        ("dicewars", {"map": ["A" * 32] * 10**5}, "map has 100,000 rows; it must have 1 to 28"),
        ("dicewars", {"map": ["A" * 32] * 27 + ["C" * 32]}, "the map has 3 areas, but 29 owners"),
        ("pacman", {"rows": ["." * 1000] * 1000}, "rows has 1,000 rows; it must have 1 to 64"),
        ("pacman", {"rows": ["." * 10**6]}, "row 1 of rows has 1,000,000 characters; it must have 1 to 64"),
        ("pacman", {"t_max": 2**40}, "t_max=1099511627776 must be 1 to 100,000"),
        ("pacman", {"random": 1}, "random=1 must be true or false"),
        ("pacman", {"map": None}, "map=None must be a text"),
        ("pacman", {"rows": ["P.G", "P."]}, "the rows must be equally long"),
        ("mastermind", {"pegs": 80}, "pegs=80 must be 1 to 8"),
        ("mastermind", {"colors": 12, "pegs": 8}, "take fewer of either"),
        ("pig", {"players": -1}, "players=-1 must be 2 to 10"),
        ("connect_four", {"width": 10**30}, "must be 2 to 10"),
        ("connect_four", {"width": float("nan")}, "width=nan must be a whole number"),
        ("leduc", {"cards": 7}, "the description of the board has no 'cards'; it has nothing"),
    ],
)
def test_a_source_out_of_bounds_is_refused(name, changed, complaint):
    """What does not fit the board's record is refused in one line, before compiled code sees it."""
    game = ts.load(name)
    with pytest.raises(ts.BadInput) as refused:
        game.build({**game.describe(1), **changed})
    assert complaint in str(refused.value)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("name", games())
@pytest.mark.parametrize("source", [None, 7, "text", [], [{}], {"nonsense": 1}, True])
def test_a_source_of_another_form_is_refused(name, source):
    """Whatever is no object with the right keys is refused by name."""
    with pytest.raises(ts.BadInput, match="board"):
        ts.load(name).build(source)


def test_areas_that_touch_everywhere_are_refused():
    """More edges than a Dice Wars board has capacity for: areas of single hexes that do not hang together."""
    names = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    rows = [
        "".join(names[(row * row * 7 + column * column * 3 + row) % 62] for column in range(32)) for row in range(28)
    ]
    owners = "".join(str(area % 4) for area in range(62))
    with pytest.raises(ts.BadInput, match="more than 200 pairs of areas touch"):
        ts.load("dicewars").build({"players": 4, "edition": 2020, "map": rows, "owners": owners, "dice": "3" * 62})


def test_an_area_without_hexes_is_refused():
    """Areas are named in order."""
    rows = ["A" * 32] * 14 + ["C" * 32] * 14
    with pytest.raises(ts.BadInput, match="leaves out one before C"):
        ts.load("dicewars").build({"players": 2, "edition": 2020, "map": rows, "owners": "010", "dice": "333"})


def test_what_is_read_is_what_was_written():
    """A sound source passes unchanged; options that are not named have their defaults."""
    assert sources.text({"a": "xy"}, "a", 2, "xyz") == "xy"
    assert sources.rows({"a": ["x", "yz"]}, "a", 2, 2) == ["x", "yz"]
    assert ts.load("pig").build({"target": 50})["sides"][0] == 6
