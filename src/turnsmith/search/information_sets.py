"""Information sets: the whole tree of a small game with secrets, and its sequence form, as flat arrays.

An information set is all that a seat knows when it decides: what it saw and did at each of its decisions, the present
one included. Where a view holds all of that (perfect recall) the view alone names the set; where a view forgets, as in
Goofspiel, where it does not tell in which order the cards went, sets are told apart by the views before.

A sequence is a set with one of its actions, and each seat has an empty one for its start. What seat p gets from any
strategies is a sum over ends of games: what it pays, times the chance of chance, times the probabilities with which
each seat plays its own last sequence there. So no algorithm on these arrays needs to walk through the tree, or to know
the game (Koller, Megiddo and von Stengel 1994).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import compiled, copy, is_set, zero
from turnsmith.compile.rng import GOLDEN, mix, stream
from turnsmith.contract.game import CHANCE, OVER, Game, hash_bytes
from turnsmith.contract.records import record
from turnsmith.play.step import broken_rules, buffers, random_action, see
from turnsmith.play.stop import flag, refuse_if_stopped
from turnsmith.search.solve import spread

LISTED, FULL, DEEP, STOPPED, BROKEN, UNLIKE = range(6)
"""How a walk ended: all is listed; no room for another node; too many moves; stopped; `legal` lists none or too many;
views that are the same have other legal moves."""
NODES, EDGES, LEAVES, SETS, SEQUENCES = range(5)
DEEPEST = 1024
"""Moves of a game, chance included."""
DIVES = 2000
"""Random games by which the size of a tree is estimated."""
SURELY = 1000
"""An estimate so many times above the limit is right about that at least 999 times in 1000, by Markov's inequality."""
LIMIT = 5_000_000
"""Nodes that are listed if nobody asks for more; they take some 150 bytes each."""

Slot = record(key=np.uint64, number=np.int64)
"""Where a key is found again: the number of its set, or -1 where this place is free."""


class GameTree(NamedTuple):
    """Nodes in the order of a walk in depth; the edges of node n are starts[n]:starts[n + 1].

    sets: the information set of a decision, CHANCE, or OVER less the number of the leaf; parents: of nodes, -1 of the
    root. targets, actions, chances: of edges, the last 1 where a seat decides. The others are of leaves: the last
    sequence of each seat, what each gets, and how likely chance lets play come here.
    """

    sets: Array
    starts: Array
    parents: Array
    targets: Array
    actions: Array
    chances: Array
    sequences: Array
    returns: Array
    lucks: Array


class Sets(NamedTuple):
    """Information sets by number: keys, hashes of what is seen there alone, owners, the first of their sequences, how
    many there are, the owner's sequence before; one node of each; and slots to find them."""

    keys: Array
    views: Array
    owners: Array
    firsts: Array
    widths: Array
    parents: Array
    nodes: Array
    slots: Array


class Way(NamedTuple):
    """From the root to where a walk is, by level: states, nodes, edges tried, keys of sets, the chance of chance; and
    of each seat its last sequence and what it remembers."""

    states: Array
    views: Array
    nodes: Array
    cursors: Array
    keys: Array
    lucks: Array
    sequences: Array
    memories: Array


class SequenceForm(NamedTuple):
    """The sequence form. Sets are sorted by their owner, those of seat p are bounds[p]:bounds[p + 1]; sequences p and
    firsts[bounds[p]]:firsts[bounds[p + 1]] are seat p's, and those of set i are firsts[i]:firsts[i + 1].

    parents: the sequence before a set; owners: of sets. rows: the ends that follow a sequence, rows[s]:rows[s + 1],
    with what its owner gains there, times the chance of chance, and the last sequences of all other seats.
    """

    bounds: Array
    firsts: Array
    parents: Array
    owners: Array
    rows: Array
    gains: Array
    others: Array


# ---------------------------------------------------------------- what a seat remembers


def recalled(memory, seen, seat):
    """The key of the set in which a seat is that remembers `memory` and sees a view whose hash is `seen`."""
    return mix(mix(memory + np.uint64(seat + 1) * GOLDEN) ^ seen)


def after(key, action):
    """What a seat remembers when it has played an action in the set with this key."""
    return mix(key ^ (np.uint64(action + 1) * GOLDEN))


def find(slots, key):
    """The slot of a key, or the free one that it would take."""
    place = spread(key, slots.shape[0])
    while slots[place].number >= 0 and slots[place].key != key:
        place = place + 1 if place + 1 < slots.shape[0] else 0
    return place


# ---------------------------------------------------------------- the walk


