"""Every error Outcrop raises on purpose, as one tree.

```text
OutcropError
├── ConfigError                 wrong settings; the message names key and value
│   └── ChunkConfigError        (also ValueError)
├── InputError                  the given text, path or query cannot be used
│   ├── UnsupportedFileError
│   └── UnknownLanguageError
├── InvariantError              our bug: a result broke a promise
├── StageError                  a pipeline step failed; .stage .chunk_id
│   ├── EmbeddingError
│   ├── RerankError
│   └── SummaryError
├── StorageError                .__cause__ is the driver's error
│   ├── DiskFullError
│   ├── SchemaVersionError
│   └── NotFoundError
└── MissingExtraError           (also ImportError) names the install line
```

Surfaces translate these once, in a table of their own: no class here knows an
exit code or an HTTP status.
"""

from __future__ import annotations

# What ends the program on purpose, whatever it is working on.
INTERRUPTS = (KeyboardInterrupt, SystemExit, GeneratorExit)
_MAX_DESCRIPTION = 200


class OutcropError(Exception):
    """Base of all errors below; catch it to catch whatever Outcrop refuses."""


class ConfigError(OutcropError):
    """A setting is wrong; the message names the setting, its value and the rule."""


class ChunkConfigError(ConfigError, ValueError):
    """A field of `ChunkConfig` is wrong.

    Attributes:
        field: Name of the field.
        value: What it was given.
        rule: What it has to satisfy.
    """

    def __init__(self, field: str, value: object, rule: str) -> None:
        super().__init__(f"{field} is {value!r}, but {rule}")
        self.field = field
        self.value = value
        self.rule = rule


class InputError(OutcropError):
    """The given text, path or query cannot be used; the message says why."""


class UnsupportedFileError(InputError):
    """A file is binary, not UTF-8, or of a kind that cannot be read."""


class UnknownLanguageError(InputError):
    """No grammar is installed for the language of a file."""


class InvariantError(OutcropError):
    """A result broke a promise. This is a bug in Outcrop: please report it."""


class StageError(OutcropError):
    """A pipeline stage failed on one chunk.

    Attributes:
        stage: Name of the stage.
        chunk_id: The chunk it failed on, where one is known.
    """

    def __init__(
        self, message: str, *, stage: str, chunk_id: str | None = None
    ) -> None:
        super().__init__(message)
        self.stage = stage
        self.chunk_id = chunk_id


class EmbeddingError(StageError):
    """The embedder gave no usable vector."""


class RerankError(StageError):
    """The reranker gave no usable scores."""


class SummaryError(StageError):
    """The language model gave no usable summary."""


class StorageError(OutcropError):
    """The database refused or failed; `__cause__` is the driver's own error."""


class DiskFullError(StorageError):
    """There is no space left for the database; nothing of the step was stored."""


class SchemaVersionError(StorageError):
    """The database was written by a newer Outcrop, or by another embedder."""


class NotFoundError(StorageError):
    """The chunk, document, symbol or run does not exist."""


class MissingExtraError(OutcropError, ImportError):
    """An optional dependency is not installed.

    Attributes:
        extra: The extra that brings it.
    """

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an extra: pip install 'outcrop[{extra}]'")
        self.extra = extra


def describe_failure(error: BaseException) -> str:
    """Say in one line what went wrong, for a report that names the document."""
    if isinstance(error, MemoryError):
        return "out of memory"
    lines = str(error).strip().splitlines() or [""]
    name = "" if isinstance(error, OutcropError) else type(error).__name__
    described = ": ".join(filter(None, [name, lines[0]])) or type(error).__name__
    is_long = len(described) > _MAX_DESCRIPTION
    return f"{described[:_MAX_DESCRIPTION]}..." if is_long else described
