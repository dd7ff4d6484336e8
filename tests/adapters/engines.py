"""Running what was exported in its own language, where the machine can; `make test` installs what it may.

Where an engine is missing the caller is told, with a warning in the summary of the tests, and looks at the text alone.
"""

import shutil
import subprocess
import warnings

CSHARP, GODOT = ("mcs", "mono"), ("godot3-server",)


def has(*programs):
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        warnings.warn(f"{', '.join(missing)} is not here: what was exported for it is read, but not run", stacklevel=2)
    return not missing


def run(*words, cwd):
    """The exit code and the last line of a program."""
    ran = subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=120)
    return ran.returncode, (ran.stdout.strip().splitlines() or [ran.stderr])[-1]


def replay_csharp(folder, name):
    """Compile a class with its test, as its first lines say, and run it."""
    built = subprocess.run(
        ["mcs", f"{name}.cs", f"{name}Test.cs", f"-out:{name}Test.exe"], cwd=folder, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr
    return run("mono", f"{name}Test.exe", cwd=folder)


def replay_gdscript(folder, name):
    return run("godot3-server", "--path", ".", "-s", f"{name}_test.gd", cwd=folder)
