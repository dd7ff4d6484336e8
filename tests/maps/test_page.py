"""The page on maps is true: its commands and its Python run, its table is the list of measures."""

import re
from pathlib import Path

import pytest

from turnsmith.cli import main
from turnsmith.maps.files import FORMATS, drawing, own_json
from turnsmith.maps.measures import MEASURES

PAGE = (Path(__file__).parent.parent.parent / "docs" / "reference" / "maps.md").read_text()


def blocks(kind):
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.S)


def test_commands_of_the_page_run(tmp_path, monkeypatch, capsys):
    """One after another, in one folder."""
    monkeypatch.chdir(tmp_path)
    commands = [line[2:].split() for block in blocks("console") for line in block.splitlines()]
    assert len(commands) == 8
    for command in commands:
        with pytest.raises(SystemExit) as end:
            main(command[1:])
        assert (end.value.code, capsys.readouterr().err) == (0, ""), command


def test_python_of_the_page_runs(tmp_path, monkeypatch):
    """Block by block, in one namespace."""
    monkeypatch.chdir(tmp_path)
    namespace = {}
    for block in blocks("python"):
        exec(compile(block, "maps.md", "exec"), namespace)


def test_examples_of_files_are_read():
    """The JSON and the drawing that the page shows."""
    assert own_json.read(blocks("json")[0].encode(), "x")[0].label == 3
    assert drawing.read(blocks("text")[0].encode(), "x")[0].source["portals"] == [[8, 40], [24, 36]]


def test_the_table_lists_every_measure_and_format():
    """With its sentence, and each ending."""
    for name, each in MEASURES.items():
        assert f"| `{name}` | {each.kind} | {', '.join(each.needs)} | {each.about} |" in PAGE
    assert all(f"`{ending}`" in PAGE for each in FORMATS.values() for ending in each.endings)
