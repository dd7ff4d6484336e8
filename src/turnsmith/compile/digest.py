"""Digests of all that decides: a function is known by its code and by everything it reaches, however far away.

Compiled code is cached under such a digest, and a stored run is named by one, so what is not covered here would be
stale there. Hence the rules: live objects are read, not files; what a name reaches in a module is followed; a module
that is used in a way that cannot be followed counts with its whole source. Only what cannot be edited without another
version (Python itself and the great libraries) is taken by name; any other installed package is taken by all its
sources. A path that is reached counts with what is in the file.
"""

from __future__ import annotations

import dataclasses
import dis
import enum
import functools
import hashlib
import importlib.util
import re
import sys
import types
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Any

import numpy as np

_PLAIN = (int, float, complex, bool, str, bytes, type(None), type(Ellipsis))
_BY_VERSION = ("numpy", "numba", "llvmlite", "scipy", "torch", "onnx", "onnxruntime", "sqlalchemy", "rich", "typer")
_MACHINERY = (
    *(f"turnsmith.compile.{each}" for each in ("kernel", "numba_private", "digest", "cache", "announce")),
    *("turnsmith.compile.compile_errors", "turnsmith.compile.shipped"),
    *(f"turnsmith.play.{name}" for name in ("tiers", "erased")),
    "turnsmith.languages",
)
"""How code is compiled and in what words things are told, never what is computed; intrinsics are followed as twins."""
_PLACES = ("__file__", "__cached__", "__path__", "__spec__", "__loader__")
"""What a module says of where it is: the same code is the same in any folder."""


def digest(*things: Any) -> str:
    """A short digest of functions, classes and values with all they reach; the same in every process."""
    return Digest().add(*things).hexdigest()[:16]


def with_files(thing: Any) -> list[tuple[str, Any, Any]]:
    """The fields of a dataclass, and what is in the file where one names a file: give it to ``digest``."""
    values = [(each.name, getattr(thing, each.name)) for each in dataclasses.fields(thing)]
    return [(name, value, contents(Path(value)) if isinstance(value, str) else "") for name, value in values]


