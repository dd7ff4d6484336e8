"""``turnsmith maps benchmark``: how well a taste is learned from a few ratings, on simulated people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from turnsmith.cli import print_json
from turnsmith.cli.options import Json, Seed, whole
from turnsmith.common.errors import BadInput
from turnsmith.common.files import refuse_unwritable_folder


def benchmark(
    to: Annotated[Path, typer.Option(help="folder for results.json, the maps measured and pictures; goes on if begun")],
    people: Annotated[int, whole("simulated people of each of five families", 2, 10_000)] = 40,
    seeds: Annotated[int, whole("how often each of them rates, other maps every time", 1, 1000)] = 5,
    maps: Annotated[int, whole("maps that are judged and rated", 50, 100_000)] = 600,
    others: Annotated[int, whole("maps that vectors are fitted on", 20, 100_000)] = 2000,
    trees: Annotated[int, whole("trees of a map that its vectors are counted from", 2, 1000)] = 10,
    judged: Annotated[int, whole("further trees of a map on which what people go by is measured", 1, 10_000)] = 200,
    branches: Annotated[int, whole("of a tree", 4, 10_000)] = 128,
    loop: Annotated[
        str, typer.Option(help="a game: measure the whole loop there instead; of the above, only --people counts")
    ] = "",
    ratings: Annotated[int, whole("that everybody gives in the loop, a multiple of 5", 5, 1000)] = 20,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Measure how well a taste in Homeguard maps is learned from 5 to 40 ratings: all vectors, predictors and choices,
    on maps and people that nothing was fitted to or chosen on. docs/explanation/maps-taste.md has the
    protocol and the results.

    With --loop GAME, maps are made: people rate what a maker shows them, and it is counted how many maps they like."""
    refuse_unwritable_folder(to, "--to")
    from turnsmith.cli.progress import progress_bar
    from turnsmith.studies.taste.benchmark import BenchmarkSettings, run, tables

    if loop:
        from turnsmith.studies.taste import loop as whole_loop

        if ratings % whole_loop.AT_ONCE:
            raise BadInput(f"--ratings {ratings} must be a multiple of {whole_loop.AT_ONCE}")
        chosen = whole_loop.LoopSettings(loop, people=people, ratings=ratings, seed=seed)
        with progress_bar(f"maps of {loop}", hidden=json) as report:
            made = whole_loop.run(to, chosen, report)
        print_json(made) if json else typer.echo(whole_loop.table(made))
        return
    settings = BenchmarkSettings(
        people=people, seeds=seeds, others=others, validation=max(50, maps // 3), test=maps, trees=trees,
        judged=judged, branches=branches, seed=seed,
    )  # fmt: skip
    with progress_bar("taste", hidden=json) as report:
        results = run(to, settings, report)
    if json:
        print_json(results)
        return
    typer.echo("\n\n".join(tables(results)))
    typer.echo(f"\nchosen on validation maps: {results['best']}; all numbers in {to / 'results.json'}")
