"""Monte Carlo tree search (UCT) for any number of seats, luck and hidden information.

Where everything is seen and luck has no part, the tree is a tree: an edge knows its child. Elsewhere a node is what
its mover sees, found by the hash of that view: luck is drawn anew in every simulation, and so is what is hidden from
the seat that decides. Simultaneous commitments are undone first (`rewind`), so that in every simulation every seat
commits from what it knows; the decision is then drawn in proportion to the visits.

A seat's memory holds the tree and keeps it for its next decision in the match. A node is made when its position is
met for the second time, its edges one at a time, in an order that looks random. Past NARROW moves a node waits with
new edges until the old ones have been visited enough (progressive widening).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from turnsmith.game import CHANCE, OVER, Array, Game, record
from turnsmith.kernel import copy, now, zero
from turnsmith.player import DEPTH, HEADER, POLICY, VALUE, WORK, CompiledPlayer, Prepared
from turnsmith.position import Look
from turnsmith.rng import GOLDEN, below, draw, mix
from turnsmith.step import draw_outcome, playout
from turnsmith.texts import setting

USUAL_SIMULATIONS = 1000
NARROW = 64
LONGEST = 512  # decisions in one line of the tree
UNIT = 32  # bytes; a node takes one unit, two edges take one
MOST_UNITS = 1 << 22  # of one half of the memory: 128 MB
LINE = 8  # moves of the most visited way that people are shown
PRIME = 2654435761  # greater than any number of moves, so its multiples come to every one of them
FREE, USED, HALF, SALT = range(4)  # places in the memory's header: first free unit, slots in use, which half, luck

Node = record(key=np.uint64, visits=np.int32, count=np.int32, tried=np.int32, room=np.int32, moved=np.int32)
"""key: the hash; count: the moves there are, tried: the edges made, room: the edges there is room for; moved: where
the node is now if it needed more room."""
Edge = record(action=np.int32, child=np.int32, visits=np.int32, total=np.float32)
"""child: 0 for none yet; total: the mover's rewards, scaled to 0..1."""
Slot = record(key=np.uint64, node=np.int64)
"""node: 0 for a free slot, SEEN for a view met once."""
SEEN = -1
SHARES = np.array([0.0] + [1.0 / math.sqrt(visits) for visits in range(1, 4096)])  # a sixth of the time is saved


class Tree(NamedTuple):
    """A tree in a seat's memory. `nodes` and `edges` are the same bytes: the edges of node n begin at 2 * n + 2."""

    head: Array
    nodes: Array
    edges: Array
    slots: Array


def decide(game, board, view, acts, data, memory, params, report, rng):
    me = game.to_move(board, view)
    hashed = game.hides or board.outcomes > 0
    tree, root = open_tree(memory, np.int64(params[2]), hashed, game.hash(board, view), acts.shape[0], rng)
    done, deepest = simulate(game, board, view, me, root, hashed, tree, params, rng)
    return choose(game, board, tree, latest(tree.nodes, root), acts, done, deepest, report, rng)


