"""Solve: exact values of small games with chance and cycles, the known value of Pig, and what it refuses."""

import numpy as np
import pytest
from asking import GOOFSPIEL, THICKET, ask

import turnsmith as ts


def pig_by_iteration(target, sides=6):
    """How likely the seat to move wins, by (own score, other's score, turn total), from the rules alone."""
    chance = np.full((target, target, target + 1), 0.5)
    while True:
        start = chance[:, :, 0]
        new = np.empty_like(chance)
        for own in range(target):
            for other in range(target):
                lose = 1.0 - start[other, own]
                for total in range(target - own + 1):
                    after = [min(total + face, target - own) for face in range(2, sides + 1)]
                    roll = (lose + sum(chance[own, other, k] for k in after)) / sides
                    won = own + total >= target
                    hold = 1.0 if won else 1.0 - start[other, own + total]
                    new[own, other, total] = roll if total == 0 else max(roll, hold)
                new[own, other, target - own + 1 :] = 1.0
        if np.abs(new - chance).max() < 1e-11:
            return new
        chance = new


def test_pig_is_solved_as_by_plain_iteration():
    """On every position of a small Pig the value is that of an independent value iteration."""
    target = 10
    chance = pig_by_iteration(target)
    game = ts.load(f"pig:target={target}")
    player, random = ts.player("solve"), np.random.default_rng(1)
    for seed in range(60):
        position = game.start(seed)
        while position.outcome is None:
            state, seat = position.state, position.mover
            own, other = int(state.scores[seat]), int(state.scores[1 - seat])
            total = min(int(state.turn_total), target - own)
            assert (1 + player.act(position).value) / 2 == pytest.approx(chance[own, other, total], abs=1e-9)
            position.push(int(random.choice(position.actions)))


def test_pig_to_100_has_its_known_value():
    """Whoever starts Pig to 100 wins 53.06 % of the time under best play."""
    answer = ask("pig", "solve")
    assert (1 + answer.value) / 2 == pytest.approx(0.5306, abs=5e-5)


def test_a_thicket_is_solved_as_negamax_and_expectimax_solve_it():
    """Without cycles, with and without chance, the solution is the value of a search to the end."""
    for thicket in range(10):
        for chance, search in (("false", "negamax"), ("true", "expectimax")):
            text = f"{THICKET}:thicket={thicket},chance={chance}"
            deep, solved = ask(text, f"{search}:depth=20"), ask(text, "solve")
            assert solved.value == pytest.approx(deep.value, abs=1e-9)


def test_cycles_do_not_hold_up_a_win():
    """Where ways lead back to the start, a won position is won by playing on, never by going round for ever."""
    won = 0
    for thicket in range(40):
        game = ts.load(f"{THICKET}:thicket={thicket},cycles=true")
        player, position = ts.player("solve"), game.start()
        first, value = position.mover, player.act(position).value
        moves = 0
        while value == 1.0 and position.outcome is None and moves < 200:
            assert player.act(position).value == (1.0 if position.mover == first else -1.0)
            position.push(player.act(position).action)
            moves += 1
        if value == 1.0:
            won += 1
            assert position.outcome.returns[first] == 1.0
    assert won > 3


def test_refusals_say_what_to_use_instead():
    """Secrets, many seats, seats that are not opposed and too many positions are refused with a cure."""
    cases = {
        GOOFSPIEL: "something is hidden from the seats; mcts",
        "pig:players=3": "this game has 3; maxn",
        f"{THICKET}:opposed=false": "do not add up to 0; use maxn",
    }
    for game, reason in cases.items():
        with pytest.raises(ts.BadInput, match=reason):
            ask(game, "solve")
    with pytest.raises(ts.BadInput, match=r"more than 5,000 positions.*raise the limit \(solve:limit=50000\)"):
        ask("connect_four:width=4,height=4", "solve:limit=5000")


def test_the_decision_says_it_is_solved():
    """The note names how many decisions the solution holds, and the policy is the best move."""
    decision = ts.player("solve").act(ts.load("pig:target=10").start())
    assert decision.policy == {"roll": 1.0}
    assert "solved, as all" in decision.note
