"""``turnsmith export`` as its user types it: files, JSON for programs, one line for bad input."""

import json

import pytest
from typed import turnsmith


def test_export_writes_files_and_says_which(tmp_path):
    """The file, its test, its golden vectors; with --json one document that names them."""
    game, player = "tactics:size=12,team=1", "matrix:name=hand"
    ran = turnsmith("export", game, "--player", player, "--to", "brain.gd", "--vectors", "4", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "wrote brain.gd, beside it brain_test.gd, brain.golden.json (11 golden vectors)\n"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["brain.gd", "brain.golden.json", "brain_test.gd"]
    words = ("--to", "brain.txt", "--against", "random", "--games", "20", "--json")
    ran = turnsmith("export", game, "--player", player, *words, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert (found["files"], found["golden_vectors"], len(found["inputs"])) == (["brain.txt"], 0, 14)
    assert found["origin"]["winrate"]["against"] == "random"
    assert (tmp_path / "brain.txt").read_text().split("\n")[-3] == "Winrate"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("tactics", "--player", "matrix", "--to", "brain.lua"), "must be one of .cs, .gd, .json, .onnx, .txt"),
        (("tactics", "--player", "static", "--to", "Brain.cs"), "tactics does not export static; it exports matrix"),
        (("pig", "--player", "random", "--to", "Brain.cs"), "pig declares nothing to export"),
        (("tactics", "--player", "matrix", "--to", "my-brain.cs"), "the class takes this name"),
        (("tactics", "--player", "matrix", "--to", "none/brain.gd"), "there is no folder none; make it first"),
        (("tactics", "--player", "matrix:file=no.json", "--to", "brain.gd"), "there is no file no.json"),
        (("tactics", "--player", "matrix", "--to", "b.gd", "--against", "nobody"), "there is no player 'nobody'"),
    ],
)
def test_what_cannot_be_exported_is_refused(tmp_path, words, complaint):
    """One line with the cause and the cure, exit code 2, nothing written."""
    ran = turnsmith("export", *words, cwd=tmp_path)
    assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (2, "", 1)
    assert complaint in ran.stderr
    assert list(tmp_path.iterdir()) == []
