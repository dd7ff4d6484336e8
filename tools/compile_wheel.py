"""Put compiled code into a wheel: ``python tools/compile_wheel.py dist/turnsmith-….whl python3.11 python3.12``.

For each Python that runs here, an environment of its own gets the wheel, compiles what a first reply needs of every
game that comes with turnsmith (the first tier, see ``play.tiers``), and a wheel for that Python and this platform comes
to lie beside the given one. ``turnsmith.compile.shipped`` reads what is in it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

TAG = "linux_x86_64"
"""The honest one. The code needs nothing of the system that numba does not bring, but no tool has audited that."""
MOST_BYTES = 40_000_000


def main(wheel: str, *pythons: str) -> None:
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        print("compiled code is made on Linux x86-64 alone; the wheel stays as it is")
        return
    for python in pythons:
        with tempfile.TemporaryDirectory(prefix="turnsmith-wheel-") as folder:
            one_wheel(Path(wheel), python, Path(folder))


def one_wheel(wheel: Path, python: str, folder: Path) -> None:
    """Make the wheel for one Python, or say why there is none."""
    if subprocess.run([python, "-m", "venv", folder / "venv"], capture_output=True, check=False).returncode:
        print(f"{python} does not run here; no wheel for it", flush=True)
        return
    inner = folder / "venv" / "bin" / "python"
    subprocess.run([inner, "-m", "pip", "install", "--quiet", "--quiet", wheel], check=True)
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "TURNSMITH_", "PYTHON"))
    }
    kept |= {"NUMBA_CPU_NAME": "x86-64-v2", "NUMBA_CPU_FEATURES": "", "TURNSMITH_CACHE": str(folder / "cache")}
    subprocess.run([inner, Path(__file__).resolve(), "--into", folder / "compiled"], check=True, env=kept, cwd=folder)
    tag = subprocess.run([inner, "-c", CPYTHON], check=True, capture_output=True, encoding="utf-8").stdout.strip()
    made = repacked(wheel, folder / "compiled", f"{tag}-{tag}-{TAG}")
    size = made.stat().st_size
    print(f"{made}: {size / 1e6:.1f} MB", flush=True)
    if size > MOST_BYTES:
        sys.exit(f"that is more than {MOST_BYTES / 1e6:.0f} MB")


CPYTHON = "import sys; print('cp%d%d' % sys.version_info[:2])"


def repacked(wheel: Path, compiled: Path, tag: str) -> Path:
    """The same wheel with a folder of compiled code, for the Python and platform of a tag."""
    name, version, *_ = wheel.name.split("-")
    made = wheel.with_name(f"{name}-{version}-{tag}.whl")
    about = f"{name}-{version}.dist-info"
    record = []
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:

        def put(path: str, content: bytes) -> None:
            entry = zipfile.ZipInfo(path, old.infolist()[0].date_time)
            entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
            new.writestr(entry, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(content)}\n")

        for path in old.namelist():
            content = old.read(path)
            if path == f"{about}/WHEEL":
                lines = [line for line in content.decode().splitlines() if not line.startswith(("Root-", "Tag:"))]
                content = "\n".join(
                    [*(line for line in lines if line), "Root-Is-Purelib: false", f"Tag: {tag}", ""]
                ).encode()
            if path != f"{about}/RECORD":
                put(path, content)
        for file in sorted(compiled.iterdir()):
            put(f"turnsmith/compiled/{file.name}", file.read_bytes())
        new.writestr(f"{about}/RECORD", "".join(record) + f"{about}/RECORD,,\n")
    return made


# ---------------------------------------------------------------- in the environment of one Python


def compile_into(folder: Path) -> None:
    """Compile by doing what the page does with every game, and write a folder as ``shipped`` reads it."""
    from numba.core.compiler import CompileResult

    from turnsmith.compile import cache, numba_private, shipped
    from turnsmith.compile.kernel import compiled, keep_gil
    from turnsmith.contract.loading import load
    from turnsmith.contract.registry import built_in
    from turnsmith.play import step
    from turnsmith.play.player import CompiledPlayer, players
    from turnsmith.play.tiers import FIRST, code_for, has_first_tier, within_tier
    from turnsmith.warm.parts import parts_of
    from turnsmith.web.compile_ahead import compile_part

    reduce = CompileResult._reduce

    def without_types(result: Any) -> tuple[Any, ...]:
        """What is kept of compiled code; the text of its types is for people, and full of paths."""
        *parts, _types, init, environments = reduce(result)
        return (*parts, "", init, environments)

    CompileResult._reduce = without_types
    numba_private.DiskCache._name = lambda self, signature, codegen: self.shipped_name(signature)
    keep_gil(*step.SHORT)  # as the server does
    with within_tier(FIRST):
        for name in built_in():
            game = load(name)
            for part in parts_of(game):
                said = compile_part(part)
                print(f"{said['seconds']:6.1f} s {said['compiled']:4d}  {part.named}  {said['error']}", flush=True)
            for kind in players(game).values():
                if issubclass(kind, CompiledPlayer) and has_first_tier(game, kind()):
                    code_for(game, kind()).where(kind())
    numba_private._keep_gil.clear()  # and now as everybody else
    for function in (*step.SHORT, step.estimate):
        for kinds in list(compiled(function).overloads):
            if getattr(kinds[0], "is_for_any_game", False):
                numba_private.Kernel(function).compile(kinds)
    files = {}
    folder.mkdir()
    for name in sorted(set(numba_private.touched)):
        content = cache.read(name)
        assert content is not None, name
        (folder / name).write_bytes(content)
        files[name] = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    notes = {}
    for note in sorted((cache.cache_folder() / "warm").glob("*.json")):
        notes[note.stem] = json.loads(note.read_text("utf-8"))["files"]
    manifest = {**shipped.facts(), "files": files, "notes": notes}
    (folder / shipped.MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--into"]:
        compile_into(Path(sys.argv[2]))
    else:
        main(*sys.argv[1:])
