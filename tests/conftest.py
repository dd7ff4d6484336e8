"""What all tests agree on."""

import collections
import os
import signal

os.environ["LANGUAGE"] = "en"  # whatever the terminal of who runs them speaks
os.environ["TURNSMITH_QUIET"] = "1"  # stderr is compared, and a busy machine takes its time
if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # a run in the background: commands that are tried would not hear it
    signal.signal(signal.SIGINT, signal.default_int_handler)

SLOW_FIRST = (
    "studies/test_signature.py", "learn/test_killed_trainings.py", "test_documents.py", "search/test_mcts_variants.py",
    "games/test_strangers.py", "search/test_same_answers.py", "test_decisions.py", "arena/test_ladder.py",
    "arena/test_race.py",
)  # fmt: skip
"""Files that take minutes with few tests: begun last, one of them would keep a single process busy at the end."""


def pytest_collection_modifyitems(items):
    """Begin with the slow files, then with those of many tests."""
    files = [item.nodeid.partition("::")[0] for item in items]
    counts = collections.Counter(files)
    places = {f"tests/{name}": place for place, name in enumerate(SLOW_FIRST)}
    order = {file: (places.get(file, len(places)), -counts[file], file) for file in counts}
    items.sort(key=lambda item: order[item.nodeid.partition("::")[0]])
