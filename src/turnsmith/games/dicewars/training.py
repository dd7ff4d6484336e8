"""``turnsmith train dicewars …``: the study of the original net, one command a step, and the value of our players."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from turnsmith.cli import print_json
from turnsmith.cli.arena import progress_bar
from turnsmith.cli.options import Json, LearningSeed, Workers, folder_option, real, whole
from turnsmith.texts import BadInput

Folder = Annotated[Path, folder_option("where all steps keep their files")]
By = Annotated[str, typer.Option(help="the split: game, or position to see the leak")]
FOLDER = Path("dicewars-net")


def generate(
    folder: Folder = FOLDER,
    positions: Annotated[int, whole("how many; the study had 201291")] = 50_000,
    player: Annotated[str, typer.Option(help="who plays all four seats")] = "maxn",
    seed: LearningSeed = 0,
    workers: Workers = 0,
    json: Json = False,
) -> None:
    """Play games and keep the position after every turn. Given again, it goes on where it was stopped."""
    from turnsmith.games.dicewars import positions as store

    with progress_bar("positions", hidden=json) as progress:
        done = store.generate(folder, positions, player, seed, workers or os.cpu_count() or 1, progress)
    show(json, done, f"{done['positions']:,} positions in {done['shards']} shards of {folder}")


def split(
    folder: Folder = FOLDER,
    seed: LearningSeed = 0,
    json: Json = False,
) -> None:
    """Split the positions 70 / 20 / 10, once by game and once by position."""
    from turnsmith.games.dicewars import study

    done = study.split(folder, seed)
    show(
        json, done, "\n".join(f"by {by}: {', '.join(f'{k} {n:,}' for k, n in row.items())}" for by, row in done.items())
    )


def fit(
    folder: Folder = FOLDER,
    by: By = "game",
    inputs: Annotated[str, typer.Option(help="what the net sees: all, changing (no map) or counts")] = "all",
    epochs: Annotated[int, whole("how often every row is seen")] = 15,
    rate: Annotated[float, real("learning rate of Adam", 0.0, 1.0)] = 0.01,
    batch: Annotated[int, whole("rows a step")] = 32,
    dropout: Annotated[float, real("share of the first hidden layer left out at random", 0.0, 1.0)] = 0.25,
    seed: LearningSeed = 0,
    json: Json = False,
) -> None:
    """Train a net, with a checkpoint after every epoch. Given again, it goes on where it was stopped."""
    from turnsmith.games.dicewars import study
    from turnsmith.learn.fit import Settings

    if epochs < 1 or batch < 1 or rate <= 0 or not 0 <= dropout < 1:
        raise BadInput("epochs and batch must be at least 1, rate above 0, dropout 0 or more and below 1")
    settings = Settings(dropout=dropout, rate=rate, batch=batch, epochs=epochs, seed=seed)
    with progress_bar(f"{inputs} by {by}", hidden=json) as progress:
        done = study.fit(folder, one_of(by, study.SPLITS), one_of(inputs, study.SEEN), settings, progress)
    lines = [f"{n + 1:3}  {row['log_loss']:.4f}  {row['accuracy']:.3f}" for n, row in enumerate(done.history)]
    show(json, done.history, "\n".join(["epoch, log-loss and accuracy on the validation rows:", *lines]))


def report(folder: Folder = FOLDER, json: Json = False) -> None:
    """Score every trained net and the two ways of counting on the test rows of both splits."""
    from turnsmith.games.dicewars import study

    done = study.report(folder)
    show(json, done, study.shown(done))


def export(
    to: Annotated[Path, typer.Option(help="the file to write, ending in .onnx")],
    folder: Folder = FOLDER,
    by: By = "game",
    keep: Annotated[str, typer.Option(help="best: the epoch best on the validation rows; last: the last")] = "best",
) -> None:
    """Write the trained net as ONNX."""
    from turnsmith.games.dicewars import study

    if to.suffix != ".onnx":
        raise BadInput(f"--to {to} must end in .onnx")
    study.export(folder, one_of(by, study.SPLITS), one_of(keep, study.KEPT), to)
    typer.echo(f"wrote {to}")


def speed(
    net: Annotated[Path | None, typer.Option(help="an ONNX file; by default the net that is shipped")] = None,
    json: Json = False,
) -> None:
    """Time a prediction: in batches of 1 and 256, and inside a search."""
    from turnsmith.games.dicewars import study
    from turnsmith.games.dicewars.net import SHIPPED

    done = study.speed(net or SHIPPED)
    show(json, done, "\n".join(f"{name:<30} {number:8.2f} µs a position" for name, number in done.items()))


def value(
    folder: Annotated[Path, folder_option("where positions and nets are kept")] = Path("dicewars-value"),
    rounds: Annotated[int, whole("how often to play and fit")] = 8,
    games: Annotated[int, whole("games a round, a multiple of 4")] = 8000,
    without: Annotated[str, typer.Option(help="comma list of what the net shall not see")] = "",
    noise: Annotated[float, real("how often the learning player moves at random", 0.0, 1.0)] = 0.07,
    seed: LearningSeed = 0,
    workers: Workers = 0,
    to: Annotated[Path | None, typer.Option(help="also write the newest net here")] = None,
    json: Json = False,
) -> None:
    """Learn the value that fast, strong and master play by. Given again, it goes on where it was stopped."""
    from turnsmith.games.dicewars import selfplay

    if rounds < 1 or games < 40 or games % 4 or not 0 <= noise < 1:
        raise BadInput("rounds must be at least 1, games a multiple of 4 from 40 on, noise 0 or more and below 1")
    told: list[dict[str, Any]] = []

    def tell(number: int, found: dict[str, Any]) -> None:
        told.append({"round": number, **found})
        if not json:
            rows = (f"{name} {found[name]['log_loss']} {found[name]['quarters']}" for name in ("net", "dice"))
            typer.echo(f"round {number}: log-loss by quarter on {found['starts']} new starts: {'; '.join(rows)}")

    left_out = [name for name in without.split(",") if name]
    with progress_bar("games of a round", hidden=json) as progress:
        threads = workers or os.cpu_count() or 1
        newest = selfplay.learn(folder, rounds, games, left_out, noise, seed, threads, progress, tell)
    if to is not None:
        copy_file(newest, to)
    show(json, told, f"the newest net is {newest}")


def tune(
    start: Annotated[Path, typer.Option("--from", help="the net to begin with, e.g. one that `value` wrote")],
    folder: Annotated[Path, folder_option("where generations are kept")] = Path("dicewars-tune"),
    generations: Annotated[int, whole("how often to try a set of candidates")] = 30,
    games: Annotated[int, whole("games a candidate, a multiple of 4")] = 1000,
    proof: Annotated[int, whole("new games to compare before and after, a multiple of 4")] = 8000,
    seed: LearningSeed = 0,
    workers: Workers = 0,
    to: Annotated[Path | None, typer.Option(help="also write the tuned net here")] = None,
    json: Json = False,
) -> None:
    """Tune the value by play with CMA-ES. Given again, it goes on where it was stopped."""
    from turnsmith.games.dicewars import tuning

    if generations < 1 or games < 4 or games % 4 or proof < 8 or proof % 4:
        raise BadInput("generations must be at least 1, games a multiple of 4, proof a multiple of 4 from 8 on")
    threads = workers or os.cpu_count() or 1

    def tell(number: int, rate: float) -> None:
        if not json:
            typer.echo(f"generation {number}: its candidates won {rate:.1%}")

    with progress_bar("candidates", hidden=json) as progress:
        tuned = tuning.tune(start, folder, generations, games, seed, threads, progress, tell)
    found = tuning.compare(start, tuned, proof, seed, threads)
    if to is not None:
        copy_file(tuned, to)
    rates = "; ".join(
        f"{name} {r['rate']:.1%} ({r['low']:.1%} to {r['high']:.1%})" for name, r in found.items() if name != "games"
    )
    show(json, found, f"{rates} in {proof} new games; the net is {tuned}")


def copy_file(source: Path, target: Path) -> None:
    from turnsmith.learn.files import write_whole

    write_whole(target, lambda file: file.write(source.read_bytes()))


def one_of(word: str, known: tuple[Any, ...]) -> Any:
    if word not in known:
        raise BadInput(f"'{word}' must be one of {', '.join(known)}")
    return word


def show(json: bool, document: Any, text: str) -> None:
    if json:
        print_json(document)
    else:
        typer.echo(text)


COMMANDS = (generate, split, fit, report, export, speed, value, tune)
