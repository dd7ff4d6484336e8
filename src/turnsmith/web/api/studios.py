"""The JSON API of studios, for engines that show maps themselves: ask for maps, send ratings, take the best."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import Field

from turnsmith.common.errors import BadInput, shown
from turnsmith.maps.files import FORMATS
from turnsmith.maps.making.maker import Proposal
from turnsmith.maps.record import GameMap
from turnsmith.play.position import PositionView
from turnsmith.web.api import answers
from turnsmith.web.api.parts import PROBLEMS, Body, Seed, Text, asker
from turnsmith.web.server.bounds import NotFound
from turnsmith.web.server.offered import known_game
from turnsmith.web.studio.studio import FEWEST, MOST, MOST_EVALUATIONS, USUAL, Studio

routes = APIRouter(prefix="/api/studios", responses=PROBLEMS, tags=["maps to one's taste"])

Name = Annotated[str, Path(max_length=64, description="the studio, as given when it was made")]
Number = Annotated[int, Path(ge=0, lt=2**31)]
Score = Annotated[float, Field(ge=-2, le=2, allow_inf_nan=False, description="-2, disliked very much, to 2")]
Patience = Annotated[float, Field(ge=0, le=30, description="seconds to wait until the work is done")]
Settings = Annotated[dict[str, Any], Field(max_length=32, description="of making: choice, exploration, symmetry, …")]
CACHED = {"Cache-Control": "private, max-age=86400, immutable"}


class NewStudio(Body):
    game: Text = Field(examples=["homeguard", "homeguard:size=11"])
    seed: Seed = 0
    settings: Settings = Field(default_factory=dict)
    taste: Any = Field(None, description="ratings to begin with: what `/taste` gives")
    count: int = Field(USUAL, ge=FEWEST, le=MOST, description="maps shown at once on the page")


class AskMaps(Body, title="Ask"):
    count: int = Field(6, ge=1, le=MOST)


class Rate(Body):
    map: int | None = Field(None, ge=0, lt=2**31, description="the number of a map of this studio")
    source: Any = Field(None, description="or any map of the game, as it describes its boards")
    rating: Score
    weight: float = Field(1.0, gt=0, le=1000, allow_inf_nan=False, description="how much it counts")


class Change(Body):
    rating: Score


class Breed(Body):
    evaluations: int = Field(20_000, ge=1, le=MOST_EVALUATIONS)
    wait: Patience = 0.0


class AskBestMaps(Body, title="Best"):
    count: int = Field(10, ge=1, le=100)


# ---------------------------------------------------------------- studios


@routes.post("", status_code=201, response_model=answers.StudioShown)
async def new_studio(request: Request, body: NewStudio) -> dict[str, Any]:
    """Open a studio. Its name is the key to it: whoever has it rates there; the page is at `page`."""
    host, client = asker(request)
    asked = {"seed": body.seed, "settings": body.settings, "taste": body.taste, "count": body.count}
    studio = await host.new_studio(client, body.game, **asked)
    return told(studio)


@routes.get("/{studio}", response_model=answers.StudioShown)
async def look_at_studio(request: Request, studio: Name) -> dict[str, Any]:
    """What a studio has: its settings, ratings, what is shown, and what is being worked at."""
    host, client = asker(request)
    return told(await host.studio(client, studio))


@routes.post("/{studio}/settings", response_model=answers.StudioShown)
async def change_settings(request: Request, studio: Name, body: Settings) -> dict[str, Any]:
    """Make maps in another way from now on."""
    host, client = asker(request)
    open_studio = await host.studio(client, studio)
    await host.in_studio(client, open_studio, lambda: open_studio.change(**body))
    return told(open_studio)


@routes.post("/{studio}/evolve", response_model=answers.StudioShown)
async def evolve(request: Request, studio: Name, body: Breed) -> dict[str, Any]:
    """Breed further, in the background; `doing` and `progress` tell how far it is."""
    host, client = asker(request)
    open_studio = await host.studio(client, studio)
    await host.in_studio(client, open_studio, lambda: open_studio.breed(body.evaluations))
    await host.quiet(open_studio, body.wait)
    return told(open_studio)


@routes.post("/{studio}/stop", response_model=answers.StudioShown)
async def stop(request: Request, studio: Name) -> dict[str, Any]:
    """Stop breeding, and show what there is."""
    host, client = asker(request)
    open_studio = await host.studio(client, studio)
    open_studio.stop()
    return told(open_studio)


def told(studio: Studio) -> dict[str, Any]:
    """A studio for programs."""
    maker = studio.maker
    ratings = [
        {"number": number, "rating": rating.rating, "weight": rating.weight, "by": rating.by}
        | {"picture": f"/api/studios/{studio.name}/ratings/{number}/picture"}
        for number, rating in enumerate(maker.taste.ratings)
    ]
    return {
        "studio": studio.name,
        "game": studio.game,
        "page": f"/maps/{maker.game.name}/{studio.name}",
        "seed": maker.seed,
        "settings": json.loads(json.dumps(maker.settings.__dict__)),
        "measures": list(maker.describer.measure_names),
        "maps": len(maker.shown),
        "shown": [number for number in studio.gallery if number is not None],
        "best": studio.best,
        "doing": studio.doing,
        "progress": round(studio.progress, 3),
        "ratings": ratings,
    }


# ---------------------------------------------------------------- maps


@routes.post("/{studio}/ask", response_model=list[answers.MapShown])
async def ask_for_maps(request: Request, studio: Name, body: AskMaps) -> list[dict[str, Any]]:
    """The maps to be rated next. What the last rating needs is bred first: seconds, at most."""
    host, client = asker(request)
    open_studio = await host.studio(client, studio)
    proposals = await host.ask(client, open_studio, body.count)
    return [of_map(open_studio, proposal) for proposal in proposals]


@routes.post("/{studio}/make", response_model=list[answers.MapShown])
async def make_maps(request: Request, studio: Name, body: AskBestMaps) -> list[dict[str, Any]]:
    """The maps to keep: those that should be liked best, and unlike each other."""
    host, client = asker(request)
    open_studio = await host.studio(client, studio)
    return [of_map(open_studio, proposal) for proposal in await host.make(client, open_studio, body.count)]


@routes.get("/{studio}/maps/{number}", response_model=answers.MapShown)
async def look_at_map(request: Request, studio: Name, number: Number) -> dict[str, Any]:
    """A map that was proposed: its description, genes, measures, and why it was chosen."""
    host, client = asker(request)
    open_studio = await host.studio(client, studio)
    return of_map(open_studio, open_studio.proposal(number))


@routes.get(
    "/{studio}/maps/{number}/picture", response_class=Response, responses={200: {"content": {"image/svg+xml": {}}}}
)
async def picture_of_map(request: Request, studio: Name, number: Number) -> Response:
    """The game's own picture of a map, as SVG."""
    host, client = asker(request)
    game_map = (await host.studio(client, studio)).proposal(number).map
    return Response(await host.do(f"pictures {client}", lambda: picture(game_map)), 200, CACHED, "image/svg+xml")


