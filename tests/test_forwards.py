"""Files written for earlier versions go on working: every module and name that the documents gave to authors."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import turnsmith as ts
import turnsmith.game
from turnsmith.forwards import FORWARDS

TESTS = Path(__file__).parent
GIVEN = {
    "adapters.export": "Export",
    "adapters.openspiel": "as_openspiel",
    "arena": "arena streamed Match Table load_match play",
    "check": "check Report",
    "batch": "Batch",
    "benches": "Bench",
    "cluster": "cluster",
    "drawing": "board_svg",
    "evolve.archive": "load_archive",
    "evolve.fitness": "Ground every_seat interval",
    "evolve.league": "League LeagueSettings",
    "evolve.optimisers": "Cma",
    "game": "OVER CHANCE board_record record new_board load Game",
    "games.connect_four.solver": "solve_exact",
    "genes": "checked_genes joined",
    "helpers": "bits_where",
    "inspection": "Choice Inspection",
    "kernel": "compiled copy lowest_bit popcount",
    "languages": "_",
    "learn.run": "Run figure_svg",
    "learn.training": "Done Training Work",
    "levels": "measured Result adapted ladder strength",
    "linear_policy": "LinearPolicy Action Input Origin",
    "maps.files": "load save",
    "maps.grid": "Form Grid Tile",
    "maps.record": "map_of",
    "maps.taste.taste": "Taste",
    "photo": "Photo",
    "player": "Prepared players Decision Player CompiledPlayer numbers filled",
    "rng": "stream below unit",
    "sources": "whole text",
    "step": "buffers pick_action",
    "texts": "setting settings BadInput",
}
"""Module -> names, as the documents of earlier versions imported them."""


@pytest.mark.parametrize("module", GIVEN)
def test_names_of_earlier_versions(module):
    """A name stands in its old module, and is the same object as in its new home where the module has moved."""
    homes = [importlib.import_module(f"turnsmith.{home}") for home in FORWARDS.get(module, ())]
    for name in GIVEN[module].split():
        value = getattr(importlib.import_module(f"turnsmith.{module}"), name)
        assert not homes or any(getattr(home, value.__name__, None) is value for home in homes)


def test_a_forward_has_no_names_of_its_own():
    """What no home has is refused as any module refuses it, and so are Python's own attributes."""
    with pytest.raises(ImportError, match="cannot import name 'nothing'"):
        from turnsmith.texts import nothing  # noqa: F401
    assert not hasattr(sys.modules["turnsmith.texts"], "__path__")


@pytest.mark.parametrize("file", sorted((TESTS / "games_for_tests").glob("*.py")), ids=lambda file: file.stem)
def test_games_written_for_earlier_versions(file):
    """Games that import from the old modules load and play."""
    assert "from turnsmith.game import" in file.read_text() or "from turnsmith.player import" in file.read_text()
    game = ts.load(str(file))
    assert len(ts.play(game, ["random"] * int(game.board()[0].seats), seed=1).actions) > 0


def test_authors_have_one_place():
    """Everything in the one place for authors is there, listed, and the same object as where it lives."""
    assert len(set(turnsmith.game.__all__)) == len(turnsmith.game.__all__) > 50
    assert all(hasattr(turnsmith.game, name) for name in turnsmith.game.__all__)
    assert turnsmith.game.record is ts.record
    assert turnsmith.game.BadInput is ts.BadInput


def test_a_package_is_the_function_of_its_name():
    """There is one object by the name of arena, check, games and play: a package that can be called."""
    program = """
import turnsmith as ts
import turnsmith.arena.store as store, turnsmith.games.pig.rules as rules
from turnsmith.arena import arena
assert ts.arena.store is store and ts.games.pig.rules is rules
meeting = "tic_tac_toe", ["random", "random"], 2
assert ts.arena(*meeting).games == arena(*meeting).games
assert "pig" in ts.games() and callable(ts.check) and callable(ts.play)
import inspect
assert list(inspect.signature(ts.arena).parameters)[:2] == ["game", "players"]
"""
    subprocess.run([sys.executable, "-c", program], check=True)