def walk(game, boards, tree, sets, way, counts, acts, weights, out, stop):
    """List the tree in depth; returns how it ended."""
    board = boards[0]
    for place in range(sets.slots.shape[0]):
        sets.slots[place].number = -1
    zero(way.states[0])
    game.setup(board, way.states[0])
    way.lucks[0] = 1.0
    for seat in range(board.seats):
        way.sequences[0, seat], way.memories[0, seat] = seat, 0
    counts[:] = 0
    counts[SEQUENCES] = board.seats
    level, ending = np.int64(0), enter(game, board, tree, sets, way, counts, np.int64(0), acts, weights, out)
    while level >= 0 and ending == LISTED:
        node = way.nodes[level]
        edge = np.int64(tree.starts[node]) + way.cursors[level]
        if edge == tree.starts[node + 1]:  # what comes after a node that is being left has been entered
            level -= 1
        elif level + 1 == way.states.shape[0]:
            ending = DEEP
        elif counts[NODES] % 1024 == 0 and is_set(stop):
            ending = STOPPED
        else:
            descend(game, board, tree, sets, way, level, edge)
            tree.targets[edge] = counts[NODES]
            way.cursors[level] += 1
            level += 1
            ending = enter(game, board, tree, sets, way, counts, level, acts, weights, out)
    return ending


def descend(game, board, tree, sets, way, level, edge):
    """Make the move of an edge from a level to the next."""
    node, below = tree.sets[way.nodes[level]], level + 1
    action = np.int64(tree.actions[edge])
    copy(way.states[below], way.states[level])
    game.apply(board, way.states[below], action)
    way.lucks[below] = way.lucks[level] * tree.chances[edge]
    for seat in range(board.seats):
        way.sequences[below, seat], way.memories[below, seat] = way.sequences[level, seat], way.memories[level, seat]
    if node >= 0:
        seat = np.int64(sets.owners[node])
        way.sequences[below, seat] = sets.firsts[node] + way.cursors[level]
        way.memories[below, seat] = after(way.keys[level], action)


def enter(game, board, tree, sets, way, counts, level, acts, weights, out):
    """List the position of a level as the next node, with its edges; returns how that ended."""
    node, state = counts[NODES], way.states[level]
    if node == tree.sets.shape[0]:
        return FULL
    counts[NODES] += 1
    way.nodes[level], way.cursors[level] = node, 0
    tree.parents[node] = way.nodes[level - 1] if level > 0 else -1
    tree.starts[node] = tree.starts[node + 1] = counts[EDGES]
    mover = np.int64(game.to_move(board, state))
    if mover == OVER:
        leaf = counts[LEAVES]
        counts[LEAVES] += 1
        tree.sets[node], tree.lucks[leaf] = OVER - leaf, way.lucks[level]
        game.returns(board, state, out)
        for seat in range(board.seats):
            tree.sequences[leaf, seat], tree.returns[leaf, seat] = way.sequences[level, seat], out[seat]
        return LISTED
    branches = np.int64(game.legal(board, state, acts))
    if branches < 1 or branches > acts.shape[0] or mover < CHANCE or mover >= board.seats:
        return BROKEN
    if counts[EDGES] + branches > tree.targets.shape[0]:
        return FULL
    if mover == CHANCE:
        game.weights(board, state, weights)
    for index in range(branches):
        tree.actions[counts[EDGES] + index] = acts[index]
        tree.chances[counts[EDGES] + index] = weights[index] if mover == CHANCE else 1.0
    counts[EDGES] += branches
    tree.starts[node + 1] = counts[EDGES]
    tree.sets[node] = CHANCE
    return enter_set(game, board, tree, sets, way, counts, level, mover, branches) if mover >= 0 else LISTED


def enter_set(game, board, tree, sets, way, counts, level, seat, branches):
    """Find the information set of the decision at a level, or list a new one."""
    node, view = way.nodes[level], way.views[0]
    see(game, board, way.states[level], view, seat)
    seen = hash_bytes(board, view)
    key = recalled(way.memories[level, seat], seen, seat)
    slot = sets.slots[find(sets.slots, key)]
    if slot.number < 0:
        slot.key, slot.number = key, counts[SETS]
        sets.keys[slot.number], sets.views[slot.number] = key, mix(seen + np.uint64(seat))
        sets.owners[slot.number], sets.widths[slot.number] = seat, branches
        sets.firsts[slot.number], sets.parents[slot.number] = counts[SEQUENCES], way.sequences[level, seat]
        sets.nodes[slot.number] = node
        counts[SETS] += 1
        counts[SEQUENCES] += branches
    tree.sets[node], way.keys[level] = slot.number, key
    return LISTED if sets.widths[slot.number] == branches else UNLIKE


