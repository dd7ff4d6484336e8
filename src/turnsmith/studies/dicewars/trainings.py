"""What of Dice Wars can be trained: the study of the original net, one command a step, and the value of our players."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from turnsmith.common.errors import BadInput
from turnsmith.common.settings import setting
from turnsmith.contract.trainings import Training, TrainingContext, TrainingResult

MANY, SEEDS = 1_000_000_000, 2**32 - 1
FOLDER = "dicewars-net"

# ---------------------------------------------------------------- the study of the net


@dataclass(frozen=True)
class GenerateSettings:
    positions: int = setting(50_000, 1, MANY)
    """How many; the study had 201291."""
    player: str = setting("maxn")
    """Who plays all four seats."""
    seed: int = setting(0, 0, SEEDS)
    """The same seed learns the same."""


def generate(settings: GenerateSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.studies.dicewars import positions

    done = positions.generate(settings, work)
    return TrainingResult(done, f"{done['positions']:,} positions in {done['shards']} shards of {work.folder}")


@dataclass(frozen=True)
class SplitSettings:
    seed: int = setting(0, 0, SEEDS)
    """The same seed learns the same."""


def split(settings: SplitSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.studies.dicewars import net_study as study

    done = study.split(work.folder, settings.seed)
    rows = (f"by {by}: {', '.join(f'{k} {n:,}' for k, n in row.items())}" for by, row in done.items())
    return TrainingResult(done, "\n".join(rows))


@dataclass(frozen=True)
class FitSettings:
    by: Literal["game", "position"] = setting("game")
    """The split: game, or position to see the leak."""
    inputs: Literal["all", "changing", "counts"] = setting("all")
    """What the net sees: all, changing (no map) or counts."""
    epochs: int = setting(15, 1, MANY)
    """How often every row is seen."""
    rate: float = setting(0.01, 0.0, 1.0)
    """Learning rate of Adam."""
    batch: int = setting(32, 1, MANY)
    """Rows a step."""
    dropout: float = setting(0.25, 0.0, 1.0)
    """Share of the first hidden layer left out at random."""
    seed: int = setting(0, 0, SEEDS)
    """The same seed learns the same."""

    def __post_init__(self) -> None:
        if self.rate <= 0 or self.dropout >= 1:
            raise BadInput("rate must be above 0, dropout below 1")


def fit(settings: FitSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.studies.dicewars import net_study as study

    done = study.fit(settings, work).history
    lines = [f"{n + 1:3}  {row['log_loss']:.4f}  {row['accuracy']:.3f}" for n, row in enumerate(done)]
    return TrainingResult(done, "\n".join(["epoch, log-loss and accuracy on the validation rows:", *lines]))


@dataclass(frozen=True)
class ReportSettings:
    pass


def report(settings: ReportSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.studies.dicewars import net_study as study

    done = study.report(work.folder)
    return TrainingResult(done, study.shown(done))


@dataclass(frozen=True)
class ExportSettings:
    to: Path
    """The file to write, ending in .onnx."""
    by: Literal["game", "position"] = setting("game")
    """The split: game, or position to see the leak."""
    keep: Literal["best", "last"] = setting("best")
    """The epoch best on the validation rows, or the last."""


def export(settings: ExportSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.studies.dicewars import net_study as study

    if settings.to.suffix != ".onnx":
        raise BadInput(f"--to {settings.to} must end in .onnx")
    study.export(work.folder, settings.by, settings.keep, settings.to)
    return TrainingResult({"file": str(settings.to)}, f"wrote {settings.to}")


@dataclass(frozen=True)
class SpeedSettings:
    net: Path | None = None
    """An ONNX file; by default the net that is shipped."""


def speed(settings: SpeedSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.games.dicewars.net import SHIPPED
    from turnsmith.studies.dicewars import net_study as study

    done = study.speed(settings.net or SHIPPED)
    return TrainingResult(done, "\n".join(f"{name:<30} {number:8.2f} µs a position" for name, number in done.items()))


# ---------------------------------------------------------------- the value of our players


@dataclass(frozen=True)
class DicewarsValueSettings:
    rounds: int = setting(8, 1, MANY)
    """How often to play and fit."""
    games: int = setting(8000, 40, MANY)
    """Games a round, a multiple of 4."""
    without: str = setting("")
    """Comma list of what the net shall not see."""
    noise: float = setting(0.07, 0.0, 1.0)
    """How often the learning player moves at random."""
    seed: int = setting(0, 0, SEEDS)
    """The same seed learns the same."""
    to: Path | None = None
    """Also write the newest net here."""

    def __post_init__(self) -> None:
        if self.games % 4 or self.noise >= 1:
            raise BadInput("games must be a multiple of 4 from 40 on, noise below 1")


def value(settings: DicewarsValueSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.studies.dicewars import selfplay

    newest, reports = selfplay.learn(settings, work)
    copy_file(newest, settings.to)
    rows = [{"round": number, **row} for number, row in enumerate(reports)]
    return TrainingResult(rows, f"the newest net is {newest}")


@dataclass(frozen=True)
class TuneSettings:
    from_: Path
    """The net to begin with, e.g. one that `value` wrote."""
    generations: int = setting(30, 1, MANY)
    """How often to try a set of candidates."""
    games: int = setting(1000, 4, MANY)
    """Games a candidate, a multiple of 4."""
    proof: int = setting(8000, 8, MANY)
    """New games to compare before and after, a multiple of 4."""
    seed: int = setting(0, 0, SEEDS)
    """The same seed learns the same."""
    to: Path | None = None
    """Also write the tuned net here."""

    def __post_init__(self) -> None:
        if self.games % 4 or self.proof % 4:
            raise BadInput("games and proof must be multiples of 4")


def tune(settings: TuneSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.studies.dicewars import tuning

    tuned = tuning.tune(settings, work)
    compared = tuning.compare(settings.from_, tuned, settings.proof, settings.seed, work.workers)
    copy_file(tuned, settings.to)
    rates = "; ".join(
        f"{name} {r['rate']:.1%} ({r['low']:.1%} to {r['high']:.1%})" for name, r in compared.items() if name != "games"
    )
    return TrainingResult(compared, f"{rates} in {settings.proof} new games; the net is {tuned}")


def copy_file(source: Path, target: Path | None) -> None:
    from turnsmith.common.files import write_whole

    if target is not None:
        write_whole(target, lambda file: file.write(source.read_bytes()))


TRAININGS = {
    "generate": Training(
        "Play games and keep the position after every turn. Given again, it goes on where it was stopped.",
        GenerateSettings, generate, FOLDER,
    ),
    "split": Training("Split the positions 70 / 20 / 10, once by game and once by position.",
                      SplitSettings, split, FOLDER),
    "fit": Training("Train a net, with a checkpoint after every epoch. Given again, it goes on where it was stopped.",
                    FitSettings, fit, FOLDER),
    "report": Training("Score every trained net and the two ways of counting on the test rows of both splits.",
                       ReportSettings, report, FOLDER),
    "export": Training("Write the trained net as ONNX.", ExportSettings, export, FOLDER),
    "speed": Training("Time a prediction: in batches of 1 and 256, and inside a search.", SpeedSettings, speed),
    "value": Training(
        "Learn the value that fast, strong and master play by. Given again, it goes on where it was stopped.",
        DicewarsValueSettings, value, "dicewars-value",
    ),
    "tune": Training("Tune the value by play with CMA-ES. Given again, it goes on where it was stopped.",
                     TuneSettings, tune, "dicewars-tune"),
}  # fmt: skip
