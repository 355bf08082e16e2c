# Following the values of a program, written in C in the folder `native/codegraph`.

from collections.abc import Callable, Iterable
from typing import Any

class PointsTo:
    work: int
    unfollowed: int
    saturated: set[int]
    read_from: dict[tuple[int, str], int]
    read_as: dict[tuple[int, str], int]
    def __init__(
        self,
        variables: int,
        kinds: list[int],
        handlers: dict[type, Callable[[Any, Any, int], None]],
        copy: type,
        read: type,
        limits: tuple[int, int, int, int],
        /,
    ) -> None: ...
    def constrain(self, first: int, variables: Iterable[int], /) -> None: ...
    def limit(self, variables: Iterable[int], /) -> None: ...
    def new_variable(self) -> int: ...
    def objects_of(self, variable: int, /) -> list[int]: ...
    def propagate(self) -> None: ...
    def add(self, variable: int, found: Iterable[int], /) -> None: ...
    def add_one(self, variable: int, found: int, /) -> None: ...
    def copy(self, src: int, dst: int, /) -> None: ...
    def wait(self, variable: int, constraint: Any, /) -> None: ...

def place_all(
    packed: list[tuple[Any, ...]],
    variables: int,
    symbols: int,
    layouts: tuple[tuple[type, str], ...],
    /,
) -> list[Any]: ...
