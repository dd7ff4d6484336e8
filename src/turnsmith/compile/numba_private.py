"""All that leans on numba's inner parts, which a new version may change: nothing else in the project does.

* Plain functions that our compiled code reaches are compiled as they stand; what other libraries compile is left alone.
* Bundles of functions are zero-size values whose attributes resolve while compiling.
* Kernels are cached in sealed files, and what cannot be compiled is refused in one line.
* The compiled halves of the functions in ``kernel``, as intrinsics.

Its neighbour ``erasure`` leans on them, too.

``self_test`` beside it tries every part; ``python -m turnsmith.compile.kernel`` runs it.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import pickle  # only for numba's own compiled code, sealed by the user's key or shipped (``cache``, ``shipped``)
import re
import sys
import threading
import time
import types as python_types
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np

from turnsmith.common.errors import BadInput

try:
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "Environment variable", RuntimeWarning)  # of numba's, with a traceback in it
        import numba
except (ValueError, RuntimeWarning) as error:
    said = str(error).strip().splitlines()[0].rstrip(".")
    given = ", ".join(f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("NUMBA_"))
    raise BadInput(f"numba cannot start with {given} ({said}); unset or correct it") from None

from turnsmith.compile import cache, shipped
from turnsmith.compile.announce import announced
from turnsmith.compile.compile_errors import explained
from turnsmith.compile.digest import digest

TESTED = ">=0.66,<0.69"
"""The numbas that all tests pass with; pyproject.toml says the same. How they were tried: docs/explanation/numba.md."""


class WrongNumba(BadInput, ImportError):
    """A numba that the project was not tested with."""


def _releases(text: str) -> list[tuple[int, int]]:
    return [(int(major), int(minor)) for major, minor in re.findall(r"(\d+)\.(\d+)", text)]


_first, _beyond = _releases(TESTED)
if not _first <= _releases(f"{numba.__version__} 0.0")[0] < _beyond and "TURNSMITH_UNTESTED" not in os.environ:
    raise WrongNumba(f"turnsmith needs numba {TESTED}, this is {numba.__version__}; pip install 'numba{TESTED}'")
try:
    import llvmlite.binding
    import llvmlite.ir as ir
    from numba import njit, types
    from numba.core import cgutils, compiler, config, event
    from numba.core.caching import _Cache
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.dispatcher import Dispatcher
    from numba.core.errors import ForceLiteralArg, NumbaExperimentalFeatureWarning
    from numba.core.pythonapi import NativeValue
    from numba.core.registry import CPUDispatcher, cpu_target
    from numba.core.serialize import dumps
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
except ImportError as error:
    raise WrongNumba(f"this numba {numba.__version__} lacks a part ({error}); install it anew") from None

# The board of a game with no fields of its own begins every other board. Numba says so; nothing is ever converted, as
# each game's functions are compiled for its own records.
warnings.filterwarnings(
    "ignore", r"Record\(.* has been considered a subtype of Record\(", NumbaExperimentalFeatureWarning
)

# ---------------------------------------------------------------- plain functions compile as they stand

dispatchers: dict[Callable[..., Any], Dispatcher] = {}
_COMPILED_BY_NUMBA = ("numpy", "numba", "llvmlite", "scipy")  # or by nobody: their Python would not compile
_typed_before = typeof_impl.dispatch(python_types.FunctionType)


def dispatcher(function: Callable[..., Any]) -> Dispatcher:
    """The one dispatcher of a plain function, for calls from our compiled code."""
    if function not in dispatchers:
        # Only compiled code calls it: leaving out both wrappers saves a fifth of the compiling.
        options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": hasattr(function, "is_inlined")}
        dispatchers[function] = njit(function, nogil=True, error_model="numpy", **options)
    return dispatchers[function]


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a step of a loop that is compiled into its caller: handing records of many arrays on then costs nothing."""
    function.is_inlined = True  # type: ignore[attr-defined]
    return function


