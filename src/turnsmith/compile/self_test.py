"""Does all that leans on numba's inner parts still work? One short test a part.

``python -m turnsmith.compile.kernel`` runs them, and so does ``turnsmith doctor``. docs/explanation/numba.md has a row
for each.
"""

from __future__ import annotations

import ctypes
import threading
import time
import types as python_types
from collections.abc import Callable
from typing import Any

import numpy as np

from turnsmith.common.errors import BadInput
from turnsmith.compile import erasure, numba_private
from turnsmith.compile.numba_private import (
    NO_ANSWER,
    Kernel,
    NotReady,
    address,
    array_on_stack,
    ask_host,
    ask_host_about,
    at_once,
    bundle_type,
    call_by_address,
    compiled_as,
    copy_record,
    count_bits,
    find_lowest_bit,
    find_nth_bit,
    frugal,
    hosts,
    inlined,
    keep_gil,
    light,
    never_wait,
    read_clock,
    read_flag,
    uncounted_array,
    word_of_record,
    words_in_record,
    zero_record,
)

parts: Any = numba_private  # with what it imports of numba


def self_test() -> list[str]:
    """What does not work with this numba: a sentence each, none if all is well."""
    return [fault for fault, test in TESTS.items() if not holds(test)]


def holds(test: Callable[[], bool]) -> bool:
    try:
        return test()
    except Exception:
        return False


# ---------------------------------------------------------------- what is compiled


def _double(number: Any) -> Any:
    return 2 * number


def _use_bundle(bundle: Any, numbers: Any) -> Any:
    return bundle.double(numbers[0]) if bundle.is_on else np.zeros(1, bundle.kind)[0]


def _triple(number: Any) -> Any:
    return 3 * number


def _use_double(numbers: Any) -> Any:
    return _triple(numbers[0])


@inlined
def _step(number: Any) -> Any:
    return number + 1


def _only_python(numbers: Any) -> Any:
    return numbers.__class__.__name__


def _raise_below_zero(numbers: Any) -> Any:
    if numbers[0] < 0:
        raise ValueError("below zero")
    return numbers[0]


def _call(where: Any, numbers: Any) -> Any:
    return call_by_address(where, (numbers,))


def _misspell(pairs: Any) -> Any:
    record = pairs[0]
    return record.aa


def _divide(zeros: Any) -> Any:
    return 1.0 / zeros[0]


def _move(pairs: Any, numbers: Any) -> Any:
    copy_record(pairs[1], pairs[0])
    zero_record(pairs[0])
    room = array_on_stack(2, np.int64)
    room[0] = words_in_record(pairs[0])
    lent, _ = uncounted_array((numbers, 1))
    room[1] = lent[1]
    return room[0] + room[1] + read_flag(numbers) + np.int64(word_of_record(pairs[1], 0))


@compiled_as(count_bits)
def _no_count(bits: Any) -> Any:
    return -1


def _count(bits: Any, found: Any) -> None:
    found[0] = _no_count(bits[0])
    found[1] = find_lowest_bit(bits[0])
    found[2] = find_nth_bit(bits[0], 2)


_SELF_TEST = 255
"""Whom the self-test asks."""


def _ask(pairs: Any, numbers: Any, out: Any) -> Any:
    first = ask_host(256 * _SELF_TEST + 1, np.uint64(2), pairs[0], 7, out)
    second = ask_host_about(256 * _SELF_TEST + 2, np.uint64(2), numbers, 8, out)
    return first + second + ask_host(256 * (_SELF_TEST + 1), np.uint64(2), pairs[0], 0, out)


def _wait(flags: Any) -> Any:
    """Up to five seconds for an answer."""
    flags[1] = 1
    end = read_clock() + 5_000_000_000
    while not read_flag(flags) and read_clock() < end:
        pass
    return flags[0]


def _wait_with_lock(flags: Any) -> Any:
    """For twenty milliseconds; nobody can answer."""
    flags[1] = 1
    end = read_clock() + 20_000_000
    while read_clock() < end:
        pass
    return flags[0]


keep_gil(_wait_with_lock)


def _ask_clock() -> Any:
    return read_clock()


# ---------------------------------------------------------------- the tests

NUMBERS = np.array([3, 4], np.int64)


class Bundle:
    _numba_type_ = bundle_type("self_test", {"double": _double, "is_on": True, "kind": np.dtype(np.int64)})


def pairs() -> Any:
    """Two records of two numbers."""
    made = np.zeros(2, np.dtype([("a", np.int64), ("b", np.int64)]))
    made[0] = (5, 6)
    return made


def foreign() -> bool:
    plain = python_types.FunctionType(_double.__code__, {"__name__": "elsewhere"})
    known = parts.cpu_target.typing_context._lookup_global
    try:
        parts.njit(lambda: plain(1))()
    except parts.numba.TypingError:
        return known(abs) is not None and known(plain) is None
    return False


