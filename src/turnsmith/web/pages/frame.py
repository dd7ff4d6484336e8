"""What all pages share: the bar on top, light and dark, and how mistakes are told."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from copy import copy as copy_of
from functools import partial

from fastapi import Response
from nicegui import events, ui

from turnsmith.common.errors import BadInput
from turnsmith.languages import LANGUAGES, _, language, marked, speaking
from turnsmith.web.server import problems
from turnsmith.web.server.remembered import remember
from turnsmith.web.server.request_guard import MOST_BYTES
from turnsmith.web.server.visitors import COOKIE, QUASAR, language_of
from turnsmith.web.server.workers import Busy

LINKS = {
    "/": marked("Games"),
    "/watch": marked("Watch"),
    "/arena": marked("Arena"),
    "/maps": marked("Maps"),
    "/training": marked("Training"),
    "/docs": "JSON",
}
SHADES = {"auto": None, "light": False, "dark": True}
ICONS = {"auto": "brightness_auto", "light": "light_mode", "dark": "dark_mode"}
page = partial(ui.page, response_timeout=60)
"""A page by its path; by itself a framework gives one up that takes three seconds, as on a busy machine it may."""
READY = marked("Getting ready: what is new is compiled once on every machine …")


@contextmanager
def frame(title: str) -> Iterator[None]:
    """A page: its bar, and a column for what is in it."""
    client = ui.context.client
    client.page = copy_of(client.page)  # all visitors have one page; its language is this one's
    client.page.language = QUASAR.get(language(), language())  # type: ignore[assignment]
    ui.page_title(f"{title} · turnsmith")
    ui.add_css(problems.STYLE)
    ui.colors(primary="#30638e", accent="#b5532b", positive="#1b7f3b", negative="#b3261e")
    request = client.request
    chosen = request.cookies.get("shade", "auto") if request else "auto"
    shade = chosen if chosen in SHADES else "auto"
    dark = ui.dark_mode(SHADES[shade])

    def turn() -> None:
        nonlocal shade
        shade = list(SHADES)[(list(SHADES).index(shade) + 1) % len(SHADES)]
        dark.set_value(SHADES[shade])
        button.props(f"icon={ICONS[shade]}")
        ui.run_javascript(f"document.cookie = 'shade={shade}; path=/; max-age=31536000; samesite=lax'")

    with ui.header().classes("items-center justify-between px-3 py-1 bg-primary text-white"):
        ui.link("turnsmith", "/").classes("text-lg font-bold")
        with ui.row().classes("nav items-center gap-0"):
            for target, name in LINKS.items():
                ui.link(_(name), target)
            _language_menu()
            button = ui.button(icon=ICONS[shade], on_click=turn).props("flat round dense color=white")
            button.props.update({"aria-label": _("light or dark")})
    with ui.column().classes("page"):
        yield


def _language_menu() -> None:
    """To read the page in another language from now on."""

    def choose(code: str) -> None:
        remember(COOKIE, code)
        ui.navigate.reload()

    with ui.button(language().upper()).props("flat dense no-caps color=white").classes("language") as button:
        button.props.update({"aria-label": _("language: {name}").format(name=LANGUAGES[language()])})
        with ui.menu():
            for code, name in LANGUAGES.items():
                ui.menu_item(name, lambda code=code: choose(code)).props(f"lang={code}")


def headline(text: str) -> ui.label:
    """What the page is about, for eyes and ears."""
    return ui.label(text).classes("title").props("role=heading aria-level=1")


def heading(text: str = "") -> ui.label:
    """What a part of the page is about."""
    return ui.label(text).classes("heading").props("role=heading aria-level=2")


def status(text: str = "") -> ui.label:
    """How things stand: read aloud whenever it changes."""
    return ui.label(text).classes("heading").props("role=status aria-live=polite")


def file_button(text: str, then: Callable[[events.UploadEventArguments], Awaitable[None]]) -> None:
    """A button that asks for a JSON file and hands it on. (What Quasar draws for it is a link
    with a field in it, which neither keys nor ears can use.)"""

    async def taken(event: events.UploadEventArguments) -> None:
        await then(event)
        upload.reset()

    upload = ui.upload(auto_upload=True, max_file_size=MOST_BYTES, max_files=1, on_upload=taken).classes("hidden")
    upload.props("accept=.json")
    upload.on(
        "rejected",
        lambda: ui.notify(_("a file may have {most:,} bytes").format(most=MOST_BYTES), type="negative"),
    )
    button = ui.button(text, icon="upload_file").props("outline no-caps").classes("w-full")
    button.on("click", js_handler=f"() => runMethod({upload.id}, 'pickFiles', [])")


@contextmanager
def telling() -> Iterator[None]:
    """Tell the person what went wrong, in one line; the page goes on."""
    try:
        yield
    except (BadInput, Busy) as error:
        ui.notify(
            str(error), type="negative", multi_line=True, timeout=8000, actions=[{"label": "OK", "color": "white"}]
        )


COPY = """
const text = %s;
try {
  await navigator.clipboard.writeText(text);
  return true;
} catch {} // there is none over plain http
const box = document.createElement("textarea");
box.value = text;
box.style.cssText = "position: fixed; opacity: 0";
document.body.append(box);
box.select();
const done = document.execCommand("copy");
box.remove();
return done;
"""


async def copy(text: str, what: str) -> None:
    """Put a text on the person's clipboard, and say whether that worked."""
    done = False
    with suppress(TimeoutError):
        done = bool(await ui.run_javascript(COPY % json.dumps(text), timeout=5.0))
    if done:
        ui.notify(_("{what} is copied").format(what=what))
    else:
        ui.notify(
            _("This browser does not let pages copy; here is {what}: {text}").format(what=what, text=text),
            multi_line=True,
            timeout=20000,
        )


SHARE = """
if (!navigator.share || !matchMedia("(pointer: coarse)").matches) return false;
try {
  await navigator.share({ url: %s });
} catch {} // the person has thought better of it
return true;
"""


async def share(url: str, what: str) -> None:
    """Let a person send a link: with what their telephone has for it, else by copying it."""
    done = False
    with suppress(TimeoutError):
        done = bool(await ui.run_javascript(SHARE % json.dumps(url), timeout=120.0))
    if not done:
        await copy(url, what)


async def is_there() -> bool:
    """Wait until the visitor's browser has opened the page; False if it never did (a program that only fetched it)."""
    client = ui.context.client
    await client.connected()
    return not client.is_deleted


def here() -> str:
    """The address of whoever looks at this page."""
    return ui.context.client.ip or "?"


def sorry(error: Exception) -> Response:
    """What a page gives back instead of itself when its link leads nowhere."""
    client = ui.context.client
    client.delete()
    with speaking(language_of(client.request)):
        return problems.of(error, client.request.url.path)