class Digest:
    """A sum over objects and what they reach; each is read once.

    The methods that yield take in something of an object and give what it reaches, so that no chain is too long.
    """

    def __init__(self) -> None:
        self._sha = hashlib.sha256()
        self._seen: dict[int, tuple[int, Any]] = {}  # the object too: an id is free again when its object is gone

    def hexdigest(self) -> str:
        return self._sha.hexdigest()

    def add(self, *things: Any) -> Digest:
        stack: list[Iterator[Any]] = [iter(things)]
        while stack:
            try:
                thing = next(stack[-1])
            except StopIteration:
                stack.pop()
                continue
            if type(thing) in _PLAIN:
                self._say(type(thing).__name__, thing if isinstance(thing, bytes) else repr(thing))
            else:
                stack.append(self._parts(thing))
        return self

    def _say(self, *words: Any) -> None:
        """Take in bytes and texts, each with its length, so that no two lists of them are the same."""
        for word in words:
            raw = word if isinstance(word, bytes) else str(word).encode("utf-8", "surrogatepass")
            self._sha.update(b"%d:" % len(raw) + raw)

    def _parts(self, thing: Any) -> Iterator[Any]:
        if isinstance(thing, (np.ndarray, np.generic)) and not thing.dtype.hasobject:
            self._say("array", repr(thing.dtype), thing.shape, thing.tobytes())
        elif isinstance(thing, np.dtype):
            self._say("dtype", repr(thing))
        elif isinstance(thing, types.CodeType):
            yield from self._code(thing)
        elif isinstance(thing, PurePath):
            self._say("path", contents(Path(thing)))
        elif isinstance(thing, (tuple, frozenset)):  # Python may keep equal ones once or twice, so none is met again
            yield from self._parts_once(thing)
        elif id(thing) in self._seen:
            self._say("again", self._seen[id(thing)][0])
        else:
            self._seen[id(thing)] = (len(self._seen), thing)
            yield from self._parts_once(thing)

    def _parts_once(self, thing: Any) -> Iterator[Any]:
        if type(thing).__module__ in _MACHINERY:
            self._name(type(thing).__module__, type(thing).__qualname__)
        elif isinstance(thing, types.FunctionType):
            yield from self._function(thing)
        elif isinstance(thing, types.ModuleType):
            self._module(thing)
        elif isinstance(thing, type):
            yield from self._class(thing)
        elif isinstance(thing, (set, frozenset)):
            self._say("set", *sorted(digest(each) for each in thing))  # their order changes from process to process
        elif isinstance(thing, (dict, types.MappingProxyType)):
            self._say("map", len(thing))
            yield from [each for pair in list(thing.items()) for each in pair]
        elif isinstance(thing, (tuple, list)):
            self._say("list", len(thing))
            yield from thing
            yield from () if type(thing) in (tuple, list) else (type(thing),)
        elif isinstance(thing, (staticmethod, classmethod)):
            self._say(type(thing).__name__)
            yield thing.__func__
        elif isinstance(thing, types.MethodType):
            yield from (thing.__func__, thing.__self__)
        elif isinstance(thing, property):
            yield from ("property", thing.fget, thing.fset, thing.fdel)
        elif isinstance(thing, functools.partial):
            yield from ("partial", thing.func, thing.args, thing.keywords)
        elif isinstance(thing, functools.cached_property):
            yield from ("property", thing.func)
        elif hasattr(thing, "__wrapped__"):  # what numba compiles, what functools.cache remembers
            self._say("wrapped", sorted((getattr(thing, "targetoptions", None) or {}).items()))
            yield thing.__wrapped__
        else:
            yield from self._object(thing)

    def _function(self, function: types.FunctionType) -> Iterator[Any]:
        twin = getattr(function, "twin", None)
        if twin is not None:  # what compiled code runs in its place; an intrinsic keeps it as _defn
            twin = getattr(twin, "_defn", twin)
            yield from self._body(getattr(twin, "__wrapped__", twin))
        elif _is_foreign(function.__module__):
            self._name(function.__module__, function.__qualname__)
        else:
            yield from self._body(function)

    def _body(self, function: types.FunctionType) -> Iterator[Any]:
        yield [_content(cell) for cell in function.__closure__ or ()]
        yield from (function.__defaults__, function.__kwdefaults__)
        if installed_root(function.__module__):
            self._name(function.__module__, function.__qualname__)
            return
        if hasattr(function, "is_inlined"):
            self._say("inlined")
        yield from self._code(function.__code__, function.__doc__)
        names, space = _names(function.__code__), function.__globals__
        modules = _imports(function.__code__, space)
        for name in names:
            if isinstance(space.get(name), types.ModuleType):
                modules.append(space[name])
            elif name in space and not _is_state(space, name):
                yield from (name, space[name])
        yield from _followed(modules, names)

    def _code(self, code: types.CodeType, docstring: str | None = None) -> Iterator[Any]:
        self._say("code", code.co_code, getattr(code, "co_exceptiontable", b""), code.co_flags)
        self._say(code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
        self._say(code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        for constant in code.co_consts:
            if constant is None or constant != docstring:  # a docstring changes nothing that is computed
                yield constant

    def _module(self, module: types.ModuleType) -> None:
        if _is_named(module.__name__):
            self._name(module.__name__)
        else:
            self._say("source", contents(Path(getattr(module, "__file__", None) or "")))

    def _class(self, kind: type) -> Iterator[Any]:
        if _is_named(kind.__module__):
            self._name(kind.__module__, kind.__qualname__)
            return
        self._say("class", kind.__qualname__)
        yield from kind.__mro__[1:]
        jitted = getattr(kind, "class_type", None)  # numba's jitclass keeps its methods there
        if jitted is not None:
            yield from map(str, jitted.struct.items())
            yield from (jitted.jit_methods, jitted.jit_props, jitted.jit_static_methods)
            return
        for name, value in sorted(vars(kind).items()):
            is_function = isinstance(value, (types.FunctionType, staticmethod, classmethod))
            if is_function or not (name.startswith("__") or name == "_abc_impl"):
                yield from (name, value)

    def _object(self, thing: Any) -> Iterator[Any]:
        kind = type(thing)
        yield kind
        if isinstance(thing, enum.Enum):
            yield from (thing.name, thing.value)
        elif dataclasses.is_dataclass(thing):
            yield [(each.name, getattr(thing, each.name, None)) for each in dataclasses.fields(thing)]
        elif _is_foreign(kind.__module__):
            shown = repr(thing)
            self._say(getattr(thing, "__module__", ""), getattr(thing, "__qualname__", ""))
            self._say("" if "0x" in shown else shown)  # an address changes from process to process
        else:
            plain: tuple[Any, ...] = (int, float, str, bytes)
            yield from (base(thing) for base in plain if isinstance(thing, base))
            slots = [name for each in kind.__mro__ for name in getattr(each, "__slots__", ())]
            yield {name: getattr(thing, name, None) for name in slots} | getattr(thing, "__dict__", {})

    def _name(self, module: str, name: str = "") -> None:
        """Take in by name what is not ours to read, with its release."""
        root = module.partition(".")[0]
        version = getattr(sys.modules.get(root), "__version__", "") if root in _BY_VERSION else ""
        self._say("named", module, name, package_digest(root) if installed_root(module) else version)


def _is_state(space: dict[str, Any], name: str) -> bool:
    """Whether a name is what this package keeps while it runs: by convention private, small, and no function."""
    is_ours = str(space.get("__name__")).startswith("turnsmith.")
    return is_ours and name.startswith("_") and name.islower() and not callable(space[name])


def _followed(modules: list[types.ModuleType], names: list[str]) -> Iterator[Any]:
    """What code that mentions `names` reaches in modules, in modules within them, and so on."""
    waiting, known = list(modules), set()
    while waiting:
        module = waiting.pop(0)
        if module in known:
            continue
        known.add(module)
        found = {} if _is_named(module.__name__) else _attributes(module, names)
        if not found or {"getattr", "vars", "__dict__"}.intersection(names):
            yield module
        for name, value in found.items():
            if isinstance(value, types.ModuleType):
                waiting.append(value)
            else:
                yield from (name, value)


def _attributes(module: types.ModuleType, names: list[str]) -> dict[str, Any]:
    return {name: getattr(module, name) for name in names if name not in _PLACES and hasattr(module, name)}


def _is_foreign(module: str | None) -> bool:
    """Whether a module is known well enough by its version."""
    root = (module or "builtins").partition(".")[0]
    return module in _MACHINERY or root in _BY_VERSION or root in sys.stdlib_module_names


def _is_named(module: str | None) -> bool:
    return _is_foreign(module) or bool(installed_root(module or ""))


def installed_root(module: str) -> str:
    """The top of the installed package that a module belongs to, or "" for code that is nobody's release."""
    root = module.partition(".")[0]
    if root == "turnsmith" or _is_foreign(module):
        return ""
    file = getattr(sys.modules.get(root), "__file__", None) or getattr(sys.modules.get(module), "__file__", None) or ""
    return root if re.search(r"[\\/](site|dist)-packages[\\/]", file) else ""


@functools.cache
def package_digest(root: str) -> str:
    """All sources of an installed package."""
    module = sys.modules[root]
    folders = [Path(each) for each in getattr(module, "__path__", [])]
    files = [(str(file.relative_to(top)), file) for top in folders for file in sorted(top.rglob("*.py"))]
    return digest(files or Path(module.__file__ or ""))


def contents(path: Path) -> str:
    """A digest of what is in a file; "" if there is none, or something that is no plain file."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError):
        return ""


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None


def _names(code: types.CodeType) -> list[str]:
    inner = [each for each in code.co_consts if isinstance(each, types.CodeType)]
    return sorted(set(code.co_names).union(*(_names(each) for each in inner)))


_IMPORT = dis.opmap["IMPORT_NAME"]


def _imports(code: types.CodeType, space: dict[str, Any]) -> list[types.ModuleType]:
    """The modules a function imports while it runs, loaded before or not, other than those known by their version."""
    found = [module for each in code.co_consts if isinstance(each, types.CodeType) for module in _imports(each, space)]
    if _IMPORT not in code.co_code[::2]:
        return found
    levels: list[Any] = []
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_CONST", "LOAD_SMALL_INT"):
            levels.append(step.argval)
        elif step.opname == "IMPORT_NAME":
            level, wanted = levels[-2], levels[-1] or ()
            package = space.get("__package__") or ""
            name = importlib.util.resolve_name("." * level + step.argval, package) if level else step.argval
            if not _is_foreign(name):
                parts = [name, *(f"{name}.{each}" for each in wanted)]
                found += [module for part in parts if (module := _imported(part)) is not None]
    return found


def _imported(name: str) -> types.ModuleType | None:
    try:
        return sys.modules.get(name) or importlib.import_module(name)
    except Exception:  # the code that imports it will say so
        return None
