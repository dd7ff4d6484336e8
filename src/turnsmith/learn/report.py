"""How good predictions are on rows never trained on, as a document and as Markdown: all rows, and by quarter.

Chances of classes are judged by accuracy, log-loss and calibration, numbers by their squared error. Every mean has an
interval that knows which rows share a start.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.learn.scores import calibration_error, fit_sharpness, hits, losses, reach, reliability, softmax

PHASES = ("1st quarter", "2nd", "3rd", "4th")
MEASURES = {
    "accuracy": ("accuracy, %", 100, 1),
    "log_loss": ("log-loss", 1, 3),
    "calibration_error": ("calibration error, %", 100, 1),
    "squared_error": ("squared error", 1, 3),
}
"""Title, scale and digits of what is measured; `<name>_reach` is half of its 95 % interval."""


def report(predictions: Mapping[str, Array], truth: Array, starts: Array, quarter: Array) -> dict[str, Any]:
    """Rows, starts and the scores of each predictor by name.

    predictions: float[rows, classes] with truth int[rows], or float[rows] with truth float[rows]; starts: rows with
    equal ones are not independent; quarter: int[rows], 0 to 3.
    """
    scores: dict[str, Any] = {"rows": len(truth), "starts": len(np.unique(starts))}
    for name, predicted in predictions.items():
        score = chances_scored if predicted.ndim == 2 else numbers_scored
        quarters = [score(predicted[rows], truth[rows], starts[rows]) for rows in (quarter == q for q in range(4))]
        scores[name] = {**score(predicted, truth, starts), "quarters": quarters}
        if predicted.ndim == 2:
            scores[name]["reliability"] = [vars(bucket) for bucket in reliability(predicted, truth)]
    return scores


def chances_scored(chances: Array, truth: Array, starts: Array) -> dict[str, float]:
    """Accuracy, log-loss and calibration of float[rows, classes]; nothing of no rows.

    >>> chances_scored(np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([0, 0]), np.arange(2))["accuracy"]
    0.5
    """
    if not len(truth):
        return {}
    right, lost = hits(chances, truth), losses(chances, truth)
    return {
        "accuracy": float(right.mean()),
        "accuracy_reach": reach(right, starts),
        "log_loss": float(lost.mean()),
        "log_loss_reach": reach(lost, starts),
        "calibration_error": calibration_error(chances, truth),
    }


def numbers_scored(values: Array, truth: Array, starts: Array) -> dict[str, float]:
    """The squared error of float[rows]; nothing of no rows."""
    if not len(truth):
        return {}
    error = (np.asarray(values, np.float64) - truth) ** 2
    return {"squared_error": float(error.mean()), "squared_error_reach": reach(error, starts)}


def counted(counts: Array, truth: Array, others: Array) -> Array:
    """A baseline: the chances that `others` (float[rows, classes]) stand for, if the greatest count tends to win as
    surely as it does among `counts`, whose truth is known."""
    sharpness = fit_sharpness(np.asarray(counts, np.float64), truth)
    return softmax(sharpness * np.asarray(others, np.float64))


# ---------------------------------------------------------------- for people


def shown(document: Mapping[str, Any], of: str = "") -> str:
    """A report as Markdown: a table a measure, one row a predictor, then how far confidence can be trusted.

    of: what stands before each title, e.g. the split.
    """
    rows = {name: row for name, row in document.items() if isinstance(row, Mapping)}
    blocks = []
    for measure, (title, scale, digits) in MEASURES.items():
        having = {name: row for name, row in rows.items() if measure in row}
        if having:
            lines = [_head(f"{of}{title}", ("all", *PHASES))]
            lines += [_line(name, row, measure, scale, digits) for name, row in having.items()]
            blocks.append("\n".join(lines))
    trusted = {name: row["reliability"] for name, row in rows.items() if "reliability" in row}
    if trusted:
        blocks.append(_trust(trusted, of))
    return "\n\n".join(blocks)


def _head(title: str, columns: tuple[str, ...]) -> str:
    return f"| {title} | {' | '.join(columns)} |\n" + "|---" * (1 + len(columns)) + "|"


def _line(name: str, row: Mapping[str, Any], measure: str, scale: float, digits: int) -> str:
    cells = [f"{scale * part[measure]:.{digits}f}" if part else "" for part in (row, *row["quarters"])]
    if f"{measure}_reach" in row:
        cells[0] += f" ± {scale * row[f'{measure}_reach']:.{digits}f}"
    return f"| {name} | {' | '.join(cells)} |"


def _trust(tables: Mapping[str, Any], of: str) -> str:
    tens = sorted({round(10 * row["low"]) for table in tables.values() for row in table})
    lines = [_head(f"{of}% right (of positions) when so sure", tuple(f"{10 * t}–{10 * t + 10}" for t in tens))]
    for name, table in tables.items():
        bins = {round(10 * row["low"]): row for row in table}
        cells = [f"{100 * bins[t]['accuracy']:.0f} ({bins[t]['rows']})" if t in bins else "" for t in tens]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)
