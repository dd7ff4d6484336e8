"""Positions as typed JSON: every game's fits its schema in every seat's eyes, and tells nothing that is hidden."""

import json

import jsonschema
import pytest
from browsing import call

import turnsmith as ts
from turnsmith.web.api.typed_state import schema_of, state_of

GAMES = ["connect_four", "dicewars", "homeguard", "mastermind:maker=seat", "pacman", "pacman:moves=unit", "tactics"]
GAMES += ["leduc", "othello"]  # these have no description of their own: the fields of their records


@pytest.mark.parametrize("name", GAMES)
def test_the_state_fits_its_schema(name):
    """What a seat is shown is JSON of the declared types, move after move."""
    game = ts.load(name)
    position, schema = game.start(seed=3), schema_of(game)
    for number in range(8):
        for viewer in range(position.board.seats):
            shown = json.loads(json.dumps(state_of(position.seen_by(viewer)), allow_nan=False))
            jsonschema.validate(shown, schema)
        if position.mover < 0:
            break
        position.push(int(position.actions[7 * number % len(position.actions)]))


def test_sets_of_bits_keep_every_bit():
    """A number of 64 bits is a text: as a number of JSON most programs would round it."""
    state = state_of(ts.load("breakthrough").start())
    assert [int(pawns) for pawns in state["pawns"]] == [2**16 - 1, (2**16 - 1) << 48]


def test_what_is_hidden_stays_hidden(address):
    """Of two people at Leduc poker each is told their own card; the secret of Mastermind is told at the end alone."""
    _, match = call(address, "/api/matches", {"game": "leduc", "seats": ["person", "person"], "seed": 5})
    seen = [call(address, f"/api/matches/{match['match']}?key={key}")[1]["state"]["cards"] for key in match["keys"]]
    assert [[card > 0 for card in cards] for cards in seen] == [[True, False, False], [False, True, False]]
    _, match = call(
        address, "/api/matches", {"game": "mastermind:colors=2,pegs=1,tries=2", "seats": ["person"], "seed": 5}
    )
    place, key = f"/api/matches/{match['match']}/moves", match["keys"]
    for guess in "ab":
        if not match["over"]:
            assert match["state"]["secret"] is None
            _, match = call(address, place, {"key": key, "move": guess})
    assert match["state"]["secret"] == match["state"]["guesses"][-1]["pegs"]
    _, found = call(address, "/api/games/mastermind:colors=2,pegs=1,tries=2")
    jsonschema.validate(match["state"], found["state"])
