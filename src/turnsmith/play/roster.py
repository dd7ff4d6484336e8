"""Compiled players as compiled loops ask them: by address, with the tables that they prepared for a board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import call_address, inlined

if TYPE_CHECKING:
    from turnsmith.contract.game import Game
    from turnsmith.play.player import CompiledPlayer, Prepared


class PreparedPlayer(NamedTuple):
    """A compiled player on one board."""

    address: int
    """int64: where its deciding function is, as ``CompiledPlayer.where`` gives it."""
    data: Array
    """uint8[bytes]: the tables that it prepared for the board."""
    params: Array
    """float64[numbers]: its settings."""


class Roster(NamedTuple):
    """Several compiled players and what they prepared for several boards, each kind in one array."""

    addresses: Array
    """int64[players]: where the deciding functions are; 0 where there is no player."""
    data: Array
    """uint8[bytes]: the tables of all players for all boards."""
    data_spans: Array
    """int64[players, boards, 2]: where in `data` the tables of a player for a board begin and end."""
    params: Array
    """float64[numbers]: the settings of all players."""
    params_spans: Array
    """int64[players, 2]: where in `params` the settings of a player begin and end."""


def roster_of(player: CompiledPlayer, game: Game, ready: Sequence[Prepared]) -> Roster:
    """A roster of one player of a game, which prepared that for each of several boards."""
    ends = np.cumsum([0, *(len(each.data) for each in ready)])
    params = ready[0].linked(lambda who: who.where(game))
    return Roster(
        np.array([player.where(game)], np.int64),
        np.concatenate([each.data for each in ready]),
        np.stack([ends[:-1], ends[1:]], axis=1)[None].astype(np.int64),
        params,
        np.array([[0, len(params)]], np.int64),
    )


@inlined
def member(roster, place, which):
    """The player number `place` of a borrowed roster, on board number `which`."""
    return PreparedPlayer(
        roster.addresses[place],
        roster.data[roster.data_spans[place, which, 0] : roster.data_spans[place, which, 1]],
        roster.params[roster.params_spans[place, 0] : roster.params_spans[place, 1]],
    )


@inlined
def ask_player(game, board, view, acts, player, memory, report, rng):
    """The action that a player decides on; its exceptions pass through. The arguments are those of ``decide``."""
    arguments = (game, board, view, acts, player.data, memory, player.params, report, rng)
    return call_address(player.address, arguments)
