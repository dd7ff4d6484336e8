"""Monte Carlo tree search: exact values in the limit, one tree a seed, memory, secrets and simultaneous moves."""

import numpy as np
import pytest
from asking import GOOFSPIEL, THICKET, Asked, ask, plain_values, random_history

import turnsmith as ts
from turnsmith.player import HEADER
from turnsmith.search import mcts
from turnsmith.search.solve import Solve


def nodes_of(asked, half=0):
    """The nodes and edges in a seat's memory."""
    tree = mcts.half_of(asked.memory, int(asked.ready.params[2]), half)
    return tree.nodes, tree.edges


@pytest.mark.parametrize("history", [(), (0,), (0, 1), (2, 2, 1)])
def test_it_finds_the_value_of_a_small_board(history):
    """With enough simulations the value on a small decisive board is the exact one."""
    game = ts.load("connect_four:width=4,height=4,connect=3")
    exact = ask(game, "negamax:depth=16", history)
    assert exact.value != 0
    errors = [abs(ask(game, f"mcts:simulations={n}", history).value - exact.value) for n in (100, 200_000)]
    assert errors[1] < min(errors[0], 0.04)


def test_it_finds_the_value_of_pig():
    """Chance included, value and move of endgames of Pig tend to the solved ones."""
    game = ts.load("pig:target=15")
    for seed in range(4):
        position = ts.position(game, 0, random_history(game, 3 + seed, seed))
        solved = Solve().act(position)
        answer = ask(game, "mcts:simulations=100000", position.history)
        assert answer.value == pytest.approx(solved.value, abs=0.06)


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_every_seat_goes_for_its_own_return(seats):
    """With any number of seats and chance the value tends to that of max^n to the end."""
    for thicket in (4, 6, 7):  # without ties, in which seats may take what max^n does not
        game = ts.load(f"{THICKET}:thicket={thicket},seats={seats},chance=true,layers=6,places=30")
        position = game.start()
        exact = plain_values(game, position, 10)[position.mover]
        assert ask(game, "mcts:simulations=100000,exploration=2").value == pytest.approx(exact, abs=0.05)


@pytest.mark.parametrize(
    "game", ["connect_four:width=4,height=4", "pig:target=15", GOOFSPIEL, f"{THICKET}:seats=3,branches=100,chance=true"]
)
def test_one_seed_one_tree(game):
    """Same seed, same decisions through a match, whatever the memory held before; another seed, another tree."""

    def decisions(seed, rubbish):
        asked, position = Asked(game, "mcts:simulations=300", seed=seed, rubbish=rubbish), ts.load(game).start(3)
        made = []
        while position.outcome is None:
            made.append(asked(position))
            position.push(int(position.actions[-1]))
        return made

    assert decisions(1, 1) == decisions(1, 2)
    assert decisions(1, 1) != decisions(2, 1)


def test_the_tree_is_kept_for_the_next_move():
    """What was found below a position is still there when it comes up, moved to the front of the other half."""
    asked = Asked("connect_four", "mcts:simulations=2000")
    position = asked.game.start()
    asked(position)
    first, edges = nodes_of(asked, 1)
    replies = {}
    for edge in edges[4 : 4 + first[1].tried]:
        if edge.action == 3:
            for reply in edges[2 * edge.child + 2 :][: first[edge.child].tried]:
                replies[int(reply.action)] = int(reply.visits)
    kept = max(replies, key=replies.get)
    asked(position.push(3).push(kept))
    second, _ = nodes_of(asked, 0)
    assert second[1].visits == 2000 + replies[kept] - 1  # the first visit found no node there yet
    asked(ts.position(asked.game, 0, [0, 0, 0, 0]))
    third, _ = nodes_of(asked, 1)
    assert third[1].visits == 2000  # a position it had not thought of: a new tree


@pytest.mark.parametrize("game", ["connect_four", "pig", f"{THICKET}:branches=200,places=1000"])
def test_a_full_memory_stops_growing_only(game):
    """When the memory is full, simulations go on in the tree there is, and no byte beyond the memory changes."""
    asked = Asked(game, "mcts:simulations=3000")
    asked.ready.params[2] = size = 300
    end = HEADER + 2 * size * mcts.UNIT
    beyond = asked.memory[end:].copy()
    position = asked.game.start()
    for _ in range(3):
        assert asked(position).work == 3000
        position.push(int(position.actions[0]))
    assert (asked.memory[end:] == beyond).all()


