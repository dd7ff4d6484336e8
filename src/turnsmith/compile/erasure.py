"""Games with their types erased: one compiled search for all games. This, too, leans on numba's inner parts.

Compiled for a game itself, a search runs at full speed, and every game pays for compiling it anew. Compiled for
``ErasedType`` it is shared: a game is then one number, the address of a table. The table holds the game's flags, then
where the machine code of each rule begins, and ``game.apply(...)`` calls by address. A game compiles only its rules.

* A rule that a game leaves out has the address of one that does nothing.
* A board is a pointer to the real one, seen as the fields with which every board begins.
* A state is a ``Blob`` of one capacity for all games: the bytes in use, then the real state. ``copy`` and its
  neighbours in ``numba_private`` move only what is in use.

Only Python fills tables and the sizes of blobs. Addresses hold for one process; none is ever stored.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import llvmlite.ir as ir
import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.errors import NumbaError
from numba.core.pythonapi import NativeValue
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate
from numba.core.typing.templates import signature as signature_of
from numba.extending import (
    infer_getattr,
    intrinsic,
    lower_builtin,
    lower_getattr_generic,
    models,
    register_model,
    unbox,
)

from turnsmith.common.arrays import Array
from turnsmith.compile.compile_errors import explained
from turnsmith.compile.digest import digest
from turnsmith.compile.numba_private import (
    BLOB_BYTES,
    BundleType,
    bundle_type,
    compiled,
    copy_record,
    dispatcher,
    dispatchers,
    frugal,
    word_of_record,
    words_in_record,
)

CAPACITY = 4160
"""Bytes of the largest state that a blob holds; with its header no power of two, which would crowd the cache."""
Blob: np.dtype[Any] = np.dtype((np.record, [(BLOB_BYTES, np.int64), ("_body", np.uint64, (CAPACITY // 8,))]))
"""A state whose type is erased; its first field counts the bytes in use, itself included."""

FLAGS = (
    *("hides", "samples", "picks", "wins", "rolls_out", "believes", "rewinds", "evaluates"),
    *("gives_features", "gives_planes", "turns", "reflects", "louds", "orders", "skips"),
)
"""What compiled code asks whether a game has it, in the order of the table."""

_ACTS, _WHOLE, _RNG, _REALS = types.int32[::1], types.int64, types.uint64[::1], types.float64[::1]
RULES: dict[str, tuple[Any, tuple[Any, ...], str]] = {
    "setup": (types.none, (), ""),
    "to_move": (_WHOLE, (), ""),
    "legal": (_WHOLE, (_ACTS,), ""),
    "apply": (types.none, (_WHOLE,), ""),
    "returns": (types.none, (_REALS,), ""),
    "weights": (types.none, (_REALS,), ""),
    "sample": (_WHOLE, (_RNG,), "samples"),
    "pick": (_WHOLE, (_RNG,), "picks"),
    "win": (_WHOLE, (), "wins"),
    "rollout": (_WHOLE, (_RNG,), "rolls_out"),
    "hide": (types.none, (_WHOLE,), "hides"),
    "resample": (types.none, (_WHOLE, _RNG), "hides"),
    "believe": (_WHOLE, (_WHOLE, _ACTS), "believes"),
    "reveal": (types.none, (_WHOLE, _WHOLE), "believes"),
    "rewind": (types.none, (), "rewinds"),
    "evaluate": (types.none, (_REALS,), ""),
    "hash": (types.uint64, (), ""),
    "features": (types.none, (_WHOLE, types.float32[::1]), "gives_features"),
    "planes": (types.none, (_WHOLE, types.uint8[:, :, ::1]), "gives_planes"),
    "loud": (_WHOLE, (_WHOLE,), "louds"),
    "order": (_WHOLE, (_WHOLE,), "orders"),
    "skip": (_WHOLE, (), "skips"),
}
"""The rules in the order of the table: what each returns, its arguments after board and state, and the flag without
which a game has none."""
_PLACES = {name: place for place, name in enumerate([*FLAGS, *RULES])}

# ---------------------------------------------------------------- what searches see


class ErasedType(types.Type):
    """The one type of all games; it is told apart by the layout of the table."""

    is_for_any_game = True

    def __init__(self) -> None:
        super().__init__(name=f"erased#{digest(str(RULES), str(FLAGS), str(Blob))}")


erased_type = ErasedType()


@register_model(ErasedType)
class _ErasedModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any):
        super().__init__(manager, kind, ir.IntType(64))


@unbox(ErasedType)
def _unbox_erased(kind: Any, value: Any, c: Any) -> NativeValue:
    where = c.pyapi.object_getattr_string(value, "where")
    number = c.pyapi.long_as_longlong(where)
    c.pyapi.decref(where)
    return NativeValue(number, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


@infer_getattr
class _ErasedAttributes(AttributeTemplate):
    key = ErasedType

    def generic_resolve(self, kind: ErasedType, name: str) -> types.Type | None:
        if name in FLAGS:
            return types.boolean
        if name == "State":
            return types.DType(numba.from_dtype(Blob))
        return types.BoundFunction(_templates[name], kind) if name in RULES else None


@lower_getattr_generic(ErasedType)
def _lower_attribute(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    if name in FLAGS:
        return builder.icmp_unsigned("!=", _entry(builder, value, name), ir.Constant(ir.IntType(64), 0))
    return value if name in RULES else context.get_dummy_value()


def _entry(builder: Any, table: Any, name: str) -> Any:
    """What the table says of a flag or a rule."""
    numbers = builder.inttoptr(table, ir.IntType(64).as_pointer())
    return builder.load(builder.gep(numbers, [ir.Constant(ir.IntType(64), _PLACES[name])]))


def _template(name: str) -> type[AbstractTemplate]:
    """How a call of a rule is typed: numbers become what the table promises, arrays must have its kind."""
    returned, further, _ = RULES[name]

    class Rule(AbstractTemplate):
        key = f"erased.{name}"

        def generic(self, given: Any, named: Any) -> Any:
            if named or len(given) != 2 + len(further):
                return None
            kinds = []
            for kind, wanted in zip(given[2:], further, strict=True):
                if isinstance(wanted, types.Array):
                    if not isinstance(kind, types.Array) or (kind.dtype, kind.ndim) != (wanted.dtype, wanted.ndim):
                        return None
                    kinds.append(kind)  # whatever its layout is called: callers hand on whole arrays
                else:
                    kinds.append(wanted)
            return signature_of(returned, given[0], given[1], *kinds, recvr=self.this)

    return Rule


_templates = {name: _template(name) for name in RULES}


def _lower_call(name: str) -> None:
    returned, further, _ = RULES[name]

    @lower_builtin(f"erased.{name}", ErasedType, types.VarArg(types.Any))
    def call(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        game, board, state, *rest = values
        kinds = (signature.args[1], signature.args[2], *further)
        function = context.call_conv.get_function_type(returned, kinds)
        pointer = builder.inttoptr(_entry(builder, game, name), function.as_pointer())
        raw = builder.bitcast(state, ir.IntType(8).as_pointer())
        inside = builder.bitcast(builder.gep(raw, [ir.Constant(ir.IntType(64), 8)]), state.type)
        status, result = context.call_conv.call_function(builder, pointer, returned, kinds, [board, inside, *rest])
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return context.get_dummy_value() if returned is types.none else result


for _name in RULES:
    _lower_call(_name)

# ---------------------------------------------------------------- what a game gives: all its rules in one kernel


@intrinsic(prefer_literal=True)
def code_of(typing: Any, game: Any, name: Any, arguments: Any) -> Any:
    """Where the machine code of a rule begins, compiled for these arguments; 0 where the game has none of its own."""
    returned, _, needed = RULES[name.literal_value]
    result = None
    if not needed or game.members[needed]:
        rule, kinds = game.members[name.literal_value], tuple(arguments.types)
        if _compiled_rule(typing, rule, kinds).signature.return_type != returned:
            rule = _returning(rule, len(kinds), returned)
        result = _compiled_rule(typing, rule, kinds)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        if result is None:
            return context.get_constant(types.int64, 0)
        context.active_code_library.add_linking_library(result.library)
        return builder.ptrtoint(context.declare_function(builder.module, result.fndesc), ir.IntType(64))

    return types.int64(game, name, arguments), generate


def _compiled_rule(typing: Any, rule: Callable[..., Any], kinds: tuple[Any, ...]) -> Any:
    """A rule compiled for these arguments; what cannot be compiled is said in one line, as of any kernel."""
    function = types.Dispatcher(dispatcher(rule))
    try:
        inner = function.get_call_type(typing, kinds, {})
    except NumbaError as error:
        raise explained(error, rule, dispatchers) from None
    return function.dispatcher.overloads[inner.args]


def _returning(rule: Callable[..., Any], arguments: int, returned: Any) -> Callable[..., Any]:
    """The same rule, which returns exactly what the table promises: nothing, or a whole number of 64 bits."""
    if returned is types.none:

        def nothing(*given):
            rule(*given)

        return nothing
    convert = np.uint64 if returned == types.uint64 else np.int64

    def two(board, state):
        return convert(rule(board, state))

    def three(board, state, third):
        return convert(rule(board, state, third))

    def four(board, state, third, fourth):
        return convert(rule(board, state, third, fourth))

    return (two, three, four)[arguments - 2]


def find_rules(game, boards, states, acts, reals, rng, floats, planes, whole, out):
    """Write the addresses of all rules of a game into `out`, int64[rules], in the order of ``RULES``. What is read of
    the other arguments is their types alone."""
    board, state = boards[0], states[0]
    out[0] = code_of(game, "setup", (board, state))
    out[1] = code_of(game, "to_move", (board, state))
    out[2] = code_of(game, "legal", (board, state, acts))
    out[3] = code_of(game, "apply", (board, state, whole))
    out[4] = code_of(game, "returns", (board, state, reals))
    out[5] = code_of(game, "weights", (board, state, reals))
    out[6] = code_of(game, "sample", (board, state, rng))
    out[7] = code_of(game, "pick", (board, state, rng))
    out[8] = code_of(game, "win", (board, state))
    out[9] = code_of(game, "rollout", (board, state, rng))
    out[10] = code_of(game, "hide", (board, state, whole))
    out[11] = code_of(game, "resample", (board, state, whole, rng))
    out[12] = code_of(game, "believe", (board, state, whole, acts))
    out[13] = code_of(game, "reveal", (board, state, whole, whole))
    out[14] = code_of(game, "rewind", (board, state))
    out[15] = code_of(game, "evaluate", (board, state, reals))
    out[16] = code_of(game, "hash", (board, state))
    out[17] = code_of(game, "features", (board, state, whole, floats))
    out[18] = code_of(game, "planes", (board, state, whole, planes))
    out[19] = code_of(game, "loud", (board, state, whole))
    out[20] = code_of(game, "order", (board, state, whole))
    out[21] = code_of(game, "skip", (board, state))


frugal(find_rules)


def _rules_arguments(board: np.dtype[Any], state: np.dtype[Any]) -> tuple[Any, ...]:
    kinds = (np.int32, np.float64, np.uint64, np.float32)
    arrays = [np.zeros(1, kind) for kind in (board, state, *kinds)]
    return (*arrays, np.zeros((1, 1, 1), np.uint8), 0)


def table_of(game: Any, board: np.dtype[Any], state: np.dtype[Any]) -> Array:
    """int64[flags and rules]: the table of a bundle that is a game, whose rules are compiled unless they are kept."""
    table = np.zeros(len(_PLACES), np.int64)
    kind: BundleType = game._numba_type_
    table[: len(FLAGS)] = [kind.members[flag] for flag in FLAGS]
    rules = table[len(FLAGS) :]
    compiled(find_rules)(game, *_rules_arguments(board, state), rules)
    rules[rules == 0] = _absent_rules()[rules == 0]
    return table


class _Absent:
    """A game that has every rule, and whose rules do nothing."""

    def __init__(self) -> None:
        nothing, none, zero = (dict.fromkeys(RULES, _do_nothing), _find_none, _find_zero)
        finding = dict.fromkeys(("sample", "pick", "win", "rollout"), none) | dict.fromkeys(
            ("to_move", "legal", "hash"), zero
        )
        rules = {**nothing, **finding, **dict.fromkeys(("believe", "loud", "order", "skip"), zero)}
        self._numba_type_ = bundle_type("absent", dict.fromkeys(FLAGS, True) | rules)


@cache
def _absent_rules() -> Array:
    """int64[rules]: the addresses of rules that do nothing, for what a game leaves out; they look at no state, so they
    serve all games."""
    rules = np.zeros(len(RULES), np.int64)
    blank = np.dtype((np.record, [("nothing", np.int64)]))
    compiled(find_rules)(_Absent(), *_rules_arguments(blank, blank), rules)
    return rules


def _do_nothing(board, state, *rest):
    pass


def _find_none(board, state, *rest):
    return -1


def _find_zero(board, state, *rest):
    return 0


def is_table_kept(game: Any, board: np.dtype[Any], state: np.dtype[Any]) -> bool:
    """Whether the rules of a game are in the cache."""
    kinds = [numba.typeof(each) for each in (*_rules_arguments(board, state), np.zeros(1, np.int64))]
    return bool(compiled(find_rules).is_kept((game._numba_type_, *kinds)))


# ---------------------------------------------------------------- does all this still work?


def self_test() -> bool:
    """Whether a small game plays by its table, and what its rules raise passes through."""
    kind = np.dtype((np.record, [("number", np.int64)]))
    rules = {"to_move": _number_of, "legal": _raise_always, **dict.fromkeys(("setup", "hash"), _number_of)}
    members = dict.fromkeys(FLAGS, False) | dict.fromkeys(RULES, _do_nothing) | rules

    class Small:
        _numba_type_ = bundle_type("erased_self_test", {**members, "turns": True})

    class Erased:
        _numba_type_ = erased_type
        table = table_of(Small(), kind, kind)
        where = int(table.ctypes.data)

    boards, blobs, acts = np.zeros(1, kind), np.zeros(2, Blob), np.zeros(1, np.int32)
    blobs[BLOB_BYTES] = 16
    blobs["_body"][0, 0] = 7
    try:
        compiled(_try_rules)(Erased(), boards, blobs, acts, True)
    except ValueError as error:
        return str(error) == "always" and int(compiled(_try_rules)(Erased(), boards, blobs, acts, False)) == 7 + 1 + 7
    return False


def _try_rules(game, boards, blobs, acts, lists):
    copy_record(blobs[1], blobs[0])
    count = game.legal(boards[0], blobs[1], acts) if lists else words_in_record(blobs[1])
    return game.to_move(boards[0], blobs[1]) + count + np.int64(word_of_record(blobs[1], 0)) + (0 if game.turns else 9)


def _number_of(board, state):
    return state.number


def _raise_always(board, state, acts):
    if acts[0] == 0:
        raise ValueError("always")
    return 0
