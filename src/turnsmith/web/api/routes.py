"""The JSON API: what the page can do, for other engines and scripts. ``/docs`` describes it, offline too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import chain, islice
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Header, Path, Query, Request
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import JSONResponse, Response, StreamingResponse
from fastapi_offline import FastAPIOffline
from pydantic import Field

from turnsmith.common.errors import BadInput
from turnsmith.common.settings import Setting, parse, settings
from turnsmith.contract.game import CHANCE
from turnsmith.play.player import players
from turnsmith.web.api import answers, events
from turnsmith.web.api import arenas as arena_api
from turnsmith.web.api import studios as studio_api
from turnsmith.web.api.parts import PROBLEMS, Body, Seed, Text, asker
from turnsmith.web.api.typed_state import schema_of, state_of
from turnsmith.web.host import Host
from turnsmith.web.match.live_match import LiveMatch
from turnsmith.web.server import problems
from turnsmith.web.server.bounds import NotFound, Refused, described, source_of, stand
from turnsmith.web.server.offered import known_game, offered, opponents
from turnsmith.web.server.request_guard import Bounded, Gate

MOST_FRAMES = 200
"""Pictures in one answer."""

Key = Annotated[list[Annotated[str, Field(max_length=64)]], Field(max_length=16, description="keys of your seats")]
Actions = Annotated[
    list[Annotated[int, Field(ge=0, lt=2**31)]],
    Field(max_length=10_000, description="every move so far, chance's included"),
]
Name = Annotated[str, Path(max_length=64, description="the match, as given when it was made")]
Keys = Annotated[list[str], Query(max_length=16, description="keys of your seats; none: look on")]


class NewMatch(Body):
    game: Text = Field(examples=["connect_four", "mastermind:colors=4,pegs=2"])
    seats: list[Text] = Field(
        max_length=16, examples=[["person", "mcts:simulations=200"]], description="`person`, or a player, for each seat"
    )
    seed: Seed | None = Field(None, description="board and chance; left out, nobody knows it")
    source: Any = Field(None, description="the board itself, as a game describes it, instead of the one of the seed")
    names: list[Annotated[str, Field(max_length=200)]] = Field(
        [], max_length=16, description="what people call those who sit there; left out, they are given names"
    )
    hints: bool = Field(False, description="whether people who play against each other may ask for hints")


class Move(Body):
    key: Key
    move: Text | Annotated[int, Field(ge=0, lt=2**31)] = Field(examples=["d", 3], description="in words, or its number")
    wait: float = Field(0.0, ge=0.0, le=30.0, description="seconds to wait for the players' answers")


class AskHint(Body, title="Ask"):
    key: Key
    player: Text = Field("", examples=["mcts:simulations=1000"], description="empty: the best at hand")
    begun: Text = Field("", examples=["1c3"], description="pieces of your move that are chosen already")


class Hand(Body):
    key: Key
    player: Text = Field(examples=["mcts:simulations=1000"], description="who moves for you; empty: you again")


class Undo(Body):
    key: Key


class AskMove(Body, title="Best"):
    game: Text = Field(examples=["connect_four"])
    actions: Actions
    player: Text = Field("", examples=["negamax:depth=6"], description="empty: the best at hand")
    seed: Seed = 0
    source: Any = None


class Frames(Body):
    game: Text
    actions: Actions
    seed: Seed = 0
    source: Any = None
    viewer: int | None = Field(None, ge=0, lt=16, description="the seat through whose eyes to look; none sees all")
    first: int = Field(0, ge=0, lt=2**31)
    count: int = Field(MOST_FRAMES, ge=1, le=MOST_FRAMES)


def api(host: Host, names: Sequence[str] = (), origins: Sequence[str] = ()) -> FastAPI:
    """A FastAPI app with everything that speaks JSON; `names` is what the server is called, `origins` whose pages may
    ask, see ``Gate``."""
    app = FastAPIOffline(title="turnsmith", version="1", description=__doc__.partition("\n")[0])
    app.state.host = host
    app.add_middleware(Bounded)
    if origins:
        methods, headers = ["GET", "POST", "PATCH", "DELETE"], ["Content-Type", "Last-Event-ID"]
        app.add_middleware(
            CORSMiddleware, allow_origins=list(origins), allow_methods=methods, allow_headers=headers, max_age=3600
        )
    app.add_middleware(Gate, names=names, origins=origins)
    app.include_router(studio_api.routes)
    app.include_router(arena_api.routes)
    app.include_router(routes)
    problems.handle_in(app)
    return app


# ---------------------------------------------------------------- what there is

routes = APIRouter(prefix="/api", responses=PROBLEMS, tags=["matches, players, arenas"])
UNSET: Any = {"response_model_exclude_unset": True}
"""Of answers whose last fields are there at the end of a match alone."""


@routes.get("/games")
async def list_games() -> list[answers.GameLine]:
    """The games, a sentence each."""
    return [answers.GameLine(name=name, summary=line) for name, line in offered().items()]


@routes.get("/games/{game}", response_model=answers.GameShown, **UNSET)
async def describe_game(request: Request, game: Annotated[str, Path(max_length=400)]) -> dict[str, Any]:
    """A game's options, and its players with their settings; players that refuse these options say why."""
    host, client = asker(request)

    def work() -> dict[str, Any]:
        loaded = known_game(game)
        boards = described(loaded, source_of(loaded))
        rows = []
        for name, kind in players(loaded).items():
            given = [explained(s, s.default) for s in settings(kind)]
            refusal = kind().refuses(loaded, boards[0])
            rows.append({"name": name, "summary": kind.summary, "settings": given, "refuses": refusal})
        usual = known_game(parse(game)[0]).options
        options = [] if usual is None else [explained(s, getattr(usual, s.field)) for s in settings(type(usual))]
        head = {"name": loaded.name, "text": loaded.text_name, "seats": int(boards[0].seats), "options": options}
        return {
            **head,
            "players": rows,
            "levels": opponents(loaded, boards),
            "state": schema_of(loaded),
            "about": loaded.doc,
        }

    return await host.do(client, work)


