"""Monte Carlo tree search (UCT) for any number of seats, chance and hidden information.

A node is the view of its mover. The tree finds it by the hash of that view, so several ways to a position lead to one
node. Every simulation draws chance anew, and also the secrets that the deciding seat does not know.

Where seats commit at the same time, a simulation first undoes the commitments (`rewind`), so every seat commits from
its own knowledge. One seat explores and learns; the others play by their regrets (regret matching). The decision is
drawn from the average of the regrets' strategies, in which exploration has no part.

Where all is seen and chance has no part, the search proves results (MCTS-Solver). An edge is final if it leads to the
end of the game or to a node with a proven result. The search visits nothing proven again; a proven decision ends it.

A seat's memory holds the nodes and keeps them for its next decision in the match. A full memory gives up the nodes with
the fewest visits. A node is made when its position is met for the second time, its edges one at a time, in an order
that looks random. Past NARROW moves a node waits with new edges until the old ones have enough visits (progressive
widening).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.settings import setting
from turnsmith.compile.kernel import borrow, copy
from turnsmith.compile.rng import below, unit
from turnsmith.contract.game import CHANCE, OVER, Game
from turnsmith.play.player import DEPTH, HEADER, POLICY, STOP, VALUE, WORK, Prepared, filled, numbers
from turnsmith.play.position import PositionView
from turnsmith.play.step import draw_outcome, pick_action
from turnsmith.play.stop import affordable
from turnsmith.search.edges import add_edge, enlarge, first_capacity, mean_of, open_node, wants_edge
from turnsmith.search.guides import (
    ALL_AT_ONCE,
    MOST_SLOTS,
    Tuning,
    anchor_of,
    back_up_guesses,
    begin_simulation,
    clear_hint,
    guided_edge,
    learn_of_likes,
    lent_guide,
    new_guide,
    note_move,
    surest,
)
from turnsmith.search.limits import Simulating, deadline_after, is_time_up
from turnsmith.search.playouts import LOOKED, UNKNOWN, find_win, has_paid, plain_playout, sharp_playout, trial
from turnsmith.search.proofs import one_takes_it, prove, result_of, share_out
from turnsmith.search.regrets import regret, regretted
from turnsmith.search.tree import (
    FULL,
    HINT,
    PLAYOUTS,
    ROOT,
    SALT,
    SEEN,
    SLOT,
    UNIT,
    forget,
    key_of,
    latest,
    make_node,
    meet,
    node_of,
    open_tree,
    prune,
    tree_in,
)
from turnsmith.search.value import Valued, deciders, judge

MOST_SIMULATIONS = 1_000_000_000  # of one decision: two of them can still be counted in 32 bits
LONGEST = 512  # decisions in one line of the tree
LEAST_UNITS, MOST_UNITS = 1 << 12, 6 << 20  # with a slot each: 160 kB and 240 MB
LINE = 8  # moves of the most visited way that people are shown
EVERYBODY = -1
EXPLORING = 0.3  # the share of simulations in which the explorer tries any move
SHARES = np.array([0.0] + [1.0 / math.sqrt(visits) for visits in range(1, 4096)])  # a sixth of the time is saved
ROOTS = np.array([math.sqrt(math.log(visits + 1)) for visits in range(4096)])  # logarithms take long


Settings = numbers("simulations", "time", "units", "exploration", "guesses", *(Tuning.names or ()))
"""The params: `units` of memory for nodes and edges; `guesses` is 1 where the game's estimate judges new positions."""
TUNING = (Settings.itemsize - Tuning.itemsize) // 8  # where the numbers of a guide begin


class MctsBuffers(NamedTuple):
    """What the simulations of one decision write to."""

    states: Array  # the position of the simulation, what its mover sees, and two for the playout
    line: Array  # node, edge and mover of every decision in a simulation
    moves: Array
    replies: Array
    chances: Array
    rewards: Array  # one a seat, scaled to 0..1
    net: Any  # a Judge, or None
    counts: Array  # int64[2]: moves looked at and wins found in playouts


def think(game, board, view, acts, net, memory, params, report, rng):
    return search(game, board, view, acts, net, None, memory, params, report, rng)


def think_guided(game, board, view, acts, net, memory, params, report, rng):
    guide = new_guide(board, params[TUNING:].view(Tuning))
    return think_by(game, board, view, acts, net, guide, memory, params, report, rng)


def think_by(game, board, view, acts, net, guide, memory, params, report, rng):
    return search(game, board, view, acts, net, lent_guide(guide), memory, params, report, rng)


