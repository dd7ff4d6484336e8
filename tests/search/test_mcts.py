"""Monte Carlo tree search: values, proofs, long thinking, one tree a seed, memory, secrets, simultaneous moves."""

import numpy as np
import pytest
from asking import CHOICES, GOOFSPIEL, THICKET, Asked, ask, plain_values, random_history

import turnsmith as ts
from turnsmith.play.player import HEADER, STOP
from turnsmith.search import mcts
from turnsmith.search.solve import Solve


def tree_of(asked):
    """The tree in a seat's memory."""
    return mcts.tree_in(asked.memory, int(asked.ready.params[2]))


@pytest.mark.parametrize("history", [(), (0,), (0, 1), (2, 2, 1)])
def test_it_finds_the_value_of_a_small_board(history):
    """With enough simulations the value on a small decisive board is the exact one."""
    game = ts.load("connect_four:width=4,height=4,connect=3")
    exact = ask(game, "negamax:depth=16", history)
    assert exact.value != 0
    errors = [abs(ask(game, f"mcts:simulations={n}", history).value - exact.value) for n in (100, 200_000)]
    assert errors[1] <= min(errors[0], 0.04)


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
    """What was found below a position is still there when it comes up."""
    asked = Asked("connect_four", "mcts:simulations=2000")
    position = asked.game.start()
    asked(position)
    tree = tree_of(asked)
    node, history = int(tree.head[mcts.ROOT]), []
    for _ in range(2):
        edge = tree.edges[mcts.favourite(tree, node)]
        node = int(edge.child)
        history.append(int(edge.action))
    before = int(tree.nodes[node].visits)
    assert before > 100
    asked(ts.position(asked.game, 0, history))
    assert tree.nodes[int(tree.head[mcts.ROOT])].visits == 2000 + before


@pytest.mark.parametrize("game", ["connect_four", "pig", GOOFSPIEL, f"{THICKET}:branches=200,places=1000,chance=true"])
def test_a_full_memory_gives_up_what_was_visited_least(game):
    """Simulations go on in a small memory, the decision's node stays, and no byte beyond the memory changes."""
    asked = Asked(game, "mcts:simulations=3000")
    asked.ready.params[2] = size = 304
    end = HEADER + size * (mcts.UNIT + mcts.SLOT)
    beyond = asked.memory[end:].copy()
    position = asked.game.start()
    for _ in range(3):
        assert asked(position).work == 3000
        tree = tree_of(asked)
        assert tree.nodes[int(tree.head[mcts.ROOT])].visits > 1000
        position.push(int(position.actions[0]))
    assert (asked.memory[end:] == beyond).all()


def test_memory_is_bounded():
    """However many simulations are asked for, a seat takes at most 256 MB; one simulation takes next to nothing."""
    game = ts.load("connect_four")
    needed = [ts.player(f"mcts:simulations={n}").prepare(game, game.board()).memory for n in (1, 10**7, 10**9)]
    assert needed[0] < 2**14
    assert max(needed) <= 2**28


def test_totals_are_exact_beyond_two_to_the_24():
    """An edge with more than 2**24 wins still notices another one."""
    asked = Asked("connect_four", "mcts:simulations=10")
    asked(asked.game.start())
    tree = tree_of(asked)
    node = int(tree.head[mcts.ROOT])
    tree.edges[node + 1].total = tree.edges[node + 1].visits = 2**24
    line, rewards, none = np.array([[node, node + 1, 0]]), np.array([1.0, 0.0]), np.zeros(0)
    mcts.learn(tree, mcts.MctsBuffers(none, line, none, none, none, rewards, None, none), 1)
    assert tree.edges[node + 1].total == tree.edges[node + 1].visits == 2**24 + 1


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_long_thinking_still_opens_in_the_middle(seed):
    """With a million simulations as with ten thousand, Connect Four is opened with d, the only move that wins."""
    game = ts.load("connect_four")
    for simulations in (10_000, 1_000_000):
        answer = ask(game, f"mcts:simulations={simulations}", seed=seed)
        assert answer.action == 3
        assert answer.policy[3] > 0.5


