"""The one place for authors: all that the file of a game, a player or a training imports.

    from turnsmith.game import CHANCE, OVER, board_record, record

``docs/reference/contract.md`` says how each part is used.
"""

from turnsmith.adapters.export import Export
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.settings import FileName, setting
from turnsmith.compile.kernel import (
    compiled,
    copy,
    is_set,
    lowest_bit,
    now,
    nth_bit,
    popcount,
    scratch,
    word,
    words_in,
    zero,
)
from turnsmith.compile.rng import below, draw, mix, stream, unit
from turnsmith.contract import drawing, genes, sources
from turnsmith.contract.bits import bits_where, even_chances, list_bits, moved, neighbours, pick_bit, run, unseen
from turnsmith.contract.game import CHANCE, OVER, UNIT_MOVES, Game, Rule, has_sides, hash_bytes, shown_from
from turnsmith.contract.grids import Form, Grid, Tile
from turnsmith.contract.homes import OPENSPIEL, home_and_settings, names_file, part_of, serve_as
from turnsmith.contract.loading import load, load_untried
from turnsmith.contract.outcome import COST, HIGHEST, SCORE
from turnsmith.contract.photo import Photo
from turnsmith.contract.records import board_record, new_board, record
from turnsmith.contract.trainings import Training, TrainingContext, TrainingResult
from turnsmith.languages import _, marked
from turnsmith.play.inspection import Choice, Inspection
from turnsmith.play.player import CompiledPlayer, Decision, Player, Prepared, filled, numbers
from turnsmith.play.step import buffers, pick_action
from turnsmith.studies.speed import Bench

__all__ = [
    "CHANCE",
    "COST",
    "HIGHEST",
    "OPENSPIEL",
    "OVER",
    "SCORE",
    "UNIT_MOVES",
    "Array",
    "BadInput",
    "Bench",
    "Choice",
    "CompiledPlayer",
    "Decision",
    "Export",
    "FileName",
    "Form",
    "Game",
    "Grid",
    "Inspection",
    "Photo",
    "Player",
    "Prepared",
    "Rule",
    "Tile",
    "Training",
    "TrainingContext",
    "TrainingResult",
    "_",
    "below",
    "bits_where",
    "board_record",
    "buffers",
    "compiled",
    "copy",
    "draw",
    "drawing",
    "even_chances",
    "filled",
    "genes",
    "has_sides",
    "hash_bytes",
    "home_and_settings",
    "is_set",
    "list_bits",
    "load",
    "load_untried",
    "lowest_bit",
    "marked",
    "mix",
    "moved",
    "names_file",
    "neighbours",
    "new_board",
    "now",
    "nth_bit",
    "numbers",
    "part_of",
    "pick_action",
    "pick_bit",
    "popcount",
    "record",
    "run",
    "scratch",
    "serve_as",
    "setting",
    "shown_from",
    "sources",
    "stream",
    "unit",
    "unseen",
    "word",
    "words_in",
    "zero",
]