@routes.get("/{studio}/maps/{number}/file", response_class=Response, responses={200: {"content": {"*/*": {}}}})
async def file_of_map(
    request: Request, studio: Name, number: Number, format: Annotated[str, Query(max_length=20)] = "json"
) -> Response:
    """A map as a file of some format; where that takes several files, all of them in a .zip."""
    host, client = asker(request)
    game_map = (await host.studio(client, studio)).proposal(number).map
    name, content = await host.do(
        client, lambda: exported([game_map], format, f"{game_map.game.partition(':')[0]}-{number}")
    )
    return Response(content, headers={"Content-Disposition": f'attachment; filename="{name}"'}, media_type=KIND)


@routes.get("/{studio}/best", response_class=Response, responses={200: {"content": {"*/*": {}}}})
async def file_of_best(
    request: Request, studio: Name, format: Annotated[str, Query(max_length=20)] = "json"
) -> Response:
    """The maps that were made at last in one file, of a format that holds several: json, ldtk, iwonmapformat."""
    host, client = asker(request)
    open_studio = await host.studio(client, studio)
    maps = [open_studio.proposal(number).map for number in open_studio.best]
    if not maps:
        raise NotFound("no maps were made at last yet; POST make")
    name, content = await host.do(client, lambda: exported(maps, format, f"{open_studio.maker.game.name}-best"))
    return Response(content, headers={"Content-Disposition": f'attachment; filename="{name}"'}, media_type=KIND)


KIND = "application/octet-stream"


