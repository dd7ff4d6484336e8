"""A taste and its file: rating, undo, drift, joining two; and what is damaged or foreign is refused in one line."""

import json
import random

import numpy as np
import pytest
from drawn import homeguard_map, mutated

import turnsmith as ts
from turnsmith.common.errors import BadInput
from turnsmith.maps.record import GameMap, map_of
from turnsmith.maps.taste.predictors import gp
from turnsmith.maps.taste.taste import Taste


def rated(*ratings, by="player"):
    taste = Taste("homeguard")
    for number, rating in enumerate(ratings):
        taste.rate(homeguard_map(number), rating, by=by)
    return taste


def said(taste):
    return [each.rating for each in taste.ratings]


def test_rating_and_undo():
    """Everything that was done is taken back in order; then what had been read, rating by rating."""
    taste = rated(2, -1, 1)
    assert taste.rate(homeguard_map(9), 0, weight=2.5) == 3
    taste.change(0, -2)
    taste.remove(1)
    assert said(taste) == [-2, 1, 0]
    for wanted in ([-2, -1, 1, 0], [2, -1, 1, 0], [2, -1, 1], [2, -1]):
        taste.undo()
        assert said(taste) == wanted
    again = Taste.from_dict(taste.to_dict())
    again.undo()
    assert said(again) == [2]
    again.undo()
    with pytest.raises(BadInput, match="nothing has been rated"):
        again.undo()


def test_drift():
    """A rating counts half as much as one that its owner gave half a life later; others' do not age it."""
    taste = rated(1, 1, 1, 1, 1)
    assert taste.weights.tolist() == [1.0] * 5
    taste.drift = 2.0
    np.testing.assert_allclose(taste.weights, 0.5 ** (np.arange(4, -1, -1) / 2))
    taste.rate(homeguard_map(7), 1, by="designer")
    np.testing.assert_allclose(taste.weights, [0.25, 0.5**1.5, 0.5, 0.5**0.5, 1.0, 1.0])


def test_a_designers_taste_joined():
    """A designer's ratings come in with their weight, and count until the player's own outvote them."""
    designer, player = rated(-2, -2, by="somebody"), rated(2)
    both = player.merged(designer, 0.25)
    assert [(each.rating, each.weight, each.by) for each in both.ratings] == [
        (-2, 0.25, "designer"), (-2, 0.25, "designer"), (2, 1.0, "player"),
    ]  # fmt: skip
    assert len(player) == 1
    vectors = np.array([[0.0], [1.0], [0.0]])
    liked = [gp(player.merged(designer, weight).known(vectors), vectors).mean[0] for weight in (0.1, 3.0)]
    assert liked[0] > 0 > liked[1]
    assert len(player.merged(designer, 0.0)) == 1
    with pytest.raises(BadInput, match="the other one is of pacman"):
        player.merged(Taste("pacman"))


@pytest.mark.parametrize("game", ["homeguard:size=11", "pacman", "dicewars"])
def test_the_file(game, tmp_path):
    """What is written is read as it was, and written again to the same bytes."""
    taste = Taste(game, drift=20.0, settings={"exploration": 0.5})
    for seed in range(3):
        taste.rate(map_of(ts.load(game), seed), seed - 1.5, 2.0, "Šárka")
    taste.save(tmp_path / "a.json")
    again = Taste.load(tmp_path / "a.json")
    assert again == taste
    again.save(tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


@pytest.mark.parametrize(
    ("rating", "weight", "by"),
    [(3, 1, "x"), (float("nan"), 1, "x"), (True, 1, "x"), (None, 1, "x"), (1, 0, "x"), (1, 1e9, "x"), (1, 1, " ")],
)
def test_wrong_ratings(rating, weight, by):
    """Nothing is kept of a rating that cannot be."""
    taste = rated(1)
    with pytest.raises(BadInput):
        taste.rate(homeguard_map(1), rating, weight, by)
    assert said(taste) == [1]


def test_wrong_numbers_and_games():
    taste = rated(1)
    for number in (-1, 1, "0", True):
        with pytest.raises(BadInput, match="there is no rating"):
            taste.remove(number)
    with pytest.raises(BadInput, match="the map is of pacman"):
        taste.rate(GameMap("pacman", {}), 1)
    with pytest.raises(BadInput, match="drift"):
        Taste("homeguard", drift=-1.0)


def test_foreign_files(tmp_path):
    """Other files, newer ones, other games' and those that would run somebody's Python are refused, by place."""
    good = rated(1, -1).to_dict()
    file = tmp_path / "taste.json"

    def changed(**keys):
        file.write_text(json.dumps({**good, **keys}))
        return file

    row = good["ratings"][0]
    for keys, where in (
        ({"format": "turnsmith maps"}, "the file: this is no taste"),
        ({"version": 2}, "version: this turnsmith reads version 1"),
        ({"game": "pacman"}, "ratings[0].map: the map is of homeguard, the taste of pacman"),
        ({"game": "./mine.py"}, "would run ./mine.py"),
        ({"game": "nothing"}, "ratings[0].map: the map is of homeguard"),
        ({"drift": -2}, "drift -2"),
        ({"more": 1}, "there is no 'more' here"),
        ({"ratings": {}}, "ratings: must be a list"),
        ({"ratings": [{**row, "rating": 2.5}]}, "ratings[0]: rating 2.5 must be"),
        ({"ratings": [{**row, "rating": "good"}]}, "ratings[0].rating: must be a number"),
        ({"ratings": [row, {**row, "weight": 0}]}, "ratings[1]: weight 0"),
        ({"ratings": [{**row, "by": 7}]}, "ratings[0].by: must be a text"),
        ({"ratings": [{**row, "map": {**row["map"], "source": {"rows": ["."]}}}]}, "ratings[0].map:"),
    ):
        with pytest.raises(BadInput) as refused:
            Taste.load(changed(**keys))
        assert where in str(refused.value)
        assert str(file) in str(refused.value)
    with pytest.raises(BadInput, match="this is a taste of homeguard, not of pacman"):
        Taste.load(changed(), game="pacman")
    with pytest.raises(BadInput, match="cannot be read"):
        Taste.load(tmp_path / "none.json")
    with pytest.raises(BadInput, match="cannot be read"):
        Taste.load(tmp_path)


def test_damaged_files(tmp_path):
    """Whatever happens to a file, it is read or refused in one line."""
    file = tmp_path / "taste.json"
    rated(1, -2).save(file)
    data, dice, read, refusals = file.read_bytes(), random.Random(1), 0, []
    for _ in range(600):
        file.write_bytes(mutated(data, dice))
        try:
            Taste.load(file)
            read += 1
        except BadInput as error:
            refusals.append(str(error))
    assert not any("\n" in each for each in refusals)
    assert 0 < read < 300