def heard() -> bool:
    class Heard(parts._Compiling):
        def on_end(self, event: Any) -> None: ...

    listener, fresh = Heard(), parts.njit(_double)
    with parts.event.install_listener("numba:compile", listener):
        fresh.compile((parts.types.int64,))
    return bool(listener.stack == [fresh])


def cached() -> bool:
    again = Kernel(_use_bundle)
    kinds = tuple(again.typeof_pyval(each) for each in (Bundle(), NUMBERS))
    return again.is_kept(kinds) and again(Bundle(), NUMBERS) == 6 and sum(again.stats.cache_hits.values()) == 1


def inlines() -> bool:
    step = parts.dispatcher(_step)
    step.compile((parts.types.int64,))
    declared = parts.cpu_target.target_context.declare_function(
        parts.ir.Module(), step.overloads[parts.types.int64,].fndesc
    )
    return "alwaysinline" in str(declared)


def put_off() -> bool:
    fresh, waited = Kernel(_only_python), parts._waits
    light(_only_python)
    never_wait()
    try:
        answer = fresh(NUMBERS)
    finally:
        never_wait(not waited)
        parts._light.pop(_only_python, None)
    try:
        with at_once():
            fresh(NUMBERS)
    except NotReady:
        return bool(answer == "ndarray") and not fresh.overloads
    return False


def left_out() -> bool:
    frugal(_use_double)
    soon, inner = Kernel(_use_double), parts.dispatcher(_triple)
    right = soon.compile((parts.types.int64[::1],)) is not None and soon(NUMBERS) == 9
    return right and all(result.library.is_left_out for result in inner.overloads.values())


def erased() -> bool:
    return erasure.self_test()


def called() -> bool:
    where, call = address(_raise_below_zero, parts.types.int64(parts.types.int64[::1])), Kernel(_call)
    try:
        call(where, -NUMBERS)
    except ValueError as error:
        return str(error) == "below zero" and bool(call(where, NUMBERS) == 3)
    return False


def refused() -> bool:
    try:
        Kernel(_misspell)(pairs())
    except BadInput as error:
        return "record has no field 'aa'" in str(error)
    return False


def moved() -> bool:
    moving = pairs()
    return bool(Kernel(_move)(moving, NUMBERS) == 2 + 4 + 1 + 5) and moving.tolist() == [(0, 0), (5, 6)]


def counted() -> bool:
    found = np.zeros(3, np.int64)
    Kernel(_count)(np.array([0b1011000], np.uint64), found)
    return found.tolist() == [3, 3, 6]


def asked() -> bool:
    asked_for: list[tuple[int, ...]] = []

    def host(what: int, key: int, record: int, number: int, out: int) -> int:
        asked_for.append((what, key, ctypes.c_int64.from_address(record).value, number))
        ctypes.c_int64.from_address(out).value = 9
        return number + 1

    there, out = np.ones(1, pairs().dtype), np.zeros(1, np.int64)
    hosts[_SELF_TEST] = host
    try:
        answers = Kernel(_ask)(there, NUMBERS, out)
    finally:
        del hosts[_SELF_TEST]
    return answers == 8 + 9 + NO_ANSWER and out[0] == 9 and asked_for == [(1, 2, 1, 7), (2, 2, 3, 8)]


def others_run(kernel: Any) -> bool:
    """Whether another thread sets a flag while compiled code waits for it."""
    flags = np.zeros(2, np.int64)

    def answer() -> None:
        while not flags[1]:
            time.sleep(0)
        flags[0] = 1

    thread = threading.Thread(target=answer)
    thread.start()
    try:
        return bool(kernel(flags))
    finally:
        flags[1] = 1  # also where the kernel failed
        thread.join()


TESTS: dict[str, Callable[[], bool]] = {
    "plain functions compile for others too": foreign,
    "nobody hears what is being compiled": heard,
    "bundles do not resolve": lambda: Kernel(_use_bundle)(Bundle(), NUMBERS) == 6,
    "compiled code does not come back from the cache": cached,
    "steps of loops are not compiled into their callers": inlines,
    "compiling cannot be put off": put_off,
    "calls by address or their exceptions fail": called,
    "inner functions of frugal kernels are compiled, too": left_out,
    "games with their types erased do not play": erased,
    "what cannot be compiled is not explained": refused,
    "a division by zero stops compiled code": lambda: Kernel(_divide)(np.zeros(1)) == np.inf,
    "intrinsics of records and arrays do not do what their twins do": moved,
    "intrinsics of bits do not do what their twins do": counted,
    "compiled code cannot ask Python": asked,
    "compiled code holds Python's lock": lambda: others_run(Kernel(_wait)),
    "compiled code gives up Python's lock": lambda: not others_run(Kernel(_wait_with_lock)),
    "the clocks differ": lambda: parts.clock() <= Kernel(_ask_clock)() <= parts.clock(),
}