def explained(setting: Setting, default: Any) -> dict[str, Any]:
    kind = "choice" if setting.choices else getattr(setting.kind, "__name__", str(setting.kind))
    given = {"name": setting.name, "kind": kind, "default": default, "help": setting.help}
    return {**given, "choices": list(setting.choices)} if setting.choices else given


# ---------------------------------------------------------------- matches


@routes.post("/matches", status_code=201, response_model=answers.NewMatchShown, **UNSET)
async def new_match(request: Request, body: NewMatch) -> dict[str, Any]:
    """Start a match. The answer has a key for every person's seat: whoever has it moves there. Keep them."""
    host, client = asker(request)
    match = await host.create(
        client, body.game, body.seats, seed=body.seed, source=body.source, hints=body.hints, names=body.names
    )
    keys = [seat.key or None for seat in match.seats]
    await host.settled(match, 1.0)
    mine = [key for key in keys if key]
    return {"keys": keys, **await host.do(client, lambda: shown(match, mine))}


@routes.get("/matches/{match}", response_model=answers.MatchShown, **UNSET)
async def look_at_match(request: Request, match: Name, key: Keys = []) -> dict[str, Any]:  # noqa: B006
    """The match as the holder of these keys sees it: whose turn, the log in words, the picture, how it ended."""
    host, client = asker(request)
    live_match = await host.get(client, match)
    return await host.do(client, lambda: shown(live_match, key))


@routes.get("/matches/{match}/legal", response_model=list[answers.LegalMove])
async def legal_moves(request: Request, match: Name, key: Keys = []) -> list[dict[str, Any]]:  # noqa: B006
    """The legal moves of the holder of these keys: number and words; none when it is not their turn."""
    host, client = asker(request)
    live_match = await host.get(client, match)

    def work() -> list[dict[str, Any]]:
        with live_match.lock:
            if not live_match.may_move(key):
                return []
            pairs = zip(live_match.position.actions.tolist(), live_match.words(), strict=True)
            return [{"action": action, "words": words} for action, words in pairs]

    return await host.do(client, work)


