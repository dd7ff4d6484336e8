"""What experiments came to: results.json, the curves of the thesis as drawings, and a table for the terminal.

Gain is recall above that with random vectors and the same known trees. Intervals are Student's, 95 %, over training
sets, each of which draws its own known trees; all are judged on the same held-out trees.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.extras import extra
from turnsmith.common.files import write_whole
from turnsmith.learn.run import figure_svg
from turnsmith.nets.files import write_json
from turnsmith.studies.map_elimination.protocol import CUTS, MEASURES, TYPES, EliminationExperiment
from turnsmith.studies.map_elimination.running import RANDOM, CombinationResult

OF = ("all", "unrated")
"""Which trees recall is of: all, as in the thesis, or those that are not known."""
COLOURS = ("#2c6fbb", "#c0392b", "#2e8b57", "#8e44ad")


@dataclass(frozen=True, eq=False)
class Estimate:
    """A mean and the ends of its interval, numbers or arrays; the ends are nan where there is one training set."""

    mean: Array
    low: Array
    high: Array

    @staticmethod
    def of(values: Array) -> Estimate:
        """Student's interval of the mean over the first axis."""
        mean, count = values.mean(axis=0), len(values)
        if count < 2:
            return Estimate(mean, np.full_like(mean, np.nan), np.full_like(mean, np.nan))
        reach = extra("scipy.special").stdtrit(count - 1, 0.975) * values.std(axis=0, ddof=1) / math.sqrt(count)
        return Estimate(mean, mean - reach, mean + reach)

    def to_dict(self) -> dict[str, Any]:
        return {name: _plain(value) for name, value in vars(self).items()}

    def __str__(self) -> str:
        interval = "" if np.isnan(self.low) else f" [{self.low:.3f}, {self.high:.3f}]"
        return f"{self.mean:.3f}{interval}"


def _plain(value: Any) -> Any:
    """What JSON can hold, to five digits; nan is null."""
    if np.ndim(value):
        return [_plain(item) for item in value]
    return None if np.isnan(value) else round(float(value), 5)


@dataclass(eq=False)
class EmbeddingResult:
    """What an embedding came to in one experiment, of all trees or of those not known."""

    asked: EliminationExperiment
    recall: Array
    """float64[sets, CUTS]"""
    random: Array
    """The same with random vectors."""

    @property
    def gain(self) -> Array:
        return np.asarray(self.recall - self.random)

    def summary(self) -> dict[str, Estimate]:
        """In single numbers: gain, the mean over all cuts, and recall when half is removed."""
        return {"mean gain": Estimate.of(self.gain.mean(axis=1)), "recall at 50 %": Estimate.of(self.recall[:, 49])}

    def to_dict(self) -> dict[str, Any]:
        curves = {"gain": self.gain, "recall": self.recall, "recall with random vectors": self.random}
        above = Estimate.of(self.gain).low > 0
        return {
            **{name: estimate.to_dict() for name, estimate in self.summary().items()},
            "cuts with a gain above 0": float(above.mean()),
            "curves": {name: Estimate.of(curve).to_dict() for name, curve in curves.items()},
        }


def answers(found: CombinationResult) -> dict[tuple[str, EliminationExperiment, str], EmbeddingResult]:
    """By embedding, question and OF."""
    return {
        (name, question, of): EmbeddingResult(question, recall[:, place, which], found.recall[RANDOM][:, place, which])
        for name, recall in found.recall.items()
        for place, question in enumerate(found.asked)
        for which, of in enumerate(OF)
    }


def write(to: Path, about: dict[str, Any], combinations: list[dict[str, Any]], found: list[CombinationResult]) -> None:
    """results.json and the drawings of every combination."""
    rows = []
    for number, (chosen, here) in enumerate(zip(combinations, found, strict=True), start=1):
        kept = answers(here)
        by_name = {
            name: [
                {**described(asked, share), **{of: kept[name, asked, of].to_dict() for of in OF}}
                for asked, share in zip(here.asked, here.disliked, strict=True)
            ]
            for name in here.recall
            if name != RANDOM
        }
        rows.append({"configuration": chosen, "training sets": len(here.recall[RANDOM]), "embeddings": by_name})
        draw_all(to / f"combination-{number}", here)
    write_json(to / "results.json", {**about, "cuts": CUTS.tolist(), "combinations": rows})


