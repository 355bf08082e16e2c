"""Findings: failing cases as files that can be tried again."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from fuzz.cases import Case
from fuzz.check import Failure

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Finding:
    """A case that broke a promise.

    Attributes:
        failure: The promise.
        case: The case, shrunk.
        seed: The seed of the run.
        number: The number of the case before it was shrunk.
    """

    failure: Failure
    case: Case
    seed: str
    number: int

    @property
    def shape(self) -> str:
        """The shrunk files without what their words say, to tell findings apart."""
        text = "\0".join(self.case.files.values())
        return re.sub(r"\w+", "a", text)

    @property
    def name(self) -> str:
        """Name of the file that it is saved as."""
        return f"{self.case.target}-{self.seed}-{self.number}.json"

    def save(self, folder: Path) -> Path:
        """Write the finding into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / self.name
        path.write_text(json.dumps(asdict(self), indent=2) + "\n", "utf-8")
        return path

    def describe(self) -> str:
        """Return the finding for people to read."""
        files = "\n".join(
            f"  {name}: {text!a}" for name, text in self.case.files.items()
        )
        return (
            f"broken: {self.failure.promise}\n  {self.failure.detail}\n"
            f"  settings: {self.case.settings}\n{files}"
        )


def load_finding(path: Path) -> Finding:
    """Read a finding from its file."""
    data = json.loads(path.read_text("utf-8"))
    return Finding(
        failure=Failure(**data["failure"]),
        case=Case(**data["case"]),
        seed=data["seed"],
        number=data["number"],
    )
