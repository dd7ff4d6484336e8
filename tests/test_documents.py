"""What is written is true: README, docs pages, examples and docstrings all run."""

import importlib.util
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

import turnsmith

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
CLI = (ROOT / "docs" / "reference" / "cli.md").read_text()
TUTORIAL = (ROOT / "docs" / "tutorials" / "ten-steps.md").read_text()
# The game that a reader of the tutorial has written after step 5.
CHOMP = "\n\n".join(re.findall(r"```python\n(.*?)```", TUTORIAL.partition("## 6.")[0], re.S))


RUN = [
    "README.md",
    *(f"docs/how-to/{page}.md" for page in ("cfr", "frameworks", "learning", "levels")),
    "docs/tutorials/ten-steps.md",
]


@pytest.mark.parametrize("page", RUN)
def test_python_of_a_page_runs(page, tmp_path, monkeypatch):
    """Every Python block of a page runs, in order, in one namespace."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chomp.py").write_text(CHOMP)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S)
    assert blocks
    namespace = {}
    for block in blocks:
        exec(compile(block, page, "exec"), namespace)


COMMANDS = [
    line[2:].partition("  #")[0].strip()
    for block in re.findall(r"```console\n(.*?)```", README + CLI + TUTORIAL, re.S)
    for line in block.splitlines()
    if line.startswith("$ turnsmith")
]


def test_files_that_documents_name_are_there():
    """A path of a file with Python is one of the package, or of the repository."""
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    homes = (ROOT, ROOT / "src", ROOT / "src" / "turnsmith")
    for page in pages:
        for path in re.findall(r"(?<![\w./])((?:[a-z_]+/)+[a-z_]+\.py)\b", page.read_text("utf-8")):
            assert any((home / path).exists() for home in homes), f"{page.name} names {path}"


def serves(words, folder):
    """Whether a server starts, says where it is, answers there, and stops when told."""
    words = ["serve", *words[words.index("serve") + 1 :], "--port", "0", "--no-open"]
    command = [sys.executable, "-m", "turnsmith", *words]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        try:
            address = re.search(r"http://[^ ]+", server.stdout.readline())[0]
            with urllib.request.urlopen(address) as answer:
                found = "turnsmith" in answer.read().decode()
        finally:
            server.terminate()
    return found and server.returncode == 0


class Reader:
    """Somebody who gives the commands of these pages in a folder, each once, and before it those that write the files
    it names: so every command can be tried alone. Their own game is that of the tutorial, wherever it is called
    my_game.py: what is compiled for it is compiled once."""

    def __init__(self, folder):
        self.folder, self.said, self.answers = folder, {}, {}
        (folder / "chomp.py").write_text(CHOMP)

    def give(self, command):
        """What the command printed (bench measures one game, a server is stopped, a training is short)."""
        if command not in self.said:
            for earlier in COMMANDS[: COMMANDS.index(command)]:
                written = re.search(r"--(?:to|replay) (\S+)", earlier)
                if written and written[1] in command:
                    self.give(earlier)
            words = tuple(command.replace("my_game.py", "chomp.py").split()[1:])
            self.said[command] = self.answers.get(words) or self._given(list(words))
            self.answers[words] = self.said[command]
        return self.said[command]

    def _given(self, words):
        answers = "hint\nlegal\nquit\n" if words[0] == "play" else ""
        if words[0] == "serve":
            return "it served" * serves(words, self.folder)
        if words[0] == "train":
            at = words.index("--minutes")
            words[at : at + 2] = ["--rounds", "2", "--games", "256", "--proof", "4"]
        elif words[0] == "bench":
            words = ["bench", "connect_four playouts"]
        pipes = {"input": answers, "capture_output": True, "text": True}
        ran = subprocess.run([sys.executable, "-m", "turnsmith", *words], cwd=self.folder, **pipes)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.strip()


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    return Reader(tmp_path_factory.mktemp("reader"))


@pytest.mark.parametrize("command", dict.fromkeys(COMMANDS))
def test_readme_commands_run(command, reader):
    """Every command of the README, the page of commands and the tutorial works as it stands there."""
    assert reader.give(command)


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.name)
def test_examples_run(example, tmp_path):
    """Every example runs from anywhere and ends well."""
    ran = subprocess.run([sys.executable, str(example)], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_pages_say_what_the_games_say():
    """The generated pages in docs/ are those of the games as they are now."""
    spec = importlib.util.spec_from_file_location("docs_make", ROOT / "docs" / "make.py")
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    for name, content in make.pages().items():
        assert (ROOT / "docs" / name).read_text() == content, f"run python docs/make.py: docs/{name} is out of date"


def test_every_page_that_speaks_of_a_thesis_names_it():
    """Such a page has a link to the list of documents, whose titles are those of CITATION.cff; none says "the document"
    and leaves the reader to guess which."""
    listed = (ROOT / "docs" / "explanation" / "documents.md").read_text()
    references = (ROOT / "CITATION.cff").read_text().partition("references:")[2]
    titles = re.findall(r"^    title: (.+)$", references, re.M)
    assert len(titles) == 5
    assert all(title in " ".join(listed.split()) for title in titles)
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        said = page.read_text()
        if page.name != "documents.md" and re.search(r"\bthes[ie]s\b|\bthe study\b", said, re.I):
            assert "documents.md#" in said, page
        assert not re.search(r"\bthe (document's|seed's)", said, re.I), page


def test_makefile_has_the_two_commands():
    """`make demo` and `make test` are there, and the check of every change is the README's test command."""
    makefile = (ROOT / "Makefile").read_text()
    assert re.search(r"^demo:", makefile, re.M)
    assert re.search(r"^test:", makefile, re.M)
    assert "make demo" in README
    assert "make test" in README
    assert re.search(r"^demo:.*\n\t.*turnsmith serve", makefile, re.M)
    assert "make test" in (ROOT / ".ci" / "run").read_text()


def test_the_api_page_lists_exactly_the_public_names(tmp_path, monkeypatch):
    """docs/reference/api.md has a heading for every name of turnsmith.__all__ and no other, and its examples run."""
    page = (ROOT / "docs" / "reference" / "api.md").read_text()
    assert sorted(re.findall(r"^### `(\w+)`$", page, re.M)) == sorted(turnsmith.__all__)
    sections = re.split(r"^### ", page, flags=re.M)[1:]
    assert all("```python" in section for section in sections)
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "__main__"}  # as in a script: what is compiled has a module
    for block in re.findall(r"```python\n(.*?)```", page, re.S):
        exec(compile(block, "api.md", "exec"), namespace)
