"""Configurations of experiments: a JSON object with the keys and defaults of the thesis, and a few of our own.

A value may be a list of values, then all combinations are run; where a value is itself a list, a list of lists is. What
is missing, invalid or unknown is said and replaced by its default, as there.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from turnsmith.common.errors import BadInput, shown, suggestion
from turnsmith.maps import nets
from turnsmith.maps.embed import LEAST, SHIPPED
from turnsmith.maps.embeddings import FITTED, REFERENCES
from turnsmith.maps.taste.elimination import ELIMINATIONS, RECOVERY, TEMPERATURE

MOST = 1_000_000
"""Any whole number."""
MOST_COMBINATIONS = 1000
EMBEDDINGS = (*nets.KINDS, *REFERENCES, *FITTED, SHIPPED)
SCORE_REFERENCES = ("global best", "depth best")
"""What `reference_embeddings` adds."""


@dataclass(frozen=True)
class Key:
    """One key: its default, what is valid (of a list, each value), and how that is said."""

    default: Any
    is_valid: Callable[[Any], bool]
    valid: str
    lengths: tuple[int, int] | None = None
    """Where the value is a list: the least and the greatest length."""
    used: bool = True
    """Whether it changes anything here."""

    def takes(self, value: Any) -> bool:
        if self.lengths is None:
            return self.is_valid(value)
        low, high = self.lengths
        return isinstance(value, list) and low <= len(value) <= high and all(map(self.is_valid, value))

    def values(self, value: Any) -> list[Any]:
        """The values of a grid."""
        inside = value if isinstance(value, list) else []
        is_grid = bool(inside) and (self.lengths is None or any(isinstance(item, list) for item in inside))
        return inside if is_grid else [value]


def _whole(low: int, high: int = MOST) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and low <= value <= high


def _number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


NATURAL = (_whole(1), "a whole number of 1 or more")
SHARE = (lambda value: _number(value) and 0.0 <= value < 1.0, "0 or more, and below 1")
RATE = (lambda value: _number(value) and 0.0 < value <= 1.0, "above 0, at most 1")
TEXT = (lambda value: isinstance(value, str) and value.isprintable(), "a text")

KEYS: dict[str, Key] = {
    "learning_rate": Key(0.001, *RATE),
    "learning_rate_decay": Key(0.25, *RATE),
    "embedding_dim": Key(64, _whole(1, 4096), "a whole number, 1 to 4,096"),
    "batch_size": Key(64, *NATURAL),
    "max_epochs": Key(3, *NATURAL),
    "hidden_sizes": Key([128], lambda v: _whole(4, 1024)(v) and v % nets.HEADS == 0, "multiples of 4 to 1,024", (1, 9)),
    "dropouts_enc": Key([0, 0], *SHARE, (2, 2)),
    "dropouts_dec": Key([0, 0, 0], *SHARE, (3, 3)),
    "perc_bad": Key([25, 40], lambda v: _number(v) and 0.0 < v < 100.0, "per cent, above 0 and below 100", (1, 99)),
    "eliminator_known": Key([10], *NATURAL, (1, 99)),
    "eliminator_iters": Key(1, _whole(1, 100_000), "a whole number, 1 to 100,000"),
    "eliminator_combinations": Key(1, _whole(1, 31), "a whole number, 1 to 31"),
    "reference_embeddings": Key(False, lambda value: isinstance(value, bool), "true or false"),
    "experiment_name": Key("1", *TEXT),
    "device": Key("cpu", lambda value: value == "cpu", "cpu, as nothing else is used here", used=False),
    "actionsRange": Key(6, *NATURAL, used=False),
    "print_every_n": Key(10, *NATURAL, used=False),
    "batch_size_val": Key(4, *NATURAL, used=False),
    "validate_every_n": Key(10_000, *NATURAL, used=False),
    "resume_ckpt": Key("", *TEXT, used=False),
    # ours
    "embeddings": Key(["completion"], lambda value: value in EMBEDDINGS, f"some of {', '.join(EMBEDDINGS)}", (1, 99)),
    "elimination": Key(2, lambda v: type(v) is int and v in ELIMINATIONS, "1, 2, 3 or 4"),
    "temperature": Key(TEMPERATURE, lambda value: _number(value) and value > 0.0, "above 0"),
    "recovery": Key(RECOVERY, _whole(1, 1000), "a whole number, 1 to 1,000"),
    "branches": Key(128, _whole(LEAST, 1024), f"a whole number, {LEAST} to 1,024"),
    "normalised_over": Key("batch", lambda value: value in nets.OVER, " or ".join(nets.OVER)),
}
"""Those that are not used are known so that a configuration of the original is taken as it is."""


def read(path: Path | None) -> tuple[list[dict[str, Any]], list[str]]:
    """The combinations that a file asks for, and what had to be said of it; without a file, the defaults."""
    if path is None:
        return combinations({})
    try:
        document = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BadInput(f"--config {path} cannot be read ({error.strerror}); name a JSON file") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"--config {path} is not JSON ({shown(str(error))}); mend it") from None
    if not isinstance(document, dict):
        raise BadInput(f"--config {path} must be a JSON object, such as {{'perc_bad': [15, 25]}}")
    return combinations(document)


def combinations(document: dict[str, Any]) -> tuple[list[dict[str, Any]], list[str]]:
    """All combinations of a configuration, each with a value for every key that is used, and what is said of it."""
    notes = [
        f"there is no key '{shown(name)}'{suggestion(name, KEYS)}; left out" for name in document if name not in KEYS
    ]
    lists: dict[str, list[Any]] = {}
    for name, key in KEYS.items():
        values = []
        for value in key.values(document.get(name, key.default)):
            if not key.takes(value):
                notes.append(
                    f"{name}={shown(value)} is not valid ({key.valid}); {json.dumps(key.default)} in its place"
                )
                value = key.default
            if value not in values:
                values.append(value)
        lists[name] = values
        if not key.used and name in document:
            notes.append(f"{name} changes nothing here")
    chosen = {name: values for name, values in lists.items() if KEYS[name].used}
    count = math.prod(len(values) for values in chosen.values())
    if count > MOST_COMBINATIONS:
        raise BadInput(f"the configuration has {count:,} combinations; at most {MOST_COMBINATIONS:,} are run")
    return [dict(zip(chosen, values, strict=True)) for values in itertools.product(*chosen.values())], notes


def names_of(combination: dict[str, Any]) -> list[str]:
    """The embeddings of a combination, each once."""
    added = SCORE_REFERENCES if combination["reference_embeddings"] else ()
    return list(dict.fromkeys([*combination["embeddings"], *added]))
