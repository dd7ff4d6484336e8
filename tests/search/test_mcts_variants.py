"""The variants of mcts: alike in all tiers, exact where proofs are, bounded, and refused where they make no sense."""

import numpy as np
import pytest
from asking import GOOFSPIEL, THICKET, Asked, ask, interpreted, random_history

import turnsmith as ts
from turnsmith.play.player import HEADER
from turnsmith.play.seat import Seat
from turnsmith.play.tiers import FIRST, SECOND, within_tier
from turnsmith.search import guides, mcts, tree

VARIANTS = ("rave=100", "rave=100,grave=20", "mast=0.7", "final=bound", "rave=50,mast=0.5,final=bound,exploration=0.1")
ESTIMATING = ("cut=3", "minimax=0.3", "rave=50,minimax=0.3,cut=2")
WIDE = f"{THICKET}:thicket=1,branches=600,layers=3,places=1400,chance=true"
BROAD = f"{THICKET}:thicket=1,branches=200,layers=4,places=1000,chance=true"


@pytest.mark.parametrize("variant", [*VARIANTS, *ESTIMATING])
def test_compiled_as_interpreted(variant):
    """The same decision, value and policy by Python and by machine code."""
    game = ts.load("connect_four:width=4,height=4")
    if variant in ESTIMATING:
        game = ts.load(f"{THICKET}:thicket=3,layers=5,places=30")
    text = f"mcts:simulations=60,{variant}"
    with np.errstate(over="ignore"):
        assert ask(game, text) == ask(game, text, how=interpreted)


@pytest.mark.parametrize("variant", [*VARIANTS, "cut=4,minimax=0.2"])
def test_both_tiers_decide_the_same(variant):
    """Code for any game as code for one; settings are data, so all of these are one compiled function."""
    game = (
        ts.load("connect_four:width=5,height=4") if "cut" not in variant else ts.load(f"{THICKET}:layers=5,places=30")
    )
    decisions = []
    for number in (FIRST, SECOND):
        with within_tier(number):
            position = game.start()
            decisions.append(
                Seat(ts.player(f"mcts:simulations=200,{variant}", game), game, position.boards).ask(position)
            )
    assert decisions[0] == decisions[1]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("game", ["leduc", "pig:target=30", WIDE, f"{THICKET}:seats=3,chance=true"])
def test_any_game_is_played(game, variant):
    """Secrets, chance, several seats and wide positions: one seed, one decision; all simulations are made."""
    answers = [ask(game, f"mcts:simulations=300,{variant}", seed=seed, rubbish=rubbish) for seed, rubbish in
               ((1, 1), (1, 2), (2, 1))]  # fmt: skip
    assert answers[0] == answers[1]
    assert answers[0].work == 300
    assert sum(answers[0].policy) == pytest.approx(1)


def test_proofs_stay_exact():
    """In late positions each variant ends early with the value that negamax finds."""
    game = ts.load("connect_four")
    for seed in range(3):
        history = random_history(game, 32, seed)
        exact = ask(game, "negamax:depth=42", history)
        for variant in VARIANTS:
            answer = ask(game, f"mcts:simulations=300000,{variant}", history)
            assert answer.work < 300_000
            assert answer.value == exact.value


@pytest.mark.parametrize("game", ["connect_four", "pig", WIDE, BROAD])
def test_hints_stay_inside_the_memory(game):
    """A small memory is pruned with its hints, and no byte beyond it changes."""
    asked = Asked(game, "mcts:simulations=2000,rave=100")
    asked.ready.params[2] = size = 2048
    end = HEADER + size * (tree.UNIT + tree.SLOT + tree.HINT)
    assert len(asked.memory) > end
    beyond = asked.memory[end:].copy()
    position = asked.game.start()
    for _ in range(2):
        if position.outcome is not None:
            break
        assert asked(position).work == 2000
        position.push(int(position.actions[0]))
    assert (asked.memory[end:] == beyond).all()


