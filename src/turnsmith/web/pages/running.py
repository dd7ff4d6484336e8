"""The games that a browser has begun and not finished: it keeps the links, the server says how they stand."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from nicegui import ui

from turnsmith.common.errors import BadInput
from turnsmith.web.host import Host
from turnsmith.web.match.live_match import LiveMatch
from turnsmith.web.match.people import people_of
from turnsmith.web.server.workers import Busy

MOST = 12
"""Links that a browser keeps, and games that are looked at."""
_LINK = re.compile(r"[\w-]{1,32}/[\w.-]{1,800}")
NOTE = """
let kept = [];
try { kept = JSON.parse(localStorage.getItem("games")) || []; } catch {}
kept = [...(%s ? [%s] : []), ...kept.filter((link) => link !== %s)].slice(0, %d);
localStorage.setItem("games", JSON.stringify(kept));
"""
READ = "return localStorage.getItem('games')"


@dataclass(frozen=True)
class Running:
    """A game to go on with: where it is, what it is, against whom, and whether it waits for the visitor."""

    link: str
    game: str
    others: str
    yours: bool


def note(match: LiveMatch, keys: Sequence[str]) -> None:
    """Let the browser keep the link of a game that is going on, and forget that of one that is over."""
    link = json.dumps(f"{match.name}/{'.'.join(keys)}")
    ui.run_javascript(NOTE % (json.dumps(not match.over), link, link, MOST))


async def running(host: Host, client: str) -> list[Running]:
    """The games that this browser can go on with; what it says of them is believed in nothing."""
    kept: object = None
    with suppress(TimeoutError, ValueError, TypeError):
        kept = json.loads(await ui.run_javascript(READ, timeout=5.0))
    matches = []
    for link in kept[:MOST] if isinstance(kept, list) else []:
        if isinstance(link, str) and _LINK.fullmatch(link):
            name, _, keys = link.partition("/")
            with suppress(BadInput, Busy):
                match = await host.get(client, name)
                mine = match.owned(keys.split("."))
                if mine and not match.over:
                    table = people_of(match)
                    others = ", ".join(person.name for seat, person in enumerate(table) if seat not in mine)
                    matches.append(Running(f"/match/{link}", match.game.name, others, match.may_move(keys.split("."))))
    return matches
