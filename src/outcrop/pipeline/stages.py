"""All stages, in the order in which they run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.pipeline.embed import Embed
from outcrop.pipeline.extract_snippet import ExtractSnippet
from outcrop.pipeline.link_edges import LinkEdges
from outcrop.pipeline.render_doc import RenderDoc
from outcrop.pipeline.summarize import Summarize

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outcrop.pipeline.stage import Stage

STAGES: Mapping[str, Stage] = {
    stage.name: stage
    for stage in (ExtractSnippet(), RenderDoc(), Summarize(), Embed(), LinkEdges())
}