class _Compiling(event.Listener):
    """What is being compiled now, innermost last, and by which thread: numba compiles in one at a time."""

    def __init__(self) -> None:
        self.stack: list[Dispatcher] = []
        self.thread = 0
        self.is_frugal = False
        """Whether the kernel under way should be there soon, rather than be as fast as it can."""

    def on_start(self, event: Any) -> None:
        self.stack.append(event.data["dispatcher"])

    def on_end(self, event: Any) -> None:
        self.stack.pop()

    def leaves_out(self, library: Any) -> bool:
        """Whether a library is made for the sake of a frugal kernel alone, which takes all its code in."""
        if not self.is_frugal or not self.is_ours():
            return False
        top = self.stack[-1]
        return not isinstance(top, Kernel) or library.name != top.py_func.__qualname__

    def is_ours(self) -> bool:
        """Whether a function of ours is compiled, and not one that another library compiles for itself within it."""
        if not self.stack or self.thread != threading.get_ident():
            return False
        inner = self.stack[-1]
        return isinstance(inner, Kernel) or dispatchers.get(inner.py_func) is inner


_compiling = _Compiling()


@typeof_impl.register(python_types.FunctionType)
def _type_of_function(function: Any, context: Any) -> types.Type | None:
    if hasattr(function, "twin"):
        return cpu_target.typing_context.resolve_value_type(function.twin)
    root = (function.__module__ or "").partition(".")[0]
    is_known = cpu_target.typing_context._lookup_global(function) is not None  # by somebody's overload
    if is_known or root in _COMPILED_BY_NUMBA or not (root == "turnsmith" or _compiling.is_ours()):
        return _typed_before(function, context)
    return types.Dispatcher(dispatcher(function))


