"""Random streams: the same everywhere, named, and fair."""

import numpy as np
import pytest

from turnsmith.compile import rng
from turnsmith.compile.kernel import compiled, interpreted


def fill(stream, draws, belows, units, bound):
    """The next numbers of a stream in each of its forms."""
    for index in range(draws.shape[0]):
        draws[index] = rng.draw(stream)
        belows[index] = rng.below(stream, bound)
        units[index] = rng.unit(stream)


def name_stream(stream, seed, match, index):
    """Point a stream at its name."""
    rng.set_stream(stream, seed, match, index)


def filled(how, seed, bound, count=200):
    """What one stream gives when run interpreted or compiled."""
    stream = rng.stream(seed)
    draws, belows, units = np.zeros(count, np.uint64), np.zeros(count, np.int64), np.zeros(count)
    how(fill)(stream, draws, belows, units, bound)
    return draws.tolist(), belows.tolist(), units.tolist()


def test_known_values():
    """From state 0 come the published first numbers of splitmix64."""
    stream = np.zeros(1, np.uint64)
    with np.errstate(over="ignore"):
        drawn = [int(rng.draw(stream)) for _ in range(3)]
    assert drawn == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def test_named_streams_never_change():
    """The streams of (seed, match, index) are these numbers for ever: stored seeds depend on them."""
    named = [int(rng.stream(*name)[0]) for name in ((0,), (7, 3, 1), (2**63, 5, 2))]
    assert named == [0x8DBEB87049046B82, 0x6756712E5B240F1E, 0x0C3D339E5D03910C]


@pytest.mark.parametrize(("seed", "bound"), [(0, 6), (7, 1), (2**63 + 5, 1296), (3, 2**31)])
def test_compiled_equals_interpreted(seed, bound):
    """Draws, whole numbers and floats are the same in both worlds."""
    assert filled(interpreted, seed, bound) == filled(compiled, seed, bound)


@pytest.mark.parametrize("name", [(0, 0, 0), (7, 3, 1), (2**62, 10**9, 12)])
def test_streams_are_named_alike_in_both_worlds(name):
    """Compiled code points a stream where Python does."""
    one, other = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    interpreted(name_stream)(one, *name)
    compiled(name_stream)(other, *name)
    assert one[0] == other[0] == rng.stream(*name)[0]


def test_neighbouring_names_are_different_streams():
    """No two of many neighbouring names give the same stream."""
    names = [(seed, match, index) for seed in range(10) for match in range(30) for index in range(5)]
    assert len({int(rng.stream(*name)[0]) for name in names}) == len(names)


def test_whole_numbers_are_uniform():
    """Each of six faces comes up a sixth of the time, within five deviations."""
    counts = np.bincount(filled(compiled, 1, 6, 60_000)[1], minlength=6)
    assert len(counts) == 6
    assert abs(counts - 10_000).max() < 5 * np.sqrt(60_000 * 5 / 36)


def test_floats_are_uniform_and_below_one():
    """Floats stay in [0, 1) and their mean and spread are those of the uniform distribution."""
    units = np.array(filled(compiled, 2, 6, 60_000)[2])
    assert units.min() >= 0.0
    assert units.max() < 1.0
    assert abs(units.mean() - 0.5) < 0.01
    assert abs(units.var() - 1 / 12) < 0.003
