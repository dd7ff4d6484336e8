"""Whether turnsmith works with the newest numba there is, pre-releases too, whatever the pin says: ``make next``.

An environment of its own gets that numba and what turnsmith needs. Then the self-test of ``numba_private`` runs, the
signature of all decisions is compared with the kept one, and the tests of compiling and searching run. The last lines
say what broke. It ends with 0 all the same: a numba that is not out yet is no reason to stop a build.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
HOME = ROOT / ".venv-next"
PYTHON = HOME / ("Scripts" if os.name == "nt" else "bin") / "python"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
TESTERS = ("pytest", "hypothesis")
TESTS = ("tests/compile", "tests/search")
VERSIONS = """
import importlib.metadata as m, platform
print("numba", m.version("numba"), "with llvmlite", m.version("llvmlite"), "and NumPy", m.version("numpy"),
      "on Python", platform.python_version())
"""


def wanted() -> list[str]:
    """What pip is to install: what is declared, but any numba, and with it the llvmlite that it asks for."""
    extras = PROJECT["optional-dependencies"]
    plain = [text for text in PROJECT["dependencies"] if named(text) not in ("numba", "llvmlite")]
    testers = [text for text in extras["dev"] if named(text) in TESTERS]
    newest = "numba>=0.1.dev0"  # naming a pre-release lets pip take one, of numba alone
    return [*plain, *testers, *extras["openspiel"], newest]


def named(requirement: str) -> str:
    return re.match(r"[\w-]+", requirement)[0]  # type: ignore[index]


def install() -> str:
    """Make the environment; why that failed, or "" if it did not."""
    try:
        venv.create(HOME, with_pip=True, clear=True)  # another Python may have made it
    except (OSError, subprocess.CalledProcessError) as error:
        return str(error)
    pip = [str(PYTHON), "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--retries", "1"]
    for words in (["--upgrade", *wanted()], ["--no-deps", "--ignore-requires-python", "--editable", str(ROOT)]):
        ran = subprocess.run([*pip, *words], capture_output=True, text=True)
        if ran.returncode:
            said = [line for line in ran.stderr.splitlines() if line.startswith("ERROR")]
            return said[-1] if said else f"pip ended with {ran.returncode}"
    return ""


def run(*words: str) -> subprocess.CompletedProcess[str]:
    """A command of Python in that environment; its pin and its list of Pythons do not count there."""
    own = {"TURNSMITH_UNTESTED": "1", "TURNSMITH_QUIET": "1", "TURNSMITH_CACHE": str(HOME / "cache")}
    environment = {**{key: value for key, value in os.environ.items() if key != "PYTHONPATH"}, **own}
    return subprocess.run([str(PYTHON), *words], cwd=ROOT, env=environment, capture_output=True, text=True)


def self_test() -> tuple[bool, str]:
    """Whether all is well, and what there is to say; so the others."""
    ran = run("-m", "turnsmith.compile.kernel")
    faults = ran.stderr.strip().splitlines()
    said = faults[-1:] if "Traceback" in ran.stderr else faults
    if ran.returncode == 0:
        return True, "passes"
    return False, "; ".join(said) or f"it ended with {ran.returncode}"


def signature() -> tuple[bool, str]:
    ran = run("-m", "turnsmith", "bench", "signature", "--json")
    if ran.returncode:
        return False, (ran.stderr.strip().splitlines() or ["it ended without a word"])[-1]
    found = {row["name"].split()[-1]: row["value"] for row in json.loads(ran.stdout)}
    lines = (ROOT / "tests" / "golden" / "signature.txt").read_text("utf-8").splitlines()
    kept = {name: int(number) for name, number in map(str.split, lines)}
    others = sorted(name for name in found.keys() | kept.keys() if found.get(name) != kept.get(name))
    return not others, f"is not the kept one: {', '.join(others)}" if others else f"is the kept one, {found['total']}"


def tests() -> tuple[bool, str]:
    ran = run("-m", "pytest", "-p", "no:cacheprovider", "--tb", "short", *TESTS)
    lines = ran.stdout.strip().splitlines() or ran.stderr.strip().splitlines() or ["they ended without a word"]
    failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    return ran.returncode == 0, "\n".join([lines[-1].strip("= "), *(f"    {line}" for line in failed)])


def main() -> None:
    fault = install()
    if fault:
        print(f"make next: nothing was tried, as pip could not install the newest numba ({fault}); is there a network?")
        return
    versions = run("-c", VERSIONS).stdout.strip()
    print(f"trying {versions}; all is compiled anew, which takes minutes", flush=True)
    verdicts = []
    for name, part in (("the self-test", self_test), ("the signature", signature), ("tests", tests)):
        begun = time.monotonic()
        is_well, said = part()
        verdicts.append(is_well)
        print(f"  {'well  ' if is_well else 'BROKEN'} {name}: {said} [{time.monotonic() - begun:.0f} s]", flush=True)
    pin = next(text for text in PROJECT["dependencies"] if text.startswith("numba"))
    if all(verdicts):
        print(f"verdict: turnsmith works with {versions}; pyproject.toml says {pin}")
    else:
        print(f"verdict: turnsmith does NOT work with {versions}; docs/explanation/numba.md says what to do")


if __name__ == "__main__":
    main()
