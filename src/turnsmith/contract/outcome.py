"""Who won: what the seats of a board play for, and how a game ended."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from turnsmith.common.errors import BadInput
from turnsmith.languages import _, counted, player_name

if TYPE_CHECKING:
    from turnsmith.common.arrays import Array

HIGHEST, SCORE, COST = "highest", "score", "cost"


@dataclass(frozen=True)
class Goal:
    """What the seats of a board play for.

    `winner` is "highest" (the highest return wins, ties share), "score" (nobody wins: returns are scores, to be
    compared within a role), "cost" (the same, and a seat alone at the table shows its return with the sign turned), or
    a function of the returns that gives the seats that won. `roles` has a name a seat, or is empty where all seats
    play the same role.
    """

    winner: str | Callable[[Sequence[float]], Collection[int]] = HIGHEST
    roles: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The name of the way to win, "rule" for a function."""
        return self.winner if isinstance(self.winner, str) else "rule"

    def is_by_score(self, seats: int) -> bool:
        """Whether nobody wins. A seat alone is never the highest of several."""
        return self.winner in (SCORE, COST) or (self.winner == HIGHEST and seats == 1)

    def sign(self, seats: int) -> float:
        """What a return is multiplied by to be shown."""
        return -1.0 if self.winner == COST and seats == 1 else 1.0

    def role(self, seat: int) -> str:
        return self.roles[seat] if self.roles else ""

    def winners(self, returns: Sequence[float]) -> tuple[int, ...]:
        """The seats that won, ascending."""
        seats = range(len(returns))
        if self.is_by_score(len(returns)):
            return ()
        if isinstance(self.winner, str):
            return tuple(seat for seat in seats if returns[seat] == max(returns))
        winners = tuple(sorted({int(seat) for seat in self.winner(returns)}))
        if not set(winners) <= set(seats):
            raise BadInput(f"winner named the seats {winners} of a table of {len(returns)}; seats count from 0")
        return winners

    def won(self, returns: Array) -> Array:
        """Which seats won which matches (bool, as `returns`: matches × seats)."""
        if self.is_by_score(returns.shape[1]):
            return np.zeros(returns.shape, np.bool_)
        if isinstance(self.winner, str):
            return np.asarray(returns == returns.max(axis=1, keepdims=True))
        won = np.zeros(returns.shape, np.bool_)
        known: dict[tuple[float, ...], list[int]] = {}
        for match, row in enumerate(map(tuple, returns.tolist())):
            if row not in known:
                known[row] = list(self.winners(row))
            won[match, known[row]] = True
        return won

    def points(self, won: Array) -> Array:
        """Of a match for each seat: one for winning; those who tie for the highest return share it."""
        return won / won.sum(axis=1, keepdims=True) if self.winner == HIGHEST else won.astype(np.float64)


@dataclass(frozen=True)
class Outcome:
    """How a game ended: one return a seat, why, and so who won."""

    returns: tuple[float, ...]
    ending: str
    goal: Goal = field(default=Goal(), repr=False, compare=False)

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won, several where they tie for the highest return; none where nobody wins."""
        return self.goal.winners(self.returns)

    @property
    def winner(self) -> int | None:
        """The seat that won, if one did alone."""
        return self.winners[0] if len(self.winners) == 1 else None

    @property
    def is_by_score(self) -> bool:
        """Whether nobody can win: the returns are scores."""
        return self.goal.is_by_score(len(self.returns))

    def said(self, mine: Collection[int] = ()) -> str:
        """The end in one sentence: who won, and why. Who reads it may have one of the seats, `mine`.

        >>> Outcome((-1.0, 1.0), "4 in a row").said(), Outcome((-1.0, 1.0), "4 in a row").said([1])
        ('Player 2 wins: 4 in a row', 'You win: 4 in a row')
        >>> Outcome((0.0, 0.0), "the board is full").said()
        'Draw: the board is full'
        >>> Outcome((-4.0,), "broken in 4 guesses", Goal("cost")).said()
        'Broken in 4 guesses'
        """
        if self.is_by_score:
            return self.ending[:1].upper() + self.ending[1:]
        return f"{self.who_won(mine)}: {self.ending}"

    def who_won(self, mine: Collection[int] = (), names: Sequence[str] = ()) -> str:
        """The same without the why; `names`, one a seat, where people have some.

        >>> Outcome((-1.0, 1.0), "4 in a row").who_won(names=["Ann", "Bob"])
        'Bob wins'
        """
        winners = self.winners
        if not winners:
            return _("Nobody wins")
        if len(winners) == len(self.returns):
            return _("Draw") if self.goal.winner == HIGHEST else _("Everybody wins")
        if list(winners) == list(mine) and len(mine) == 1:
            return _("You win")
        names = [_("you") if [seat] == list(mine) else names[seat] if names else self._name(seat) for seat in winners]
        sentence = _("{who} wins").format(who=names[0])
        if len(names) > 1:
            sentence = _("{some} and {last} win").format(some=", ".join(names[:-1]), last=names[-1])
        return sentence[:1].upper() + sentence[1:]

    def _name(self, seat: int) -> str:
        role = self.goal.role(seat)
        return f"{player_name(seat)} ({_(role)})" if role else player_name(seat)

    def tally(self) -> str:
        """The returns for people.

        >>> Outcome((0.25, -0.25), "over", Goal("score", ("pacmans", "ghosts"))).tally()
        'scores 0.25 (pacmans), -0.25 (ghosts)'
        >>> Outcome((-4.0,), "broken", Goal("cost")).tally()
        'cost 4'
        """
        seats = len(self.returns)
        sign = self.goal.sign(seats)
        if sign < 0:
            word = _("cost")  # of a seat alone
        elif self.is_by_score:
            word = counted("score", "scores", seats)
        else:
            word = counted("return", "returns", seats)
        shown = [f"{sign * value:.4g}" for value in self.returns]
        roles = [f" ({_(role)})" if (role := self.goal.role(seat)) and seats > 1 else "" for seat in range(seats)]
        return f"{word} " + ", ".join(map("".join, zip(shown, roles, strict=True)))