def test_proofs_are_exact():
    """A decision that is proven ends the search, with the value of plain recursion and a move that keeps it."""
    proven = 0
    for thicket in range(30):
        game = ts.load(f"{THICKET}:thicket={thicket},seats={1 + thicket % 2},layers=6,places=30")
        position = game.start()
        answer = ask(game, "mcts:simulations=20000")
        known = {}
        exact = plain_values(game, position, 10, known)[position.mover]
        if answer.work < 20000:
            proven += 1
            assert answer.value == pytest.approx(exact, abs=1e-9)
            after = plain_values(game, ts.position(game, 0, [answer.action]), 10, known)
            assert after[position.mover] == pytest.approx(exact, abs=1e-9)
    assert proven > 20


def test_endgames_of_connect_four_are_proven():
    """In late positions mcts ends early with the value that negamax finds."""
    game = ts.load("connect_four")
    for seed in range(12):
        history = random_history(game, 26, seed)
        exact = ask(game, "negamax:depth=42", history)
        answer = ask(game, "mcts:simulations=1000000", history)
        assert answer.work < 1_000_000
        assert answer.value == exact.value


def test_a_proof_needs_to_know_what_everybody_gets():
    """Of three seats, a proven win is a loss for the others; a proven loss says nothing of who wins."""
    asked = Asked("connect_four", "mcts:simulations=50")
    asked(asked.game.start())
    tree = tree_of(asked)
    root = int(tree.head[mcts.ROOT])
    child = int(tree.edges[mcts.favourite(tree, root)].child)
    line = np.array([[root, mcts.favourite(tree, root), 0], [child, child + 1, 1]])
    assert not mcts.prove(tree, line, 2, 1, 0.0, 3)
    assert tree.edges[child + 1].proven
    assert not tree.edges[line[0, 1]].proven
    assert not mcts.prove(tree, line, 2, 1, 1.0, 3)
    assert tree.edges[line[0, 1]].proven
    assert tree.edges[line[0, 1]].total == 0.0


def test_a_proven_loss_is_avoided_and_a_proven_win_taken():
    """However often an edge was visited, what is proven of it counts."""
    asked = Asked("connect_four", "mcts:simulations=500")
    asked(asked.game.start())
    tree = tree_of(asked)
    root = int(tree.head[mcts.ROOT])
    most = mcts.favourite(tree, root)
    tree.edges[most].proven, tree.edges[most].total = 1, 0.0
    assert mcts.favourite(tree, root) != most
    other = root + 1 if most != root + 1 else root + 2
    tree.edges[other].proven, tree.edges[other].total = 1, tree.edges[other].visits
    assert mcts.favourite(tree, root) == other
    assert mcts.result_of(tree, root) == 1.0


def test_wide_positions_widen_with_their_visits():
    """With hundreds of moves, two edges a root of the visits are made, all of them different."""
    game = ts.load(f"{THICKET}:thicket=1,branches=400,layers=3,places=999,chance=true")
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


def test_a_stopped_search_answers_at_once():
    """Once its flag is set, a search of hours ends after a few simulations."""
    asked = Asked("connect_four", "mcts:simulations=1000000000,time=80000")
    asked.memory[STOP] = 1
    assert asked(asked.game.start()).work == 16


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
    answers = {ask(game, "mcts:simulations=500", [2, bid]) for bid in (0, 1, 2)}
    assert len(answers) == 1


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_of_simultaneous_moves_a_dominated_one_is_hardly_played(seat):
    """Of twenty choices the one that beats all others is played, by every seat, and the more the longer it thinks."""
    game = ts.load(f"{CHOICES}:rule=highest,seats=3,choices=20")
    shares = [
        np.mean([ask(game, f"mcts:simulations={n}", [3] * seat, seed=seed).policy[19] for seed in range(10)])
        for n in (300, 3000)
    ]
    assert shares[0] > 0.7
    assert shares[1] > 0.95


def test_simultaneous_moves_tend_to_the_equilibrium():
    """Where the right answer is to mix, both seats do: rock that pays twice makes paper the usual answer."""
    game = ts.load(f"{CHOICES}:rule=rock")
    for seat in (0, 1):
        policy = ask(game, "mcts:simulations=100000", [0] * seat).policy
        assert policy == pytest.approx((0.25, 0.5, 0.25), abs=0.1)


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
    """The line begins with the decision and is legal to its end, where the win is proven; with chance there is none."""
    position = ts.load("connect_four").start()
    for move in "ccdd":
        position.push(move)
    decision = ts.player("mcts:simulations=20000").act(position)
    assert decision.line[0] == decision.words
    assert decision.words in "be"
    for move in decision.line:
        position.push(move)
    assert decision.value == 1.0
    assert ts.player("mcts:simulations=50").act(ts.load("pig").start()).line == ()