def simulate(game, board, view, me, root, hashed, tree, params, rng):
    """Grow the tree from `root`, the node of this decision; returns the simulations made and the longest line."""
    limit, exploration, guessing = np.int64(params[0]), params[3], params[4] > 0.0
    deadline = now() + np.int64(params[1] * 1e9) if params[1] > 0.0 else np.int64(0)
    nodes, edges = tree.nodes, tree.edges
    wide = max(board.actions, board.outcomes)
    moves, chances, worlds = np.empty(wide, np.int32), np.empty(wide, np.float64), np.empty(wide, np.int32)
    possible = game.believe(board, view, me, worlds) if game.believes else 0
    states = np.empty(2, game.State)
    line = np.empty((LONGEST, 3), np.int64)  # node, edge and mover of every decision in a simulation
    rewards = np.empty(board.seats, np.float64)
    scale = 1.0 / (board.high - board.low)
    done, deepest = np.int64(0), np.int64(0)
    while done == 0 or ((limit == 0 or done < limit) and (deadline == 0 or done & 15 != 0 or now() < deadline)):
        # 1. A world as it may be, from the decision at hand or from the start of its round.
        state, seen = states[0], states[1]
        copy(state, view)
        if game.believes:
            game.reveal(board, state, me, np.int64(worlds[below(rng, possible)]))
        elif game.hides:
            game.resample(board, state, me, rng)
        root = latest(nodes, root)
        node, mover = root, me
        if game.rewinds:
            game.rewind(board, state)
            mover = game.to_move(board, state)
            key = key_of(game, board, state, mover, seen)
            node = meet(tree, key)
            if node <= 0:  # the start of the round is worth a node at once
                node = make_node(tree, key, game.legal(board, state, moves))

        # 2. Down the tree: edges not tried yet, then the one with the highest upper confidence bound.
        length = 0
        while node > 0 and length < LONGEST:
            fresh = wants_edge(tree, node)
            if fresh:
                game.legal(board, state, moves)
                node = make_room(tree, node)
                edge = add_edge(tree, node, moves)
            else:
                edge = best_edge(nodes[node], edges, 2 * node + 2, exploration)
            line[length, 0], line[length, 1], line[length, 2] = node, edge, mover
            length += 1
            game.apply(board, state, np.int64(edges[edge].action))
            mover = game.to_move(board, state)
            while mover == CHANCE:
                game.apply(board, state, draw_outcome(game, board, state, moves, chances, rng))
                mover = game.to_move(board, state)
            if mover == OVER:
                break
            if hashed:
                key = key_of(game, board, state, mover, seen)
                node = meet(tree, key)
                if node == SEEN:
                    node = make_node(tree, key, game.legal(board, state, moves))
            elif fresh:
                break
            else:
                if edges[edge].child == 0:
                    count = game.legal(board, state, moves)
                    edges[edge].child = new_node(tree, game.hash(board, state), count, first_room(count))
                node = latest(nodes, np.int64(edges[edge].child))
                edges[edge].child = node
        deepest = max(deepest, length)

        # 3. Beyond it: the game's own guess, or a random game to the end.
        if mover != OVER and guessing:
            game.evaluate(board, state, rewards)
        else:
            playout(game, board, state, moves, chances, rng)
            game.returns(board, state, rewards)
        for seat in range(board.seats):
            rewards[seat] = (rewards[seat] - board.low) * scale

        # 4. And back: every mover learns what it got.
        for ply in range(length):
            nodes[line[ply, 0]].visits += 1
            edge = line[ply, 1]
            edges[edge].visits += 1
            edges[edge].total += np.float32(rewards[line[ply, 2]])
        done += 1
    return done, deepest


def best_edge(header, edges, first, exploration):
    """The edge with the highest upper confidence bound among the first `tried` ones."""
    bonus = exploration * math.sqrt(math.log(header.visits + 1))
    best, highest = first, -1.0
    for edge in range(first, first + header.tried):
        visits = edges[edge].visits
        share = SHARES[visits] if visits < SHARES.shape[0] else 1.0 / math.sqrt(visits)
        bound = np.float64(edges[edge].total) * share * share + bonus * share
        if bound > highest:
            best, highest = edge, bound
    return best


def choose(game, board, tree, root, acts, done, deepest, report, rng):
    """The most visited move (of equal ones the better), or one drawn by visits where seats commit at the same time."""
    edges, first, tried = tree.edges, 2 * root + 2, tree.nodes[root].tried
    if tried == 0:  # the round began with other seats, and no simulation came this far
        return np.int64(acts[below(rng, acts.shape[0])])
    visits, total, chosen = 0, 0.0, first
    for edge in range(first, first + tried):
        visits += edges[edge].visits
        total += np.float64(edges[edge].total)
        more = edges[edge].visits - edges[chosen].visits
        if more > 0 or (more == 0 and edges[edge].total > edges[chosen].total):
            chosen = edge
    mean = np.float64(edges[chosen].total) / edges[chosen].visits
    if game.rewinds:
        mean = total / visits
        left = below(rng, visits)
        chosen = first
        while left >= edges[chosen].visits:
            left -= edges[chosen].visits
            chosen += 1
    report[VALUE] = board.low + mean * (board.high - board.low)
    report[WORK], report[DEPTH] = done, deepest
    if report.shape[0] > POLICY:
        report[POLICY:] = 0.0
        for index in range(acts.shape[0]):
            for edge in range(first, first + tried):
                if edges[edge].action == acts[index]:
                    report[POLICY + index] = edges[edge].visits / visits
    return np.int64(edges[chosen].action)


# ---------------------------------------------------------------- nodes and edges


def latest(nodes, node):
    """Where a node is now."""
    while nodes[node].moved > 0:
        node = np.int64(nodes[node].moved)
    return node


def first_room(count):
    return count if count <= NARROW else NARROW // 4


def units(room):
    """What a node with room for so many edges takes."""
    return 1 + (room + 1) // 2


