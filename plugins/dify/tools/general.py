"""The tool that cuts a document into Dify's general structure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import structures
from dify_plugin import Tool

if TYPE_CHECKING:
    from collections.abc import Generator

    from dify_plugin.entities.tool import ToolInvokeMessage


class GeneralTool(Tool):
    """Translates between Dify and `structures.general`."""

    def _invoke(
        self, tool_parameters: dict[str, Any]
    ) -> Generator[ToolInvokeMessage, None, None]:
        made = structures.general(tool_parameters)
        yield self.create_variable_message("result", made.result)
        if made.hierarchy is not None:
            yield self.create_variable_message("hierarchy", made.hierarchy)
