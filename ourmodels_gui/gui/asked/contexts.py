"""Edits of the two context lengths that leave a scenario which can stand."""

from typing import Any

RESERVED = "workload.reserved_context_tokens"
READ = "workload.read_context_tokens"
SHARE = "workload.read_context_fraction"
FOLLOWED_SHARE = 0.9


def context_edit(key: str, value: Any, read_tokens: int) -> dict[str, Any]:
    """The edit of one context, and what must give way to it.

    A typed read context ends following; lowering the reserved one below it takes it along.

    Parameters: key; value; read_tokens, the read context as typed, 0 where it is not.

    >>> context_edit(RESERVED, 8000, 32000)
    {'workload.reserved_context_tokens': 8000, 'workload.read_context_tokens': 8000}
    """
    changes = {key: value}
    if key == READ and value is not None:
        changes[SHARE] = None
    elif key == RESERVED and value is not None and read_tokens > value:
        changes[READ] = value
    return changes


def follow_edit(on: bool) -> dict[str, Any]:
    """Let the read context follow the reserved one, or stand at its default again."""
    return {READ: None, SHARE: FOLLOWED_SHARE if on else None}