def new_node(tree, key, count, room):
    """A node for a position with `count` moves, or 0 if the memory is full."""
    node = tree.head[FREE]
    if node + units(room) > tree.nodes.shape[0]:
        return np.int64(0)
    tree.head[FREE] += units(room)
    header = tree.nodes[node]
    header.key, header.count, header.room = key, count, room
    header.visits, header.tried, header.moved = 0, 0, 0
    return node


def wants_edge(tree, node):
    """Whether a node should try something new. A wide one has about 2 edges a root of its visits."""
    header = tree.nodes[node]
    if header.tried == header.count or header.count <= NARROW:
        return header.tried < header.count
    if header.tried * header.tried >= 4 * (header.visits + 1):
        return False
    return header.tried < header.room or tree.head[FREE] + units(2 * header.room) <= tree.nodes.shape[0]


def make_room(tree, node):
    """Move a node that has as many edges as it has room for to where there is twice the room."""
    old = tree.nodes[node]
    if old.tried < old.room:
        return node
    moved = new_node(tree, old.key, np.int64(old.count), np.int64(min(2 * old.room, old.count)))
    tree.nodes[moved].visits, tree.nodes[moved].tried = old.visits, old.tried
    for index in range(old.tried):
        copy(tree.edges[2 * moved + 2 + index], tree.edges[2 * node + 2 + index])
    old.moved = moved
    return moved


def add_edge(tree, node, moves):
    """An edge for one of the moves not tried yet. The order is that of the multiples of a prime from a random start."""
    header = tree.nodes[node]
    edge = 2 * node + 2 + header.tried
    start = np.int64(mix(header.key ^ np.uint64(tree.head[SALT])) >> np.uint64(16))
    tree.edges[edge].action = moves[(start + np.int64(header.tried) * PRIME) % header.count]
    tree.edges[edge].child, tree.edges[edge].visits, tree.edges[edge].total = 0, 0, 0.0
    header.tried += 1
    return edge


# ---------------------------------------------------------------- views


def key_of(game, board, state, mover, seen):
    """The hash of what the mover sees."""
    if game.hides:
        copy(seen, state)
        game.hide(board, seen, mover)
        return game.hash(board, seen)
    return game.hash(board, state)


def place_of(slots, key):
    """The slot of a view, or the free one it would take."""
    place = np.int64((((key * GOLDEN) >> np.uint64(32)) * np.uint64(slots.shape[0])) >> np.uint64(32))
    while slots[place].node != 0 and slots[place].key != key:
        place = place + 1 if place + 1 < slots.shape[0] else 0
    return place


def meet(tree, key):
    """The node of a view; SEEN if it was met once before, 0 if it never was (and then it is noted)."""
    slot = tree.slots[place_of(tree.slots, key)]
    if slot.node > 0:
        slot.node = latest(tree.nodes, slot.node)
    elif slot.node == 0:
        if 4 * tree.head[USED] < 3 * tree.slots.shape[0]:
            tree.head[USED] += 1
            slot.key, slot.node = key, SEEN
        return np.int64(0)
    return slot.node


def make_node(tree, key, count):
    """A node for a view that was met before, or 0 if the memory is full."""
    slot = tree.slots[place_of(tree.slots, key)]
    node = new_node(tree, key, count, first_room(count)) if slot.node == SEEN else np.int64(0)
    if node > 0:
        slot.node = node
    return node


# ---------------------------------------------------------------- the memory of a match


def open_tree(memory, size, hashed, key, count, rng):
    """The tree in a seat's memory and the node of the decision at hand. `size`: units in a half of the memory.

    A hashed tree has the nodes in the first half and the slots in the second; it is forgotten when either is half
    full. Another tree uses the halves in turn: what can still happen is copied to the other one.
    """
    head = memory[:HEADER].view(np.int64)
    fresh = head[FREE] == 0  # what lies beyond the header may be anything then
    if fresh:
        head[SALT] = np.int64(draw(rng) >> np.uint64(1))
    if hashed:
        tree = half_of(memory, size, np.int64(0))
        if fresh or 2 * head[FREE] > size or 2 * head[USED] > tree.slots.shape[0]:
            memory[HEADER + size * UNIT : HEADER + 2 * size * UNIT] = 0
            head[FREE], head[USED] = 1, 0
        root = meet(tree, key)
        return tree, root if root > 0 else make_node(tree, key, count)
    old = half_of(memory, size, head[HALF])
    root = np.int64(0) if fresh else find_root(old, key)
    head[HALF] = 1 - head[HALF]
    tree = half_of(memory, size, head[HALF])
    head[FREE] = 1
    if root > 0:
        copy_below(old, tree, root)
        return tree, np.int64(1)
    return tree, new_node(tree, key, count, first_room(count))


