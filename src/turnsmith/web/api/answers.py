"""What the JSON API answers: one model a kind of answer, so that its description says what to expect."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict


class AnswerModel(BaseModel):
    """A docstring under a field is its description."""

    model_config = ConfigDict(use_attribute_docstrings=True)


# ---------------------------------------------------------------- games


class GameLine(AnswerModel):
    name: str
    summary: str


class SettingShown(AnswerModel):
    name: str
    kind: str
    """int, float, bool, str or choice."""
    default: bool | int | float | str | None
    help: str
    choices: list[bool | int | float | str] | None = None


class PlayerShown(AnswerModel):
    name: str
    summary: str
    settings: list[SettingShown]
    refuses: str | None
    """Why it cannot play with these options."""


class GameShown(AnswerModel):
    name: str
    text: str
    """The game with its options: what names it in other requests."""
    seats: int
    options: list[SettingShown]
    players: list[PlayerShown]
    levels: dict[str, str]
    """Opponents by name, easiest first: the text of the player."""
    state: dict[str, Any]
    """JSON Schema of `state` in the answers about its matches."""
    about: str


# ---------------------------------------------------------------- matches


class SeatShown(AnswerModel):
    who: str
    """`person`, or the text of a player."""
    seconds: float
    """Time used."""
    decides: str
    """Who decides for the seat now: another than `who` while a player stands in."""


class LogLine(AnswerModel):
    by: int | Literal["chance"]
    """The seat that moved."""
    words: str | None
    """The move; null where it is hidden from the asker."""


class MatchShown(AnswerModel):
    match: str
    game: str
    seats: list[SeatShown]
    viewer: int | None
    """The seat through whose eyes the asker looks; null sees all, -1 what all seats see."""
    mover: int | None
    """The seat to move; null when it is over, or where chance is entered by hand."""
    your_turn: bool
    over: bool
    log: list[LogLine]
    state: dict[str, Any]
    """What the asker sees, by name: `GET /api/games/GAME` has the schema."""
    picture: str
    """What the asker sees, as SVG."""
    undo_asked: int | None
    """The seat that asks to take a move back."""
    watching: int
    """How many look on."""
    returns: list[float] | None = None
    """One a seat, when it is over."""
    ending: str | None = None
    said: str | None = None
    """Who won and why, in a sentence."""
    winners: list[int] | None = None
    winner: int | None = None
    seed: int | None = None
    """When it is over, for those who may know all."""
    actions: list[int] | None = None
    """The same: every move as a number, chance's too."""


class NewMatchShown(MatchShown):
    keys: list[str | None]
    """A key for each person's seat: whoever has it moves there."""


class LegalMove(AnswerModel):
    action: int
    words: str


class ChoiceShown(AnswerModel):
    name: str
    words: str
    score: float | None
    parts: dict[str, float]
    """What the score is the sum of."""
    impossible: str
    """Why it cannot be done."""
    told: str
    """What else there is to say of the score."""


class InspectionShown(AnswerModel):
    inputs: dict[str, float]
    choices: list[ChoiceShown]
    note: str


class DecisionShown(AnswerModel):
    action: int
    words: str
    value: float | None
    """The return it expects."""
    policy: dict[str, float] | None
    """Moves in words, each with its share of the player's thinking."""
    note: str
    line: list[str]
    """How it expects the game to go on, its own move first."""
    inspection: InspectionShown | None
    """How it weighed what it might do, where it tells."""


class FramesShown(AnswerModel):
    positions: int
    """How many there are in all."""
    first: int
    frames: list[str]
    """SVG each."""


class MatchRecord(AnswerModel):
    turnsmith: Literal["match"]
    game: str
    source: Any
    """The board."""
    players: list[str]
    seed: int
    actions: list[int]
    returns: list[float]
    ending: str
    seconds: float


# ---------------------------------------------------------------- arenas


class RunLine(AnswerModel):
    model_config = ConfigDict(extra="allow")
    run: str
    game: str
    players: list[str]
    seed: int | str
    games: int
    """Games it has so far."""
    seconds: float


class Progress(AnswerModel):
    run: str
    game: str
    players: list[str]
    games: int
    """Games in all."""
    done: int
    seed: int
    state: str
    """How far it is, in words."""
    running: bool


class NewRunShown(Progress):
    key: str
    """Whoever has it may stop the arena."""


class Share(AnswerModel):
    rate: float | None
    """Share of wins; null where returns are scores."""
    low: float | None
    """95 % interval."""
    high: float | None


class MeanShown(AnswerModel):
    mean_return: float | None
    mean_low: float | None
    """95 % interval."""
    mean_high: float | None


class RoleRow(MeanShown):
    role: str
    games: int


class Rating(AnswerModel):
    mu: float
    sigma: float


class PlayerRow(Share, MeanShown):
    name: str
    games: int
    wins: int | None
    draws: int | None
    forfeits: int
    rating: Rating | None = None
    roles: list[RoleRow] | None = None


class PairRow(Share):
    player: str
    against: str
    games: int


class SeatRow(Share, MeanShown):
    seat: int
    role: str | None


class MeetingRow(AnswerModel):
    seats: list[str]
    games: int
    mean_return: float | None
    """Of the first seat."""
    low: float | None
    high: float | None


class Forfeit(AnswerModel):
    match: int
    seat: int
    player: str
    reason: str


class TableShown(AnswerModel):
    game: str
    winner: str
    """How one wins: highest, score, cost or rule."""
    roles: list[str]
    games: int
    different: int | None
    """How many of the first 1,000 games are; null where their moves were not kept."""
    seed: int
    seconds: float
    games_per_second: float | None
    verdict: str
    """In a sentence: whether the seats are fair."""
    players: list[PlayerRow]
    pairs: list[PairRow]
    seats: list[SeatRow]
    meetings: list[MeetingRow]
    forfeits: list[Forfeit]


# ---------------------------------------------------------------- studios


class RatingShown(AnswerModel):
    number: int
    rating: float
    weight: float
    by: str
    picture: str
    """Where it is, as SVG."""


class StudioShown(AnswerModel):
    studio: str
    game: str
    page: str
    """Where people rate."""
    seed: int
    settings: dict[str, Any]
    measures: list[str]
    maps: int
    shown: list[int]
    best: list[int]
    doing: str
    """What is being worked at, "" for nothing."""
    progress: float
    ratings: list[RatingShown]


class Reason(AnswerModel):
    rating: int
    nearness: float
    value: float


class MapShown(AnswerModel):
    number: int
    game: str
    source: Any
    """The map, as the game describes its boards."""
    genes: list[int]
    liking: float
    spread: float
    """How unsure that is."""
    measures: dict[str, float]
    why: list[Reason]
    picture: str
    """Where it is, as SVG."""


class TasteShown(AnswerModel):
    """Ratings and settings as a file; the rest of it is for turnsmith itself."""

    model_config = ConfigDict(extra="allow")
    settings: dict[str, Any]
