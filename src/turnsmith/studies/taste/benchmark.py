"""The honest benchmark of taste: how well every method learns it from a few ratings.

No choice was made on the maps and people of the benchmark. People of five families (``people.py``) rate maps of the
test part (``inputs.py``). After 5, 10, 20 and 40 ratings the benchmark measures, on the maps they have not rated:

- auc: how often a liked map ranks above a disliked one;
- recall: the share of the disliked ones that is in the worse half;
- precision: the share of the ten best ranked that is liked;
- bad shown: the share of the rated maps that were disliked.

Which vectors are looked at closely is chosen on validation maps, with other people. Intervals are of a bootstrap over
people, each the mean over all seeds of what is rated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.files import write_whole
from turnsmith.contract.loading import load
from turnsmith.learn.fit import Progress, silent
from turnsmith.learn.run import Run, figure_svg
from turnsmith.maps.identity import Interval, bootstrap, nearest_shares
from turnsmith.maps.taste.choosing import CHOICES, Choice, choose
from turnsmith.maps.taste.predictors import PREDICTORS, Known, median_distance
from turnsmith.nets.files import write_json
from turnsmith.studies.taste import inputs
from turnsmith.studies.taste.people import DRIFTS_AFTER, FAMILIES, Person, person

RATINGS = (5, 10, 20, 40)
METRICS = ("auc", "recall", "precision", "bad shown")
AT_ONCE = 5
"""Maps that are shown before anything is learned from them."""
FINAL = 10
HALF_LIFE = 20.0
GENOME, BASE, RIVAL = "genome", "gp", "elimination-2"
PEOPLE = 4_100_000
"""Stream of the seeds of people."""
IDENTITY_MAPS = 100


@dataclass(frozen=True)
class BenchmarkSettings(inputs.Size):
    """How much is measured, and by how many people."""

    people: int = 40
    """Of each family."""
    seeds: int = 5
    """How often each of them rates, other maps every time."""


@dataclass(frozen=True)
class TasteMethod:
    """One way to learn a taste."""

    vectors: str
    predictor: str = BASE
    choice: Choice = "random"
    words: int = 2
    """Different ratings that people give: 2, or 5 with how strongly."""
    half_life: float = 0.0
    """Ratings after which one counts half."""

    @property
    def name(self) -> str:
        parts = [self.vectors, self.predictor, self.choice, f"{self.words} words"]
        return ", ".join(parts + ([f"half-life {self.half_life:g}"] if self.half_life else []))


# ---------------------------------------------------------------- measuring


def auc(liking: Array, liked: Array) -> float:
    """How often a liked map ranks above one that is not, equal ones counting half.

    >>> auc(np.array([0.1, 0.9, 0.5, 0.5]), np.array([False, True, True, False]))
    0.875
    """
    ordered = np.sort(liking[~liked])
    below = np.searchsorted(ordered, liking[liked], "left") + np.searchsorted(ordered, liking[liked], "right")
    return float(below.mean() / (2.0 * len(ordered))) if len(ordered) and liked.any() else 0.5


def judged(liking: Array, liked: Array, shown_liked: Array) -> list[float]:
    """The METRICS of maps that were not rated."""
    order = np.argsort(liking, kind="stable")
    worse = order[: len(order) // 2]
    bad = max(1, int((~liked).sum()))
    best = liked[order[-FINAL:]]
    return [auc(liking, liked), float((~liked[worse]).sum() / bad), float(best.mean()), float((~shown_liked).mean())]


def session(
    method: TasteMethod, part: inputs.EvaluationInputs, who: Person, views: tuple[Array, ...], units: tuple[float, ...],
    random: np.random.Generator,
) -> Array:  # fmt: skip
    """float64[RATINGS, METRICS]: one person rates maps, shown one after another, and is predicted."""
    predict = PREDICTORS[method.predictor]
    ratings = [taste.ratings(part.ranks, random, method.words) for taste in (who, who.later or who)]
    likes = [taste.likes(part.ranks) for taste in (who, who.later or who)]
    scores, shown = np.zeros((len(RATINGS), len(METRICS))), np.zeros(0, np.int64)
    order = random.permutation(len(part))
    while len(shown) < RATINGS[-1]:
        if method.choice == "random" or not len(shown):
            more = order[len(shown) : len(shown) + AT_ONCE]
        else:
            free = np.ones(len(part), np.bool_)
            free[shown] = False
            known = _known(method, views, units, shown, ratings)
            more = choose(method.choice, predict(known, views), AT_ONCE, random, allowed=free)
        shown = np.concatenate([shown, more])
        if len(shown) in RATINGS:
            late = int(len(shown) > DRIFTS_AFTER)
            rest = np.ones(len(part), np.bool_)
            rest[shown] = False
            liking = predict(_known(method, views, units, shown, ratings), tuple(block[rest] for block in views)).mean
            gone = np.where(np.arange(len(shown)) < DRIFTS_AFTER, likes[0][shown], likes[1][shown])
            scores[RATINGS.index(len(shown))] = judged(liking, likes[late][rest], gone)
    return scores


def _known(
    method: TasteMethod, views: tuple[Array, ...], units: tuple[float, ...], shown: Array, said: Sequence[Array]
) -> Known:
    """What was rated: the first DRIFTS_AFTER by the first taste."""
    age = np.arange(len(shown))[::-1]
    ratings = np.where(np.arange(len(shown)) < DRIFTS_AFTER, said[0][shown], said[1][shown])
    weights = 0.5 ** (age / method.half_life) if method.half_life else np.ones(len(shown))
    return Known(tuple(block[shown] for block in views), ratings, weights, units)


def measured(
    method: TasteMethod,
    part: inputs.EvaluationInputs,
    settings: BenchmarkSettings,
    families: Sequence[str],
    stream: int,
) -> dict[str, Any]:
    """By family, lists [people][seeds][RATINGS][METRICS]."""
    views = part.views(method.vectors)
    units = tuple(median_distance(block) for block in views)
    scores: dict[str, Any] = {}
    for family in families:
        rows = np.zeros((settings.people, settings.seeds, len(RATINGS), len(METRICS)))
        for number in range(settings.people):
            start = (settings.seed, PEOPLE + stream, FAMILIES.index(family), number)
            who = person(family, part.ranks, np.random.default_rng(start))
            for again in range(settings.seeds):
                rows[number, again] = session(method, part, who, views, units, np.random.default_rng((*start, again)))
        scores[family] = np.round(rows, 5).tolist()
    return scores


# ---------------------------------------------------------------- what is compared


def candidates() -> list[TasteMethod]:
    """Vectors, all with the usual predictor; the criteria themselves, which nobody can know, are no candidate."""
    return [TasteMethod(name) for name in inputs.VIEWS if name != inputs.CEILING]


def compared(best: str) -> list[TasteMethod]:
    """All that is measured on test maps once the best vectors are chosen."""
    methods = [*(TasteMethod(name, predictor) for name in inputs.VIEWS for predictor in (BASE, RIVAL))]
    for vectors in (GENOME, best):
        methods += [TasteMethod(vectors, name) for name in PREDICTORS]
    methods += [TasteMethod(name, words=5) for name in (GENOME, "play by genes", "play by genes + rings", "play", best)]
    methods += [TasteMethod(best, choice=choice) for choice in CHOICES]
    methods += [TasteMethod(best, half_life=HALF_LIFE)]
    return list(dict.fromkeys(methods))


def run(folder: Path, settings: BenchmarkSettings, progress: Progress = silent) -> dict[str, Any]:
    """Measure everything, or what a run that was begun has left; results.json, card.md and pictures in the folder."""
    work = Run(folder, asdict(settings))
    parts = inputs.parts(settings, work, progress)

    def of(method: TasteMethod, part: str, families: Sequence[str], stream: int) -> Any:
        name = f"{part}/{method.name.replace(' ', '-').replace(',', '')}.json"
        return work.json(name, lambda: measured(method, parts[part], settings, families, stream))

    choosing = [of(method, "validation", FAMILIES[:4], 1) for method in candidates()]
    means = [np.mean([np.array(result[name])[..., -1, 0].mean() for name in result]) for result in choosing]
    best = candidates()[int(np.argmax(means))].vectors
    methods, scores = compared(best), {}
    for done, method in enumerate(methods, start=1):
        scores[method] = of(method, "test", FAMILIES, 2)
        progress(done, len(methods))
    fitted, genome = parts["test"].fitted, parts["test"].vectors["genome"]
    genes = len(load("homeguard").describe(0)["rows"]) ** 2 // 2
    fitted.told.write(folder / "play.onnx", {"genes": genes, "values": genome.shape[1] // genes})
    results = summary(settings, best, scores)
    results["identity"] = {name: shares for name in inputs.VIEWS if (shares := identity(parts["test"], name))}
    write_json(folder / "results.json", results)
    write_whole(folder / "auc.svg", lambda target: target.write(picture(results, best)))
    return results


def interval(rows: Any, ratings: int, metric: str) -> Interval:
    """Of [people][seeds][RATINGS][METRICS], the mean of one and its interval over people."""
    values = np.array(rows)[:, :, RATINGS.index(ratings), METRICS.index(metric)]
    return bootstrap(values.reshape(-1), np.repeat(np.arange(len(values)), values.shape[1]))


def _intervals(rows: Any) -> dict[str, Any]:
    return {f"{name} {count}": asdict(interval(rows, count, name)) for name in METRICS for count in RATINGS}


def summary(settings: BenchmarkSettings, best: str, found: dict[TasteMethod, Any]) -> dict[str, Any]:
    """Means and intervals of everything, and differences person by person."""
    rows = []
    for method, families in found.items():
        intervals = {family: _intervals(scores) for family, scores in families.items()}
        rows.append({"method": asdict(method), "name": method.name, "families": intervals})
    pairs = [(TasteMethod(name), TasteMethod(name, RIVAL)) for name in inputs.VIEWS]
    pairs += [(TasteMethod(name), TasteMethod(GENOME)) for name in inputs.VIEWS if name != GENOME]
    pairs += [(TasteMethod(best, choice=choice), TasteMethod(best)) for choice in CHOICES if choice != "random"]
    pairs += [
        (TasteMethod(best, half_life=HALF_LIFE), TasteMethod(best)),
        (TasteMethod(best, words=5), TasteMethod(best)),
    ]
    differences = []
    for one, other in pairs:
        if one in found and other in found:
            by = {family: asdict(interval(_difference(found, one, other, family), 40, "auc")) for family in FAMILIES}
            differences.append({"method": one.name, "against": other.name, "auc 40": by})
    return {"settings": asdict(settings), "best": best, "methods": rows, "differences": differences}


def _difference(found: dict[TasteMethod, Any], one: TasteMethod, other: TasteMethod, family: str) -> Array:
    return np.asarray(np.array(found[one][family]) - np.array(found[other][family]))


def identity(part: inputs.EvaluationInputs, name: str) -> dict[str, Any] | None:
    """How often the nearest other tree is of the same map, where a method makes a vector a tree."""
    grown = part.of_trees(name) if name not in inputs.JOINED else None
    if grown is None or grown.shape[1] < 2:
        return None
    grown = grown[:IDENTITY_MAPS]
    labels = np.repeat(np.arange(len(grown)), grown.shape[1])
    shares = nearest_shares(grown.reshape(len(labels), -1), labels)
    return {key: asdict(bootstrap(share, labels)) for key, share in shares.items()}


# ---------------------------------------------------------------- for people


def tables(results: dict[str, Any]) -> list[str]:
    """Markdown: vectors, predictors, choices, and how fast it is learned."""
    best, rows = results["best"], {row["name"]: row["families"] for row in results["methods"]}

    def line(title: str, method: TasteMethod, metric: str = "auc 40") -> str:
        cells = [str(Interval(**rows[method.name][family][metric])) for family in FAMILIES]
        return f"| {title} | {' | '.join(cells)} |"

    def table(title: str, lines: list[str]) -> str:
        head = f"| {title} | {' | '.join(FAMILIES)} |"
        return "\n".join([head, "|---" * (1 + len(FAMILIES)) + "|", *lines])

    texts = [table("vectors (gp, AUC after 40)", [line(name, TasteMethod(name)) for name in inputs.VIEWS])]
    strong = [m for m in (TasteMethod(**row["method"]) for row in results["methods"]) if m.words == 5]
    texts.append(table("ratings -2 to 2 (gp, AUC after 40)", [line(m.vectors, m) for m in strong]))
    for vectors in dict.fromkeys((best, GENOME)):
        texts.append(table(f"predictors on {vectors}", [line(name, TasteMethod(vectors, name)) for name in PREDICTORS]))
    shown = [line(f"{how}: {metric}", TasteMethod(best, choice=how), f"{metric} 40")
             for metric in METRICS for how in CHOICES]  # fmt: skip
    texts.append(table(f"choices on {best}, after 40", shown))
    fast = [line(f"{metric} after {count}", TasteMethod(best), f"{metric} {count}")
            for metric in METRICS[:3] for count in RATINGS]  # fmt: skip
    texts.append(table(f"ratings with {best}", fast))
    return texts


def picture(results: dict[str, Any], best: str) -> bytes:
    """AUC against ratings, a panel a family."""
    rows = {row["name"]: row["families"] for row in results["methods"]}
    drawn = dict.fromkeys([best, "play by genes", "net shipped", "rich + LDA", GENOME, "random"])

    def draw(figure: Any) -> None:
        panels = figure.subplots(1, len(FAMILIES), sharey=True)
        for panel, family in zip(panels, FAMILIES, strict=True):
            for name in drawn:
                curve = [rows[TasteMethod(name).name][family][f"auc {count}"] for count in RATINGS]
                panel.plot(RATINGS, [at["mean"] for at in curve], ".-", label=name)
                panel.fill_between(RATINGS, [at["low"] for at in curve], [at["high"] for at in curve], alpha=0.15)
            panel.set_title(family, fontsize=9)
            panel.set_xlabel("ratings")
            panel.grid(alpha=0.3)
        panels[0].set_ylabel("AUC on maps not rated")
        panels[0].legend(fontsize=6)

    return figure_svg(12.0, 3.2, draw)