@routes.post("/matches/{match}/moves", response_model=answers.MatchShown, **UNSET)
async def make_move(request: Request, match: Name, body: Move) -> dict[str, Any]:
    """Make a move, in words or as a number. With `wait` the answer shows what the players did."""
    host, client = asker(request)
    live_match = await host.get(client, match)
    await host.move(client, live_match, body.key, body.move)
    await host.settled(live_match, body.wait)
    return await host.do(client, lambda: shown(live_match, body.key))


@routes.post("/matches/{match}/undo", response_model=answers.MatchShown, **UNSET)
async def take_back(request: Request, match: Name, body: Undo) -> dict[str, Any]:
    """Take back your last move where that is fair: no chance, no secret and no other person has answered it. Otherwise
    the other people are asked (`undo_asked` is the seat that asks); they agree by the same request, or just play on."""
    host, client = asker(request)
    live_match = await host.get(client, match)
    await host.undo(client, live_match, body.key)
    return await host.do(client, lambda: shown(live_match, body.key))


@routes.post("/matches/{match}/resign", response_model=answers.MatchShown, **UNSET)
async def give_up(request: Request, match: Name, body: Undo) -> dict[str, Any]:
    """Give up: the match is over, and you have lost it."""
    host, client = asker(request)
    live_match = await host.get(client, match)
    await host.resign(client, live_match, body.key)
    return await host.do(client, lambda: shown(live_match, body.key))


@routes.post("/matches/{match}/hint", response_model=answers.DecisionShown)
async def ask_hint(request: Request, match: Name, body: AskHint) -> dict[str, Any]:
    """What a player would do in your place: move, value, policy, line of play, how it weighed its choices; or how it
    would go on with a move."""
    host, client = asker(request)
    live_match = await host.get(client, match)
    return asdict(await host.hint(client, live_match, body.key, body.player, " ".join(body.begun.split())))


@routes.post("/matches/{match}/hand", response_model=answers.MatchShown, **UNSET)
async def hand_over(request: Request, match: Name, body: Hand) -> dict[str, Any]:
    """Let a player move for you from now on, or, with an empty `player`, move yourself again. Where hints are not
    allowed this is neither."""
    host, client = asker(request)
    live_match = await host.get(client, match)
    await host.hand_over(client, live_match, body.key, body.player)
    return await host.do(client, lambda: shown(live_match, body.key))


@routes.get("/matches/{match}/frames", response_model=answers.FramesShown)
async def match_frames(
    request: Request,
    match: Name,
    key: Keys = [],  # noqa: B006
    first: Annotated[int, Query(ge=0, lt=2**31)] = 0,
    count: Annotated[int, Query(ge=1, le=MOST_FRAMES)] = MOST_FRAMES,
) -> dict[str, Any]:
    """The positions of a match as SVG, from number `first` on, as the holder of these keys may see them."""
    host, client = asker(request)
    live_match = await host.get(client, match)

    def work() -> dict[str, Any]:
        viewer, last = live_match.viewer(key), len(live_match.position.history)
        plies = range(first, min(first + count, last + 1))
        frames = [live_match.look(viewer, ply).picture(side=live_match.side(key)) for ply in plies]
        return {"positions": last + 1, "first": first, "frames": frames}

    return await host.do(client, work)


@routes.get("/matches/{match}/record", response_model=answers.MatchRecord)
async def match_record(request: Request, match: Name, key: Keys = []) -> Response:  # noqa: B006
    """A finished match as a file that `turnsmith replay` and the page open."""
    host, client = asker(request)
    live_match = await host.get(client, match)
    if not live_match.tells_all(key):
        raise Refused("a record tells all that is hidden: it is for those whose secrets they are, when it is over")
    document = {"turnsmith": "match", **live_match.record().__dict__}
    return JSONResponse(document, headers={"Content-Disposition": f'attachment; filename="{live_match.name}.json"'})


