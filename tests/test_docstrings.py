"""Examples in docstrings run and print what they say."""

import doctest
import importlib
import pkgutil

import pytest

import turnsmith

MODULES = [
    module.name for module in pkgutil.walk_packages(turnsmith.__path__, "turnsmith.") if "__main__" not in module.name
]


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name):
    """Every example of this module's docstrings gives what stands below it."""
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0


def test_there_are_examples():
    """The core is documented by examples at all."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = [test for name in MODULES for test in finder.find(importlib.import_module(name)) if test.examples]
    assert {"turnsmith.common.settings.parse", "turnsmith.play.position.Position"} <= {test.name for test in found}
