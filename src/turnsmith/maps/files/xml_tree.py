"""XML that came from anybody, as a small tree of elements with their lines. A document type, with which entities are
declared and multiplied, is refused where it begins."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from turnsmith.common.errors import BadInput, shown
from turnsmith.maps.files.damage import DEEPEST, refuse

_UNWRITABLE = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass
class Element:
    name: str
    line: int
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def named(self, name: str) -> list[Element]:
        return [child for child in self.children if child.name == name]


def parse(data: bytes, said: str) -> Element:
    """The root of a document."""
    parser = expat.ParserCreate()
    root = Element("", 0, {})
    open_elements = [root]

    def no_doctype(*declared: Any) -> None:
        refuse(said, f"line {parser.CurrentLineNumber}", "a document type is not read; remove the <!DOCTYPE …>")

    def start(name: str, attributes: dict[str, str]) -> None:
        if len(open_elements) > DEEPEST:
            refuse(said, f"line {parser.CurrentLineNumber}", f"elements stand more than {DEEPEST} deep in each other")
        element = Element(name, parser.CurrentLineNumber, attributes)
        open_elements[-1].children.append(element)
        open_elements.append(element)

    def end(name: str) -> None:
        element = open_elements.pop()
        element.text = "".join(pieces.pop(id(element), ()))

    def characters(text: str) -> None:
        pieces.setdefault(id(open_elements[-1]), []).append(text)

    pieces: dict[int, list[str]] = {}
    parser.StartDoctypeDeclHandler = no_doctype
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, characters
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        where = f"line {error.lineno}, column {error.offset + 1}"
        refuse(said, where, f"this is no XML: {expat.ErrorString(error.code)}")
    except (ValueError, LookupError) as error:
        if isinstance(error, BadInput):
            raise
        refuse(said, "line 1", f"its encoding cannot be read ({shown(str(error))}); save it as UTF-8")
    return root.children[0]


def quoted(value: str) -> str:
    """The value of an attribute, with its quotes."""
    text = escaped(value)
    for sign, written in (('"', "&quot;"), ("\n", "&#10;"), ("\r", "&#13;"), ("\t", "&#9;")):
        text = text.replace(sign, written)
    return f'"{text}"'


def escaped(text: str) -> str:
    """A text between elements; what XML cannot hold is refused."""
    wrong = _UNWRITABLE.search(text)
    if wrong:
        raise BadInput(f"XML cannot hold the character {wrong[0]!a} of '{shown(text)}'; write .json")
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
