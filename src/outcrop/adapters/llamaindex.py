"""Outcrop in LlamaIndex: a node parser and a retriever.

```python
from outcrop.adapters.llamaindex import OutcropNodeParser

nodes = OutcropNodeParser(chunk_size=1000).get_nodes_from_documents(documents)
```
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from outcrop.adapters.fields import EMBEDDED, hit_fields, node_fields
from outcrop.adapters.nodes import DEFAULT_SIZE, DocumentNames, Node, NodeMaker
from outcrop.errors import MissingExtraError

try:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.bridge.pydantic import Field, PrivateAttr
    from llama_index.core.node_parser import NodeParser
    from llama_index.core.node_parser.interface import IdFuncCallable
    from llama_index.core.node_parser.node_utils import default_id_func
    from llama_index.core.schema import (
        BaseNode,
        NodeRelationship,
        NodeWithScore,
        ObjectType,
        RelatedNodeInfo,
        TextNode,
    )
except ImportError as error:
    raise MissingExtraError("the LlamaIndex adapter", "llamaindex") from error

if TYPE_CHECKING:
    from llama_index.core.callbacks import CallbackManager
    from llama_index.core.schema import Document, QueryBundle

    from outcrop.adapters.nodes import Searchable
    from outcrop.model.hit import Hit

__all__ = ["OutcropNodeParser", "OutcropRetriever"]

_Relations = dict[NodeRelationship, RelatedNodeInfo | list[RelatedNodeInfo]]


class OutcropNodeParser(NodeParser):
    """Cuts Markdown into a tree of sections whose leaves are chunks.

    A section's node holds all of its text, so nothing is lost when it replaces its
    children. PREVIOUS and NEXT are the neighbours under the same parent. Of the metadata,
    only the headings are embedded and shown to a model.
    """

    chunk_size: int = Field(
        default=DEFAULT_SIZE,
        description="Maximum size of a chunk: characters, or tokens of `encoding`.",
    )
    chunk_overlap: int = Field(
        default=0,
        description="Size of the quotation of each neighbour in the metadata.",
    )
    min_chunk_size: int | None = Field(
        default=None,
        description="Smaller chunks are merged; only without a hierarchy.",
    )
    strategy: str | None = Field(
        default=None, description="Name of a strategy; chosen by content if None."
    )
    oversize_blocks: str = Field(
        default="keep",
        description="`keep` code and tables over the limit whole, or `split` them.",
    )
    oversize_tolerance: float = Field(
        default=0.0,
        description="How far a chunk may exceed its size to stay whole: 0.2 is a fifth.",
    )
    code_threshold: float = Field(
        default=0.3,
        description="Share of code from which a document counts as code.",
    )
    structure_threshold: int = Field(
        default=3,
        description="Number of headings from which a document counts as structured.",
    )
    include_document_summary: bool = Field(
        default=True,
        description="Start the root of a hierarchy with the document's opening words.",
    )
    encoding: str | None = Field(
        default=None,
        description="Count tokens of this encoding, such as `cl100k_base`.",
    )
    hierarchy: bool = Field(
        default=True, description="Whether to return sections as well as chunks."
    )
    repeat_context: bool = Field(
        default=False,
        description="Put the headings that a chunk repeats into its text.",
    )
    uuid_ids: bool = Field(default=False, description="Use UUIDs as ids.")
    # Ids come from content, and a function cannot be serialized.
    id_func: IdFuncCallable = Field(
        default=default_id_func, exclude=True, description="Not used."
    )

    _maker: NodeMaker = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Check the settings."""
        super().model_post_init(context)
        own = OutcropNodeParser.model_fields.keys() - NodeParser.model_fields.keys()
        self._maker = NodeMaker.of(**{name: getattr(self, name) for name in own})

    @classmethod
    def class_name(cls) -> str:
        """Return the name of the parser in serialized pipelines."""
        return "OutcropNodeParser"

    def _parse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        names = DocumentNames()
        made: list[BaseNode] = []
        for source in nodes:
            text = source.get_content()
            name = names.name(source.metadata, source.node_id, text)
            made.extend(self._nodes_of(source, self._maker.make(text, name)))
        return made

    def _postprocess_parsed_nodes(
        self, nodes: list[BaseNode], parent_doc_map: dict[str, Document]
    ) -> list[BaseNode]:
        # The framework would look for each text with `str.find`, which takes the wrong
        # one of two equal texts, and link whatever is adjacent in the list.
        return nodes

    def _nodes_of(self, source: BaseNode, nodes: list[Node]) -> list[TextNode]:
        infos = {
            node.id: RelatedNodeInfo(node_id=node.id, node_type=ObjectType.TEXT)
            for node in nodes
        }
        origin = source.source_node or source.as_related_node_info()
        above = source.metadata if self.include_metadata else {}
        shared = _inherited(source)
        return [
            self._text_node(node, self._relations(node, infos, origin), above, shared)
            for node in nodes
        ]

    def _text_node(
        self,
        node: Node,
        relations: _Relations,
        above: dict[str, Any],
        shared: dict[str, Any],
    ) -> TextNode:
        fields = node_fields(node)
        hidden = [name for name in fields if name not in EMBEDDED]
        return TextNode(
            id_=node.id,
            text=node.text,
            start_char_idx=node.start,
            end_char_idx=node.end,
            metadata={**above, **fields},
            relationships=relations,
            **{
                **shared,
                "excluded_embed_metadata_keys": _both(
                    shared["excluded_embed_metadata_keys"], hidden
                ),
                "excluded_llm_metadata_keys": _both(
                    shared["excluded_llm_metadata_keys"], hidden
                ),
            },
        )

    def _relations(
        self, node: Node, infos: dict[str, RelatedNodeInfo], origin: RelatedNodeInfo
    ) -> _Relations:
        relations: _Relations = {NodeRelationship.SOURCE: origin}
        if self.include_prev_next_rel and node.previous:
            relations[NodeRelationship.PREVIOUS] = infos[node.previous]
        if self.include_prev_next_rel and node.next:
            relations[NodeRelationship.NEXT] = infos[node.next]
        if node.parent:
            relations[NodeRelationship.PARENT] = infos[node.parent]
        if node.children:
            relations[NodeRelationship.CHILD] = [infos[key] for key in node.children]
        return relations


