"""Who won: what a game says of it, and what people read."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.contract.outcome import Goal, Outcome

NIM = Path(__file__).parents[2] / "examples" / "nim.py"


def nim_with(**parts):
    """Nim with other parts."""
    return dataclasses.replace(ts.load(str(NIM)), **parts)


def played(text, seed=0):
    """The end of a random game."""
    return ts.play(text, ["random"] * int(ts.load(text).board()[0].seats), seed)


def test_pacmans_eaten_with_some_of_the_dots_did_not_win():
    """In Pac-Man nobody wins: the end is told with the dots eaten, and each role has its score."""
    outcome = next(m for seed in range(9) if "no pacman" in (m := played("pacman:map=small", seed)).ending).outcome
    assert (outcome.winner, outcome.winners, outcome.is_by_score) == (None, (), True)
    assert outcome.returns[0] > 0 > outcome.returns[1]
    assert outcome.said() == outcome.said([0]) == "N" + outcome.ending[1:]
    assert "win" not in outcome.said().lower()
    assert "(pacmans), -" in outcome.tally()


def test_a_code_cracked_on_the_real_board_is_not_the_makers_victory():
    """Mastermind with a maker's seat has scores in two roles; alone, a cost."""
    position = ts.load("mastermind:maker=seat,colors=2,pegs=1").start()
    while position.outcome is None:
        position.push(position.legal[-1])
    assert position.outcome.winner is None
    assert position.outcome.said() == "Broken in 1 guess"
    assert position.outcome.tally() == "scores -1 (breaker), 1 (maker)"
    alone = played("mastermind:colors=2,pegs=1,tries=2")
    assert alone.outcome.tally() == f"cost {-alone.returns[0]:g}"


def test_the_highest_return_wins_unless_a_game_says_otherwise():
    """One winner, several who share, a draw of all, and nobody where one seat plays alone."""
    won = played("connect_four", 7).outcome
    assert sorted(won.returns) == [-1.0, 1.0]
    assert won.winners == (won.returns.index(1.0),)
    assert Outcome((1.0, 0.0, 1.0), "over").winners == (0, 2)
    assert Outcome((1.0, 0.0, 1.0), "over").said() == "Player 1 and player 3 win: over"
    assert Outcome((1.0, 0.0, 1.0), "over").said([2]) == "Player 1 and you win: over"
    assert Outcome((0.0, 0.0), "full").said() == "Draw: full"
    assert Outcome((0.0, 0.0), "full").winner is None
    assert Outcome((3.0,), "full").winners == ()


def test_a_function_names_several_winners_or_none():
    """Seats that a game's own rule names have won, all of them wholly; the check refuses seats that do not exist."""
    together = nim_with(winner=lambda returns: [0, 1] if returns[0] > 0 else [])
    table = ts.arena(together, ["random", "mcts:simulations=50"], games=40, seed=1)
    rates = [row["rate"] for row in table.to_dict()["players"]]
    assert table.to_dict()["winner"] == "rule"
    assert rates[0] == rates[1] == np.mean(table.returns[:, 0] > 0)
    assert Outcome((1.0, -1.0), "over", together.goal(together.board()[0])).said() == "Everybody wins: over"
    assert Outcome((-1.0, 1.0), "over", together.goal(together.board()[0])).said() == "Nobody wins: over"
    report = ts.check(nim_with(winner=lambda returns: [2]), positions=20)
    assert "winner named the seats (2,) of a table of 2" in str(report.to_dict())


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("winner = 'lowest'", "winner must be 'highest', 'score', 'cost' or a function"),
        ("def winner(board, state):\n    return 0", "winner must be 'highest'"),
        ("roles = ['first', 'second']", "roles must be a function"),
    ],
)
def test_a_wrong_winner_or_wrong_roles_are_refused_at_load(tmp_path, lines, reason):
    """One line says what they must be."""
    path = tmp_path / "nim.py"
    path.write_text(f"{NIM.read_text()}\n\n{lines}\n")
    with pytest.raises(ts.BadInput, match=reason):
        ts.load(str(path))


def test_roles_must_name_every_seat():
    """A list of another length is refused when it is asked for."""
    game = nim_with(roles=lambda board: ["first"])
    with pytest.raises(ts.BadInput, match="roles must name each of the 2 seats"):
        game.goal(game.board()[0])


def test_roles_are_told_with_the_winner():
    """A seat with a role is called by both."""
    goal = Goal("highest", ("attacker", "defender"))
    assert Outcome((1.0, -1.0), "the king fell", goal).said() == "Player 1 (attacker) wins: the king fell"
