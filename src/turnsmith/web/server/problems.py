"""How mistakes are told over HTTP: as ``{"error"}`` to programs, as a page of our own to people."""

from __future__ import annotations

import html
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException

from turnsmith.common.errors import BadInput
from turnsmith.languages import _, language, marked, speaking
from turnsmith.web.server.bounds import NotFound, Refused
from turnsmith.web.server.visitors import language_of
from turnsmith.web.server.workers import Busy

STYLE = (Path(__file__).parent / "style.css").read_text("utf-8")
PROGRAMS = ("/api", "/openapi.json", "/_nicegui")
"""Where paths begin that people do not type."""
HEADINGS = {
    403: marked("This is not for you"),
    404: marked("This leads nowhere"),
    429: marked("Too much at once"),
    500: marked("Something broke"),
}
PAGE = """<!doctype html>
<html lang="{language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{heading} · turnsmith</title><style>{style}</style></head>
<body class="plain"><header><a href="/">turnsmith</a></header>
<main class="page"><h1 class="title">{heading}</h1><p class="lead">{text}</p>
<p><a href="/">{back}</a></p></main></body></html>
"""


def problem(path: str, status: int, text: str, headers: dict[str, str] | None = None) -> Response:
    """The answer to a request for `path` that failed."""
    if path.startswith(PROGRAMS):
        return JSONResponse({"error": text}, status, headers)
    text, heading = text[:1].upper() + text[1:], _(HEADINGS.get(status, marked("This cannot be done")))
    back, code = _("Back to the games"), language()
    page = PAGE.format(language=code, back=back, heading=heading, text=html.escape(text), style=STYLE)
    return HTMLResponse(page, status, headers)


def of(error: Exception, path: str) -> Response:
    """The answer when a request for `path` ended in an error."""
    if isinstance(error, BadInput):
        status = 404 if isinstance(error, NotFound) else 403 if isinstance(error, Refused) else 400
        return problem(path, status, str(error))
    if isinstance(error, Busy):
        return problem(path, 429, str(error), {"Retry-After": "2"})
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
        place, *names = map(str, first["loc"])
        if place in ("query", "path"):
            given = f"{'.'.join(names)}={str(first['input'])[:40]!r}"
            return problem(
                path, 422, _("the link says {given}, which is not understood").format(given=given) + f": {first['msg']}"
            )
        return problem(path, 422, f"{'.'.join([place, *names])}: {first['msg']}; /docs shows what is expected")
    if isinstance(error, HTTPException):
        texts = {404: _("there is nothing at {path}"), 405: _("{path} cannot be asked for in this way")}
        return problem(path, error.status_code, texts.get(error.status_code, str(error.detail)).format(path=path[:80]))
    if isinstance(error, SQLAlchemyError):
        return problem(path, 503, _("the store cannot be used; see the server's log"))
    return problem(path, 500, _("the server made a mistake, which its log describes; the rest of it goes on"))


KINDS = (BadInput, Busy, RequestValidationError, HTTPException, SQLAlchemyError, Exception, 404, 405, 500)
"""What is answered here: by kind, and by number where the page's framework has answers of its own."""


def handle_in(app: FastAPI) -> None:
    """Let an app tell its mistakes in this way."""

    async def answer(request: Request, error: Exception) -> Response:
        path = request.scope["path"]
        with speaking("en" if path.startswith(PROGRAMS) else language_of(request)):
            return of(error, path)

    for kind in KINDS:
        app.add_exception_handler(kind, answer)