def half_of(memory, size, half):
    """The tree whose nodes are in one half of the memory; the other half, seen as slots, goes with it."""
    middle, end = HEADER + size * UNIT, HEADER + 2 * size * UNIT
    start = HEADER if half == 0 else middle
    body = memory[start : start + size * UNIT]
    nodes = body.view(Node)
    zero(nodes[0])
    return Tree(memory[:HEADER].view(np.int64), nodes, body.view(Edge), memory[middle:end].view(Slot))


def find_root(tree, key):
    """The most visited node of a position, or 0."""
    found, node = np.int64(0), np.int64(1)
    while node < tree.head[FREE]:
        header = tree.nodes[node]
        if header.key == key and header.moved == 0 and (found == 0 or header.visits > tree.nodes[found].visits):
            found = node
        node += units(header.room)
    return found


def copy_below(old, tree, root):
    """Copy a node and all below it, level by level, to the beginning of an empty tree."""
    copy_node(old, tree, root)
    node = np.int64(1)
    while node < tree.head[FREE]:
        header = tree.nodes[node]
        for edge in range(2 * node + 2, 2 * node + 2 + header.tried):
            child = tree.edges[edge].child
            if child > 0:
                tree.edges[edge].child = copy_node(old, tree, latest(old.nodes, np.int64(child)))
        node += units(header.room)


def copy_node(old, tree, node):
    place, size = tree.head[FREE], units(old.nodes[node].room)
    for index in range(size):
        copy(tree.nodes[place + index], old.nodes[node + index])
    tree.head[FREE] += size
    return place


# ---------------------------------------------------------------- the player


@dataclass(frozen=True, repr=False)
class Mcts(CompiledPlayer):
    name = "mcts"
    summary = "Monte Carlo tree search: any game, luck and hidden information included"
    decide = decide

    simulations: int = setting(0, 0, 1_000_000_000)
    """Simulations for one decision; 0 is no limit (1000 where time sets none either)."""
    time: float = setting(0.0, 0.0, 86_400.0)
    """Seconds for one decision; 0 is no limit."""
    exploration: float = setting(0.5, 0.0, 100.0)
    """How much a move gains from being visited little; rewards are scaled to 0..1."""
    leaf: Literal["rollout", "evaluate"] = setting("rollout")
    """What a new position is worth: the end of a random game, or the game's own estimate."""

    def within(self, seconds: float) -> Mcts:
        simulations = self.simulations or (0 if self.time > 0 else USUAL_SIMULATIONS)
        return replace(self, simulations=simulations, time=min(self.time or seconds, seconds))

    def refuses(self, game: Game, board: Any) -> str | None:
        if self.leaf == "evaluate" and not game.evaluates:
            return "the game has no estimate of positions; use leaf=rollout"
        return None

    def prepare(self, game: Game, boards: Array) -> Prepared:
        simulations = self.simulations or (0 if self.time > 0 else USUAL_SIMULATIONS)
        size = min(4 * simulations + 256, MOST_UNITS) if simulations else MOST_UNITS // 2
        guessing = 1.0 if self.leaf == "evaluate" else 0.0
        params = [float(simulations), self.time, float(size), self.exploration, guessing]
        return Prepared.of(memory=2 * size * UNIT, params=params)

    def line(self, position: Look, action: int, memory: Array) -> tuple[str, ...]:
        """The most visited way on, where the tree is one of moves alone."""
        if position.game.hides or position.board.outcomes > 0:
            return ()
        half = np.int64(memory[:HEADER].view(np.int64)[HALF])
        tree = half_of(memory, (len(memory) - HEADER) // 2 // UNIT, half)
        line: list[int] = []
        node = latest(tree.nodes, 1)
        while node > 0 and tree.nodes[node].tried > 0 and len(line) < LINE:
            first = 2 * node + 2
            best = first + int(np.argmax(tree.edges[first : first + tree.nodes[node].tried]["visits"]))
            line.append(int(tree.edges[best].action) if line else action)
            node = latest(tree.nodes, int(tree.edges[best].child))
        return position.spelled(line)

    def note(self, position: Look, action: int, report: Array, memory: Array) -> str:
        return f"{int(report[WORK]):,} simulations, lines up to {int(report[DEPTH])} decisions long"