def test_wide_positions_widen_with_their_visits():
    """With hundreds of moves, two edges a root of the visits are made, all of them different."""
    game = ts.load(f"{THICKET}:thicket=1,branches=400,layers=3,places=999")
    count = len(game.start().actions)
    assert count > 200
    for simulations in (100, 2000):
        asked = Asked(game, f"mcts:simulations={simulations}")
        answer = asked(game.start())
        tried = sum(share > 0 for share in answer.policy)
        assert tried == int(np.ceil(2 * np.sqrt(simulations)))
    everything = ask(game, "mcts:simulations=60000").policy
    assert min(everything) > 0
    assert sum(everything) == pytest.approx(1)


def test_leaves_can_be_estimated():
    """With leaf=evaluate the game's estimate stands for random games; a game without one is refused."""
    estimated, rolled = (ask("pig:target=30", f"mcts:simulations=500,leaf={leaf}") for leaf in ("evaluate", "rollout"))
    assert estimated.value != rolled.value
    with pytest.raises(ts.BadInput, match="has no estimate of positions; use leaf=rollout"):
        ask("leduc", "mcts:leaf=evaluate")


def test_limits():
    """Simulations are counted exactly, time alone ends a search too, and 1000 is usual."""
    assert ask("connect_four", "mcts").work == 1000
    assert ask("connect_four", "mcts:simulations=1").work == 1
    assert ask("connect_four", "mcts:time=0.02").work > 100
    with pytest.raises(ts.BadInput, match="mcts: simulations=-1 must be 0 to 1,000,000,000"):
        ts.player("mcts:simulations=-1")


def test_simultaneous_bids_are_fair_and_beat_chance():
    """In Goofspiel neither seat gains by committing first or second, and both beat random bids."""
    table = ts.arena(ts.load(GOOFSPIEL), ["mcts:simulations=200", "mcts:simulations=201", "random"], games=3000)
    found = table.to_dict()
    pairs = {(pair["player"], pair["against"]): pair for pair in found["pairs"]}
    for name in ("mcts:simulations=200", "mcts:simulations=201"):
        assert pairs[name, "random"]["low"] > 0.6
    fair = ts.arena(ts.load(GOOFSPIEL), ["mcts:simulations=200", "mcts:simulations=201"], games=3000).to_dict()
    for seat in fair["seats"]:
        assert seat["low"] < 0.5 < seat["high"]


def test_a_simultaneous_decision_does_not_know_the_other():
    """The second seat's decision is the same whatever the first has committed: its view is."""
    game = ts.load(GOOFSPIEL)
    answers = {ask(game, "mcts:simulations=500", [2, bid]) for bid in (1, 2, 3)}
    assert len(answers) == 1


def test_it_finds_the_code_of_mastermind():
    """Guessing from the answers alone, it breaks every code of 4 colours and 2 pegs, near the best mean of 45/16."""
    game = ts.load("mastermind:colors=4,pegs=2")
    turns = []
    for seed in range(40):
        position, asked = game.start(seed), Asked(game, "mcts:simulations=2000", seed=seed)
        while position.outcome is None:
            position.push(asked(position).action)
        state = position.state
        assert state.guesses[state.turns - 1] == state.secret
        turns.append(int(state.turns))
    assert np.mean(turns) < 3.3


def test_the_line_is_the_most_visited_way():
    """The line begins with the decision, is legal to its end and ends with the win; with chance there is none."""
    position = ts.load("connect_four").start()
    for move in "ccdd":
        position.push(move)
    decision = ts.player("mcts:simulations=20000").act(position)
    assert decision.line[0] == decision.words
    assert decision.words in "be"
    for move in decision.line:
        position.push(move)
    assert position.outcome.winner == 0
    assert ts.player("mcts:simulations=50").act(ts.load("pig").start()).line == ()
