"""Response models that take their fields from the library's dataclasses.

A model describes the interface, and checks each value. Where that takes longer than
writing the answer, `reader_of` gives the fields without the check: the library has made
the values.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any, Self, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, create_model

# Names that the dataclasses' modules import for type checkers only.
_NAMES = {"Mapping": Mapping, "Sequence": Sequence, "datetime": datetime}

Model = TypeVar("Model", bound="Result")


class Result(BaseModel):
    """An answer that can be made of a value of the library."""

    model_config = ConfigDict(from_attributes=True)

    @classmethod
    def of(cls, **values: object) -> Self:
        """Make an answer of values of the library, whose attributes are the fields."""
        return cls.model_validate(values)


def fields_of(
    source: type, *names: str, without: Sequence[str] = ()
) -> Callable[[type[Model]], type[Model]]:
    """Give a model the named fields of a dataclass or named tuple; all without names.

    They are required. Fields that the model declares itself take precedence.
    """

    def derive(model: type[Model]) -> type[Model]:
        left_out = {*without, *model.model_fields}
        taken = {
            name: annotation
            for name, annotation in _annotations(source).items()
            if name not in left_out and (not names or name in names)
        }
        types = _types_of(source, taken)
        declared: dict[str, Any] = {name: (types[name], ...) for name in types}
        return create_model(
            model.__name__,
            __base__=model,
            __module__=model.__module__,
            __doc__=model.__doc__,
            **declared,
        )

    return derive


def reader_of(model: type[BaseModel]) -> Callable[[object], dict[str, Any]]:
    """Return a function that reads the fields of a model from a value, unchecked."""
    names = tuple(model.model_fields)
    values_of = attrgetter(*names)
    return lambda value: dict(zip(names, values_of(value), strict=True))


def _annotations(source: type) -> dict[str, Any]:
    if is_dataclass(source):
        return {field.name: field.type for field in fields(source)}
    return source.__annotations__


def _types_of(source: type, annotations: dict[str, Any]) -> dict[str, Any]:
    """Resolve annotations as the module of a dataclass would.

    Those of the other fields stay unresolved: they may need packages that are missing.
    """
    holder = type(source.__name__, (), {"__annotations__": annotations})
    return get_type_hints(holder, vars(sys.modules[source.__module__]), _NAMES)
