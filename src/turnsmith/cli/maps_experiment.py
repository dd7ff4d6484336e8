"""``turnsmith maps experiment``: the experiments of the Homeguard thesis, a grid of them in a configuration."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

from turnsmith.cli import print_json
from turnsmith.cli.options import Json, Seed, whole
from turnsmith.common.files import refuse_unwritable_folder


def experiment(
    trees: Annotated[
        Path | None, typer.Argument(metavar="[TREES]", help="folder of trees; without it, some are grown in --to")
    ] = None,
    config: Annotated[Path | None, typer.Option(help="JSON file, lists are a grid; without it, all is usual")] = None,
    to: Annotated[Path, typer.Option(help="folder for steps, results.json and drawings; one begun goes on")] = Path(
        "experiment"
    ),
    splits: Annotated[int, whole("training sets", 1, 1000)] = 20,
    first: Annotated[int, whole("of which only so many are run, from the first; 0: all", 0, 1000)] = 0,
    held_out: Annotated[int, whole("trees that are judged, at most half of all", 2, 1_000_000)] = 2000,
    game: Annotated[str, typer.Option(help="of which trees are grown, where none are given")] = "homeguard",
    maps: Annotated[int, whole("on which they grow, ten each", 4, 1_000_000)] = 200,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Remove trees that resemble known bad ones: how many more bad ones are found than with random vectors?

    Vectors are made anew for every training set; 95 % intervals are over training sets.
    """
    refuse_unwritable_folder(to, "--to")
    from turnsmith.cli.progress import progress_bar
    from turnsmith.common.errors import BadInput
    from turnsmith.studies.map_elimination import config as configuration
    from turnsmith.studies.map_elimination import report, running

    if first > splits:
        raise BadInput(f"--first {first} is more than --splits {splits}")
    combinations, notes = configuration.read(config)
    for line in notes:
        typer.echo(line, err=True)
    if trees is None:
        from turnsmith.contract.loading import load
        from turnsmith.maps.tree_runs import TreeSettings, grow

        if load(game).describe(seed) == load(game).describe(seed + 1):
            raise BadInput(f"--game {game} has one board; the experiments are about games whose maps differ")
        trees = to / "trees"
        with progress_bar(f"trees of {game}", hidden=json) as progress:
            grow(TreeSettings(game, maps, kept=2, seed=seed), trees, os.cpu_count() or 1, progress)
    settings = running.EliminationSettings(splits, held_out, seed)
    with progress_bar("training sets", hidden=json) as progress:
        outcomes = running.run(trees, to, settings, combinations, first, progress)
    words = ["turnsmith", "maps", "experiment", trees.name, *(["--config", config.name] if config else [])]
    about = {"command": shlex.join([*words, "--to", to.name]), **vars(settings), "trees": trees.name, "said": notes}
    report.write(to, about, combinations, outcomes)
    if json:
        print_json({"results": str(to / "results.json"), "combinations": len(combinations), "said": notes})
        return
    for number, outcome in enumerate(outcomes, start=1):
        typer.echo(f"combination {number}, {first or splits} training sets")
        for line in report.table(outcome):
            typer.echo(line)
    typer.echo(f"all numbers in {to / 'results.json'}, drawings beside it")
