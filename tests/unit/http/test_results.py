"""The answers of the server, and their examples."""

from __future__ import annotations

from typing import Any

import pytest

from outcrop.http import results
from outcrop.http.dataclass_models import Result


def _examples() -> dict[str, Any]:
    return {
        name: model.model_config["json_schema_extra"]["examples"][0]
        for name, model in vars(results).items()
        if isinstance(model, type)
        and issubclass(model, Result)
        and "json_schema_extra" in model.model_config
    }


@pytest.mark.parametrize("name", _examples())
def test_the_example_of_an_answer_has_exactly_its_fields(name):
    model = getattr(results, name)
    assert _examples()[name].keys() == model.model_fields.keys()
    model.model_validate(_examples()[name])
