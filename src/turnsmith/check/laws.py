"""The laws every game obeys, each a function that yields what is wrong at one position, as sentences.

``LAWS`` lists them in the order in which they are checked: what later ones rely on comes first.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
import typing
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby, pairwise, product
from xml.etree.ElementTree import Element

import numpy as np
from rich.errors import MarkupError
from rich.text import Text

from turnsmith.check.nodes import CheckedPosition, numbers, unsound
from turnsmith.check.rules import PICK, ROLLOUT, SAMPLE, CheckedRules, Fault, blame
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import interpreted
from turnsmith.contract.game import CHANCE, MOST_ORDER, OVER, Game, has_sides
from turnsmith.play.observe import View
from turnsmith.play.position import Position

MANY, FEW = 24, 3
"""Moves or worlds tried at one position where trying all would take long: compiled, and interpreted."""
MOST_WORLDS = 4000
"""Larger beliefs are not listed in full."""
WORLDS_DRAWN = 16
"""Worlds that are resampled at one position and looked for among the possible ones."""
LEAST_TURNED = 6
"""Shapes, or texts, that must change places for a picture to be turned round."""
DRAWS = 10_000
"""Random draws a position, to compare their frequencies with the probabilities."""
LEGAL_DRAWS = 200
"""Random draws a position, to see whether all of them are legal."""

# ---------------------------------------------------------------- the list of laws


@dataclass(frozen=True)
class Law:
    """A law: its name, what it finds wrong at a node, and where it applies."""

    name: str
    faults: Callable[[CheckedPosition], Iterator[str]]
    applies: Callable[[CheckedPosition], bool]
    most: int
    """About how many positions it is checked on, where it is slow."""
    only_compiled: bool
    """It needs many calls, or compiled code itself."""
    for_people: bool
    """It is about what people are shown; nothing that is compiled relies on it."""


LAWS: list[Law] = []


def law(
    name: str,
    when: Callable[[CheckedPosition], bool] = lambda node: True,
    most: int = 1_000_000,
    only_compiled: bool = False,
    for_people: bool = False,
) -> Callable[[Callable[[CheckedPosition], Iterator[str]]], Callable[[CheckedPosition], Iterator[str]]]:
    def enter(faults: Callable[[CheckedPosition], Iterator[str]]) -> Callable[[CheckedPosition], Iterator[str]]:
        LAWS.append(Law(name, faults, when, most, only_compiled, for_people))
        return faults

    return enter


def many(node: CheckedPosition) -> int:
    return FEW if node.rules.how is interpreted else MANY


def decides(node: CheckedPosition) -> bool:
    return node.mover >= 0


def is_chance(node: CheckedPosition) -> bool:
    return node.mover == CHANCE


def is_over(node: CheckedPosition) -> bool:
    return node.mover == OVER


def hides(node: CheckedPosition) -> bool:
    return node.rules.game.hides


def imagines(node: CheckedPosition) -> bool:
    return hides(node) and decides(node)


def own_views(node: CheckedPosition) -> list[View]:
    """The views for learners that a game gives itself."""
    game = node.rules.game
    given: list[tuple[View, bool]] = [("features", game.gives_features), ("planes", game.gives_planes)]
    return [kind for kind, is_given in given if is_given]


def learns(node: CheckedPosition) -> bool:
    return not is_chance(node) and bool(own_views(node))


def acts_on_views(node: CheckedPosition) -> bool:
    return hides(node) and not is_chance(node)


def believes(node: CheckedPosition) -> bool:
    return node.rules.game.believes and decides(node)


# ---------------------------------------------------------------- moves


@law("legal moves are in range, ascending and unique; only OVER has none")
def _legal(node: CheckedPosition) -> Iterator[str]:
    yield from unsound(node.rules, node.mover, node.actions)


@law("every legal move leads to such a position")
def _apply(node: CheckedPosition) -> Iterator[str]:
    for action in node.some(node.actions, many(node)):
        after = node.rules.apply(node.state, action)
        for fault in unsound(node.rules, node.rules.mover(after), node.rules.legal(after)):
            yield f"then action {action}: {fault}"


@law("the same moves give the same state")
def _replay(node: CheckedPosition) -> Iterator[str]:
    game, rules = node.playthrough, node.rules
    again = rules.apply(game.states[node.ply - 1], game.history[node.ply - 1]) if node.ply else rules.start()
    if again != node.state:
        rule = "apply" if node.ply else "setup"
        yield f"{rule} gave another state the second time; chance must be a move of CHANCE, and nothing kept outside"


@law("bytes between the fields stay zero")
def _padding(node: CheckedPosition) -> Iterator[str]:
    outside = np.ones(node.rules.game.State.itemsize, np.bool_)
    for name, (kind, offset, *_) in (node.rules.game.State.fields or {}).items():
        if not name.startswith("_"):
            outside[offset : offset + kind.itemsize] = False
    if np.frombuffer(node.state, np.uint8)[outside].any():
        yield "there is something in the bytes between the fields of the state; write to fields only"


# ---------------------------------------------------------------- chance


@law("weights are positive and sum to 1", when=is_chance)
def _weights(node: CheckedPosition) -> Iterator[str]:
    weights = node.rules.weights(node.state, len(node.actions))
    for outcome, weight in zip(node.actions, weights, strict=True):
        if not weight > 0.0:
            given = "no probability" if math.isnan(weight) else f"the probability {weight}"
            yield f"weights gives outcome {outcome} {given}; every outcome that legal lists must be possible"
            return
    if abs(math.fsum(weights) - 1.0) > 1e-9:
        yield f"weights sum to {math.fsum(weights)}, not to 1"


def unlikely(answers: Sequence[int] | Array, expected: dict[int, float]) -> str | None:
    """Whether answers come too far from their probabilities to be a coincidence, as the end of a sentence."""
    values, counts = np.unique(answers, return_counts=True)
    drawn, draws = Counter(dict(zip(values.tolist(), counts.tolist(), strict=True))), len(answers)
    for number in drawn:
        if number not in expected:
            return f"gave {number}, which is not listed"
    groups: list[list[float]] = [[0.0, 0.0]]  # observed and expected, of numbers in order until 20 are expected
    for number, probability in expected.items():
        groups[-1][0] += drawn[number]
        groups[-1][1] += draws * probability
        if groups[-1][1] >= 20.0:
            groups.append([0.0, 0.0])
    rest = groups.pop()
    if groups:
        groups[-1] = [groups[-1][0] + rest[0], groups[-1][1] + rest[1]]
    free = len(groups) - 1
    if free < 1:
        return None
    distance = sum((seen - hoped) ** 2 / hoped for seen, hoped in groups)
    # Wilson and Hilferty: the cube root of a chi-square number is nearly normal. Six deviations do not happen.
    if ((distance / free) ** (1 / 3) - (1 - 2 / (9 * free))) / math.sqrt(2 / (9 * free)) <= 6.0:
        return None
    worst = max(expected, key=lambda number: abs(drawn[number] - draws * expected[number]))
    return f"gave {worst} {drawn[worst]} times in {draws:,} draws, where {draws * expected[worst]:.0f} are expected"


@law("chance falls as weighed", when=is_chance, most=60, only_compiled=True)
def _sample(node: CheckedPosition) -> Iterator[str]:
    weights = node.rules.weights(node.state, len(node.actions))
    drawn = node.rules.often(SAMPLE, node.state, DRAWS, node.rng())
    fault = unlikely(drawn, dict(zip(node.actions, weights, strict=True)))
    if fault:
        yield f"{'sample' if node.rules.game.samples else 'a draw by weights'} {fault}"


@law("a picked move is any legal one, each as likely", when=decides, most=60, only_compiled=True)
def _pick(node: CheckedPosition) -> Iterator[str]:
    drawn = node.rules.often(PICK, node.state, DRAWS, node.rng())
    fault = unlikely(drawn, dict.fromkeys(node.actions, 1 / len(node.actions)))
    if fault:
        yield f"pick {fault}"


@law("a rollout's move is legal", when=lambda node: node.rules.game.rolls_out and decides(node), most=200)
def _rollout(node: CheckedPosition) -> Iterator[str]:
    drawn = {node.rules.rollout(node.state, node.rng(index)) for index in range(FEW)}
    if node.rules.how is not interpreted:
        drawn |= set(node.rules.often(ROLLOUT, node.state, LEGAL_DRAWS, node.rng()).tolist())
    for action in sorted(drawn - set(node.actions)):
        yield f"rollout gives {action}, which is not legal"
        return


# ---------------------------------------------------------------- values


def out_of_range(node: CheckedPosition, rule: str, values: list[float]) -> Iterator[str]:
    for seat, value in enumerate(values):
        if not node.rules.low <= value <= node.rules.high:
            given = "nothing, or not a number," if math.isnan(value) else f"{value}"
            yield f"{rule} gives seat {seat} {given} where board.low..board.high is {node.rules.low}..{node.rules.high}"


@law("returns are numbers in the declared range", when=is_over)
def _returns(node: CheckedPosition) -> Iterator[str]:
    yield from out_of_range(node, "returns", node.rules.returns(node.state))


@law("evaluate gives numbers in the declared range", when=lambda node: node.rules.game.evaluates and not is_over(node))
def _evaluate(node: CheckedPosition) -> Iterator[str]:
    yield from out_of_range(node, "evaluate", node.rules.evaluate(node.state))


@law("win is the least move that wins at once", when=lambda node: node.rules.game.wins and decides(node), most=200)
def _win(node: CheckedPosition) -> Iterator[str]:
    rules, says = node.rules, node.rules.win(node.state)
    ends = ((action, rules.apply(node.state, action)) for action in node.actions)
    wins = (a for a, end in ends if rules.mover(end) == OVER and rules.returns(end)[node.mover] >= rules.high)
    least = next(wins, -1)
    if says != least:
        yield f"win says {says}, but the least move that ends the game with board.high for seat {node.mover} is {least}"


@law(
    "loud and order judge each legal move, the same whenever asked",
    when=lambda node: (node.rules.game.louds or node.rules.game.orders) and decides(node),
)
def _promising(node: CheckedPosition) -> Iterator[str]:
    rules = node.rules
    for action in node.some(node.actions, many(node)):
        if rules.game.louds and bool(rules.loud(node.state, action)) != bool(rules.loud(node.state, action)):
            yield f"loud says of action {action} that it is, and then that it is not"
        if rules.game.orders:
            once, again = (rules.order(node.state, action) for _ in range(2))
            if once != again or abs(once) > MOST_ORDER:
                yield f"order gives action {action} {once}, then {again}; it must be one number within ±{MOST_ORDER:,}"


@law("skip passes the turn to another seat", when=lambda node: node.rules.game.skips and decides(node))
def _skip(node: CheckedPosition) -> Iterator[str]:
    passed, after = node.rules.skip(node.state)
    if not passed:
        return
    if (passed, after) != node.rules.skip(node.state):
        yield "skip gave another state the second time"
    mover = node.rules.mover(after)
    if mover in (node.mover, CHANCE, OVER):
        yield f"skip says that seat {node.mover} passed, but then to_move says {mover}; another seat must be to move"
    for fault in unsound(node.rules, mover, node.rules.legal(after)):
        yield f"after a skip: {fault}"


@law("a hash belongs to one position")
def _hash(node: CheckedPosition) -> Iterator[str]:
    key, here = node.rules.hash(node.state), (node.state, node.mover, node.actions)
    if key != node.rules.hash(node.state):
        yield "hash gives the same state two different numbers"
    before = node.rules.by_hash.setdefault(key, here)
    own = node.rules.game.hash is not Game.hash
    if before[0] != here[0] and (not own or before[1:] != here[1:]):
        why = ", and they differ in who moves or what is legal" if own else ""
        yield f"hash {key:016x} was that of another state before{why}"


# ---------------------------------------------------------------- for people


@law("words name each move, and none begins another", when=lambda node: not is_over(node), for_people=True)
def _words(node: CheckedPosition) -> Iterator[str]:
    for action, text in node.words.items():
        if not text or text != " ".join(text.split()):
            yield f"the words of action {action} are {text!r}; they must be pieces with one space between them"
            return
    pieces = sorted((text.split(" "), action) for action, text in node.words.items())
    for (one, first), (other, second) in pairwise(pieces):
        if one == other[: len(one)]:
            begins = "are also those of" if one == other else f"begin {' '.join(other)!r}, the words of"
            yield f"the words {' '.join(one)!r} of action {first} {begins} action {second}"
            return


def pieces_of(words: Iterable[str]) -> set[str]:
    return {piece for text in words for piece in text.split(" ")}


def drawn(node: CheckedPosition, state: bytes, viewer: int | None) -> Element:
    """A picture; refuses one that is not SVG."""
    try:
        root = ElementTree.fromstring(node.rules.say("picture", state, viewer))
    except ElementTree.ParseError as error:
        raise Fault(f"picture is not well-formed XML: {error}") from None
    if root.tag != "{http://www.w3.org/2000/svg}svg" or "viewBox" not in root.attrib:
        raise Fault('picture must be <svg xmlns="http://www.w3.org/2000/svg" viewBox="…">…</svg>')
    return root


def look_of(part: Element) -> list[str]:
    """How a part of a picture looks, wherever it is: its shapes and texts, and how many there are of each."""
    return sorted({f"{element.tag} {element.attrib.get('fill')} {element.text}" for element in part.iter()})


def views_of(rules: CheckedRules, state: bytes) -> list[tuple[bytes, int | None]]:
    """What there is to draw of a position: all of it, and what each seat sees, where that is something else."""
    sided = any(rule is not None and has_sides(rule) for rule in (rules.game.picture, rules.game.text))
    seats = range(rules.seats) if sided or rules.game.hides else ()
    return [(state, None), *((rules.hide(state, seat), seat) for seat in seats)]


@law("the picture is SVG whose words are those of the legal moves", for_people=True)
def _picture(node: CheckedPosition) -> Iterator[str]:
    pieces = pieces_of(node.words.values())
    for state, viewer in views_of(node.rules, node.state):
        if viewer not in (None, node.mover):
            continue
        parts = [part for part in drawn(node, state, viewer).iter() if "data-word" in part.attrib]
        looks = {part.attrib["data-word"]: look_of(part) for part in parts}
        odd = next((word for part in parts if look_of(part) != looks[word := part.attrib["data-word"]]), None)
        if odd is not None:
            yield f"parts that look different have the data-word {odd}; give what they stand for different words"
        words = set(looks)
        if words == pieces or (is_chance(node) and not words):  # people need not be able to click chance
            continue
        pieces = pieces_of(node.rules.all_words(node.state, node.actions))
        if words == pieces:
            continue
        name = "picture" if viewer is None else "picture of the mover's view"
        missing, extra = sorted(pieces - words), sorted(words - pieces)
        lacks = f"lacks a data-word for {', '.join(missing[:8])}" if missing else ""
        has = f"has a data-word for {', '.join(extra[:8])}, in no legal move" if extra else ""
        yield f"the {name} {' and '.join(filter(None, (lacks, has)))}"


@law("picture and text are drawn for every viewer, tips and remarks told to the mover", for_people=True)
def _drawn_for_all(node: CheckedPosition) -> Iterator[str]:
    for view, viewer in views_of(node.rules, node.state):
        drawn(node, view, viewer)
        if node.rules.game.text is not None:
            try:
                Text.from_markup(node.rules.say("text", view, viewer))
            except MarkupError as error:
                yield f"text is not rich markup: {error}; write \\[ for a bracket that is meant"
    if decides(node) and node.rules.game.remark is not None:
        node.rules.say("remark", node.view)
    if decides(node) and node.rules.game.tip is not None:
        node.rules.of_moves("tip", node.view, node.some(node.actions, 3))
    if decides(node) and node.rules.game.overlay is not None:
        for parts in node.rules.of_moves("overlay", node.view, node.some(node.actions, 3)):
            yield from _badly_formed("overlay", parts)
    if decides(node) and node.rules.game.draft is not None:
        for words in node.rules.all_words(node.view, node.some(node.actions, 3)):
            pieces = words.split(" ")
            for count in range(1, len(pieces) + 1):
                yield from _badly_formed("draft", node.rules.draft(node.view, pieces[:count]))


def _badly_formed(name: str, parts: str) -> Iterator[str]:
    try:
        ElementTree.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg">{parts}</svg>')
    except ElementTree.ParseError as error:
        yield f"{name} is not well-formed parts of SVG: {error}"


Shape = tuple[str, float, float]
"""How a shape or a text looks, and where it is."""
TEXT = "}text "
PLACES = ("cx", "cy", "x", "y", "transform")


def shapes(part: Element, x: float = 0.0, y: float = 0.0, is_click: bool = False) -> Iterator[tuple[Shape, bool]]:
    """The shapes and texts of a picture that have a place of their own, and whether they can be clicked."""
    moved = re.match(r"translate\(([-\d.]+)[ ,]+([-\d.]+)\)", part.attrib.get("transform", ""))
    x, y = (x + float(moved[1]), y + float(moved[2])) if moved else (x, y)
    is_click = is_click or "data-word" in part.attrib
    if moved and "data-key" in part.attrib:  # a unit, which moves as a whole
        yield (part.attrib["data-key"], x, y), is_click
        return
    own = {name: part.attrib[name] for name in part.attrib if name not in PLACES and not name.startswith("data-")}
    with suppress(ValueError):  # a place in per cent, say
        wide, high = float(own.get("width", 0)), float(own.get("height", 0))
        across, down = part.attrib.get("cx", part.attrib.get("x")), part.attrib.get("cy", part.attrib.get("y"))
        if across is not None and down is not None:
            look = f"{part.tag} {sorted(own.items())} {part.text}"
            yield (look, x + float(across) + wide / 2, y + float(down) + high / 2), is_click
    for child in part:
        yield from shapes(child, x, y, is_click)


def turned(gone: Iterable[Shape], come: Iterable[Shape], is_text: bool) -> str:
    """How nearly all of what has gone from its place has come elsewhere, mirrored at one line or point; "" if not."""
    gone = [shape for shape in gone if (TEXT in shape[0]) == is_text]
    images: Counter[tuple[str, float, float]] = Counter()
    for (look, x, y), (same, across, down) in product(gone, come):
        if look == same:
            images["turned", round(x + across), round(y + down)] += 1
            images["mirrored", 0, round(y + down)] += abs(x - across) < 1
            images["mirrored", round(x + across), 0] += abs(y - down) < 1
    (how, *_), count = max(images.items(), key=lambda item: item[1], default=(("",), 0))
    return how if count >= max(LEAST_TURNED, 0.8 * len(gone)) else ""


@law("a viewer's picture is not turned round by a move", when=lambda node: node.ply > 0, most=60, for_people=True)
def _turned(node: CheckedPosition) -> Iterator[str]:
    before = node.playthrough.states[node.ply - 1]
    views = zip(views_of(node.rules, before), views_of(node.rules, node.state), strict=True)
    for (old, viewer), (new, _viewer) in views:
        one, other = (list(shapes(drawn(node, state, viewer))) for state in (old, new))
        gone = Counter(shape for shape, is_click in one if not is_click) - Counter(shape for shape, _ in other)
        come = Counter(shape for shape, is_click in other if not is_click) - Counter(shape for shape, _ in one)
        how = turned(gone, come, is_text=False) or turned(gone, come, is_text=True)
        if how:
            who = "who sees all" if viewer is None else f"seat {viewer}"
            yield (
                f"the picture for {who} is {how} by the move before; draw it from the viewer's side, whoever moves: "
                "picture(board, state, side)"
            )
            return


@law("moves are told in a line, alone and with what chance made of them; rolls are dice of seats", for_people=True)
def _told(node: CheckedPosition) -> Iterator[str]:
    if decides(node) and node.rules.game.tell is not None:
        for action in node.some(node.actions, 3):
            if not node.rules.tell([(node.view, action)]).strip():
                yield f"tell says nothing of action {action}"
    if node.mover == CHANCE and node.rules.game.roll is not None:
        for outcome in node.some(node.actions, 3):
            rolled = [node.rules.roll(node.state, outcome) for _ in range(2)]
            if rolled[0] != rolled[1]:
                yield f"roll shows outcome {outcome} as {rolled[0]} and then as {rolled[1]}"
            for seat, faces in rolled[0]:
                if not 0 <= seat < node.rules.seats or not faces or min(faces) < 1:
                    yield f"roll must give rows of a seat and its faces, not {(seat, faces)}"


@law("json_state describes what every viewer sees, as JSON", for_people=True)
def _described_for_all(node: CheckedPosition) -> Iterator[str]:
    game = node.rules.game
    rule = (game.joint or game).json_state
    if game.json_state is None or rule is None:
        return
    with blame("json_state"):
        kind = typing.get_type_hints(rule).get("return")
    if not dataclasses.is_dataclass(kind):
        yield "json_state must say which dataclass it returns: def json_state(board, state) -> Described"
        return
    for view in sorted({node.state, *(node.rules.hide(node.state, viewer) for viewer in range(node.rules.seats))}):
        with blame("json_state"):
            described = game.json_state(node.rules.boards[0], np.frombuffer(bytearray(view), game.State)[0])
        try:
            json.dumps(dataclasses.asdict(described), allow_nan=False)
        except (TypeError, ValueError) as error:
            yield f"json_state must give what JSON can hold ({error}); write int(…) around numbers of records"


@law("a finished game says why it ended and who won", when=is_over, for_people=True)
def _ending(node: CheckedPosition) -> Iterator[str]:
    if not node.rules.say("ending", node.state).strip():
        yield "ending says nothing"
    with blame("winner"):
        node.rules.game.goal(node.rules.boards[0]).winners(node.rules.returns(node.state))


@law("Position takes the words back, and replays the integers to the same state", only_compiled=True)
def _position(node: CheckedPosition) -> Iterator[str]:
    position = Position(node.rules.game, node.rules.seed, draws_chance=False)
    for action in node.history:
        position.push(action)
    if position.state.tobytes() != node.state:
        yield "the integers of the history lead to another state when they are replayed"
        return
    now_and_then = 1 if node.ply % 10 == 1 else 0
    most = max(now_and_then, 1000 // max(1, len(node.actions)))  # reading one back takes the words of all
    for action in node.some(node.actions, most):
        text = node.rules.words(node.state, action)
        try:
            parsed = position.parse(text)
        except BadInput as error:
            yield f"the words of action {action} are not taken back: {error}"
            return
        if parsed != action:
            yield f"the words {text!r} of action {action} are taken for action {parsed}"


# ---------------------------------------------------------------- hidden information


@law("what hide leaves, hide leaves alone", when=hides)
def _hide(node: CheckedPosition) -> Iterator[str]:
    for viewer in range(node.rules.seats):
        view = node.rules.hide(node.state, viewer)
        if node.rules.hide(view, viewer) != view:
            yield f"hiding the view of seat {viewer} once more changes it; hide must blank, whatever stood there"


@law("the mover knows from its own view that it moves, and how; every seat knows the end", when=acts_on_views)
def _own_view(node: CheckedPosition) -> Iterator[str]:
    if is_over(node):
        movers = [node.rules.mover(node.rules.hide(node.state, viewer)) for viewer in range(node.rules.seats)]
        for viewer, mover in enumerate(movers):
            if mover != OVER:
                yield f"the game is over, but to_move says {mover} on the view of seat {viewer}"
        return
    view = node.view
    mover = node.rules.mover(view)
    if mover != node.mover:
        yield f"seat {node.mover} is to move, but to_move says {mover} on its view"
        return
    actions = node.rules.legal(view)
    if actions != node.actions:
        yield f"legal is {numbers(node.actions)}, but {numbers(actions)} on the mover's own view"
        return
    for action in node.some(list(node.words), many(node)):
        known, seen = node.words[action], node.rules.words(view, action)
        if known != seen:
            yield f"action {action} is called {known!r}, but {seen!r} on the mover's own view"
            return


@law("hide takes away just what resample fills in", when=imagines)
def _resample(node: CheckedPosition) -> Iterator[str]:
    if node.rules.hide(node.imagined, node.mover) != node.view:
        yield f"hide(resample(view)) is not the view of seat {node.mover} again"


@law("so it is for seats that wait, and who moves does not follow from what is hidden from them", when=imagines)
def _waiting(node: CheckedPosition) -> Iterator[str]:
    rules = node.rules
    for viewer in node.some([seat for seat in range(rules.seats) if seat != node.mover], many(node)):
        view = rules.hide(node.state, viewer)
        twin = rules.resample(view, viewer, node.rng(4))
        if rules.hide(twin, viewer) != view:
            yield f"hide(resample(view)) is not the view of seat {viewer} again, who waits for seat {node.mover}"
        elif rules.mover(twin) != node.mover:
            yield f"who moves tells seat {viewer} something that hide took away"


@law("states that differ only in what is hidden look and read the same", when=imagines)
def _secrecy(node: CheckedPosition) -> Iterator[str]:
    rules, viewer, view, twin = node.rules, node.mover, node.view, node.imagined
    if (rules.mover(twin), rules.legal(twin)) != (node.mover, node.actions):
        yield f"who moves, or what is legal, tells seat {viewer} something that hide took away"
        return
    for action in node.some(list(node.words), many(node)):
        if node.words[action] != rules.words(twin, action):
            yield f"the words of action {action} tell seat {viewer} something that hide took away"
            return
    hidden = rules.hide(twin, viewer)
    for name in ("picture", "text"):
        if getattr(rules.game, name) is not None and rules.say(name, view, viewer) != rules.say(name, hidden, viewer):
            yield f"the {name} shown to seat {viewer} changes with what is hidden"


def revealed(node: CheckedPosition) -> dict[bytes, int]:
    """The states of all worlds that the seat to move thinks possible, and their numbers."""
    return {node.rules.reveal(node.view, node.mover, world): world for world in node.worlds}


@law("believe lists worlds that fit the view, the true one and any resampled one among them", when=believes)
def _believe(node: CheckedPosition) -> Iterator[str]:
    rules, viewer, view, worlds = node.rules, node.mover, node.view, node.worlds
    if not worlds:
        yield f"believe lists no world for seat {viewer}; there is at least the true one"
        return
    if len(set(worlds)) < len(worlds):
        yield f"believe lists a world twice for seat {viewer}"
    for world in node.some(worlds, many(node)):
        if rules.hide(rules.reveal(view, viewer, world), viewer) != view:
            yield f"world {world} that seat {viewer} believes in has another view when it is revealed and hidden"
            return
    if len(worlds) <= MOST_WORLDS:
        states = revealed(node)
        if len(states) < len(worlds):
            yield f"seat {viewer} believes in {len(worlds)} worlds, but only {len(states)} of them differ"
        if node.state not in states:
            yield f"the true world is not among those that seat {viewer} believes in"
        if node.imagined not in states:
            yield f"resample made a world that seat {viewer} does not believe in"


def conceivable(node: CheckedPosition, most: int = 10 * MOST_WORLDS) -> set[bytes] | None:
    """All states that the seat to move cannot tell from the true one after all it has seen; None where more than `most`
    moves would have to be tried."""
    rules, game, viewer = node.rules, node.playthrough, node.mover
    worlds, tried = {game.states[0]}, 0
    for ply, action in enumerate(node.history):
        seen = rules.hide(game.states[ply + 1], viewer)
        following = set()
        for world in worlds:
            choices = [action] if game.movers[ply] == viewer else rules.legal(world)
            tried += len(choices)
            if tried > most:
                return None
            following |= {
                after for after in (rules.apply(world, a) for a in choices) if rules.hide(after, viewer) == seen
            }
        worlds = following
    return worlds


@law(
    "a resampled world is a position of the game",
    when=lambda node: imagines(node) and not believes(node),
    most=100,
    only_compiled=True,
)
def _possible(node: CheckedPosition) -> Iterator[str]:
    """Only of small games, all of whose positions can be listed; where worlds are, the next law says more."""
    known = node.rules.positions
    rng = node.rng(5)
    if known and any(node.rules.resample(node.view, node.mover, rng) not in known for _ in range(WORLDS_DRAWN)):
        yield (
            f"resample gives seat {node.mover} a world that no moves lead to; perhaps hide leaves a field that follows "
            "from a hidden one"
        )


@law("believe lists just the worlds that could have happened", when=believes, most=16, only_compiled=True)
def _belief(node: CheckedPosition) -> Iterator[str]:
    possible = conceivable(node)
    if possible is None:
        return
    believed = set(revealed(node))
    missed = len(possible - believed)
    if missed:
        yield f"seat {node.mover} believes in {len(believed)} worlds and misses {missed} possible ones"
    elif believed - possible:
        yield (
            f"seat {node.mover} believes in {len(believed)} worlds, but with all it has seen only {len(possible)} are "
            "possible; perhaps hide leaves a field that follows from a hidden one"
        )


@law("resample finds each believed world as often", when=believes, most=16, only_compiled=True)
def _fair_resample(node: CheckedPosition) -> Iterator[str]:
    if len(node.worlds) > MOST_WORLDS:
        return
    numbered, rng = revealed(node), node.rng(3)
    draws = min(40 * len(node.worlds), 2000)
    drawn = [numbered.get(node.rules.resample(node.view, node.mover, rng), -1) for _ in range(draws)]
    fault = unlikely(drawn, dict.fromkeys(node.worlds, 1 / len(node.worlds)))
    if fault:
        yield f"resample {fault}"


# ---------------------------------------------------------------- joint moves


def splits(node: CheckedPosition) -> bool:
    return node.rules.game.units is not None and not is_over(node)


@law("a joint move is a number with a digit a unit, and its words have a piece a unit", when=splits, most=100)
def _units(node: CheckedPosition) -> Iterator[str]:
    count, base = node.rules.units(node.state)
    if is_chance(node):
        if count != 1:
            yield f"units gives {count} where chance moves; it must give 1"
        return
    if count < 1 or base < 1 or node.actions[-1] >= base**count:
        yield f"units gives {count} and radix {base}, but action {node.actions[-1]} has more digits, or higher ones"
        return
    first: dict[tuple[int, int], str] = {}
    for action, text in node.words.items():
        pieces = text.split(" ")
        if len(pieces) != count:
            yield f"the move {text!r} has {len(pieces)} pieces, but units gives {count}"
            return
        for unit, piece in enumerate(pieces):
            begun = action // base ** (count - 1 - unit)
            if first.setdefault((unit, begun), piece) != piece:
                yield f"unit {unit} is told {piece!r} in {text!r}, but {first[unit, begun]!r} by the same digits before"
                return


@law(
    "the pieces of a unit are those of the joint moves that begin so",
    when=lambda node: splits(node) and decides(node) and node.rules.game.pieces is not None,
    most=100,
)
def _pieces(node: CheckedPosition) -> Iterator[str]:
    count, base = node.rules.units(node.state)
    for action in node.some(node.actions, FEW):
        for decided in range(count):
            place = base ** (count - 1 - decided)
            chosen = action // (place * base)
            expected = sorted({move // place % base for move in node.actions if move // (place * base) == chosen})
            listed = node.rules.pieces(node.state, decided, chosen)
            if list(listed) != expected:
                begun = f"after {decided} units with the number {chosen}"
                yield f"pieces lists {numbers(listed)} {begun}, but joint moves go on with {numbers(expected)}"
                return


# ---------------------------------------------------------------- for learners


@law("what learners see, in any seat and at the end, is written in full, finite and the same each time", when=learns)
def _observed(node: CheckedPosition) -> Iterator[str]:
    rules, seats = node.rules, range(int(node.rules.boards[0].seats))
    for viewer, kind in product(node.some(seats, 2), own_views(node)):
        view = rules.hide(node.state, viewer)
        one, other = (rules.observe(kind, view, viewer, before) for before in (0, 7))
        if not np.array_equal(one, other):
            place = ", ".join(map(str, np.argwhere(one != other)[0].tolist()))
            yield f"{kind} leaves out place {place}, or gives it another number the second time"
        if not np.isfinite(one).all():
            yield f"{kind} gives a number that is not finite"


@law("a position and its symmetric images are the same to play", when=lambda node: node.rules.game.reflects)
def _symmetric(node: CheckedPosition) -> Iterator[str]:
    """Movers, moves and ends correspond, and moving before turning is turning before moving."""
    rules = node.rules
    for symmetry in range(1, rules.symmetries()):
        image = rules.reflect(node.state, symmetry)
        if rules.mover(image) != node.mover:
            yield f"symmetry {symmetry}: another seat moves there"
            continue
        if node.mover == OVER:
            if not np.allclose(rules.returns(image), rules.returns(node.state)):
                yield f"symmetry {symmetry}: the returns differ"
            continue
        turned = {action: rules.reflect_action(node.state, symmetry, action) for action in node.actions}
        if tuple(sorted(turned.values())) != rules.legal(image):
            yield f"symmetry {symmetry}: reflect_action does not give the legal moves there"
            continue
        for action in node.some(node.actions, FEW):
            after = rules.apply(image, turned[action])
            if rules.hash(rules.reflect(rules.apply(node.state, action), symmetry)) != rules.hash(after):
                yield f"symmetry {symmetry}: action {action} leads to another position there"


# ---------------------------------------------------------------- simultaneous moves


@law("rewind undoes the commitments of the round and nothing else", when=lambda node: node.rules.game.rewinds)
def _rewind(node: CheckedPosition) -> Iterator[str]:
    """A state that stood there before leads, by the same moves, here again: so it is enough to find it."""
    game, rules = node.playthrough, node.rules
    back = rules.rewind(node.state)
    if back == node.state:
        return
    ply = node.ply
    while ply and game.states[ply] != back:
        ply -= 1
    if game.states[ply] != back:
        yield "rewind gives a state that never stood in this game; it must give back the round's start, byte for byte"
        return
    committed = game.movers[ply : node.ply]
    if rules.game.joint is not None:  # the pieces of a joint move are one
        committed = [seat for seat, _ in groupby(committed)]
    if CHANCE in committed or len(set(committed)) < len(committed):
        who = ", ".join("chance" if mover == CHANCE else f"seat {mover}" for mover in committed)
        yield f"rewind undoes moves of {who}; only one move each of different seats can be open"
    if rules.rewind(back) != back:
        yield "rewind goes further back when it is called again"
