"""How plain Python rules become machine code, and what they may use there. Nothing here knows a game.

* A plain function reached from compiled code is compiled as it stands, so rules need no decorator.
* A ``Game`` (or any ``Bundle`` of functions) is a zero-size value in compiled code; ``game.apply(...)``
  resolves while compiling and costs nothing while running.
* A ``kernel`` is the top of a compiled call tree and the only thing cached on disk. Its cache entry is named by
  a digest of every function and constant it reaches, so an edit anywhere recompiles and undoing it hits again.
* The functions below do in Python what their compiled halves in ``numba_private`` do in machine code: record moves,
  byte hashes, scratch memory, bits, the clock, stop flags, calls by address.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from turnsmith.compile import numba_private
from turnsmith.compile.cache import cache_folder as cache_folder
from turnsmith.compile.digest import digest as digest
from turnsmith.compile.numba_private import NotReady as NotReady
from turnsmith.compile.numba_private import address as address
from turnsmith.compile.numba_private import at_once as at_once
from turnsmith.compile.numba_private import bundle_type as bundle_type
from turnsmith.compile.numba_private import compiled as compiled
from turnsmith.compile.numba_private import compiled_as
from turnsmith.compile.numba_private import compiled_in_this_process as compiled_in_this_process
from turnsmith.compile.numba_private import delays as delays
from turnsmith.compile.numba_private import dispatcher as dispatcher
from turnsmith.compile.numba_private import inlined as inlined
from turnsmith.compile.numba_private import interpreted as interpreted
from turnsmith.compile.numba_private import keep_gil as keep_gil
from turnsmith.compile.numba_private import light as light
from turnsmith.compile.numba_private import never_wait as never_wait


@compiled_as(numba_private.copy_record)
def copy(target: Any, source: Any) -> None:
    """Overwrite the record `target` with the bytes of `source` (same dtype)."""
    for name in target.dtype.names:
        target[name] = source[name]


@compiled_as(numba_private.zero_record)
def zero(record: Any) -> None:
    """Set every byte of a record to 0."""
    for name in record.dtype.names:
        record[name] = np.zeros((), record.dtype[name])


@compiled_as(numba_private.word_of_record)
def word(record: Any, index: int) -> np.uint64:
    """The `index`-th eight bytes of a record, as an unsigned number."""
    return np.uint64(int.from_bytes(record.tobytes()[8 * index : 8 * index + 8], sys.byteorder))


@compiled_as(numba_private.words_in_record)
def words_in(record: Any) -> int:
    """How many eight-byte words a record has."""
    return int(record.dtype.itemsize) // 8


@compiled_as(numba_private.array_on_stack)
def scratch(size: int, kind: Any) -> Any:
    """A small array on the stack, uninitialised; `size` and `kind` must be constants. Never return it."""
    return np.zeros(size, kind)


@compiled_as(numba_private.uncounted_array)
def borrow(arrays: Any) -> Any:
    """The same array, or tuple of arrays, without counting references: slices and fields of it cost nothing. Only for
    arguments of a kernel, which outlive the call."""
    return arrays


@compiled_as(numba_private.count_bits)
def popcount(bits: Any) -> Any:
    """How many bits are set in a uint64 (itself a uint64)."""
    return np.uint64(int(bits).bit_count())


@compiled_as(numba_private.find_lowest_bit)
def lowest_bit(bits: Any) -> Any:
    """The place of the lowest set bit of a uint64, 64 if there is none."""
    return np.int64((int(bits) & -int(bits)).bit_length() - 1 if bits else 64)


@compiled_as(numba_private.find_nth_bit)
def nth_bit(bits: Any, n: Any) -> Any:
    """The place of the set bit of a uint64 that has n set bits below it; there must be one."""
    for _ in range(n):
        bits &= bits - np.uint64(1)
    return lowest_bit(bits)


@compiled_as(numba_private.read_flag)
def is_set(flag: Any) -> bool:
    """Whether flag[0] is not 0, read from memory every time: a search asks this now and then, so that another thread
    can stop it. `flag`: an array of whole numbers, or a slice that begins at the place meant. A plain flag[0] would be
    read once, as the compiler may believe that nobody else writes."""
    return bool(flag[0] != 0)


@compiled_as(numba_private.read_clock)
def now() -> int:
    """Nanoseconds of a clock that never goes back."""
    return numba_private.clock()


@compiled_as(numba_private.call_by_address)
def call_address(where: int, arguments: tuple[Any, ...]) -> int:
    """Call the function at an address from ``address``; it returns an int64, its exceptions pass through."""
    return int(numba_private.function_at[where](*arguments))


@compiled_as(numba_private.ask_host)
def ask_python(what: int, key: Any, record: Any, number: int, out: Any) -> int:
    """Let Python answer, at Python's speed: rules that nobody can compile. Who is `numba_private.hosts[what >> 8]`;
    NO_ANSWER if that fails. `record` may be read by its address, the array `out` be written to by its own."""
    whole = np.array([record])  # of which the address is known; a record's own is not
    return numba_private.hosts[what >> 8](what & 255, int(key), whole.ctypes.data, int(number), out.ctypes.data)


@compiled_as(numba_private.ask_host_about)
def ask_python_about(what: int, key: Any, asked: Any, number: int, out: Any) -> int:
    """The same with an array in place of a record; both arrays must be whole, not slices with gaps."""
    return numba_private.hosts[what >> 8](what & 255, int(key), asked.ctypes.data, int(number), out.ctypes.data)


if __name__ == "__main__":
    from turnsmith.compile.self_test import self_test

    faults = self_test()
    sys.exit("\n".join(faults) if faults else None)
