"""Rows of the cache: what a session reserves and reads, layer by layer, and how far it can grow."""

from ..engine.capacity import longest_context
from ..engine.setup import CacheLayer, TypedCache
from ..language import mark, tr
from .figures import Figures, split
from .shapes import Group

ALLOC = mark("sum of count (bytes per token x tokens held + state)")
READ = mark("sum of count (bytes per token x tokens read + state)")


def cache(known: Figures) -> Group:
    """What one session reserves and reads, and the longest context with which one still fits.

    References: formulation, "Two context lengths" and "Hybrid, sliding, and recurrent attention".
    """
    work = known.setup.workload
    longest = longest_context(known.setup)
    grows = tr("nothing grows with the context, or it fits up to the longest there is")
    if not known.one_gate:
        longest, grows = None, tr("depends on what lies where")
    return Group(
        tr("Cache"),
        (
            known.row(
                "cache_alloc_gb",
                tr("Reserved by a session, K_alloc"),
                split(known.size(known.alloc_bytes)),
                known.alloc_bytes / 1e9,
                kinds={},
                formula=tr(ALLOC),
                worked=_worked(known, work.reserved_context_tokens, reads=False),
                symbols="K_alloc",
            ),
            known.row(
                "cache_read_gb",
                tr("Read for a token, K_read"),
                split(known.size(known.read_bytes)),
                known.read_bytes / 1e9,
                kinds={},
                formula=tr(READ),
                worked=_worked(known, work.read_context_tokens, reads=True),
                symbols="K_read",
            ),
            known.row(
                "longest_context_tokens",
                tr("Longest context of one session"),
                None if longest is None else (known.count(longest), tr("tokens")),
                longest,
                kinds={},
                formula=tr("the largest L with W_resident + O + K_alloc(L) <= C"),
                symbols="C W_resident O",
                note=grows,
            ),
        ),
        "cache",
    )


def _worked(known: Figures, tokens: int, *, reads: bool) -> str:
    """Each group of layers with its values put in."""
    layers = known.setup.model.cache
    if isinstance(layers, TypedCache):
        return ""
    total = known.read_bytes if reads else known.alloc_bytes
    parts = (_part(known, layer, tokens, reads=reads) for layer in layers)
    return f"({' + '.join(parts)}) / 1e9 = {known.gb(total)}"


def _part(known: Figures, layer: CacheLayer, tokens: int, *, reads: bool) -> str:
    each = layer.read_bytes_per_token if reads else layer.bytes_per_token
    kept = held_tokens(layer, tokens, reads=reads, policy=known.setup.workload.cache_policy)
    terms = []
    if each and kept:
        terms.append(f"{known.digits(each)} x {known.count(kept)}")
    if layer.index_bytes_per_token:
        terms.append(f"{known.digits(layer.index_bytes_per_token)} x {known.count(tokens)}")
    if layer.state_bytes:
        terms.append(known.digits(layer.state_bytes))
    inside = " + ".join(terms) or "0"
    return f"{known.count(layer.count)} x ({inside})"


def held_tokens(layer: CacheLayer, tokens: int, *, reads: bool, policy: str) -> int:
    """How many of so many tokens a layer keeps, or reads.

    >>> held_tokens(CacheLayer("window", 1, 1.0, 1.0, window_tokens=512), 4000, reads=True,
    ...     policy="full")
    512
    """
    if layer.kind == "window" and (reads or policy == "windowed"):
        return min(tokens, layer.window_tokens)
    if layer.kind == "sparse" and reads:
        return min(tokens, layer.selected_tokens)
    return tokens