def dive(game, boards, states, dives, acts, weights, rng):
    """How many nodes the tree has, by random games: Knuth's estimate. At most DEEPEST moves of each are played."""
    board, total = boards[0], 0.0
    for _ in range(dives):
        state = states[0]
        zero(state)
        game.setup(board, state)
        alike, moves = 1.0, 0
        mover = game.to_move(board, state)
        total += 1.0
        while mover != OVER and moves < DEEPEST:
            alike *= game.legal(board, state, acts)
            total += alike
            game.apply(board, state, random_action(game, board, state, mover, acts, weights, rng))
            moves += 1
            mover = game.to_move(board, state)
    return total / dives


def replay(game, boards, tree, node, path, states):
    """Make states[0] the position of a node; path: int32, room for the edges that lead there."""
    length = 0
    while tree.parents[node] >= 0:
        parent = tree.parents[node]
        edge = tree.starts[parent]
        while tree.targets[edge] != node:
            edge += 1
        path[length] = edge
        length += 1
        node = parent
    zero(states[0])
    game.setup(boards[0], states[0])
    for index in range(length - 1, -1, -1):
        game.apply(boards[0], states[0], np.int64(tree.actions[path[index]]))


# ---------------------------------------------------------------- for Python


@dataclass(frozen=True, eq=False)
class ListedGame:
    """A game on one board, listed: its tree, information sets and sequence form, numbered alike."""

    game: Game
    boards: Array
    tree: GameTree
    form: SequenceForm
    keys: Array
    """uint64, one a set: what ``recalled`` gives there."""
    views: Array
    """uint64, one a set: a hash of the view alone and the seat."""
    nodes: Array
    """One node of each set."""
    actions: Array
    """int32, one a sequence: what is played; -1 of the empty ones."""

    @property
    def seats(self) -> int:
        return len(self.form.bounds) - 1

    @property
    def sets(self) -> int:
        return len(self.keys)

    @property
    def recalls(self) -> bool:
        """Whether a view holds all that its seat ever knew, so that it names the set alone."""
        return len(np.unique(self.views)) == self.sets

    @property
    def is_opposed(self) -> bool:
        """Whether two seats play, and what one wins the other loses."""
        return self.seats == 2 and bool(np.abs(self.tree.returns.sum(axis=1)).max() < 1e-9)

    def states(self, number: int) -> Array:
        """An array of one State: a position in which this set's owner decides."""
        states = np.zeros(1, self.game.State)
        path = np.zeros(DEEPEST, np.int32)
        compiled(replay)(self.game, self.boards, self.tree, int(self.nodes[number]), path, states)
        return states


@lru_cache(maxsize=2)
def list_sets(game: Game, board: bytes, limit: int = LIMIT) -> ListedGame:
    """The information sets of a game on a board (its bytes), refused where its tree has more nodes than `limit`."""
    boards = np.frombuffer(bytearray(board), game.Board)
    seats = int(boards[0]["seats"])
    if seats < 2:
        raise BadInput(
            f"{game.text_name} has one seat, and information sets are solved where seats oppose each other; "
            f"see 'turnsmith players {game.text_name}' for who plays it"
        )
    acts, weights = buffers(boards)
    size = float(compiled(dive)(game, boards, np.zeros(1, game.State), DIVES, acts, weights, stream(1)))
    out, counts, room, ending = np.zeros(seats), np.zeros(5, np.int64), 1 << 12, FULL
    way = _way(game, seats)
    while ending == FULL:
        if room == limit or size > SURELY * limit:
            said = _about(size) if size > limit else f"more than {limit:,}"
            raise BadInput(
                f"the tree of {game.text_name} has {said} positions and the limit is {limit:,}; play a smaller game "
                "by its options, or raise limit (150 bytes a position) if memory allows; mcts plays it as it is"
            )
        room = min(8 * room, limit)
        tree, sets = _room_for(room, seats)
        ending = int(compiled(walk)(game, boards, tree, sets, way, counts, acts, weights, out, flag()))
    refuse_if_stopped()
    if ending == DEEP:
        raise BadInput(
            f"a game of {game.text_name} may have {DEEPEST} moves and more, so its sets cannot be listed; mcts plays it"
        )
    if ending == BROKEN:
        raise broken_rules(game, f"to_move says who nobody is, or legal lists no move or more than {len(acts)}")
    if ending == UNLIKE:
        raise broken_rules(game, "the same view comes with different legal moves")
    return _sorted(game, boards, tree, sets, counts)


def _about(size: float) -> str:
    return f"about {size:,.0f}" if size < 1e9 else f"about 10^{np.log10(size):.0f}"