def test_memory_is_bounded_and_taken_only_when_asked_for():
    """Hints take memory only where a variant wants them, and never more than 256 MB with all the rest."""
    game = ts.load("connect_four")
    needed = {text: ts.player(f"mcts:simulations=1000000000{text}").prepare(game, game.board()).memory
              for text in ("", ",mast=0.5", ",rave=10")}  # fmt: skip
    assert needed[""] == needed[",mast=0.5"]
    assert max(needed.values()) <= 2**28
    small = [ts.player(f"mcts:simulations=100{text}").prepare(game, game.board()).memory for text in ("", ",rave=10")]
    assert small[0] < small[1]


def test_what_moves_brought_later_counts_for_their_seat_alone():
    """A node learns from later moves of its own mover; the same action of the other seat tells it nothing."""
    asked = Asked("connect_four", "mcts:simulations=1,rave=100")
    asked(asked.game.start())
    made = mcts.tree_in(asked.memory, int(asked.ready.params[2]), int(asked.ready.params[2]))
    root, board = int(made.head[mcts.ROOT]), asked.boards[0]
    made.hints[root + 1 : root + 8] = 0
    guide = guides.new_guide(board, asked.ready.params[mcts.TUNING :].view(guides.Tuning))
    guides.begin_simulation(guide)
    for seat, action in ((0, 3), (1, 5), (0, 2)):
        guides.note_move(board, guide, seat, action)
    guides.learn_of_likes(board, made, np.array([[root, root + 4, 0]]), 1, np.array([0.75, 0.25]), guide)
    assert made.hints["visits"][root + 1 : root + 8].tolist() == [0, 0, 1, 1, 0, 0, 0]
    assert made.hints["total"][root + 3] == 0.75


def test_guesses_are_backed_up_as_the_best_reply():
    """What an edge is worth by estimates is what the best reply known leaves of it."""
    asked = Asked(f"{THICKET}:layers=5,places=30", "mcts:simulations=1,minimax=0.5")
    guide = guides.new_guide(asked.boards[0], asked.ready.params[mcts.TUNING :].view(guides.Tuning))
    size = int(asked.ready.params[2])
    made = tree.tree_in(asked.memory, size, size)
    made.nodes[1].tried, made.nodes[10].tried = 1, 2
    made.edges[11].visits = made.edges[12].visits = 1
    made.hints[11].guess, guide.values[:] = 0.1, (0.3, 0.7)
    guides.back_up_guesses(made, np.array([[1, 2, 0], [10, 12, 1]]), 2, guide)
    assert made.hints[12].guess == 0.7
    assert made.hints[2].guess == pytest.approx(0.3)


def test_the_bound_prefers_what_is_sure():
    """A mean of many visits beats a slightly higher one of few."""
    assert guides.lower_bound(0.6, 1000) > guides.lower_bound(0.65, 100)
    assert 0.0 <= guides.lower_bound(0.0, 1) < guides.lower_bound(1.0, 1) < 1.0


@pytest.mark.parametrize(
    ("game", "text", "why"),
    [
        ("leduc", "cut=5", "the game has no estimate of positions; leave out cut"),
        ("leduc", "minimax=0.5", "the game has no estimate of positions; leave out minimax"),
        ("pig", "minimax=0.5", "minimax=… is for one seat or two, without chance and secrets"),
        ("connect_four", "grave=5", "grave goes with rave"),
        (GOOFSPIEL, "rave=5", "its seats move at the same time"),
        (GOOFSPIEL, "final=bound", "its seats move at the same time"),
    ],
)
def test_where_a_variant_makes_no_sense_it_is_refused(game, text, why):
    with pytest.raises(ts.BadInput, match=why):
        ask(game, f"mcts:{text}")


def test_every_seed_looks_ahead_or_none():
    """Whether playouts of a game without a rule for wins look one move ahead is a matter of the position alone."""
    for game in ("connect_four:width=4,height=4", f"{THICKET}:thicket=3,layers=5,places=30"):
        counts = set()
        for seed in range(4):
            asked = Asked(game, "mcts:simulations=50", seed=seed)
            asked(asked.game.start())
            head = mcts.tree_in(asked.memory, int(asked.ready.params[2])).head
            counts.add(tuple(head[mcts.PLAYOUTS : mcts.PLAYOUTS + 2].tolist()))
        assert len(counts) == 1