def described(asked: EliminationExperiment, disliked: float) -> dict[str, Any]:
    return {
        "type": asked.type,
        "perc_bad": asked.percent,
        "eliminator_known": asked.known,
        "known for": [MEASURES[at] for at in asked.measures],
        "share disliked": round(disliked, 4),
    }


# ---------------------------------------------------------------- drawings


def draw_all(to: Path, found: CombinationResult) -> None:
    """Two drawings of every embedding, perc_bad and eliminator_known: gain over random vectors, and recall."""
    kept = answers(found)
    for name in found.recall:
        for first in found.asked[:: len(TYPES)]:
            four = [EliminationExperiment(kind, first.percent, first.known, first.measures) for kind in TYPES]
            curves = {of: [kept[name, question, of] for question in four] for of in OF}
            called = f"{first.percent:g}_{first.known}"
            if len(first.measures) < len(MEASURES):
                called += "_" + "+".join(MEASURES[at] for at in first.measures)
            for what in ("gain", "recall") if name != RANDOM else ("recall",):
                content = drawing(f"{name}, p = {first.percent:g} %, f = {first.known}", what, curves)
                write_bytes(to / name / f"{called}_{what}.svg", content)


def write_bytes(path: Path, content: bytes) -> None:
    write_whole(path, lambda target: target.write(content))


def drawing(title: str, what: str, curves: dict[str, list[EmbeddingResult]]) -> bytes:
    """A panel for all trees and one for those not known: a colour a type, means solid, ends of intervals dashed below
    and dotted above. Where nothing or all is removed there is no gain over anybody."""
    ends = (0.0, 0.0) if what == "gain" else (0.0, 1.0)
    at = np.concatenate([[0.0], CUTS / 100.0, [1.0]])

    def draw(figure: Any) -> None:
        for panel, (of, four) in zip(figure.subplots(1, len(curves), squeeze=False)[0], curves.items(), strict=True):
            for colour, result in zip(COLOURS, four, strict=True):
                estimate = Estimate.of(getattr(result, what))
                for style, values in (("-", estimate.mean), ("--", estimate.low), (":", estimate.high)):
                    label = result.asked.type if style == "-" else None
                    panel.plot(at, [ends[0], *values, ends[1]], style, color=colour, label=label, linewidth=1.2)
            panel.set_title(f"{title}\n{of} trees", fontsize=9)
            panel.set_xlabel("share removed")
            panel.set_ylabel("gain over random vectors" if what == "gain" else "recall")
            panel.grid(alpha=0.3)
        panel.legend(fontsize=8)

    return figure_svg(11.0, 4.2, draw)


# ---------------------------------------------------------------- the terminal


def table(found: CombinationResult) -> Iterator[str]:
    """Lines: of every perc_bad and eliminator_known the mean gain of every embedding in the four types."""
    kept = answers(found)
    wide = max(len(name) for name in [*found.recall, "mean gain"]) + len(", unrated")
    for at in range(0, len(found.asked), len(TYPES)):
        four = found.asked[at : at + len(TYPES)]
        first = four[0]
        subset = ", ".join(MEASURES[at] for at in first.measures) if len(first.measures) < len(MEASURES) else ""
        yield f"p = {first.percent:g} %, f = {first.known}" + (f", known for {subset}" if subset else "")
        yield f"  {'mean gain':<{wide}}  " + "  ".join(f"{question.type:<22}" for question in four)
        yield f"  {'(share disliked)':<{wide}}  " + "  ".join(
            f"{s:<22.3f}" for s in found.disliked[at : at + len(four)]
        )
        for name in found.recall:
            for of in OF if name != RANDOM else ():
                gains = "  ".join(f"{kept[name, question, of].summary()['mean gain']!s:<22}" for question in four)
                yield f"  {name + (', unrated' if of == OF[1] else ''):<{wide}}  {gains}"
