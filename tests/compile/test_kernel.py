"""The numba glue: twins, calls by address, digests, and a cache that is right."""

import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numba import types

import turnsmith as ts
from turnsmith.compile import kernel
from turnsmith.compile.kernel import compiled, interpreted
from turnsmith.contract.records import record
from turnsmith.play import step

NIM = Path(__file__).parents[2] / "examples" / "nim.py"
Pair = record(small=np.int8, row=(np.int32, 3), big=np.uint64)

# ---------------------------------------------------------------- intrinsics and their twins


def move_records(pairs, words):
    """Copy, clear and read records."""
    kernel.copy(pairs[1], pairs[0])
    kernel.zero(pairs[2])
    for index in range(kernel.words_in(pairs[0])):
        words[index] = kernel.word(pairs[0], index)
    return kernel.words_in(pairs[0])


def test_only_short_kernels_keep_the_lock():
    """A kernel that is said to be short keeps Python's lock, as giving it up costs more; the others give it up."""

    def look(numbers):
        return numbers[0]

    kernel.keep_gil(look)
    assert not compiled(look).targetoptions["nogil"]
    assert compiled(step.ask).targetoptions["nogil"]
    assert step.ask not in step.SHORT


@pytest.mark.parametrize("how", [interpreted, compiled])
def test_records_move_as_bytes(how):
    """copy, zero, word and words_in do the same to every byte, interpreted and compiled."""
    pattern = bytes(range(1, 3 * Pair.itemsize + 1))
    pairs = np.frombuffer(bytearray(pattern), Pair)
    words = np.zeros(Pair.itemsize // 8, np.uint64)
    assert how(move_records)(pairs, words) == len(words)
    first = pattern[: Pair.itemsize]
    assert pairs.tobytes() == first + first + bytes(Pair.itemsize)
    assert words.tobytes() == first


def count_bits(values, counts):
    """popcount and scratch."""
    room = kernel.scratch(4, np.int64)
    for index in range(4):
        room[index] = np.int64(kernel.popcount(values[index]))
    for index in range(4):
        counts[index] = room[index]


@pytest.mark.parametrize("how", [interpreted, compiled])
def test_bits_are_counted(how):
    """popcount counts all 64 bits, and scratch keeps what is put there."""
    counts = np.zeros(4, np.int64)
    how(count_bits)(np.array([0, 1, 2**63 + 5, 2**64 - 1], np.uint64), counts)
    assert counts.tolist() == [0, 1, 3, 64]


def find_bits(values, places):
    """The place of every set bit."""
    found = 0
    for value in values:
        for n in range(np.int64(kernel.popcount(value))):
            places[found] = kernel.nth_bit(value, n)
            found += 1
    return found


def test_bits_are_found_by_their_rank():
    """nth_bit is the same interpreted, compiled, and compiled for a processor that has no instruction for it."""
    values = [1, 2**63, 2**63 + 2**40 + 6, 2**64 - 1]
    expected = [place for value in values for place in range(64) if value >> place & 1]
    program = f"""
import numpy as np
from test_kernel import find_bits
from turnsmith.compile.kernel import compiled
places = np.zeros(100, np.int64)
print(places[: compiled(find_bits)(np.array({values}, np.uint64), places)].tolist())
"""
    plain = {**os.environ, "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    here = Path(__file__).parent
    answer = subprocess.run([sys.executable, "-c", program], env=plain, cwd=here, capture_output=True, text=True)
    assert answer.stdout == f"{expected}\n", answer.stderr
    for how in (interpreted, compiled):
        places = np.zeros(100, np.int64)
        count = how(find_bits)(np.array(values, np.uint64), places)
        assert places[:count].tolist() == expected


def clock():
    """The time, twice."""
    return kernel.now(), kernel.now()


@pytest.mark.parametrize("how", [interpreted, compiled])
def test_the_clock_goes_forward(how):
    """Both worlds read the same clock, and it never goes back."""
    before = kernel.now()
    one, other = how(clock)()
    assert before <= one <= other <= kernel.now()


def wait_for(flags, most):
    """Spin until the second flag is set; how often it was looked at."""
    seen = 0
    while not kernel.is_set(flags[1:2]) and seen < most:
        seen += 1
    return seen


@pytest.mark.parametrize("how", [interpreted, compiled])
def test_another_thread_can_stop_a_loop(how):
    """A loop that asks is_set ends soon after another thread sets the flag, and at once if it is set already."""
    flags, most, seen = np.zeros(2, np.int64), 10**11, []
    how(wait_for)(flags, 0)  # compiled before the thread starts
    waiting = threading.Thread(target=lambda: seen.append(how(wait_for)(flags, most)), daemon=True)
    waiting.start()
    waiting.join(0.05)
    assert waiting.is_alive()
    flags[1] = 1
    waiting.join(20)
    assert not waiting.is_alive()
    assert 0 < seen[0] < most
    assert how(wait_for)(flags, most) == 0


# ---------------------------------------------------------------- calls by address


def double(numbers):
    """Refuses what it does not like."""
    if numbers[0] < 0:
        raise ValueError("I do not double less than nothing")
    return 2 * numbers[0]


def call(where, numbers):
    """A caller that knows only an address."""
    return kernel.call_address(where, (numbers,))


@pytest.mark.parametrize("how", [interpreted, compiled])
def test_functions_are_called_by_address(how):
    """A compiled function is found by its address, and what it raises passes through with its message."""
    where = kernel.address(double, types.int64(types.int64[::1]))
    assert how(call)(where, np.array([21])) == 42
    with pytest.raises(ValueError, match="I do not double less than nothing"):
        how(call)(where, np.array([-1]))


# ---------------------------------------------------------------- records of arrays


class Sums(NamedTuple):
    """Numbers, and where their sum goes."""

    numbers: np.ndarray
    out: np.ndarray
    factor: int


class Held(NamedTuple):
    """A record in a record."""

    sums: Sums
    least: np.ndarray


@kernel.inlined
def add_up(held, place):
    held.sums.out[0] += held.sums.factor * held.sums.numbers[place]


def sum_up(held):
    """A loop whose step is handed a record."""
    held = kernel.borrow(held)
    for place in range(held.sums.numbers.shape[0]):
        if held.sums.numbers[place] >= held.least[0]:
            add_up(held, place)


@pytest.mark.parametrize("how", [interpreted, compiled])
def test_records_of_arrays_are_borrowed_and_handed_to_inlined_steps(how):
    """What is written through a borrowed record, one within another, stands in the caller's arrays; none is let go."""
    numbers, out = np.arange(5), np.zeros(1, np.int64)
    for turn in range(1, 100):
        how(sum_up)(Held(Sums(numbers, out, 3), np.array([2])))
        assert out[0] == turn * 3 * 9
    assert numbers.tolist() == [0, 1, 2, 3, 4]


# ---------------------------------------------------------------- the cache, seen from fresh processes

REPORT = """
import sys, turnsmith
from turnsmith import kernel, step
for text in sys.argv[1:]:
    position = turnsmith.load(text).start()
    while position.outcome is None:
        position.push(int(position.actions[-1]))
    print(*position.history, *position.outcome.returns)
print(len(kernel.compiled_in_this_process))
"""


def run(*games, **environment):
    """Play games in a fresh process: what was printed for each, and how many kernels had to be compiled."""
    answer = subprocess.run(
        [sys.executable, "-c", REPORT, *map(str, games)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    assert answer.returncode == 0, answer.stderr
    *lines, count = answer.stdout.splitlines()
    return lines, int(count)


FAR_HELPER = "STEP = 1\n\ndef advance(ply):\n    return ply + STEP\n"
NEAR_HELPER = "from far_helper import advance\n\ndef next_ply(ply):\n    return advance(ply)\n"
COUNTING = """
    '''Counting: one seat counts to the end.'''
    import numpy as np
    from near_helper import next_ply
    from turnsmith.game import OVER, board_record, record

    END = 6
    Board = board_record(end=np.int64)
    State = record(ply=np.int64)

    def source(options, seed):
        return {}

    def tables(source):
        boards = np.zeros(1, Board)
        boards[0].seats, boards[0].actions, boards[0].low, boards[0].high = 1, 1, 0.0, 100.0
        return boards

    def setup(board, state):
        pass

    def to_move(board, state):
        return OVER if state.ply >= END else 0

    def legal(board, state, out):
        out[0] = 0
        return 1 if state.ply < END else 0

    def apply(board, state, action):
        state.ply = next_ply(state.ply)

    def returns(board, state, out):
        out[0] = state.ply

    def words(board, state, action):
        return "on"

    def picture(board, state):
        return "<svg/>"
"""


@pytest.fixture
def counting(tmp_path):
    """A game of one file with a helper in a second and a helper's helper in a third; a cache of its own."""
    (tmp_path / "far_helper.py").write_text(FAR_HELPER)
    (tmp_path / "near_helper.py").write_text(NEAR_HELPER)
    (tmp_path / "counting.py").write_text(textwrap.dedent(COUNTING))
    return tmp_path


def test_cache_follows_every_edit_and_its_undoing(counting):
    """The second process compiles nothing; an edit of a rule, of a far helper or of a constant compiles again and
    changes the game; undoing it finds the old code again."""
    cache, game = {"TURNSMITH_CACHE": str(counting / "cache")}, counting / "counting.py"
    first, count = run(game, **cache)
    assert first == ["0 0 0 0 0 0 6.0"]
    assert count > 0
    assert run(game, **cache) == (first, 0)

    edits = [
        ("counting.py", "next_ply(state.ply)", "next_ply(state.ply + 1)", "0 0 0 6.0"),
        ("far_helper.py", "ply + STEP", "ply + 2 * STEP", "0 0 0 6.0"),
        ("far_helper.py", "STEP = 1", "STEP = 5", "0 0 10.0"),
    ]
    for name, old, new, expected in edits:
        file = counting / name
        before = file.read_text()
        assert old in before
        file.write_text(before.replace(old, new))
        edited, count = run(game, **cache)
        assert edited == [expected]
        assert count > 0
        file.write_text(before)
    assert run(game, **cache) == (first, 0)


def test_games_that_share_a_record_do_not_mix(counting):
    """Two games with the same record types and different rules keep apart, in one process and in one cache."""
    other = counting / "counting_fast.py"
    other.write_text((counting / "counting.py").read_text().replace("next_ply(state.ply)", "next_ply(state.ply) + 2"))
    cache, games = {"TURNSMITH_CACHE": str(counting / "cache")}, (counting / "counting.py", other)
    expected = ["0 0 0 0 0 0 6.0", "0 0 6.0"]
    lines, count = run(*games, **cache)
    assert lines == expected
    assert count > 0
    assert run(*games, **cache) == (expected, 0)
    assert run(other, games[0], **cache) == (expected[::-1], 0)


def test_bounds_checks_have_a_cache_of_their_own(counting):
    """Code with bounds checks is kept beside the plain code, and neither is taken for the other."""
    cache, game = {"TURNSMITH_CACHE": str(counting / "cache")}, counting / "counting.py"
    first, count = run(game, **cache)
    assert run(game, **cache, NUMBA_BOUNDSCHECK="1") == (first, count)
    assert run(game, **cache, NUMBA_BOUNDSCHECK="1") == (first, 0)
    assert run(game, **cache) == (first, 0)


def test_a_damaged_cache_is_only_a_miss(counting):
    """Whatever stands in the files of the cache, the game is compiled again and plays on."""
    cache, game = {"TURNSMITH_CACHE": str(counting / "cache")}, counting / "counting.py"
    first, count = run(game, **cache)
    for file in (counting / "cache").glob("*.nbc"):
        file.write_bytes(b"not what it was")
    assert run(game, **cache) == (first, count)


def test_read_only_places_are_no_obstacle(counting):
    """Where neither the user's cache folder nor the source can be written, a temporary folder serves."""
    wall = counting / "wall"
    wall.write_text("a file, so that no folder can be made below it")
    temporary = counting / "temporary"
    temporary.mkdir()
    beside = sorted(counting.rglob("*"))
    places = {"XDG_CACHE_HOME": str(wall / "cache"), "HOME": str(wall), "TMPDIR": str(temporary)}
    environment = {**places, "TURNSMITH_CACHE": "", "PYTHONDONTWRITEBYTECODE": "1"}
    first, count = run(counting / "counting.py", **environment)
    assert first == ["0 0 0 0 0 0 6.0"]
    assert count > 0
    kept = [path for path in counting.rglob("*") if path not in beside]
    assert {path.relative_to(temporary).parts[0] for path in kept} == {f"turnsmith-cache-{os.getuid()}"}
    assert run(counting / "counting.py", **environment) == (first, 0)


def test_nothing_is_written_beside_the_package():
    """Compiled code is kept in the cache folder only: no numba files stand in the package or the examples."""
    folders = [Path(ts.__file__).parent, NIM.parent]
    assert not [file for folder in folders for pattern in ("*.nbi", "*.nbc") for file in folder.rglob(pattern)]
