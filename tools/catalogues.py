"""Gathers what people read from the code into the catalogues: ``python tools/catalogues.py``.

Texts in the code are marked there. What games and players declare needs no mark, it is asked for: a game's first
sentence and its lesson, the docstrings under settings with the values to choose from, what a player says of itself,
and the names of levels. All of that is passed through `_` where it is shown.

New texts come in untranslated, texts that are gone go, and a text that moves to the other domain takes its translation
along; `lacking` says what is still to be translated, and so does the test. Babel does the work; catalogues are kept
without line numbers, which would change with every edit.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import is_dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from string import Formatter

from babel.messages import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from turnsmith.common.settings import settings
from turnsmith.contract.loading import load
from turnsmith.contract.registry import built_in
from turnsmith.languages import DOMAINS, FOLDER, LANGUAGES
from turnsmith.play.player import players

PACKAGE = FOLDER.parent
FORMS = {"_": 1, "marked": 1, "counted": 2}
"""How many forms of a text each of them is given."""


class Texts(Catalog):
    """A catalogue whose head says nothing of when, by whom and by what it was written: it changes with its texts."""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        return [
            ("Language", str(self.locale_identifier or "")),
            ("Plural-Forms", self.plural_forms),
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit"),
        ]


@cache
def gathered(domain: str) -> Catalog:
    """Every text of a domain in the code, untranslated."""
    catalogue = Texts(charset="utf-8", fuzzy=False)
    for path in sorted(PACKAGE.rglob("*.py")):
        if domain == domain_of(path.relative_to(PACKAGE).parts):
            for text in marked_in(path.read_text("utf-8")):
                catalogue.add(text)
    for home, text in declared():
        if text and domain == domain_of(home.split(".")[1:]):
            catalogue.add(text)
    return catalogue


def domain_of(parts: Sequence[str]) -> str:
    """The catalogue for a file or module of the package: that of games for games and for what was studied of them.

    >>> domain_of(["studies", "tactics", "league.py"]), domain_of(["studies", "taste", "loop.py"])
    ('games', 'page')
    """
    is_study = parts[0] == "studies" and parts[1] in built_in()
    return "games" if parts[0] == "games" or is_study else "page"


def marked_in(source: str) -> Iterator[str | tuple[str, ...]]:
    """The texts that code passes to `_`, `marked` and `counted`, within f-strings too; a tuple has two forms.

    >>> list(marked_in("f'{_(name)} {_(\\"your turn\\")}'; counted('{} die', '{} dice', n)"))
    [('{} die', '{} dice'), 'your turn']
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FORMS:
            given = node.args[: FORMS[node.func.id]]
            if any(isinstance(each, ast.JoinedStr) for each in given):
                raise ValueError(f"a text with gaps is made by .format, not by an f-string: {ast.unparse(node)}")
            texts = tuple(str(each.value) for each in given if isinstance(each, ast.Constant))
            if texts and len(texts) == len(given):
                yield texts if len(texts) > 1 else texts[0]


def declared() -> Iterator[tuple[str, str]]:
    """The texts that games and players declare, each with the module it is from; the same one may come often."""
    for name, sentence in built_in().items():
        game = load(name)
        home = f"turnsmith.games.{name}"
        yield from (
            (home, text) for text in (sentence, *(said for said, _moves in game.lesson), *(game.levels() or ()))
        )
        if game.options is not None:
            yield from _of_settings(type(game.options))
        for kind in players(game).values():
            yield next(each.__module__ for each in kind.__mro__ if "summary" in vars(each)), kind.summary
            yield from _of_settings(kind)


def _of_settings(kind: type) -> Iterator[tuple[str, str]]:
    """What is said of the settings of a dataclass, and values that are words; of the class that says it first."""
    known: set[str] = set()
    for base in filter(is_dataclass, reversed(kind.__mro__)):
        for each in settings(base):
            for text in (each.about, *(str(choice) for choice in each.choices if _is_word(choice))):
                if text not in known:
                    known.add(text)
                    yield base.__module__, text


def _is_word(choice: object) -> bool:
    return isinstance(choice, str) and choice.replace("-", "").isalpha()


def path_of(language: str, domain: str) -> Path:
    """The catalogue people edit; the compiled one is beside it."""
    return FOLDER / language / "LC_MESSAGES" / f"{domain}.po"


def read(language: str, domain: str) -> Catalog:
    """A catalogue as it is kept; an empty one if there is none yet."""
    path = path_of(language, domain)
    if not path.exists():
        return Texts(locale=language, charset="utf-8", fuzzy=False)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def brought_up(language: str, domain: str) -> Catalog:
    """The kept catalogue with the texts that the code has now: nothing guessed, nothing obsolete."""
    kept = [read(language, each) for each in (domain, *DOMAINS)]
    fresh = Texts(locale=language, charset="utf-8", fuzzy=False, header_comment=f"# {LANGUAGES[language]}: {domain}")
    for message in gathered(domain):
        if message.id:
            known = (catalogue.get(message.id, message.context) for catalogue in kept)
            before = next((each for each in known if each is not None), None)
            said = before.string if before is not None and before.pluralizable == message.pluralizable else None
            comments = before.user_comments if before is not None else ()
            fresh.add(message.id, said, auto_comments=message.auto_comments, user_comments=comments)
    return fresh


def written(catalogue: Catalog) -> bytes:
    """As people edit it."""
    out = BytesIO()
    write_po(out, catalogue, width=120, no_location=True, sort_output=True)
    return out.getvalue()


def compiled(catalogue: Catalog) -> bytes:
    """As gettext reads it."""
    out = BytesIO()
    write_mo(out, catalogue)
    return out.getvalue()


def lacking(catalogue: Catalog) -> Iterator[str]:
    """What is not translated, or by other placeholders than the text has."""
    for message in catalogue:
        texts = message.id if isinstance(message.id, tuple) else (message.id,)
        said = message.string if isinstance(message.string, tuple) else (message.string,)
        if not texts[0]:
            continue
        if not all(said):
            yield f"{texts[0]!r} has no translation"
        elif any(fields(str(text)) != fields(str(texts[-1])) for text in said):
            yield f"{texts[0]!r} has other placeholders than {said!r}"


def fields(text: str) -> list[str]:
    """The placeholders of a text."""
    return sorted(name or "" for _literal, name, _spec, _conversion in Formatter().parse(text) if name is not None)


def main() -> None:
    """Writes every catalogue anew and says what is missing."""
    for language in LANGUAGES:
        if language == "en":
            continue
        fresh = {domain: brought_up(language, domain) for domain in DOMAINS}  # before any is written
        for domain, catalogue in fresh.items():
            path = path_of(language, domain)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(written(catalogue))
            path.with_suffix(".mo").write_bytes(compiled(catalogue))
            missing = list(lacking(catalogue))
            print(f"{language} {domain}: {len(catalogue)} texts, {len(missing)} to mend")
            for line in missing:
                print(f"  {line}")


if __name__ == "__main__":
    main()
