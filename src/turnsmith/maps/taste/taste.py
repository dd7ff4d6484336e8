"""A taste: what somebody thought of maps of one game, as a JSON file that can be kept, changed and joined with another.

    {"format": "turnsmith taste", "version": 1, "game": "homeguard", "drift": 0, "settings": {}, "ratings": [
    {"rating": 2, "weight": 1, "by": "player", "map": {"game": "homeguard", "options": {}, "source": {…}}}]}

Maps stand in it as in a file of maps. Drift is a half-life: a rating counts half as much as one that the same person
gave so many ratings later; 0 is none.
"""

from __future__ import annotations

import copy
import json
import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, one_line, shown
from turnsmith.common.files import refuse_unwritable, write_text
from turnsmith.maps.files import own_json
from turnsmith.maps.files.damage import JsonReader, read_json, refuse_to_run
from turnsmith.maps.record import GameMap, refuse_untaken, split_options
from turnsmith.maps.taste.predictors import GREATEST, Known, Views

FORMAT, VERSION = "turnsmith taste", 1
MOST_BYTES = 2**26
MOST_RATINGS = 10_000
MOST_UNDONE = 200
"""Changes that can be taken back one by one."""
MOST_WEIGHT = 1000.0
MOST_DRIFT = 1_000_000.0
PLAYER, DESIGNER = "player", "designer"


@dataclass(frozen=True)
class MapRating:
    """What somebody thought of a map."""

    map: GameMap
    rating: float
    """-2, disliked very much, to 2, liked very much; 0 is neither."""
    weight: float = 1.0
    by: str = PLAYER
    """Whose it is."""

    def __post_init__(self) -> None:
        if not _is_number(self.rating) or not -GREATEST <= self.rating <= GREATEST:
            raise BadInput(f"rating {shown(self.rating)} must be a number from -{GREATEST:g} to {GREATEST:g}")
        if not _is_number(self.weight) or not 0 < self.weight <= MOST_WEIGHT:
            raise BadInput(f"weight {shown(self.weight)} must be a number above 0, {MOST_WEIGHT:g} at most")
        if not one_line(self.by):
            raise BadInput("a rating must say whose it is; name somebody")


