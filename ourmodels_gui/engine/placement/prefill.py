"""Prefill of a composition: the figures of the policy in use, and every policy's beside them."""

import msgspec

from ..kept import Kept
from ..prefill import prefill_under
from ..prompt_policy import PromptPolicy
from ..result import Placement, PolicyPrompt, Prefill
from ..setup import Setup
from ..speculation import ROUNDING
from .choose import policies
from .experts import ExpertSplit, ReplicatedAttention
from .figures import policy
from .layers import EqualLayers
from .policy import Policy
from .pools import PoolPolicy
from .prompt_layers import LayerPrompts
from .prompt_pools import PoolPrompts
from .prompts import HeadPrompts, ReplicatedPrompts, TensorPrompts
from .tensor import HeadSplit


def prefill(setup: Setup, placed: Placement) -> tuple[Prefill, Placement]:
    """The prefill figures of a composition, and its placement with those of every policy.

    Raises ValueError when the setup has no prompt.
    """
    found = _kept.of(_basis(setup), lambda: _prefill(setup))
    told = tuple(
        msgspec.structs.replace(one, prompt=found.policies[one.name]) for one in placed.policies
    )
    return found.main, msgspec.structs.replace(placed, policies=told, prompt_policy=found.name)


class _Found(msgspec.Struct, frozen=True):
    """The prefill figures in use, whose they are, and every policy's."""

    main: Prefill
    name: str
    policies: dict[str, PolicyPrompt]


_kept: Kept[_Found] = Kept()


def _basis(setup: Setup) -> Setup:
    """The setup without what only decode rests on."""
    work = msgspec.structs.replace(
        setup.workload, floor_tokens_per_s=0.0, read_context_tokens=0, batch=None
    )
    prompt = setup.prompt and msgspec.structs.replace(setup.prompt, answer_tokens=None)
    return msgspec.structs.replace(setup, workload=work, prompt=prompt, assumptions=())


def _prefill(setup: Setup) -> _Found:
    ways = [prompts_under(way) for way in policies(setup)]
    main = _main(ways)
    found = {way.name: prefill_under(way, ranged=way is main) for way in ways}
    return _Found(
        found[main.name], main.name, {way.name: _told(way, found[way.name]) for way in ways}
    )


def prompt_policy(setup: Setup, name: str | None = None) -> PromptPolicy:
    """The way of serving prompts of that name; without one, that of the prefill figures.

    Errors: ValueError for a name that no policy of the composition has.
    """
    if setup.composition is None:
        return PromptPolicy(setup)
    if name is not None:
        return prompts_under(policy(setup, name))
    return _main([prompts_under(way) for way in policies(setup)])


def prompts_under(way: Policy) -> PromptPolicy:
    """The same way of using the pools, for prompts."""
    if isinstance(way, PoolPolicy):
        return PoolPrompts(way)
    if isinstance(way, EqualLayers):
        return LayerPrompts(way)
    if isinstance(way, ReplicatedAttention):
        return ReplicatedPrompts(way)
    if isinstance(way, HeadSplit):
        return HeadPrompts(way, "tensor")
    return TensorPrompts(way, "experts" if isinstance(way, ExpertSplit) else "tensor")


def _main(ways: list[PromptPolicy]) -> PromptPolicy:
    """The one asked for; of the two ways of dividing experts the one with the higher rate.

    Where the host's arithmetic rate is unknown, streaming its memory, which needs none.
    """
    main, *others = ways
    for other in others:
        if _streams(other) and main.missing_for_compute() and not other.missing_for_compute():
            return other
        if isinstance(other, ReplicatedPrompts) and _rate(other) > _rate(main) * (1.0 + ROUNDING):
            main = other
    return main


def _streams(way: PromptPolicy) -> bool:
    return isinstance(way, PoolPrompts) and way.way.mode == "streamed"


def _rate(way: PromptPolicy) -> float:
    if way.setup.prompt is None:
        return 0.0
    return prefill_under(way, ranged=False).tokens_per_s or 0.0


def _told(way: PromptPolicy, found: Prefill) -> PolicyPrompt:
    return PolicyPrompt(
        found.verdict,
        found.kind.get("tokens_per_s", "policy ceiling" if way.restricts else "bound"),
        batch=found.batch,
        tokens_per_s=found.tokens_per_s,
        time_s=found.time_s,
        binding=found.binding,
    )