def _both(keys: list[str], more: list[str]) -> list[str]:
    return [*keys, *more] if keys else more


def _inherited(source: BaseNode) -> dict[str, Any]:
    """Return how a document shows its metadata, which its nodes inherit."""
    shared = {
        name: getattr(source, name)
        for name in (
            "excluded_embed_metadata_keys",
            "excluded_llm_metadata_keys",
            "metadata_separator",
            "metadata_template",
        )
    }
    template = getattr(source, "text_template", None)
    if template is not None:
        shared["text_template"] = template
    return shared


class OutcropRetriever(BaseRetriever):
    """Finds nodes in an `Index`."""

    def __init__(  # noqa: PLR0913 - one parameter per setting
        self,
        index: Searchable,
        *,
        similarity_top_k: int = 10,
        kind: str | Sequence[str] | None = None,
        path_glob: str | Sequence[str] | None = None,
        depth: int | tuple[int, int] | None = None,
        document: str | Sequence[str] | None = None,
        mode: str = "hybrid",
        callback_manager: CallbackManager | None = None,
    ) -> None:
        """Make a retriever.

        Args:
            index: An open `Index`.
            similarity_top_k: Maximum number of nodes.
            kind: Kinds of chunk or sources to search in.
            path_glob: Glob patterns; the path matches one of them.
            depth: A level of the hierarchy, or the minimum and the maximum.
            document: Paths of documents to search in.
            mode: `hybrid`, `vector` or `text`.
            callback_manager: Receives the events.
        """
        self._index = index
        self._limit = similarity_top_k
        self._options: dict[str, Any] = {
            "kind": kind,
            "path_glob": path_glob,
            "depth": depth,
            "document": document,
            "mode": mode,
        }
        super().__init__(callback_manager=callback_manager)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [_from_hit(hit) for hit in self._search(query_bundle.query_str)]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        hits = await asyncio.to_thread(self._search, query_bundle.query_str)
        return [_from_hit(hit) for hit in hits]

    def _search(self, query: str) -> list[Hit]:
        return self._index.search(query, self._limit, **self._options)


def _from_hit(hit: Hit) -> NodeWithScore:
    fields = hit_fields(hit)
    hidden = [name for name in fields if name not in EMBEDDED]
    source = RelatedNodeInfo(node_id=hit.path, node_type=ObjectType.DOCUMENT)
    node = TextNode(
        id_=hit.id,
        text=hit.content,
        start_char_idx=hit.start_offset,
        end_char_idx=hit.end_offset,
        metadata=fields,
        excluded_embed_metadata_keys=hidden,
        excluded_llm_metadata_keys=hidden,
        relationships={NodeRelationship.SOURCE: source},
    )
    return NodeWithScore(node=node, score=hit.score)
