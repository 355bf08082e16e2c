"""What a writer did: the counts and problems that it reports to the run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from outcrop.indexing.report import Problem
from outcrop.model.stored import ChunkChanges


@dataclass(slots=True)
class Written:
    """The outcome of writing some documents.

    Attributes:
        stored: The documents that were stored, as (path, size in bytes).
        problems: The documents that were not, and why.
        unusable: Those of them whose content is the problem: a stored version is
            deleted.
        replaced: What was done to the chunks.
        embedded: How many chunks were embedded.
        digests: Content hashes of files of code that the code graph did not read.
        unsummarized: Why the language model gave no summary, one line per document.
    """

    stored: list[tuple[str, int]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    unusable: list[str] = field(default_factory=list)
    replaced: ChunkChanges = field(default_factory=ChunkChanges)
    embedded: int = 0
    digests: dict[str, str] = field(default_factory=dict)
    unsummarized: list[str] = field(default_factory=list)

    def add(self, other: Written) -> None:
        """Add the outcome of other documents."""
        self.stored += other.stored
        self.problems += other.problems
        self.unusable += other.unusable
        self.replaced += other.replaced
        self.embedded += other.embedded
        self.digests |= other.digests
        self.unsummarized += other.unsummarized

    def reject(self, path: str, reason: str, *, keeps_stored: bool = True) -> None:
        """Record that a document cannot be indexed.

        The stored version is kept if the problem is not the content of the file.
        """
        self.problems.append(Problem(path=path, reason=reason))
        if not keeps_stored:
            self.unusable.append(path)


@dataclass(frozen=True, slots=True)
class Abort:
    """An error that ends the run, on its way from a worker."""

    kind: type[BaseException]
    message: str
    details: dict[str, Any]

    @classmethod
    def of(cls, error: BaseException) -> Abort:
        """Pack an error; that of a library may not be picklable."""
        return cls(type(error), str(error), dict(vars(error)))

    def error(self) -> BaseException:
        """Return the error again; its class may have other arguments than a message."""
        error = self.kind.__new__(self.kind, self.message)
        error.__dict__.update(self.details)
        return error
