"""Finds the nodes that a name may mean in the stored code graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from outcrop.model.node import NodeRef
    from outcrop.store.store import PostgresStore


class StoredSymbols:
    """Finds nodes by name in the store; see `SymbolNames`."""

    def __init__(self, store: PostgresStore) -> None:
        self._store = store

    def symbols(self, names: Collection[str]) -> Mapping[str, Sequence[NodeRef]]:
        """Return the nodes with these own or qualified names, by name."""
        by_name: dict[str, list[NodeRef]] = {}
        for ref in self._store.named_nodes(names) if names else ():
            for name in ref.names.intersection(names):
                by_name.setdefault(name, []).append(ref)
        return by_name
