"""SVG: the game's own picture of the first position on a map, which also holds the map to be read again."""

from __future__ import annotations

from turnsmith.common.errors import BadInput
from turnsmith.maps.files import own_json
from turnsmith.maps.files.damage import refuse
from turnsmith.maps.files.xml_tree import escaped, parse
from turnsmith.maps.record import GameMap

NAME = "turnsmith-maps"


def write(maps: list[GameMap], name: str) -> dict[str, bytes]:
    from turnsmith.contract.loading import load
    from turnsmith.play.position import PositionView

    game = load(maps[0].game)
    return {"": with_map(PositionView.at_start(game, game.rebuild(maps[0].source)).picture(0), maps[0]).encode()}


def with_map(picture: str, found: GameMap) -> str:
    """A picture that holds a map."""
    end = picture.find(">")
    if not picture.lstrip().startswith("<svg") or picture[end - 1] == "/":
        raise BadInput(f"the picture of {found.game} is no SVG to put a map into; write .json")
    held = f'<metadata id="{NAME}">{escaped(own_json.text_of([found]))}</metadata>'
    return f"{picture[: end + 1]}{held}{picture[end + 1 :]}\n"


def read(data: bytes, said: str, game: str = "") -> list[GameMap]:
    root = parse(data, said)
    held = [element for element in root.named("metadata") if element.attributes.get("id") == NAME]
    if root.name != "svg" or len(held) != 1:
        refuse(said, f"line {root.line}", "this picture does not hold a map; only those that turnsmith wrote do")
    return own_json.read(held[0].text.encode(), f"{said}, the map in it")
