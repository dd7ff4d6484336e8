"""Everything the rules say about a position, as texts: so that interpreted and compiled code can be compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from turnsmith.check.child import answer_now, ask_child
from turnsmith.check.laws import own_views
from turnsmith.check.nodes import CheckedPosition, Playthrough
from turnsmith.check.rules import CheckedRules, Fault
from turnsmith.check.watch import watch
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import compiled
from turnsmith.contract.game import CHANCE, OVER, Game
from turnsmith.contract.loading import load_untried

MOST_SECONDS = 3600.0
"""After which the process with bounds checks is ended; a rule that does not come to an end is found out long before."""
Answers = dict[str, str]
"""What each rule answers at one position; ``fault`` alone where one fails."""


@dataclass(frozen=True)
class PositionsRequest:
    """Positions of one random game by their numbers, to be looked at by other code."""

    seed: int
    history: list[int]
    plies: list[int]


def answers_at(node: CheckedPosition) -> Answers:
    """All that the rules say about a position. Floats to nine digits: libraries differ in the last."""
    rules, state, mover = node.rules, node.state, node.mover
    game = rules.game

    def floats(values: list[float]) -> str:
        return " ".join(f"{value:.9g}" for value in values)

    texts = {f"state.{name}": value for name, value in rules.fields(state).items()}
    texts["to_move"], texts["legal"] = str(mover), str(node.actions)
    texts["hash"] = f"{rules.hash(state):016x}"
    if mover == OVER:
        texts["returns"] = floats(rules.returns(state))
    elif mover == CHANCE:
        texts["weights"] = floats(rules.weights(state, len(node.actions)))
        texts["sample"] = str([rules.sample(state, node.rng(index)) for index in range(4)])
    else:
        texts["pick"] = str([rules.pick(state, node.rng(index)) for index in range(4)])
        if game.wins:
            texts["win"] = str(rules.win(state))
        if game.rolls_out:
            texts["rollout"] = str([rules.rollout(state, node.rng(index)) for index in range(4)])
        if game.louds:
            texts["loud"] = str([bool(rules.loud(state, action)) for action in node.some(node.actions, 4)])
        if game.orders:
            texts["order"] = str([rules.order(state, action) for action in node.some(node.actions, 4)])
        if game.skips:
            texts["skip"] = str(rules.skip(state))
    if game.evaluates and mover != OVER:
        texts["evaluate"] = floats(rules.evaluate(state))
    if mover >= 0:
        for kind in own_views(node):
            texts[kind] = floats(rules.observe(kind, node.view, mover, 0).reshape(-1).tolist())
    if game.rewinds:
        texts["rewind"] = rules.rewind(state).hex()
    if game.hides:
        for viewer in range(rules.seats):
            texts[f"hide for seat {viewer}"] = rules.hide(state, viewer).hex()
        if mover >= 0:
            view = node.view
            texts["to_move on the view"], texts["legal on the view"] = str(rules.mover(view)), str(rules.legal(view))
            texts["resample"] = node.imagined.hex()
            if game.believes:
                texts["believe"] = str(node.worlds)
                texts["reveal"] = " ".join(rules.reveal(view, mover, w).hex() for w in node.some(node.worlds, 4))
    return texts


def replayed(game: Game, requests: list[PositionsRequest], how: Callable[..., Any]) -> list[list[Answers]]:
    """The answers at the positions asked for, a list a game."""
    return [_replayed(game, request, how) for request in requests]


def _replayed(game: Game, request: PositionsRequest, how: Callable[..., Any]) -> list[Answers]:
    answers: list[Answers] = []
    try:
        again = Playthrough(CheckedRules(game, request.seed, how))
        again.arrive(again.rules.start())
        for action in request.history:
            again.history.append(action)
            again.arrive(again.rules.apply(again.states[-1], action))
        for ply in request.plies:
            answers.append(answers_at(CheckedPosition(again, ply)))
    except Fault as fault:
        answers += [{"fault": str(fault)}] * (len(request.plies) - len(answers))
    return answers


# ---------------------------------------------------------------- in another process, with bounds checks


def can_be_loaded(game: Game) -> bool:
    """Whether another process that loads this game by its text has the same rules."""
    try:
        return load_untried(game.loads_by).digest == game.digest
    except BadInput:
        return False


def bounds_checked(game: Game, requests: list[PositionsRequest]) -> list[list[Answers]]:
    """The answers of compiled code that looks at every index before it uses it."""
    asked = {"game": game.loads_by, "requests": [vars(request) for request in requests]}
    answered: list[list[Answers]] | str = ask_child(__name__, asked, MOST_SECONDS, NUMBA_BOUNDSCHECK="1")
    if isinstance(answered, str):
        raise Fault(answered)
    return answered


def answer(asked: dict[str, Any]) -> list[list[Answers]]:
    """The answers of compiled code, given in the process with bounds checks."""
    watch.give_up = answer_now
    requests = [PositionsRequest(**request) for request in asked["requests"]]
    return replayed(load_untried(asked["game"]), requests, compiled)
