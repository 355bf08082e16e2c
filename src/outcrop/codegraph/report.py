"""What a build read, what it left out, and why."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A file or folder that was not read.

    Attributes:
        path: POSIX path relative to the root.
        reason: Why it was left out.
    """

    path: str
    reason: str


@dataclass(slots=True)
class Followed:
    """How far values were followed.

    Attributes:
        fallbacks: Languages that were resolved at a lower level than asked.
        saturated: Values whose points-to set reached its maximum size.
        unfollowed: Values that were left when the budget was spent.
    """

    fallbacks: list[Skipped] = field(default_factory=list)
    saturated: int = 0
    unfollowed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildReport:
    """The outcome of a build, file by file where something went wrong.

    Attributes:
        parsed: Files that were parsed in this build.
        reused: Files whose facts were kept from an earlier build.
        with_errors: Files with syntax errors; what stands around them was read.
        failed: Files that could not be read or parsed.
        skipped: Files and folders that were passed over.
        unknown: Extension of unknown text files -> how many there are.
        missing_grammars: Language whose grammar is not installed -> files of it.
        fallbacks: Files, or whole languages, resolved at a lower level than asked.
        saturated: Values whose points-to set reached its maximum size.
        unfollowed: Values that were left when the budget for following them was spent.
    """

    parsed: int = 0
    reused: int = 0
    with_errors: tuple[str, ...] = ()
    failed: tuple[Skipped, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    unknown: dict[str, int] = field(default_factory=dict)
    missing_grammars: dict[str, int] = field(default_factory=dict)
    fallbacks: tuple[Skipped, ...] = ()
    saturated: int = 0
    unfollowed: int = 0

    def lines(self) -> list[str]:
        """Return the report as lines of text, the problems first."""
        found = [
            f"no grammar for {lang}: {count} files left out"
            for lang, count in self.missing_grammars.items()
        ]
        found += [f"failed: {item.path}: {item.reason}" for item in self.failed]
        found += [f"fallback: {item.path}: {item.reason}" for item in self.fallbacks]
        found += [f"syntax errors: {path}" for path in self.with_errors]
        found += [f"skipped: {item.path}: {item.reason}" for item in self.skipped]
        if self.unknown:
            counts = ", ".join(f"{n} {e}" for e, n in sorted(self.unknown.items()))
            found.append(f"files in no known language: {counts}")
        reused = f", {self.reused} unchanged" if self.reused else ""
        return [*found, f"{self.parsed} files parsed{reused}"]
