"""The cache by groups of layers: what each reserves and reads."""

from ...engine.costs import layer_alloc_bytes, layer_read_bytes
from ...engine.setup import Setup, TypedCache
from ...language import mark, tr
from ...units import number, plain, size, tokens
from .. import typed
from ..tables import Cell, Row

KINDS = {
    "full": mark("full"),
    "window": mark("window"),
    "latent": mark("latent"),
    "sparse": mark("sparse"),
    "state": mark("state"),
}
"""What a kind of layer is called."""


def layer_rows(setup: Setup) -> tuple[list[Row], set[int]]:
    """A row for each group of layers, and their sum, which is marked."""
    cache, work, write = setup.model.cache, setup.workload, typed.separators()
    if isinstance(cache, TypedCache):
        alloc, read = cache.alloc_bytes_per_session, cache.read_bytes_per_token
        return [
            (
                Cell(tr("as typed")),
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
        kind = tr(KINDS[layer.kind])
        if layer.kind == "window":
            kind = tr("window of {count}").format(count=tokens(layer.window_tokens, write))
        elif layer.kind == "sparse":
            kind = tr("sparse, {count} read").format(count=tokens(layer.selected_tokens, write))
        each = layer.bytes_per_token + layer.index_bytes_per_token
        per_token = Cell(f"{plain(each, write)} B", each)
        if layer.kind == "state":
            per_token = Cell(
                tr("constant"),
                0.0,
                tr("{state} for each layer").format(state=size(layer.state_bytes, write)),
            )
        rows.append(
            (
                Cell(kind, layer.kind, kind),
                Cell(number(layer.count, 0, write), layer.count),
                per_token,
                Cell(size(alloc, write), alloc),
                Cell(size(read, write), read),
            )
        )
    count = sum(layer.count for layer in cache)
    total = (Cell(size(value, write), value) for value in sums)
    rows.append((Cell(tr("a session")), Cell(number(count, 0, write), count), Cell(""), *total))
    return rows, {len(rows) - 1}
