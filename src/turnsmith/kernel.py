"""The numba glue: how plain Python rules become machine code. Nothing here knows a game.

* A plain function reached from compiled code is compiled as it stands, so rules need no decorator.
* A ``Game`` (or any ``Bundle`` of functions) is a zero-size value in compiled code; ``game.apply(...)``
  resolves while compiling and costs nothing while running.
* A ``kernel`` is the top of a compiled call tree and the only thing cached on disk. Its cache entry is named by
  a digest of every function and constant it reaches, so an edit anywhere recompiles and undoing it hits again.
* A few intrinsics with interpreted twins: record moves, byte hashes, scratch memory, the clock, stop flags, calls by
  address.
"""

from __future__ import annotations

import hashlib
import pickle  # only for numba's own compiled code, which the user's key has sealed (see ``cache``)
import re
import sys
import time
import types as python_types
from collections.abc import Callable
from typing import Any

import llvmlite.ir as ir
import numba
import numpy as np
from numba import njit, types
from numba.core import cgutils, compiler, config
from numba.core.caching import _Cache
from numba.core.dispatcher import Dispatcher
from numba.core.errors import ForceLiteralArg
from numba.core.pythonapi import NativeValue
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    infer_getattr,
    intrinsic,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np.arrayobj import make_array, populate_array

from turnsmith import cache
from turnsmith.cache import cache_folder as cache_folder
from turnsmith.digest import digest as digest
from turnsmith.explain import explained
from turnsmith.texts import BadInput

# ---------------------------------------------------------------- plain functions compile as they stand

_dispatchers: dict[Callable[..., Any], Dispatcher] = {}
_OTHERS = ("numpy", "numba", "llvmlite", "scipy", "builtins", "math")  # these bring their own compiled versions


def dispatcher(function: Callable[..., Any]) -> Dispatcher:
    """The one njit dispatcher of a plain function."""
    if function not in _dispatchers:
        # Only compiled code calls it: leaving out both wrappers saves a fifth of the compiling.
        options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        _dispatchers[function] = njit(function, nogil=True, error_model="numpy", **options)
    return _dispatchers[function]


@typeof_impl.register(python_types.FunctionType)
def _type_of_function(function: Any, context: Any) -> types.Type | None:
    if hasattr(function, "twin"):
        return cpu_target.typing_context.resolve_value_type(function.twin)
    if function.__module__.partition(".")[0] in _OTHERS:
        return None  # numba finds these by its own registry
    return types.Dispatcher(dispatcher(function))