def compiled_as(compiled_half: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark a Python function that compiled code replaces by `compiled_half` instead of compiling its source."""

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        function.twin = compiled_half  # type: ignore[attr-defined]
        return function

    return mark


# ---------------------------------------------------------------- only the top becomes machine code


class _Library(JITCodeLibrary):
    """The code of a function. Numba optimises the code of every inner function and makes it into machine code, which
    nobody calls: each kernel takes in the code of all that it reaches, and optimises it again. Leaving that out saves
    a third of the compiling, and makes some code a fifth slower: frugal kernels do."""

    is_left_out = False

    def _optimize_final_module(self) -> None:
        self.is_left_out = _compiling.leaves_out(self)
        if not self.is_left_out:
            super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        if not self.is_left_out:
            super()._finalize_final_module()
            return
        self._finalize_dynamic_globals()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        if self.is_left_out and not _compiling.is_frugal:  # the next to take it in is to be fast
            self.is_left_out, self._shared_module = False, None
            super()._optimize_final_module()
        return super()._get_module_for_linking()


class _Environments:
    """Tells machine code where the Python objects of its functions are, of inner functions once they are there."""

    def __init__(self, codegen: Any):
        self.engine, self.set_at_once = codegen._engine, codegen.set_env
        self.waiting: list[tuple[str, Any]] = []

    def set(self, name: str, environment: Any) -> None:
        self.waiting.append((name, environment))
        if self.engine.is_symbol_defined(name):
            for known, each in self.waiting:
                if self.engine.is_symbol_defined(known):
                    self.set_at_once(known, each)
            self.waiting.clear()


_codegen = cpu_target.target_context.codegen()
_codegen._library_class = _Library
_codegen.set_env = _Environments(_codegen).set

# ---------------------------------------------------------------- bundles of functions as zero-size values


class BundleType(types.Opaque):
    """The compile-time face of a bundle: its name, a digest of all it reaches, and its members."""

    def __init__(self, name: str, digest: str, members: dict[str, Any]):
        self.members = members
        self.addresses: dict[Callable[..., Any], int] = {}  # of functions compiled for this bundle
        self.looked_for: dict[Callable[..., Any], float] = {}  # when such functions were last looked for on disk
        super().__init__(name=f"{name}#{digest}")

    def __getstate__(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "members": {},
            "addresses": {},
            "looked_for": {},
        }  # numba interns types by name: the live one has them


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


# ---------------------------------------------------------------- what compiled code depends on

_SETTINGS = ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DEBUGINFO_DEFAULT", "DEBUG_NRT", "USING_SVML", "DISABLE_JIT")
"""Settings with which numba makes other code; whether bounds are checked is in the names of files."""


def compiler_facts() -> dict[str, Any]:
    """Versions and settings of the compiler, for the manifest of ``shipped``."""
    return {
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "triple": llvmlite.binding.get_process_triple(),
        "settings": {name: int(getattr(config, name, 0) or 0) for name in _SETTINGS},
    }


def processor() -> tuple[str, set[str], str | None, str | None]:
    """This processor and its features, and those that numba was told to compile for, if any."""
    features = {name for name, is_there in llvmlite.binding.get_host_cpu_features().items() if is_there}
    return llvmlite.binding.get_host_cpu_name(), features, config.CPU_NAME, config.CPU_FEATURES


# ---------------------------------------------------------------- kernels, cached on disk


class Names(list[str]):
    """A list that is no part of what anybody computes: digests pass over it."""


compiled_in_this_process = Names()
"""Names of the kernels that had to be compiled because no cache had them; tests read it."""
waited_for = Names()
"""Names of the kernels that no cache had when they were asked for: this process compiled them, or another did."""
touched = Names()
"""The files of the cache that this process read or wrote, by their names there."""


def delays() -> int:
    """How often this process has compiled, or waited for another that did."""
    return len(compiled_in_this_process) + len(waited_for)


def _files_of(signature: Any) -> list[str]:
    """The modules that games in files were loaded as: what is cached names them, so a copy of a file has its own."""
    kinds = signature if isinstance(signature, tuple) else signature.args
    members = [each for kind in kinds if isinstance(kind, BundleType) for each in kind.members.values()]
    modules = {str(getattr(each, "__module__", "")) for each in members}
    return sorted(name for name in modules if name.startswith("turnsmith_game_"))


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
        return self._named(signature, str(codegen.magic_tuple()), numba.__version__, sys.version, "sealed")

    def shipped_name(self, signature: Any) -> str:
        """The name of the same code where it came with the package; its manifest says what it was made by."""
        return self._named(signature, shipped.LEVEL, "shipped")

    def _named(self, signature: Any, *made_by: str) -> str:
        parts = (
            self.digest,
            str(signature),
            *made_by,
            str(config.BOUNDSCHECK),
            str(self.function in _keep_gil),
            __name__,  # pickled code names modules: another layout would not find them
            *_files_of(signature),
        )
        name = re.sub(r"[^\w.]", "_", f"{self.function.__module__}.{self.function.__qualname__}")[-100:]
        return f"{name}-{hashlib.sha256('|'.join(parts).encode()).hexdigest()[:32]}.nbc"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        found = self._load(self._name(sig, target_context.codegen()), cache, target_context)
        if found is None and shipped.is_there():
            found = self._load(self.shipped_name(sig), shipped, target_context)
        return found

    def _load(self, name: str, place: Any, target_context: Any) -> Any:
        """The code of this name in the user's cache, or in what came with the package: both give only what they have
        checked."""
        content = place.read(name)
        if content is None:
            return None
        touched.append(name)
        try:
            return compiler.CompileResult._rebuild(target_context, *pickle.loads(content))
        except Exception as error:  # whatever is wrong with it, compiling again is right
            place.complain(name, f"{type(error).__name__}: {error}")
            return None

    def has(self, signature: Any, codegen: Any) -> bool:
        """Whether code need not be compiled."""
        if (cache.cache_folder() / self._name(signature, codegen)).exists():
            return True
        return shipped.is_there() and shipped.has(self.shipped_name(signature))

    def made_alone(self, signature: Any, codegen: Any) -> AbstractContextManager[None]:
        """Within the block, no other process compiles the same (see ``cache.alone``)."""
        waited_for.append(f"{self.function.__module__}.{self.function.__qualname__}")
        return cache.alone(self._name(signature, codegen))

    def save_overload(self, sig: Any, data: Any) -> None:
        compiled_in_this_process.append(f"{self.function.__module__}.{self.function.__qualname__}")
        name = self._name(sig, data.library.codegen)
        touched.append(name)
        cache.write(name, dumps(data._reduce()))


_kernels: dict[Callable[..., Any], Kernel] = {}
_keep_gil: set[Callable[..., Any]] = set()


def keep_gil(*functions: Callable[..., Any]) -> None:
    """Say of kernels that they take microseconds: they keep Python's lock, which among busy threads costs far more to
    give up and get back than they take."""
    _keep_gil.update(functions)


_frugal: set[Callable[..., Any]] = set()


def frugal(*functions: Callable[..., Any]) -> None:
    """Say of kernels that they should be compiled soon, rather than be as fast as they can; those for any game are."""
    _frugal.update(functions)


_light: dict[Callable[..., Any], Callable[..., Any] | None] = {}
_waits = True
WORTH_COMPILING = 20_000
"""Calls of a light kernel after which code of its own saves more than compiling it takes."""
LOOK_AGAIN = 256
"""Calls of a light kernel after which the cache is asked again."""


def light(*functions: Callable[..., Any], instead: Callable[..., Any] | None = None) -> None:
    """Say of kernels that Python itself does them in milliseconds: see ``never_wait``.

    ``instead(function, *arguments, waits=bool)`` gives other code for the same work, until a kernel is called so often
    that compiling it is worthwhile; None where there is none, or, if nobody `waits`, none yet.
    """
    _light.update(dict.fromkeys(functions, instead))


def never_wait(never: bool = True) -> None:
    """From now on Python itself does what ``light`` kernels do until somebody else, such as ``turnsmith warm``, has
    compiled them: a server answers at once, and compiling, which holds up all threads, is left to other processes."""
    global _waits
    _waits = not never


class NotReady(Exception):
    """Something would have to be compiled, and nobody is to wait for that."""


_hurry = threading.local()


@contextmanager
def at_once() -> Iterator[None]:
    """Within the block nothing is compiled in this thread: what is neither ``light`` nor kept raises NotReady."""
    before = getattr(_hurry, "is_on", False)
    _hurry.is_on = True
    try:
        yield
    finally:
        _hurry.is_on = before


def _named(function: Callable[..., Any], kinds: tuple[Any, ...]) -> str:
    """What a kernel is, for people: its game, and where its code is."""
    game = next((kind.name.partition("#")[0] for kind in kinds if isinstance(kind, BundleType)), "what all games share")
    return f"{game} ({function.__module__.removeprefix('turnsmith.')})"


class Kernel(CPUDispatcher):
    """A dispatcher that caches on our terms, and says in one line what cannot be compiled."""

    def __init__(self, function: Callable[..., Any]):
        options = {"nopython": True, "nogil": function not in _keep_gil, "error_model": "numpy"}
        super().__init__(function, targetoptions={**options, "no_cfunc_wrapper": True, "boundscheck": None})
        self._cache = DiskCache(function)
        self.light_calls: dict[Any, int] = {}

    def _compile_for_args(self, *arguments: Any, **named: Any) -> Any:
        other = self._other_code(arguments) if self.py_func in _light else None
        return super()._compile_for_args(*arguments, **named) if other is None else other

    def _other_code(self, arguments: tuple[Any, ...]) -> Callable[..., Any] | None:
        """What does the work of a light kernel until its own code is there, or worth compiling; then None."""
        instead, other = _light[self.py_func], None
        if instead is not None:
            kind = arguments[
                0
            ]._numba_type_  # of a game: asking for the types of all arguments takes longer than most work
            if getattr(kind, "is_for_any_game", False):
                return None  # compiled once for all games
            calls = self.light_calls[kind] = self.light_calls.get(kind, 0) + 1
            if calls % LOOK_AGAIN == 1 and self._is_kept_for(arguments):
                return None
            if calls < WORTH_COMPILING or not _waits:
                other = instead(self.py_func, *arguments, waits=_waits)
        elif not _waits and self._is_kept_for(arguments):
            return None
        return interpreted(self.py_func) if other is None and not _waits else other

    def _is_kept_for(self, arguments: tuple[Any, ...]) -> bool:
        kinds = [self.typeof_pyval(each) for each in arguments]  # a tuple that grows is not safe among threads
        return self.is_kept(tuple(kinds))

    def _is_frugal(self, kinds: tuple[Any, ...]) -> bool:
        return self.py_func in _frugal or getattr(kinds[0] if kinds else None, "is_for_any_game", False)

    def is_kept(self, signature: Any) -> bool:
        """Whether the cache, or what came with the package, has the code for a signature."""
        return self._cache.has(signature, self.targetctx.codegen())

    def compile(self, signature: Any) -> Any:
        """As numba does, from the cache where that has the code; what cannot be compiled is said in one line."""
        kinds = signature if isinstance(signature, tuple) else signature.args
        is_there = kinds in self.overloads or self.is_kept(signature)
        if getattr(_hurry, "is_on", False) and not is_there:
            raise NotReady(self.py_func.__qualname__)
        with global_compiler_lock:
            if _compiling.stack:  # within another: it listens already
                return super().compile(signature)
            _compiling.thread, _compiling.is_frugal = threading.get_ident(), self._is_frugal(kinds)
            codegen = self.targetctx.codegen()
            making = nullcontext() if is_there else self._cache.made_alone(signature, codegen)
            telling = announced(lambda: _named(self.py_func, kinds))
            with event.install_listener("numba:compile", _compiling), telling, making:
                try:
                    return super().compile(signature)
                except (ForceLiteralArg, BadInput, OSError, MemoryError, ImportError):  # what has its own meaning
                    raise
                except Exception as error:
                    raise explained(error, self.py_func, dispatchers) from None
                finally:
                    _compiling.stack.clear()


def interpreted(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same kernel in plain Python; integer wrap-around is meant, so numpy must not warn of it."""

    def run(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*arguments)

    return run


def compiled(function: Callable[..., Any]) -> Any:
    """The cached dispatcher of a kernel, a ``Kernel``. Call it with arrays and bundles, never with scalar records."""
    if function not in _kernels:
        _kernels[function] = Kernel(function)
    return _kernels[function]


def address(function: Callable[..., Any], signature: Any) -> int:
    """Compile `function` for `signature` (or take it from the cache) and return where its machine code starts."""
    kernel = compiled(function)
    kernel.compile(signature)
    result = kernel.overloads[signature.args]
    pointer: int = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
    function_at[pointer] = function  # the dispatcher, and with it the code, lives as long as the process
    return pointer


function_at: dict[int, Callable[..., Any]] = {}
"""Which function's code starts at an address."""

# ---------------------------------------------------------------- the compiled halves of what is in ``kernel``

BLOB_BYTES = "_bytes_in_use"
"""The first field of a record whose type is erased (see ``erasure``): what is in use of it, this field included."""


def _is_blob(record: Any) -> bool:
    return isinstance(record, types.Record) and BLOB_BYTES in record.fields


def _bytes_in(builder: Any, record: Any, value: Any) -> Any:
    """How many bytes of a record there are to move; of a blob never more than it holds, whatever its header says."""
    size = ir.Constant(ir.IntType(64), record.size)
    if not _is_blob(record):
        return size
    used = builder.load(builder.bitcast(value, ir.IntType(64).as_pointer()))
    return builder.select(builder.icmp_unsigned("<", used, size), used, size)


def _body_of(builder: Any, record: Any, value: Any) -> Any:
    """Where the fields of a record begin: of a blob, behind its header."""
    raw = builder.bitcast(value, ir.IntType(8).as_pointer())
    return builder.gep(raw, [ir.Constant(ir.IntType(64), 8)]) if _is_blob(record) else raw


@intrinsic
def copy_record(typing: Any, target: Any, source: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        cgutils.raw_memcpy(builder, arguments[0], arguments[1], _bytes_in(builder, source, arguments[1]), 1)
        return context.get_dummy_value()

    if target.size != source.size:
        raise numba.TypingError("copy needs two records of one dtype")
    return types.none(target, source), generate


@intrinsic
def zero_record(typing: Any, record: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        count, body = _bytes_in(builder, record, arguments[0]), _body_of(builder, record, arguments[0])
        if _is_blob(record):
            count = builder.sub(count, ir.Constant(ir.IntType(64), 8))
        cgutils.memset(builder, body, count, 0)
        return context.get_dummy_value()

    return types.none(record), generate


@intrinsic
def word_of_record(typing: Any, record: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words = builder.bitcast(_body_of(builder, record, arguments[0]), ir.IntType(64).as_pointer())
        return builder.load(builder.gep(words, [arguments[1]]), align=1)

    return types.uint64(record, types.int64), generate


@intrinsic
def words_in_record(typing: Any, record: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if not _is_blob(record):
            return context.get_constant(types.int64, record.size // 8)
        words = builder.lshr(_bytes_in(builder, record, arguments[0]), ir.Constant(ir.IntType(64), 3))
        return builder.sub(words, ir.Constant(ir.IntType(64), 1))

    return types.int64(record), generate


@intrinsic(prefer_literal=True)
def array_on_stack(typing: Any, size: Any, kind: Any) -> Any:
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


@intrinsic
def uncounted_array(typing: Any, borrowed: Any) -> Any:
    """Of an array, or of all arrays of a tuple."""

    def uncounted(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        if isinstance(kind, types.BaseTuple):
            members = zip(kind, cgutils.unpack_tuple(builder, value), strict=True)
            return context.make_tuple(builder, kind, [uncounted(context, builder, *each) for each in members])
        if not isinstance(kind, types.Array):
            return value
        result = make_array(kind)(context, builder, value)
        result.meminfo = cgutils.get_null_value(result.meminfo.type)
        result.parent = cgutils.get_null_value(result.parent.type)
        return result._getvalue()

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return uncounted(context, builder, borrowed, arguments[0])

    return borrowed(borrowed), generate


@intrinsic
def count_bits(typing: Any, bits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@intrinsic
def find_lowest_bit(typing: Any, bits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


@intrinsic
def find_nth_bit(typing: Any, bits: Any, n: Any) -> Any:
    def by_clearing(bits: Any, n: Any) -> Any:
        for _ in range(n):
            bits &= bits - np.uint64(1)
        return find_lowest_bit(bits)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if "+bmi2" not in context.codegen().magic_tuple()[2]:  # the processor has no instruction for this
            return context.compile_internal(builder, by_clearing, signature, arguments)
        word = ir.IntType(64)
        kind = ir.FunctionType(word, [word, word])
        deposit = cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.bmi.pdep.64")
        found = builder.call(deposit, [builder.shl(ir.Constant(word, 1), arguments[1]), arguments[0]])
        return builder.cttz(found, ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64, types.int64), generate


@intrinsic
def read_flag(typing: Any, flag: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = make_array(flag)(context, builder, arguments[0]).data
        value = builder.load_atomic(place, "monotonic", align=flag.dtype.bitwidth // 8)
        return builder.icmp_unsigned("!=", value, ir.Constant(value.type, 0))

    if not isinstance(flag, types.Array) or not isinstance(flag.dtype, types.Integer):
        raise numba.TypingError("is_set needs an array of whole numbers")
    return types.boolean(flag), generate


@intrinsic
def address_of(typing: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = make_array(array)(context, builder, arguments[0]).data
        return builder.bitcast(data, ir.IntType(8).as_pointer())

    return types.voidptr(array), generate


@intrinsic
def call_by_address(typing: Any, where: Any, arguments: Any) -> Any:
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


@intrinsic
def address_of_record(typing: Any, record: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _body_of(builder, record, arguments[0])

    return types.voidptr(record), generate


# ---------------------------------------------------------------- asking Python

hosts: dict[int, Callable[[int, int, int, int, int], int]] = {}
"""Who answers: (what, key, address of a record, a number, address of an array) -> a number, by what / 256."""
NO_ANSWER = -99


def _answer(what: int, key: int, record: int, number: int, out: int) -> int:
    """Nothing may be raised here: compiled code knows no way to pass it on."""
    try:
        return hosts[what >> 8](what & 255, key, record, number, out)
    except BaseException:
        return NO_ANSWER


_host = ctypes.CFUNCTYPE(
    ctypes.c_int64, ctypes.c_int64, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p
)(_answer)
llvmlite.binding.add_symbol("turnsmith_host", ctypes.cast(_host, ctypes.c_void_p).value)
_call_host = types.ExternalFunction(
    "turnsmith_host", types.int64(types.int64, types.uint64, types.voidptr, types.int64, types.voidptr)
)


def ask_host(what: int, key: Any, record: Any, number: int, out: Any) -> int:
    """Ask Python from compiled code; Python's lock is taken meanwhile, so this is slow."""
    return int(_call_host(what, key, address_of_record(record), number, address_of(out)))


def ask_host_about(what: int, key: Any, asked: Any, number: int, out: Any) -> int:
    """The same with an array in place of a record."""
    return int(_call_host(what, key, address_of(asked), number, address_of(out)))


# ---------------------------------------------------------------- the clock

if sys.platform == "linux" and hasattr(time, "clock_gettime"):
    _clock_gettime = types.ExternalFunction("clock_gettime", types.int32(types.int32, types.voidptr))
    _MONOTONIC = time.CLOCK_MONOTONIC
    clock = time.monotonic_ns

    def read_clock() -> int:
        """Nanoseconds from the system itself."""
        moment = array_on_stack(2, np.int64)
        _clock_gettime(_MONOTONIC, address_of(moment))
        return int(moment[0]) * 1_000_000_000 + int(moment[1])

else:
    clock = time.perf_counter_ns
    _python_clock = ctypes.CFUNCTYPE(ctypes.c_int64)(clock)
    llvmlite.binding.add_symbol("turnsmith_clock", ctypes.cast(_python_clock, ctypes.c_void_p).value)
    _call_python_clock = types.ExternalFunction("turnsmith_clock", types.int64())

    def read_clock() -> int:
        """Nanoseconds from Python, which knows the clock of every system."""
        return int(_call_python_clock())
