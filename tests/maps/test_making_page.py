"""The page on making maps is true: its Python and its commands run, its table lists every setting."""

import re
from pathlib import Path

import pytest

from turnsmith.cli import main
from turnsmith.common.settings import settings
from turnsmith.maps.making.settings import MakerSettings

PAGE = (Path(__file__).parent.parent.parent / "docs" / "how-to" / "maps-making.md").read_text()


def blocks(kind):
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.S)


def test_python_and_commands_of_the_page_run(tmp_path, monkeypatch, capsys):
    """One after another, in one folder."""
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks("python")[0], "maps-making.md", "exec"), {})
    for line in blocks("console")[0].splitlines():
        with pytest.raises(SystemExit) as end:
            main(line.split()[2:])
        assert (end.value.code, capsys.readouterr().err) == (0, ""), line
    assert len(list((tmp_path / "even").glob("map-*.tmx"))) == 5


def test_the_table_lists_every_setting():
    """With its sentence and what it usually is."""
    for each in settings(MakerSettings):
        usual = "" if each.default in ("", ()) else f"`{each.default}`"
        assert f"| `{each.name}` | {usual} | {each.help} |" in PAGE