@dataclass
class Taste:
    """Ratings of maps of one game, in the order in which they were given."""

    game: str
    """Name of the game, or path of its file; every map has its options."""
    ratings: list[MapRating] = field(default_factory=list)
    drift: float = 0.0
    """Ratings after which one counts half as much; 0: it never does."""
    settings: dict[str, Any] = field(default_factory=dict)
    """How maps are made for it, for whoever makes them; JSON can hold it."""
    _before: list[list[MapRating]] = field(default_factory=list, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.game = split_options(self.game)[0]
        if not _is_number(self.drift) or not 0 <= self.drift <= MOST_DRIFT:
            raise BadInput(f"drift {shown(self.drift)} must be a number from 0 to {MOST_DRIFT:,.0f}")

    def __len__(self) -> int:
        return len(self.ratings)

    # ---------------------------------------------------------------- rating

    def rate(self, found: GameMap, rating: float, weight: float = 1.0, by: str = PLAYER) -> int:
        """Add a rating; its number, from 0."""
        if split_options(found.game)[0] != self.game:
            raise BadInput(f"this is a taste of {self.game}, the map is of {split_options(found.game)[0]}")
        if len(self.ratings) >= MOST_RATINGS:
            raise BadInput(f"a taste has {MOST_RATINGS:,} ratings at most; remove some")
        self._change([*self.ratings, MapRating(found, rating, weight, by)])
        return len(self.ratings) - 1

    def change(self, number: int, rating: float) -> None:
        """Think otherwise of what was rated."""
        self._refuse_missing(number)
        changed = replace(self.ratings[number], rating=rating)
        self._change([*self.ratings[:number], changed, *self.ratings[number + 1 :]])

    def remove(self, number: int) -> None:
        """Forget a rating; those after it move up."""
        self._refuse_missing(number)
        self._change(self.ratings[:number] + self.ratings[number + 1 :])

    def undo(self) -> None:
        """Take back the last thing that was rated, changed or removed; when all that is remembered of what was done
        since the taste was read is taken back, its last rating."""
        if not self._before and not self.ratings:
            raise BadInput("nothing has been rated yet")
        self.ratings = self._before.pop() if self._before else self.ratings[:-1]

    def _change(self, ratings: list[MapRating]) -> None:
        self._before = [*self._before[-MOST_UNDONE + 1 :], self.ratings]
        self.ratings = ratings

    def _refuse_missing(self, number: int) -> None:
        if type(number) is not int or not 0 <= number < len(self.ratings):
            raise BadInput(f"there is no rating {shown(number)}; there are {len(self.ratings)}, from 0")

    # ---------------------------------------------------------------- learning from it

    @property
    def weights(self) -> Array:
        """float64[ratings]: how much each counts now."""
        later: dict[str, int] = {}
        weights = np.zeros(len(self.ratings))
        for number in reversed(range(len(self.ratings))):
            rated = self.ratings[number]
            age = later.get(rated.by, 0)
            later[rated.by] = age + 1
            weights[number] = rated.weight * (0.5 ** (age / self.drift) if self.drift else 1.0)
        return weights

    def known(self, vectors: Array | Views) -> Known:
        """The ratings for a predictor, by the vectors of their maps."""
        return Known(vectors, np.array([float(rated.rating) for rated in self.ratings]), self.weights)

    def merged(self, other: Taste, weight: float = 1.0, by: str = DESIGNER) -> Taste:
        """This taste with another's ratings before its own, which count `weight` times as much as they did there."""
        if other.game != self.game:
            raise BadInput(f"this is a taste of {self.game}, the other one is of {other.game}")
        if not _is_number(weight) or not 0 <= weight <= MOST_WEIGHT:
            raise BadInput(f"weight {shown(weight)} must be a number from 0 to {MOST_WEIGHT:g}")
        pairs = zip(other.ratings, other.weights * weight, strict=True)
        theirs = [replace(rated, weight=float(now), by=by) for rated, now in pairs if now > 0]
        if len(theirs) + len(self.ratings) > MOST_RATINGS:
            raise BadInput(f"a taste has {MOST_RATINGS:,} ratings at most; these have more together")
        return Taste(self.game, theirs + self.ratings, self.drift, copy.deepcopy(self.settings))

    # ---------------------------------------------------------------- the file

    def to_dict(self) -> dict[str, Any]:
        """The document."""
        rows = [
            {"rating": rated.rating, "weight": rated.weight, "by": rated.by, "map": own_json.described(rated.map)}
            for rated in self.ratings
        ]
        head = {"format": FORMAT, "version": VERSION, "game": self.game, "drift": self.drift}
        return {**head, "settings": self.settings, "ratings": rows}

    @property
    def text(self) -> str:
        """The file; a rating a line."""
        document = self.to_dict()
        rows = ",\n".join(json.dumps(row, ensure_ascii=False, allow_nan=False) for row in document.pop("ratings"))
        head = json.dumps(document, ensure_ascii=False, allow_nan=False)
        return f'{head[:-1]}, "ratings": [\n{rows}\n]}}\n'

    def save(self, path: Path | str) -> None:
        """Write it, whole or not at all."""
        refuse_unwritable(Path(path), "taste")
        write_text(Path(path), self.text)

    @staticmethod
    def load(path: Path | str, game: str = "") -> Taste:
        """Read a file. game: the one it must be of, if it is given; a game that is a file of Python is only run if it
        is."""
        path = Path(path)
        try:
            if path.stat().st_size > MOST_BYTES:
                raise BadInput(f"{path} is larger than {MOST_BYTES >> 20} MB; that is no taste")
            data = path.read_bytes()
        except OSError as error:
            raise BadInput(f"{path} cannot be read: {error.strerror}") from None
        return Taste.from_dict(read_json(data, str(path)), str(path), game)

    @staticmethod
    def from_dict(document: Any, said: str = "the taste", game: str = "") -> Taste:
        """What ``to_dict`` gave, read strictly; `said` is what refusals call it."""
        reader = JsonReader(document, said)
        if not reader.has("format") or reader.value["format"] != FORMAT:
            reader.refuse(f'this is no taste: "format" must be "{FORMAT}"')
        reader.only("format", "version", "game", "drift", "settings", "ratings")
        if reader.whole("version", 1, 2**31) > VERSION:
            reader.at("version").refuse(f"this turnsmith reads version {VERSION}; get a newer one")
        game_name = reader.text("game")
        wanted = split_options(game)[0] if game else ""
        refuse_to_run(game_name, said, wanted)
        if wanted and game_name != wanted:
            reader.at("game").refuse(f"this is a taste of {shown(game_name)}, not of {wanted}")
        rows = reader.list("ratings")
        if len(rows) > MOST_RATINGS:
            reader.at("ratings").refuse(f"there are {len(rows):,}; {MOST_RATINGS:,} at most are read")
        drift = reader.number("drift") if reader.has("drift") else 0.0
        settings = reader.object("settings") if reader.has("settings") else {}
        try:
            taste = Taste(game_name, drift=drift, settings=settings)
        except BadInput as error:
            reader.refuse(str(error))
        taste.ratings = [_rating(row, taste.game) for row in rows]
        return taste


def _rating(row: JsonReader, game: str) -> MapRating:
    number = row.number("rating")
    weight = row.number("weight") if row.has("weight") else 1.0
    by = row.text("by") if row.has("by") else PLAYER
    game_map = own_json.map_from(row.at("map"))
    row.only("rating", "weight", "by", "map")
    try:
        if split_options(game_map.game)[0] != game:
            row.at("map").refuse(f"the map is of {shown(game_map.game)}, the taste of {game}")
        refuse_untaken(game_map, row.at("map").called)
        return MapRating(game_map, number, weight, by)
    except BadInput as error:
        message = str(error)
        raise BadInput(message if message.startswith(row.said) else f"{row.called}: {message}") from None


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and math.isfinite(value)  # type: ignore[arg-type]
