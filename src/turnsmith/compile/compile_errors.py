"""What numba could not compile, in one line: where in the user's code, and why. Numba itself prints hundreds."""

from __future__ import annotations

import ast
import dis
import importlib.util
import linecache
import os
import re
import types
from collections.abc import Iterable, Iterator
from typing import Any

from turnsmith.common.errors import BadInput, suggestion


def _origin(package: str) -> str:
    """The file of a package, which is not imported: what numba cannot start with is refused elsewhere."""
    spec = importlib.util.find_spec(package)
    return (spec.origin if spec else None) or ""


_NUMBA, _OWN = os.path.dirname(_origin("numba")), os.path.dirname(os.path.dirname(__file__))
_MOST = 300
_FIELD = ("LOAD_ATTR", "STORE_ATTR", "LOAD_METHOD")
_CURE = "compiled functions may use numbers, arrays, records and other such functions"


class CannotCompile(BadInput):
    """Rules or players that numba refuses; the message is one line with the place and the reason."""


def explained(error: BaseException, kernel: Any, known: Iterable[Any]) -> CannotCompile:
    """The refusal that stands for an error raised while `kernel`, and what it calls among `known`, was compiled."""
    text = str(error)
    mentioned = sorted((text.index(repr(each)), each) for each in known if repr(each) in text)
    function = mentioned[0][1] if mentioned else next(_compiling(error), kernel)
    place = _named_place(text)
    if isinstance(error, KeyError) and error.args and isinstance(error.args[0], str):  # numba's word for a wrong field
        name = error.args[0]
        line, owner = _use_of(function, name, _FIELD)
        fields = _fields(error, name)
        why = f"{owner or 'the record'} has no field '{name}'{suggestion(name, fields)}; it has {', '.join(fields)}"
    elif found := re.search(r"NameError: (?:global )?name '(\w+)' is not defined", text):
        line, _ = _use_of(function, found[1], ("LOAD_GLOBAL", "LOAD_NAME"))
        names = [*function.__code__.co_varnames, *function.__globals__]
        why = f"there is no '{found[1]}'{suggestion(found[1], names)}"
    elif found := re.match(r"module '.*' has no attribute '(\w+)'", text):
        line, _ = _use_of(function, found[1], _FIELD)
        why = text
    else:
        line, why = 0, _reason(error)
    file, line = (function.__code__.co_filename, line) if line or not place else place
    line = line or function.__code__.co_firstlineno
    if _is_ours(file):
        why = f"{why}; perhaps a rule returns something that is no number"
    return CannotCompile(f"{_shown(file)}, line {line}{_enclosing(file, line)}: {why}{_quoted(file, line)}")


def _reason(error: BaseException) -> str:
    """The first line that says something, in plainer words."""
    text = re.sub(r"Failed in nopython mode pipeline \(step: [^)]*\)\n", "", str(error))
    text = re.sub(r",? (Raised from|defined at) .*", "", text)
    first, *rest = [line.strip() for line in text.splitlines() if line.strip()] or [type(error).__name__]
    if tried := re.search(r'due to "TypeError: (.*?)"', first):
        return f"a call does not fit: {tried[1]}"
    if unset := re.search(r"Variable '(\w+)' is not defined", first):
        return f"'{unset[1]}' is used before it is set"
    if "opcode (FORMAT_WITH_SPEC)" in first:  # since Python 3.13; numba's words for it before
        first = "format spec in f-strings not supported yet"
    if "opcode (IMPORT_NAME)" in first:
        return "compiled functions cannot import; import at the top of the file"
    if first.startswith("No implementation of function"):
        first = next((line[4:] for line in rest if line.startswith(">>>")), first)
    first = re.sub(r"Module\(<module '([\w.]+)'[^>]*>\)", r"\1", _without_records(first))
    first = re.sub(r"Function\(<(?:built-in )?(?:function|class) '?([\w.]+)[^>]*>\)", r"\1", first)
    said = "" if "object at 0x" in first or first.startswith("LLVM") else f": {first[:_MOST].rstrip(' .')}"
    return f"numba cannot compile this{said}; {_CURE}"


def _without_records(text: str) -> str:
    """Shorten ``Record(…)``, which lists every field, to ``record``."""
    while (begin := text.find("Record(")) >= 0:
        depth, end = 1, begin + len("Record(")
        while end < len(text) and depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        text = text[:begin] + "record" + text[end:]
    return text


# ---------------------------------------------------------------- where


def _compiling(error: BaseException) -> Iterator[types.FunctionType]:
    """The functions that were being compiled when an error was raised, innermost first."""
    found = []
    step = error.__traceback__
    while step is not None:
        function = getattr(step.tb_frame.f_locals.get("self"), "py_func", None)
        if isinstance(function, types.FunctionType):
            found.append(function)
        step = step.tb_next
    inner = error.__cause__ or error.__context__
    if inner is not None:
        yield from _compiling(inner)
    yield from reversed(found)


def _named_place(text: str) -> tuple[str, int] | None:
    """The innermost place that an error's text names: in the user's code if there is one, else in ours."""
    found = re.finditer(r'(?:\bat|from) (?P<a>[^\n"]+?) \((?P<b>\d+)\)|File "(?P<c>[^"\n]+)", line (?P<d>\d+)', text)
    places = [(os.path.abspath(p["a"] or p["c"]), int(p["b"] or p["d"])) for p in found]
    places = [place for place in places if not place[0].startswith(_NUMBA)]
    return next((place for place in places if not _is_ours(place[0])), next(iter(places), None))


def _is_ours(file: str) -> bool:
    """Whether a file is of this package and no game's."""
    return file.startswith(_OWN) and not file.startswith(os.path.join(_OWN, "games"))


def _use_of(function: types.FunctionType, name: str, how: tuple[str, ...]) -> tuple[int, str]:
    """The first line of a function that uses a name in one of these ways, and the variable it is used on."""
    line, before = function.__code__.co_firstlineno, ""
    for step in dis.get_instructions(function):
        line = (step.positions and step.positions.lineno) or line
        if step.opname in how and step.argval == name:
            return line, before
        before = step.argval if step.opname.startswith("LOAD_FAST") and isinstance(step.argval, str) else ""
    return 0, ""


def _fields(error: BaseException, missing: str) -> list[str]:
    """The fields of the record that was asked for another one."""
    from numba import types as kinds

    step, found = error.__traceback__, []
    while step is not None:
        for value in step.tb_frame.f_locals.values():
            if isinstance(value, kinds.Record) and missing not in value.fields:
                found = [name for name in value.fields if not name.startswith("_")]
        step = step.tb_next
    return found


def _shown(file: str) -> str:
    near = os.path.relpath(file)
    return file if near.startswith("..") else near


def _enclosing(file: str, line: int) -> str:
    """The name of the function a line stands in."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return ""
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    return f" in {max(around, key=lambda node: node.lineno).name}" if around else ""


def _quoted(file: str, line: int) -> str:
    code = linecache.getline(file, line).strip()
    return f" [{code[:120]}]" if code else ""
