"""In which language a visitor reads: the one chosen on the page, else the first that their browser asks for.

Pages are made in one task and changed in others, and several visitors look at one match: so the language is asked for
by whose page it is wherever a text is made, and goes with the work that a page has done elsewhere (``Workers``).
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from nicegui import Client
from nicegui.slot import Slot, get_task_id
from nicegui.translations import translations
from starlette.requests import HTTPConnection

from turnsmith import languages
from turnsmith.languages import LANGUAGES, _, speaking, wanted

COOKIE = "language"
QUASAR = {"en": "en-US"}
"""What the page's framework calls a language, where that is something else."""

_known: WeakKeyDictionary[Client, str] = WeakKeyDictionary()
_usual = "en"


def language_of(request: HTTPConnection) -> str:
    """The language of whoever asks."""
    chosen = request.cookies.get(COOKIE, "")
    return chosen if chosen in LANGUAGES else wanted(request.headers.get("accept-language", ""), _usual)


def of_page() -> str:
    """The language of the visitor whose page is being made or changed here; English where there is none."""
    stack = Slot.stacks.get(get_task_id())
    try:
        client = stack[-1].parent.client if stack else None
        if client is None:
            return "en"
        if client not in _known:
            _known[client] = language_of(client.request)
        return _known[client]
    except RuntimeError:  # the page has gone
        return "en"


def welcome(usual: str = "en") -> None:
    """Let pages speak their visitors' languages, `usual` to those who ask for none that there is."""
    global _usual
    _usual = usual
    languages.ask(of_page)
    for code in LANGUAGES:
        with speaking(code):
            translations[QUASAR.get(code, code)] = {  # type: ignore[index]
                "connection_lost": _("Connection lost."),
                "trying_to_reconnect": _("Trying to reconnect …"),
                "message_too_long": _("Message too long"),
                "message_too_long_body": _("The message is too large to be sent."),
            }