@routes.get(
    "/matches/{match}/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}}, 204: {"description": "it is over, and all is told"}},
)
async def match_events(
    request: Request,
    match: Name,
    key: Keys = [],  # noqa: B006
    last_event_id: Annotated[str, Header(max_length=64)] = "",
) -> Response:
    """What happens, as server-sent events: `move` and `told` (a hidden move came out), each with number, by and words;
    `undo`, after which `moves` moves stand; `turn`, whose turn it is; `end`, which is the last. Send the id of the last
    event as Last-Event-ID to go on after it; 204 says that there is nothing more to come."""
    host, client = asker(request)
    live_match = await host.get(client, match)
    if await host.do(client, lambda: events.has_all(live_match, key, last_event_id)):
        return Response(status_code=204)
    return events.streamed(client, events.of_match(host, client, live_match, key, last_event_id))


def shown(match: LiveMatch, keys: list[str]) -> dict[str, Any]:
    """A match for whoever has these keys. The seed and hidden chance stay here until it is over."""
    with match.lock:
        match.check_clock()
        viewer, outcome = match.viewer(keys), match.outcome
        look = match.look(viewer)
        seats = zip(match.seats, match.clocks(), strict=True)
        answer: dict[str, Any] = {
            "match": match.name,
            "game": match.game.text_name,
            "seats": [
                {"who": seat.who, "name": seat.nickname, "seconds": round(seconds, 1), "decides": match.decider(index)}
                for index, (seat, seconds) in enumerate(seats)
            ],
            "viewer": viewer,
            "mover": match.mover if match.mover >= 0 and not match.over else None,
            "your_turn": match.may_move(keys),
            "over": match.over,
            "log": [
                {"by": "chance" if mover == CHANCE else mover, "words": words or None}
                for mover, words in match.log.read_by(viewer)
            ],
            "state": state_of(look),
            "picture": look.picture(side=match.side(keys)),
            "undo_asked": match.request.by if match.request else None,
            "watching": match.onlookers,
        }
        if outcome:
            ended = {"returns": outcome.returns, "ending": outcome.ending, "said": outcome.said(match.owned(keys))}
            answer |= {**ended, "winners": outcome.winners, "winner": outcome.winner}
        if match.tells_all(keys):
            answer |= {"seed": match.seed, "actions": list(match.position.history)}
        return answer


# ---------------------------------------------------------------- without a match


@routes.post("/best", response_model=answers.DecisionShown)
async def best_move(request: Request, body: AskMove) -> dict[str, Any]:
    """What a player would do in a match given as integers. It sees only what the seat to move may see."""
    host, client = asker(request)
    return asdict(await host.best(client, body.game, body.actions, body.player, body.seed, body.source))


@routes.post("/frames", response_model=answers.FramesShown)
async def frames_of(request: Request, body: Frames) -> dict[str, Any]:
    """The positions of a match given as integers, as SVG."""
    host, client = asker(request)

    def work() -> dict[str, Any]:
        position = stand(body.game, body.actions, body.seed, body.source)
        viewer = body.viewer
        if viewer is not None and viewer >= position.board.seats:
            raise BadInput(f"there is no seat {viewer}; seats are 0 to {position.board.seats - 1}")
        looks = chain((before for before, _ in position.trail(body.first)), [position])
        count = min(body.count, max(0, len(body.actions) + 1 - body.first))
        pictures = [look.picture(viewer) for look in islice(looks, count)]
        return {"positions": len(body.actions) + 1, "first": body.first, "frames": pictures}

    return await host.do(client, work)


# ---------------------------------------------------------------- whatever else is asked for


@routes.api_route("/{path:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE"], include_in_schema=False)
async def nothing_here(request: Request, path: str) -> None:
    """Whatever else is asked for."""
    raise NotFound(f"there is no {request.method} /api/{path[:80]}; /docs lists what there is")
