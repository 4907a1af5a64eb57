"""The cache by groups of layers: what each reserves and reads."""

from ..engine.costs import layer_alloc_bytes, layer_read_bytes
from ..engine.setup import Setup, TypedCache
from ..units import number, plain, size, tokens
from . import typed
from .tables import Cell, Row


def layer_rows(setup: Setup) -> tuple[list[Row], set[int]]:
    """A row for each group of layers, and their sum, which is marked."""
    cache, work, write = setup.model.cache, setup.workload, typed.separators()
    if isinstance(cache, TypedCache):
        alloc, read = cache.alloc_bytes_per_session, cache.read_bytes_per_token
        return [
            (
                Cell("as typed"),
                Cell(""),
                Cell(""),
                *(Cell(size(b, write), b) for b in (alloc, read)),
            )
        ], {0}
    rows: list[Row] = []
    sums = [0.0, 0.0]
    for layer in cache:
        alloc = float(layer_alloc_bytes(layer, work.reserved_context_tokens, work.cache_policy))
        read = float(layer_read_bytes(layer, work.read_context_tokens))
        sums = [sums[0] + alloc, sums[1] + read]
        kind: str = layer.kind
        if layer.kind == "window":
            kind += f" of {tokens(layer.window_tokens, write)}"
        elif layer.kind == "sparse":
            kind += f", {tokens(layer.selected_tokens, write)} read"
        each = layer.bytes_per_token + layer.index_bytes_per_token
        per_token = Cell(f"{plain(each, write)} B", each)
        if layer.kind == "state":
            per_token = Cell("constant", 0.0, f"{size(layer.state_bytes, write)} for each layer")
        rows.append(
            (
                Cell(kind, layer.kind),
                Cell(number(layer.count, 0, write), layer.count),
                per_token,
                Cell(size(alloc, write), alloc),
                Cell(size(read, write), read),
            )
        )
    count = sum(layer.count for layer in cache)
    total = (Cell(size(value, write), value) for value in sums)
    rows.append((Cell("a session"), Cell(number(count, 0, write), count), Cell(""), *total))
    return rows, {len(rows) - 1}
