"""Folders are layers: an import, a lazy one too, goes only to its own folder or to one further up in LAYERS."""

import ast
from pathlib import Path

import turnsmith
from turnsmith.contract.registry import built_in

ROOT = Path(turnsmith.__file__).parent
LAYERS = (
    *("languages", "common", "compile", "contract", "play", "nets", "search", "games", "cluster", "arena"),
    *("learn", "evolve", "maps", "adapters", "check", "studies", "warm"),
    *("web.server", "web.match", "web.studio", "web.jobs", "web.host", "web.api", "web.pages", "web", "cli"),
)
"""From the ground up. The files in the root stand above all: public names, forwards, the one place for authors."""

JOBS = "a machine of a cluster runs only the jobs of this list, by name"
EXCEPTIONS = {
    ("contract.game", "play"): "Game.start is how everybody begins, and gives a Position",
    ("contract.homes", "adapters"): "a text may name a game of OpenSpiel",
    ("contract.loading", "play"): "PLAYERS of a stranger's file are refused when it is loaded",
    ("contract.first_use", "check"): "rules of strangers are tried before they are compiled",
    ("play.player", "search"): "the text of a player may name a search",
    ("cluster.jobs", "arena"): JOBS,
    ("cluster.jobs", "learn"): JOBS,
    ("cluster.jobs", "maps"): JOBS,
    ("warm.queue", "web"): "a process of its own compiles what the page uses, by using it",
}
"""(module, layer it imports from) -> why; this list only shrinks."""


def modules() -> dict[str, Path]:
    """Every module below turnsmith, by its dotted name there."""
    names = {file: ".".join(file.relative_to(ROOT).with_suffix("").parts) for file in ROOT.rglob("*.py")}
    return {name.removesuffix("__init__").rstrip("."): file for file, name in names.items()}


def layer_of(module: str) -> str:
    """The innermost layer that a module lies in; "" for the root."""
    return max((layer for layer in LAYERS if f"{module}.".startswith(f"{layer}.")), key=len, default="")


def imports_of(file: Path, known: dict[str, Path]) -> set[str]:
    """The modules that a file imports anywhere, and those that a text in it names, to import or start them."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            name = node.value.partition(":")[0].removeprefix("turnsmith.")
            names |= {f"turnsmith.{name}"} if name in known and known[name].stem != "__init__" else set()
    return {name.removeprefix("turnsmith.") for name in names if name.startswith("turnsmith.")}


def test_imports_go_only_up_the_list():
    """No module imports from a layer further down than its own, but for the exceptions, and these are all needed."""
    known, downwards = modules(), {}
    for module, file in known.items():
        own = layer_of(module)
        for name in imports_of(file, known) if own else ():
            if (theirs := layer_of(name)) and LAYERS.index(theirs) > LAYERS.index(own):
                downwards[module, theirs] = name
    assert downwards.keys() == EXCEPTIONS.keys(), {key: downwards[key] for key in downwards.keys() - EXCEPTIONS.keys()}


def test_games_are_named_only_in_games_and_studies():
    """No other module imports from the folder of a game."""
    known = modules()
    named = {(module, name) for module, file in known.items() for name in imports_of(file, known)}
    homes = {f"{folder}.{game}" for folder in ("games", "studies") for game in built_in()}
    of_games = {pair for pair in named if ".".join(pair[1].split(".")[:2]) in homes}
    outside = {pair for pair in of_games if pair[0].split(".")[0] not in ("games", "studies")}
    assert outside == set()


def test_few_files_lie_in_the_root():
    """What has no layer is the door of the package, and no more."""
    assert sorted(file.stem for file in ROOT.glob("*.py")) == ["__init__", "__main__", "forwards", "game", "public"]