def _twin(compiled_version: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark a Python function that compiled code replaces by `compiled_version` instead of compiling its source."""

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        function.twin = compiled_version  # type: ignore[attr-defined]
        return function

    return mark


# ---------------------------------------------------------------- bundles of functions as zero-size values


class BundleType(types.Opaque):
    """The compile-time face of a bundle: its name, a digest of all it reaches, and its members."""

    def __init__(self, name: str, digest: str, members: dict[str, Any]):
        self.members = members
        self.addresses: dict[Callable[..., Any], int] = {}  # of functions compiled for this bundle
        super().__init__(name=f"{name}#{digest}")

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "members": {}, "addresses": {}}  # numba interns types by name: the live one has them


register_model(BundleType)(models.OpaqueModel)


@unbox(BundleType)
def _unbox_bundle(kind: Any, value: Any, c: Any) -> NativeValue:
    return NativeValue(c.context.get_dummy_value())


def _member_type(member: Any) -> types.Type:
    if isinstance(member, bool):
        return types.boolean
    if isinstance(member, np.dtype):
        return types.DType(numba.from_dtype(member))
    return types.Dispatcher(dispatcher(member))


@infer_getattr
class _BundleAttributes(AttributeTemplate):
    key = BundleType

    def generic_resolve(self, bundle: BundleType, name: str) -> types.Type | None:
        member = bundle.members.get(name)
        return None if member is None else _member_type(member)


@lower_getattr_generic(BundleType)
def _lower_bundle_attribute(context: Any, builder: Any, bundle: BundleType, value: Any, name: str) -> Any:
    member = bundle.members[name]
    if isinstance(member, bool):
        return context.get_constant(types.boolean, member)
    return context.get_dummy_value()


def bundle_type(name: str, members: dict[str, Any]) -> BundleType:
    """The type to keep on an object as ``_numba_type_`` so that compiled code sees `members` as its attributes."""
    kind: BundleType = BundleType(name, digest(*members.values(), *members), members)
    kind.members = members  # an equal type read from the cache came without them
    return kind


# ---------------------------------------------------------------- kernels, cached on disk

compiled_in_this_process: list[str] = []
"""Names of the kernels that had to be compiled because no cache had them; tests read it."""


class DiskCache(_Cache):
    """One sealed file a compiled kernel, named by all that went into it."""

    def __init__(self, function: Callable[..., Any]):
        self.function = function
        self.digest = digest(function)

    @property
    def cache_path(self) -> str:
        return str(cache.cache_folder())

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None: ...

    def _name(self, signature: Any, codegen: Any) -> str:
        parts = (
            self.digest,
            str(signature),
            str(codegen.magic_tuple()),
            numba.__version__,
            sys.version,
            str(config.BOUNDSCHECK),
            str(self.function in _keep_gil),
            "sealed",
        )
        name = re.sub(r"[^\w.]", "_", f"{self.function.__module__}.{self.function.__qualname__}")[-100:]
        return f"{name}-{hashlib.sha256('|'.join(parts).encode()).hexdigest()[:32]}.nbc"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        name = self._name(sig, target_context.codegen())
        sealed = cache.read(name)
        if sealed is None:
            return None
        try:
            return compiler.CompileResult._rebuild(target_context, *pickle.loads(sealed))
        except Exception as error:  # whatever is wrong with it, compiling again is right
            cache.complain(name, f"{type(error).__name__}: {error}")
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        compiled_in_this_process.append(f"{self.function.__module__}.{self.function.__qualname__}")
        cache.write(self._name(sig, data.library.codegen), numba.core.serialize.dumps(data._reduce()))


_kernels: dict[Callable[..., Any], Kernel] = {}
_keep_gil: set[Callable[..., Any]] = set()


def keep_gil(*functions: Callable[..., Any]) -> None:
    """Say of kernels that they take microseconds: they keep Python's lock, which among busy threads costs far more to
    give up and get back than they take."""
    _keep_gil.update(functions)


class Kernel(CPUDispatcher):
    """A dispatcher that caches on our terms, and says in one line what cannot be compiled."""

    def __init__(self, function: Callable[..., Any]):
        options = {"nopython": True, "nogil": function not in _keep_gil, "error_model": "numpy"}
        super().__init__(function, targetoptions={**options, "no_cfunc_wrapper": True, "boundscheck": None})
        self._cache = DiskCache(function)

    def compile(self, signature: Any) -> Any:
        try:
            return super().compile(signature)
        except (ForceLiteralArg, BadInput, OSError, MemoryError):  # a signal among numba's parts; what explains itself
            raise
        except Exception as error:
            raise explained(error, self.py_func, _dispatchers) from None


def compiled(function: Callable[..., Any]) -> Dispatcher:
    """The cached dispatcher of a kernel. Call it with arrays and bundles, never with scalar records."""
    if function not in _kernels:
        _kernels[function] = Kernel(function)
    return _kernels[function]


def interpreted(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same kernel in plain Python; integer wrap-around is meant, so numpy must not warn of it."""

    def run(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*arguments)

    return run


# ---------------------------------------------------------------- intrinsics and their interpreted twins


@intrinsic
def _copy(typing: Any, target: Any, source: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        cgutils.raw_memcpy(builder, arguments[0], arguments[1], ir.Constant(ir.IntType(64), target.size), 1)
        return context.get_dummy_value()

    if target.size != source.size:
        raise numba.TypingError("copy needs two records of one dtype")
    return types.none(target, source), generate


@_twin(_copy)
def copy(target: Any, source: Any) -> None:
    """Overwrite the record `target` with the bytes of `source` (same dtype)."""
    for name in target.dtype.names:
        target[name] = source[name]


@intrinsic
def _zero(typing: Any, record: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.bitcast(arguments[0], ir.IntType(8).as_pointer())
        cgutils.memset(builder, pointer, ir.Constant(ir.IntType(64), record.size), 0)
        return context.get_dummy_value()

    return types.none(record), generate


@_twin(_zero)
def zero(record: Any) -> None:
    """Set every byte of a record to 0."""
    for name in record.dtype.names:
        record[name] = np.zeros((), record.dtype[name])


@intrinsic
def _word(typing: Any, record: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words = builder.bitcast(arguments[0], ir.IntType(64).as_pointer())
        return builder.load(builder.gep(words, [arguments[1]]), align=1)

    return types.uint64(record, types.int64), generate


@_twin(_word)
def word(record: Any, index: int) -> np.uint64:
    """The `index`-th eight bytes of a record, as an unsigned number."""
    return np.uint64(int.from_bytes(record.tobytes()[8 * index : 8 * index + 8], sys.byteorder))


@intrinsic
def _words_in(typing: Any, record: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.get_constant(types.int64, record.size // 8)

    return types.int64(record), generate


@_twin(_words_in)
def words_in(record: Any) -> int:
    """How many eight-byte words a record has."""
    return int(record.dtype.itemsize) // 8


@intrinsic(prefer_literal=True)
def _scratch(typing: Any, size: Any, kind: Any) -> Any:
    array = types.Array(kind.dtype, 1, "C")
    count = size.literal_value

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        element = context.get_data_type(kind.dtype)
        memory = cgutils.alloca_once(builder, element, size=count)
        itemsize = context.get_constant(types.intp, context.get_abi_sizeof(element))
        result = make_array(array)(context, builder)
        shape = context.get_constant(types.intp, count)
        populate_array(result, data=memory, shape=[shape], strides=[itemsize], itemsize=itemsize, meminfo=None)
        return result._getvalue()

    return array(size, kind), generate


@_twin(_scratch)
def scratch(size: int, kind: Any) -> Any:
    """A small array on the stack, uninitialised; `size` and `kind` must be constants. Never return it."""
    return np.zeros(size, kind)


@intrinsic
def _borrow(typing: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        result = make_array(array)(context, builder, arguments[0])
        result.meminfo = cgutils.get_null_value(result.meminfo.type)
        result.parent = cgutils.get_null_value(result.parent.type)
        return result._getvalue()

    return array(array), generate


@_twin(_borrow)
def borrow(array: Any) -> Any:
    """The same array without counting references: slices of it cost nothing. Only for arguments of a kernel, which
    outlive the call."""
    return array


@intrinsic
def _popcount(typing: Any, bits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@_twin(_popcount)
def popcount(bits: Any) -> Any:
    """How many bits are set in a uint64 (itself a uint64)."""
    return np.uint64(int(bits).bit_count())


@intrinsic
def _lowest_bit(typing: Any, bits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


@_twin(_lowest_bit)
def lowest_bit(bits: Any) -> Any:
    """The place of the lowest set bit of a uint64, 64 if there is none."""
    return np.int64((int(bits) & -int(bits)).bit_length() - 1 if bits else 64)


@intrinsic
def _nth_bit(typing: Any, bits: Any, n: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if "+bmi2" not in context.codegen().magic_tuple()[2]:  # the processor has no instruction for this
            return context.compile_internal(builder, nth_bit, signature, arguments)
        word = ir.IntType(64)
        kind = ir.FunctionType(word, [word, word])
        deposit = cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.bmi.pdep.64")
        found = builder.call(deposit, [builder.shl(ir.Constant(word, 1), arguments[1]), arguments[0]])
        return builder.cttz(found, ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64, types.int64), generate


@_twin(_nth_bit)
def nth_bit(bits: Any, n: Any) -> Any:
    """The place of the set bit of a uint64 that has n set bits below it; there must be one."""
    for _ in range(n):
        bits &= bits - np.uint64(1)
    return lowest_bit(bits)


@intrinsic
def _is_set(typing: Any, flag: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = make_array(flag)(context, builder, arguments[0]).data
        value = builder.load_atomic(place, "monotonic", align=flag.dtype.bitwidth // 8)
        return builder.icmp_unsigned("!=", value, ir.Constant(value.type, 0))

    if not isinstance(flag, types.Array) or not isinstance(flag.dtype, types.Integer):
        raise numba.TypingError("is_set needs an array of whole numbers")
    return types.boolean(flag), generate


@_twin(_is_set)
def is_set(flag: Any) -> bool:
    """Whether flag[0] is not 0, read from memory every time: a search asks this now and then, so that another thread
    can stop it. `flag`: an array of whole numbers, or a slice that begins at the place meant. A plain flag[0] would be
    read once, as the compiler may believe that nobody else writes."""
    return bool(flag[0] != 0)


@intrinsic
def _address_of(typing: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = make_array(array)(context, builder, arguments[0]).data
        return builder.bitcast(data, ir.IntType(8).as_pointer())

    return types.voidptr(array), generate


_clock_gettime = types.ExternalFunction("clock_gettime", types.int32(types.int32, types.voidptr))
_MONOTONIC = time.CLOCK_MONOTONIC


@njit
def _read_clock() -> int:
    moment = scratch(2, np.int64)
    _clock_gettime(_MONOTONIC, _address_of(moment))
    return int(moment[0]) * 1_000_000_000 + int(moment[1])


@_twin(_read_clock)
def now() -> int:
    """Nanoseconds of a clock that never goes back."""
    return time.monotonic_ns()


# ---------------------------------------------------------------- functions called by address

_address_to_function: dict[int, Callable[..., Any]] = {}


def address(function: Callable[..., Any], signature: Any) -> int:
    """Compile `function` for `signature` (or take it from the cache) and return where its machine code starts."""
    kernel = compiled(function)
    kernel.compile(signature)
    result = kernel.overloads[signature.args]
    pointer: int = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
    _address_to_function[pointer] = function  # the dispatcher, and with it the code, lives as long as the process
    return pointer


@intrinsic
def _call_address(typing: Any, where: Any, arguments: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kinds = tuple(arguments.types)
        function = context.call_conv.get_function_type(types.int64, kinds)
        pointer = builder.inttoptr(values[0], function.as_pointer())
        passed = cgutils.unpack_tuple(builder, values[1])
        status, result = context.call_conv.call_function(builder, pointer, types.int64, kinds, passed)
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return result

    return types.int64(types.int64, arguments), generate


@_twin(_call_address)
def call_address(where: int, arguments: tuple[Any, ...]) -> int:
    """Call the function at an address from ``address``; it returns an int64, its exceptions pass through."""
    return int(_address_to_function[where](*arguments))
