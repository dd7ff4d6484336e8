"""What the two halves of the JSON API share: kinds of fields, and how refusals are described."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field

from turnsmith.web.host import Host

Text = Annotated[str, Field(max_length=400)]
Seed = Annotated[int, Field(ge=0, lt=2**53, description="board and chance")]


class Body(BaseModel):
    """A request. Fields it does not know are refused, so that a misspelt one is noticed."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Problem(BaseModel):
    """Why a request was refused, and what to do."""

    error: str


CODES = {400: "it cannot be done as asked", 403: "it is not yours to do", 404: "there is no such thing"}
CODES |= {413: "the request is too large", 422: "the request is no valid JSON", 429: "too much at once; try again"}
PROBLEMS: dict[int | str, dict[str, Any]] = {n: {"model": Problem, "description": text} for n, text in CODES.items()}


def asker(request: Request) -> tuple[Host, str]:
    """The host, and the address of who asks."""
    return request.app.state.host, request.client.host if request.client else "?"