def search(game, board, view, acts, net, guide, memory, params, report, rng):
    settings = params.view(Settings)[0]
    hints = np.int64(settings.units) if needs_hints(settings) else np.int64(0)
    tree = open_tree(borrow(memory), np.int64(settings.units), is_determined(game, board), rng, hints)
    wide = max(board.actions, board.outcomes)
    moves, replies, chances = np.empty(wide, np.int32), np.empty(wide, np.int32), np.empty(wide, np.float64)
    states, line = np.empty(4, game.State), np.empty((LONGEST, 3), np.int64)
    rewards, counts = np.empty(board.seats, np.float64), np.zeros(2, np.int64)
    buffers = MctsBuffers(states, line, moves, replies, chances, rewards, net, counts)
    done, deepest = simulate(game, board, view, tree, acts, settings, buffers, guide, rng)
    return choose(game, board, tree, acts, done, deepest, guide, report, rng)


def needs_hints(settings):
    """Whether something is kept beside every edge."""
    return settings.rave > 0.0 or settings.minimax > 0.0


def simulate(game, board, view, tree, acts, settings, buffers, guide, rng):
    """Grow the tree from the decision at hand; returns the simulations made and the longest line."""
    tree, buffers, rng = borrow(tree), borrow(buffers), borrow(rng)
    limit = np.int64(settings.simulations) if settings.simulations > 0.0 else np.int64(MOST_SIMULATIONS)
    deadline = deadline_after(settings.time)
    guessing = settings.guesses > 0.0
    me, key = game.to_move(board, view), game.hash(board, view)
    worlds = np.empty(max(board.actions, board.outcomes), np.int32)
    possible = game.believe(board, view, me, worlds) if game.believes else 0
    determined = is_determined(game, board)
    root = node_of(tree, key, acts.shape[0], first_capacity(acts.shape[0], guide))
    if tree.nodes[root].visits > MOST_SIMULATIONS:
        forget(tree)
        root = node_of(tree, key, acts.shape[0], first_capacity(acts.shape[0], guide))
    if guide is not None:
        open_node(tree, root, acts, guide)
    looks = not guessing and looks_ahead(game, board, view, key, tree, buffers)
    solved = determined and result_of(tree, root) != UNKNOWN
    done, deepest = np.int64(0), np.int64(0)
    stop = tree.head[STOP // 8 :]
    while done == 0 or goes_on(done, limit, deadline, stop, solved):
        # 1. A world as it may be, from the decision at hand or from the start of its round.
        if tree.head[FULL]:
            root = prune(tree, latest(tree.nodes, root), determined)
        state = buffers.states[0]
        copy(state, view)
        if game.believes:
            game.reveal(board, state, me, np.int64(worlds[below(rng, possible)]))
        elif game.hides:
            game.resample(board, state, me, rng)
        root = latest(tree.nodes, root)
        node, mover, explorer = root, me, EVERYBODY
        if game.rewinds:
            explorer = me if below(rng, 2) == 0 else below(rng, board.seats)
            game.rewind(board, state)
            mover = game.to_move(board, state)
            start = key_of(game, board, state, mover, buffers.states[1])
            first = game.legal(board, state, buffers.moves)
            node = node_of(tree, start, first, first_capacity(first, guide))

        # 2. Down the tree. 3. Beyond it. 4. And back: every mover learns what it got, and what is proven.
        if guide is not None:
            begin_simulation(guide)
        length, mover, proven = descend(
            game, board, tree, node, mover, explorer, settings.exploration, buffers, guide, rng
        )
        deepest = max(deepest, length)
        if proven:
            result = share_out(buffers.rewards, mover, tree.edges[buffers.line[length - 1, 1]])
        else:
            result = play_on(game, board, mover, guessing, looks, buffers.net, buffers, guide, rng)
        if game.rewinds:
            regret(tree, buffers, length, rng)
        else:
            learn(tree, buffers, length)
        if guide is not None:
            learn_of_likes(board, tree, buffers.line, length, buffers.rewards, guide)
            if proven:
                guide.values[:] = buffers.rewards
            back_up_guesses(tree, buffers.line, length, guide)
        if determined and mover == OVER:
            mover = buffers.line[length - 1, 2]
            result = buffers.rewards[mover]
        if determined and result != UNKNOWN and one_takes_it(buffers.rewards):
            solved = prove(tree, buffers.line, length, mover, result, board.seats) or solved
        done += 1
    tree.head[ROOT] = latest(tree.nodes, root)
    return done, deepest


def looks_ahead(game, board, view, key, tree, buffers):
    """Whether playouts look one move ahead in this match; nobody can where something is hidden."""
    counts = tree.head[PLAYOUTS : PLAYOUTS + 2]
    if game.hides or game.wins:
        return not game.hides
    if counts[LOOKED] == 0:
        trial(game, board, view, key, buffers.states, buffers.moves, buffers.chances, buffers.rewards, counts)
    return has_paid(counts)


def is_determined(game, board):
    """Whether a move leads to one position, seen by all."""
    return not game.hides and board.outcomes == 0


def goes_on(done, limit, deadline, stop, solved):
    """Whether another simulation is to be made; clock and flag are looked at now and then."""
    if solved or done >= limit:
        return False
    return done & 15 != 0 or not is_time_up(stop, deadline)


def descend(game, board, tree, node, mover, explorer, exploration, buffers, guide, rng):
    """Follow edges not tried yet, then those with the highest upper confidence bound, out of the tree.

    Returns how many, who moves there, and whether the last edge is proven: then it has not been followed.
    """
    nodes, edges, line, moves = tree.nodes, tree.edges, buffers.line, buffers.moves
    determined, length, plies = is_determined(game, board), 0, 0
    while node > 0 and plies < LONGEST:
        state, edge = buffers.states[0], np.int64(0)
        plies += 1
        if explorer in (EVERYBODY, mover):
            if wants_edge(tree, node):
                game.legal(board, state, moves)
                node = enlarge(tree, node)
                edge = add_edge(tree, node, moves)
                if guide is not None:
                    clear_hint(tree, edge)
            elif game.rewinds:
                explores = unit(rng) < EXPLORING
                edge = node + 1 + below(rng, nodes[node].tried) if explores else regretted(tree, node, rng)
            elif guide is not None:
                anchor, lent = anchor_of(tree, guide, node, mover), (borrow(nodes), borrow(edges), borrow(tree.hints))
                edge = guided_edge(*lent, node, anchor, exploration, tree.head[SALT], guide)
            else:
                edge = best_edge(nodes[node], edges, node + 1, exploration)
            line[length, 0], line[length, 1], line[length, 2] = node, edge, mover
            length += 1
            if determined and edges[edge].proven:
                return length, mover, True
            action = np.int64(edges[edge].action)
        elif not wants_edge(tree, node):
            action = np.int64(edges[regretted(tree, node, rng)].action)
        else:
            action = np.int64(pick_action(game, board, state, moves, rng))
        if guide is not None:
            note_move(board, guide, mover, action)
        game.apply(board, state, action)
        mover = game.to_move(board, state)
        while mover == CHANCE:
            game.apply(board, state, draw_outcome(game, board, state, moves, buffers.chances, rng))
            mover = game.to_move(board, state)
        if mover == OVER:
            break
        node = latest(nodes, np.int64(edges[edge].child)) if determined else np.int64(0)
        if node == 0:
            key = key_of(game, board, state, mover, buffers.states[1])
            node = meet(tree, key)
            if node == SEEN:
                count = game.legal(board, state, moves)
                node = make_node(tree, key, count, first_capacity(count, guide))
                if guide is not None:
                    open_node(tree, node, moves, guide)
            if determined and node > 0:
                edges[edge].child = node
    return length, mover, False


def best_edge(header, edges, first, exploration):
    """The edge with the highest upper confidence bound among the first `tried` ones; a proven one is what it is."""
    seen = header.visits
    bonus = exploration * (ROOTS[seen] if seen < ROOTS.shape[0] else math.sqrt(math.log(seen + 1)))
    best, highest = first, -1.0
    for edge in range(first, first + header.tried):
        visits = edges[edge].visits
        share = SHARES[visits] if visits < SHARES.shape[0] else 1.0 / math.sqrt(visits)
        bound = edges[edge].total * share * share
        if not edges[edge].proven:
            bound += bonus * share
        elif edges[edge].total == visits:  # nothing is better than a proven win
            return edge
        if bound > highest:
            best, highest = edge, bound
    return best


def play_on(game, board, mover, guessing, looks, net, buffers, guide, rng):
    """Fill the rewards by a guess or by a random game to the end; returns what is proven for the mover."""
    state, rewards, result = buffers.states[0], buffers.rewards, UNKNOWN
    scale = 1.0 / (board.high - board.low)
    if guide is not None and guide.tuning[0].minimax > 0.0 and mover != OVER:
        game.evaluate(board, state, guide.values)
    if mover == OVER:
        game.returns(board, state, rewards)
    elif net is not None:
        result = guess(game, board, mover, looks, net, buffers)
    elif guessing:
        game.evaluate(board, state, rewards)
    elif looks:
        spare, moves, replies, chances = buffers.states[2:], buffers.moves, buffers.replies, buffers.chances
        counts = buffers.counts
        result = sharp_playout(game, board, state, spare, moves, replies, chances, rewards, counts, guide, rng)
    else:
        plain_playout(game, board, state, buffers.moves, buffers.chances, guide, rewards, rng)
    for seat in range(board.seats):
        rewards[seat] = (rewards[seat] - board.low) * scale
        if guide is not None:
            guide.values[seat] = rewards[seat] if mover == OVER else (guide.values[seat] - board.low) * scale
    return result


def guess(game, board, mover, looks, net, buffers):
    """Fill the rewards by the net, unless the mover can win at once: nets know plans better than the next move."""
    state, rewards = buffers.states[0], buffers.rewards
    if looks:
        count, after = game.legal(board, state, buffers.moves), buffers.states[2]
        if find_win(game, board, state, mover, after, buffers.moves, count, rewards, buffers.counts) >= 0:
            return 1.0
    judge(game, board, state, net, rewards)
    return UNKNOWN


def learn(tree, buffers, length):
    """Every mover of a line adds what it got."""
    for ply in range(length):
        node, edge, mover = buffers.line[ply, 0], buffers.line[ply, 1], buffers.line[ply, 2]
        tree.nodes[node].visits += 1
        tree.edges[edge].visits += 1
        tree.edges[edge].total += buffers.rewards[mover]


def choose(game, board, tree, acts, done, deepest, guide, report, rng):
    """The best move; where seats commit at the same time, one drawn as often as it was the best known."""
    root = tree.head[ROOT]
    edges, first, tried = tree.edges, root + 1, tree.nodes[root].tried
    if tried == 0:  # the round began with other seats, and no simulation came this far
        return np.int64(acts[below(rng, acts.shape[0])])
    shares, mean = np.zeros(tried, np.float64), 0.0
    for index in range(tried):
        shares[index] = tree.choices[first + index].taken if game.rewinds else edges[first + index].visits
    if game.rewinds and shares.sum() > 0.0:
        shares /= shares.sum()
        chosen, left = first - 1, unit(rng)
        while left >= 0.0 and chosen < root + tried:
            chosen += 1
            left -= shares[chosen - first]
        for index in range(tried):
            mean += shares[index] * mean_of(edges[first + index])
    else:
        shares /= max(1.0, shares.sum())
        chosen = favourite(tree, root)
        if guide is not None and guide.tuning[0].final > 0.0:
            chosen = surest(tree, root, chosen)
        mean = mean_of(edges[chosen])
    report[VALUE] = board.low + mean * (board.high - board.low)
    report[WORK], report[DEPTH] = done, deepest
    if report.shape[0] > POLICY:
        report[POLICY:] = 0.0
        for index in range(acts.shape[0]):
            for place in range(tried):
                if edges[first + place].action == acts[index]:
                    report[POLICY + index] = shares[place]
    return np.int64(edges[chosen].action)


def favourite(tree, node):
    """The most visited edge of a node (of equal ones the better), unless a proven one brings more."""
    edges, best, proven = tree.edges, np.int64(0), np.int64(0)
    for edge in range(node + 1, node + 1 + tree.nodes[node].tried):
        mean, visits = mean_of(edges[edge]), edges[edge].visits
        if edges[edge].proven:
            if proven == 0 or (mean, visits) > (mean_of(edges[proven]), edges[proven].visits):
                proven = edge
        elif best == 0 or (visits, mean) > (edges[best].visits, mean_of(edges[best])):
            best = edge
    return proven if best == 0 or (proven > 0 and mean_of(edges[proven]) >= mean_of(edges[best])) else best


# ---------------------------------------------------------------- the player


@dataclass(frozen=True, repr=False)
class Mcts(Simulating, Valued):
    name = "mcts"
    summary = "Monte Carlo tree search: any game, chance and hidden information included"
    tells = "policy"
    usual_simulations = 1000
    decide, decide_by_value = deciders(think)
    decide_guided, decide_guided_by_value = deciders(think_guided)

    simulations: int = setting(0, 0, MOST_SIMULATIONS)
    """Simulations for one decision; 0 is no limit (1000 where time sets none either)."""
    time: float = setting(0.0, 0.0, 86_400.0)
    """Seconds for one decision; 0 is no limit."""
    exploration: float = setting(0.5, 0.0, 100.0)
    """How much a move gains from being visited little; rewards are scaled to 0..1."""
    leaf: Literal["rollout", "evaluate"] = setting("rollout")
    """What a new position is worth: the end of a random game, or the game's own estimate."""
    rave: float = setting(0.0, 0.0, 1e6)
    """RAVE: visits at which a move's own results count as much as what it brought later in simulations; 0 is off."""
    grave: int = setting(0, 0, 1_000_000)
    """GRAVE: with fewer visits than this a node asks an ancestor what moves brought later; goes with rave."""
    mast: float = setting(0.0, 0.0, 1.0)
    """MAST: the share of moves in playouts that are those that did best so far, wherever they were made; 0 is off."""
    minimax: float = setting(0.0, 0.0, 1.0)
    """Implicit minimax: the share that the game's estimates, backed up, have in what a move is worth; 0 is off."""
    cut: int = setting(0, 0, 1_000_000)
    """Decisions after which the game's own estimate ends a playout; 0 is never."""
    final: Literal["visits", "bound"] = setting("visits")
    """Which move is made: the most visited one, or the one with the highest lower bound of its mean."""

    @property
    def is_guided(self) -> bool:
        """Whether a setting asks for a variant, which other code decides."""
        return self.final != "visits" or max(self.rave, self.mast, self.minimax, self.cut) > 0

    def decider(self) -> Callable[..., Any]:
        if not self.is_guided:
            return super().decider()
        return Mcts.decide_guided_by_value if self.value else Mcts.decide_guided

    def refuses(self, game: Game, board: Any) -> str | None:
        estimating = {"leaf=evaluate": self.leaf == "evaluate", "cut": self.cut > 0, "minimax": self.minimax > 0}
        asking = [name for name, asks in estimating.items() if asks]
        if asking and not game.evaluates:
            cure = "use leaf=rollout" if asking == ["leaf=evaluate"] else f"leave out {', '.join(asking)}"
            return f"the game has no estimate of positions; {cure}"
        if self.grave and not self.rave:
            return "grave goes with rave; set both, such as rave=100,grave=50"
        if game.rewinds and (self.rave or self.minimax or self.final != "visits"):
            return "its seats move at the same time, where regrets choose; leave out rave, minimax and final"
        if self.minimax and (game.hides or board.outcomes > 0 or board.seats > 2):
            return "minimax=… is for one seat or two, without chance and secrets; leave it out"
        if (self.rave or self.mast) and board.seats * board.actions > MOST_SLOTS:
            return f"rave and mast remember moves by seat and number, {MOST_SLOTS:,} at most; leave them out"
        return None

    def prepare(self, game: Game, boards: Array) -> Prepared:
        simulations = self.simulations_allowed()
        each = UNIT + SLOT + (HINT if needs_hints(self) else 0)
        most = MOST_UNITS * (UNIT + SLOT) // each
        edges = min(int(boards[0]["actions"]), ALL_AT_ONCE) // 2 if self.rave > 0 else 0
        size = min((4 + edges) * simulations + 256, most) if simulations else most // 2
        size = affordable(size, LEAST_UNITS, each)
        size += -size % 8  # whole slots and whole cache lines
        guesses, final = float(self.leaf == "evaluate"), float(self.final == "bound")
        counts = {"simulations": float(simulations), "units": float(size)}
        params = filled(Settings, self, **counts, guesses=guesses, final=final)
        return Prepared.of(data=self.value_data(game, boards), memory=size * each, params=params)

    def line(self, position: PositionView, action: int, memory: Array) -> tuple[str, ...]:
        """The most visited way on, where the tree is one of moves alone."""
        if position.game.hides or position.board.outcomes > 0:
            return ()
        tree = tree_in(memory, (len(memory) - HEADER) // (UNIT + SLOT + (HINT if needs_hints(self) else 0)))
        line: list[int] = []
        node = int(tree.head[ROOT])
        while node > 0 and tree.nodes[node].tried > 0 and len(line) < LINE:
            best = int(favourite(tree, node))
            line.append(int(tree.edges[best].action) if line else action)
            node = latest(tree.nodes, int(tree.edges[best].child))
        return position.spelled(line)