def _way(game: Game, seats: int) -> Way:
    return Way(
        states=np.zeros(DEEPEST, game.State),
        views=np.zeros(1, game.State),
        nodes=np.zeros(DEEPEST, np.int64),
        cursors=np.zeros(DEEPEST, np.int64),
        keys=np.zeros(DEEPEST, np.uint64),
        lucks=np.zeros(DEEPEST, np.float64),
        sequences=np.zeros((DEEPEST, seats), np.int32),
        memories=np.zeros((DEEPEST, seats), np.uint64),
    )


def _room_for(nodes: int, seats: int) -> tuple[GameTree, Sets]:
    """Empty arrays for a tree of so many nodes."""
    tree = GameTree(
        sets=np.empty(nodes, np.int32),
        starts=np.empty(nodes + 1, np.int32),
        parents=np.empty(nodes, np.int32),
        targets=np.empty(nodes, np.int32),
        actions=np.empty(nodes, np.int32),
        chances=np.empty(nodes, np.float64),
        sequences=np.empty((nodes, seats), np.int32),
        returns=np.empty((nodes, seats), np.float64),
        lucks=np.empty(nodes, np.float64),
    )
    sets = Sets(
        keys=np.empty(nodes, np.uint64),
        views=np.empty(nodes, np.uint64),
        owners=np.empty(nodes, np.int8),
        firsts=np.empty(nodes, np.int32),
        widths=np.empty(nodes, np.int32),
        parents=np.empty(nodes, np.int32),
        nodes=np.empty(nodes, np.int32),
        slots=np.empty(2 * nodes, Slot),
    )
    return tree, sets


def _sorted(game: Game, boards: Array, tree: GameTree, sets: Sets, counts: Array) -> ListedGame:
    """Cut off what is empty, and number sets and sequences by seat, so that those of a seat stand together."""
    nodes, edges, leaves, many, sequences = map(int, counts)
    seats = tree.returns.shape[1]
    sizes = (nodes, nodes + 1, nodes, edges, edges, edges, leaves, leaves, leaves)
    tree = GameTree._make(each[:size] for each, size in zip(tree, sizes, strict=True))
    keys, views, owners, old_firsts, widths, parents, places = (each[:many] for each in sets[:-1])
    order = np.argsort(owners, kind="stable")
    rank = np.empty(many, np.int32)
    rank[order] = np.arange(many)
    firsts = seats + np.concatenate([[0], np.cumsum(widths[order])])
    renumbered = np.empty(sequences, np.int32)
    renumbered[:seats] = np.arange(seats)
    within = np.arange(sequences - seats) - np.repeat(firsts[:-1] - seats, widths[order])
    renumbered[np.repeat(old_firsts[order], widths[order]) + within] = np.arange(seats, sequences)
    is_decision = tree.sets >= 0
    tree.sets[is_decision] = rank[tree.sets[is_decision]]
    tree.sequences[:] = renumbered[tree.sequences]
    rows, gains, others = _ends(tree, sequences)
    form = SequenceForm(
        bounds=np.searchsorted(owners[order], np.arange(seats + 1)).astype(np.int64),
        firsts=firsts.astype(np.int32),
        parents=renumbered[parents[order]],
        owners=owners[order],
        rows=rows,
        gains=gains,
        others=others,
    )
    places = places[order]
    actions = np.full(sequences, -1, np.int32)
    actions[seats:] = tree.actions[np.repeat(tree.starts[places], widths[order]) + within]
    return ListedGame(game, boards, tree, form, keys[order], views[order], places, actions)


def _ends(tree: GameTree, sequences: int) -> tuple[Array, Array, Array]:
    """The rows of the sequence form. Ends with the same last sequences of all seats are one, for nobody who plays can
    tell them apart, and where a seat gains nothing there is nothing to add up."""
    seats = tree.returns.shape[1]
    order = np.lexsort(tree.sequences.T[::-1])
    last = tree.sequences[order]
    is_new = np.concatenate([[True], (last[1:] != last[:-1]).any(axis=1)])
    gains = np.add.reduceat((tree.returns * tree.lucks[:, None])[order], np.flatnonzero(is_new), axis=0)
    last = last[is_new]
    owner = np.concatenate([last[gains[:, seat] != 0.0, seat] for seat in range(seats)])
    worth = np.concatenate([gains[gains[:, seat] != 0.0, seat] for seat in range(seats)])
    rest = np.concatenate([np.delete(last[gains[:, seat] != 0.0], seat, axis=1) for seat in range(seats)])
    order = np.argsort(owner, kind="stable")
    rows = np.searchsorted(owner[order], np.arange(sequences + 1)).astype(np.int64)
    return rows, worth[order], np.ascontiguousarray(rest[order])
