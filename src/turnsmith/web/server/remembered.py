"""What a browser remembers of its visitor: small texts in cookies, of which the server keeps nothing."""

from __future__ import annotations

import json
from urllib.parse import quote, unquote

from nicegui import ui

LONGEST = 500
"""Signs of what is remembered; more is forgotten."""
YEAR = 31_536_000


def recall(name: str, default: str = "") -> str:
    """What this browser remembers by a name."""
    request = ui.context.client.request
    value = unquote(request.cookies.get(name, "")) if request else ""
    return value if value and len(value) <= LONGEST and value.isprintable() else default


def remember(name: str, value: str, path: str = "/") -> None:
    """Let the browser remember a text; it tells it only to pages below `path`."""
    cookie = f"{name}={quote(value[:LONGEST])}; path={path}; max-age={YEAR}; samesite=lax"
    ui.run_javascript(f"document.cookie = {json.dumps(cookie)}")
