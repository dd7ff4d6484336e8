"""The JSON API of arenas: start one, follow it, stop it, take its table."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import Field

from turnsmith.arena.table import Streamed
from turnsmith.arena.tournament import stored_table
from turnsmith.common.errors import BadInput
from turnsmith.web.api import answers, events
from turnsmith.web.api.parts import PROBLEMS, Body, Seed, Text, asker
from turnsmith.web.host import Host
from turnsmith.web.jobs.tournaments import MOST_GAMES, MOST_PLAYERS, Tournament
from turnsmith.web.server.bounds import NotFound, Refused
from turnsmith.web.server.offered import known_game

routes = APIRouter(prefix="/api/runs", responses=PROBLEMS, tags=["arenas"])

Run = Annotated[str, Path(max_length=64, description="the arena, as given when it was started")]


class NewRun(Body):
    game: Text = Field(examples=["connect_four"])
    players: list[Text] = Field(
        min_length=1, max_length=MOST_PLAYERS, examples=[["mcts:simulations=50", "random"]], description="who meet"
    )
    games: int = Field(200, ge=1, le=MOST_GAMES, description="in all; those that the store has are not played again")
    seed: Seed = 0
    source: Any = Field(None, description="the one board of all games, as a game describes it, instead of the seed's")


@routes.get("", response_model=list[answers.RunLine])
async def list_runs(request: Request) -> list[dict[str, Any]]:
    """The arenas in the store."""
    host, client = asker(request)
    return await host.do(client, host.store.runs)


class Stop(Body):
    key: Text = Field(description="of the arena, as given when it was started")


@routes.post("", status_code=201, response_model=answers.NewRunShown)
async def start_run(request: Request, body: NewRun) -> dict[str, Any]:
    """Start an arena, or go on with the same one. One plays at a time, here and on the page. The answer has a key:
    whoever has it may stop the arena."""
    host, client = asker(request)
    begin = host.tournaments.start
    tournament = await host.do(client, lambda: begin(body.game, body.players, body.games, body.seed, body.source))
    return {**tournament.progress(), "key": tournament.key}


@routes.get("/{run}", response_model=answers.TableShown, response_model_exclude_unset=True)
async def run_table(request: Request, run: Run) -> dict[str, Any]:
    """The table of an arena as far as it is: rates with intervals, pairs, seats, ratings, a verdict on the seats."""
    host, client = asker(request)
    return await host.do(client, lambda: table_of(host, run).to_dict())


@routes.get("/{run}/progress", response_model=answers.Progress)
async def run_progress(request: Request, run: Run) -> dict[str, Any]:
    """How far an arena is, and whether it plays."""
    host, client = asker(request)
    return (await of_run(host, client, run)).progress()


@routes.get(
    "/{run}/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def run_events(request: Request, run: Run) -> Response:
    """How far an arena is, as server-sent events: `progress` as it plays, and `end`, which is the last."""
    host, client = asker(request)
    return events.streamed(client, events.of_arena(host, await of_run(host, client, run)))


@routes.post("/{run}/stop", response_model=answers.Progress)
async def stop_run(request: Request, run: Run, body: Stop) -> dict[str, Any]:
    """Stop an arena after the games it is at; started again it goes on."""
    host, client = asker(request)
    tournament = await of_run(host, client, run)
    if not tournament.is_running:
        raise Refused(f"this arena does not run; {tournament.state}")
    host.tournaments.halt(body.key)
    return tournament.progress()


@routes.get("/{run}/csv", response_class=Response, responses={200: {"content": {"text/csv": {}}}})
async def run_csv(request: Request, run: Run) -> Response:
    """The table of an arena as CSV, one row a player."""
    host, client = asker(request)
    out = await host.do(client, lambda: table_of(host, run).csv())
    headers = {"Content-Disposition": 'attachment; filename="arena.csv"'}
    return Response(out, headers=headers, media_type="text/csv")


async def of_run(host: Host, client: str, run: str) -> Tournament:
    """The arena that plays or played last, or one of the store as it stands there."""
    latest = host.tournaments.latest
    if latest is not None and latest.run == run:
        return latest
    rows = await host.do(client, host.store.runs)
    row = next((row for row in rows if row["run"] == run), None)
    if row is None:
        raise NotFound(f"there is no arena '{run[:40]}'; GET /api/runs lists what there is")
    stored = Tournament(run, row["game"], row["players"], row["games"], int(row["seed"]), done=row["games"])
    stored.state = "in the store; start the same with more games to go on"
    return stored


def table_of(host: Host, run: str) -> Streamed:
    """The table of a run in the store, if its game is one of this server: another file would have to be run."""
    try:
        return stored_table(host.store, run, known_game)
    except BadInput as error:
        raise NotFound(str(error)) from None