def of_map(studio: Studio, found: Proposal) -> dict[str, Any]:
    """A map for programs."""
    return {
        "number": found.number,
        "game": found.map.game,
        "source": found.map.source,
        "genes": list(found.genes),
        "liking": round(found.liking, 4),
        "spread": round(found.spread, 4),
        "measures": {name: round(value, 4) for name, value in found.measures.items()},
        "why": [{"rating": n, "nearness": round(near, 4), "value": value} for n, near, value in found.why],
        "picture": f"/api/studios/{studio.name}/maps/{found.number}/picture",
    }


def picture(found: GameMap) -> str:
    """The game's own picture of the first position on a map. To be called in a worker."""
    game = known_game(found.game)
    return PositionView.at_start(game, game.rebuild(found.source)).picture(0)


def exported(maps: list[GameMap], name: str, called: str) -> tuple[str, bytes]:
    """The name and the content of a file with maps. To be called in a worker."""
    if name not in FORMATS:
        raise BadInput(f"there is no format '{shown(name)}'; there are {', '.join(FORMATS)}")
    chosen = FORMATS[name]
    if len(maps) > 1 and not chosen.many:
        many = ", ".join(key for key, form in FORMATS.items() if form.many)
        raise BadInput(f"a file of {name} holds one map; take {many}")
    file = called + chosen.endings[0]
    contents: dict[str, bytes] = chosen.code.write(maps, file)
    if len(contents) == 1:
        return file, contents[""]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as bundle:
        for behind, content in contents.items():
            bundle.writestr(zipfile.ZipInfo(file + behind), content)
    return f"{called}.zip", packed.getvalue()


def formats_of(found: GameMap) -> list[str]:
    """The formats in which a map can be written. To be called in a worker."""
    able = []
    for name in FORMATS:
        try:
            exported([found], name, "map")
        except BadInput:
            continue
        able.append(name)
    return able


# ---------------------------------------------------------------- ratings


@routes.post("/{studio}/ratings", status_code=201, response_model=answers.StudioShown)
async def rate(request: Request, studio: Name, body: Rate) -> dict[str, Any]:
    """Say what was thought of a map of this studio, or of any other map of its game."""
    host, client = asker(request)
    open_studio = await host.studio(client, studio)
    if (body.map is None) == (body.source is None):
        raise BadInput("say which map is rated: either `map`, its number, or `source`, its description")
    await host.in_studio(client, open_studio, lambda: open_studio.tell(body.map, body.source, body.rating, body.weight))
    return told(open_studio)


@routes.patch("/{studio}/ratings/{number}", response_model=answers.StudioShown)
async def change_rating(request: Request, studio: Name, number: Number, body: Change) -> dict[str, Any]:
    """Think otherwise of a map."""
    host, client = asker(request)
    open_studio = await host.studio(client, studio)
    await host.in_studio(client, open_studio, lambda: open_studio.change_rating(number, body.rating))
    return told(open_studio)


@routes.delete("/{studio}/ratings/{number}", response_model=answers.StudioShown)
async def remove_rating(request: Request, studio: Name, number: Number) -> dict[str, Any]:
    """Forget a rating; those after it move up."""
    host, client = asker(request)
    open_studio = await host.studio(client, studio)
    await host.in_studio(client, open_studio, lambda: open_studio.remove_rating(number))
    return told(open_studio)


@routes.get(
    "/{studio}/ratings/{number}/picture", response_class=Response, responses={200: {"content": {"image/svg+xml": {}}}}
)
async def picture_of_rated(request: Request, studio: Name, number: Number) -> Response:
    """The game's own picture of a rated map, as SVG."""
    host, client = asker(request)
    game_map = (await host.studio(client, studio)).rated(number)
    return Response(await host.do(f"pictures {client}", lambda: picture(game_map)), media_type="image/svg+xml")


@routes.post("/{studio}/undo", response_model=answers.StudioShown)
async def undo(request: Request, studio: Name) -> dict[str, Any]:
    """Take back the last rating, or the last change of one."""
    host, client = asker(request)
    open_studio = await host.studio(client, studio)
    await host.in_studio(client, open_studio, open_studio.undo)
    return told(open_studio)


@routes.get("/{studio}/taste", response_model=answers.TasteShown)
async def taste(request: Request, studio: Name) -> JSONResponse:
    """All ratings and settings as a file: `turnsmith maps make --taste` and other studios read it."""
    host, client = asker(request)
    maker = (await host.studio(client, studio)).maker
    document = maker.taste.to_dict() | {"settings": maker.settings.changed}
    return JSONResponse(document, headers={"Content-Disposition": 'attachment; filename="taste.json"'})
