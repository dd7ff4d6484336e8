"""What the checks found, law by law."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from turnsmith.check.secrets import Secrets

MOST_SENTENCES = 3
"""Sentences a law keeps; of the others it keeps the number."""


@dataclass
class LawResult:
    """What became of one law: in how many cases it was checked, in how many it failed, and why."""

    name: str
    cases: int = 0
    failed: int = 0
    failures: list[str] = field(default_factory=list)

    def add(self, fault: str | None) -> None:
        """One more case, and what was wrong in it."""
        self.cases += 1
        if fault is not None:
            self.failed += 1
            if len(self.failures) < MOST_SENTENCES:
                self.failures.append(fault)


@dataclass
class Report:
    """What was checked of a game and what was found; a law that never applied is not listed."""

    game: str
    seed: int
    positions: int = 0
    """Different positions on which laws were checked, interpreted or compiled."""
    seconds: float = 0.0
    laws: list[LawResult] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """What there was no time for, a sentence each."""
    secrets: Secrets | None = None
    """What every seat sees of every field, of a game that hides something."""

    def add(self, law: str, fault: str | None) -> None:
        """One more case of a law, and what was wrong in it."""
        result = next((result for result in self.laws if result.name == law), None)
        if result is None:
            result = LawResult(law)
            self.laws.append(result)
        result.add(fault)

    @property
    def ok(self) -> bool:
        return not any(result.failed for result in self.laws)

    def to_dict(self) -> dict[str, Any]:
        laws = [{"name": r.name, "cases": r.cases, "failed": r.failed, "failures": r.failures} for r in self.laws]
        about = {"game": self.game, "ok": self.ok, "seed": self.seed, "positions": self.positions}
        seen = {"secrets": self.secrets.to_dict()} if self.secrets else {}
        return {**about, "seconds": round(self.seconds, 3), "laws": laws, "left_out": self.left_out, **seen}

    def __str__(self) -> str:
        lines = [f"{self.game}: {len(self.laws)} laws on {self.positions} positions"]
        for result in self.laws:
            lines += [f"{result.name}: {sentence}" for sentence in result.failures]
        lines += [f"no time for {what}" for what in self.left_out]
        return "\n".join(lines)
