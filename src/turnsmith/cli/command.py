"""Commands from records: the fields of a dataclass are the options, their docstrings the help, their ranges refused."""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

import typer
from typer.models import ParameterInfo

from turnsmith.common.errors import BadInput
from turnsmith.common.settings import Setting, settings
from turnsmith.contract.trainings import option_of

T = TypeVar("T")


def command(kind: type[T]) -> Callable[[Callable[[T], None]], Callable[..., None]]:
    """Let a function of one record of options be a command with these options.

    A field with a typer option in its annotation, as in ``cli.options``, is taken as it is.
    """

    def wrap(work: Callable[[T], None]) -> Callable[..., None]:
        def run(**given: Any) -> None:
            work(read_settings(kind, given))

        return with_signature(run, options_of(kind), work.__name__, work.__doc__ or "")

    return wrap


def with_signature(
    run: Callable[..., None], parameters: Sequence[inspect.Parameter], name: str, about: str
) -> Callable[..., None]:
    """The function with the signature from which typer makes its options."""
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {given.name: given.annotation for given in parameters}
    run.__name__, run.__doc__ = name, about
    return run


def options_of(kind: type) -> list[inspect.Parameter]:
    """The fields of a dataclass as parameters for typer."""
    hints = typing.get_type_hints(kind, include_extras=True)
    return [option(setting, hints[setting.field]) for setting in settings(kind)]


def option(each: Setting, hint: Any) -> inspect.Parameter:
    """A setting as an option, which refuses what is out of range."""
    default = inspect.Parameter.empty if each.default is dataclasses.MISSING else each.default
    if not any(isinstance(mark, ParameterInfo) for mark in getattr(hint, "__metadata__", ())):
        names = (option_of(each.name),) if each.kind is not bool else ()
        hint = Annotated[each.kind, typer.Option(*names, help=each.about, min=each.low, max=each.high)]
    return parameter(each.field, hint, default)


def parameter(name: str, kind: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def read_settings(kind: type[T], given: dict[str, Any]) -> T:
    """The settings that were given; one that the dataclass refuses is named as the option it is."""
    try:
        return kind(**given)
    except BadInput:
        raise
    except ValueError as error:
        raise BadInput(str(error)) from None
