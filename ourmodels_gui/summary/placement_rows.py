"""Rows of a composition: every way of using its pools, what binds, and what lies where."""

from .. import units
from ..engine.result import Binding, PolicyFigures, PoolShare
from ..engine.setup import Composition
from ..language import tr, trn
from ..spoken import spoken
from .figures import NONE, Figures, split
from .shapes import Group, Row

RATE = "tok/s"


def placement(known: Figures) -> Group | None:
    """The policies side by side, the one in use first, and its pools; None for one pool."""
    placed = known.result.placement
    if placed is None:
        return None
    rows = [_policy(known, policy) for policy in placed.policies]
    rows += [_pool(known, pool) for pool in placed.pools]
    if placed.pushed_out_from_batch is not None:
        rows.append(
            Row(
                "placement",
                tr("Sessions push weights out"),
                known.count(placed.pushed_out_from_batch),
                tr("sessions and more"),
                placed.pushed_out_from_batch,
                note=tr("their cache takes the room of weights in the fastest pool"),
            )
        )
    title = tr("Pools: {policy}").format(policy=spoken(placed.policy))
    return Group(title, tuple(rows), "placement")


def binding_words(binding: Binding | None, composition: Composition | None) -> str:
    """A resource and its place, as people say it; the host's memory is the system's.

    >>> binding_words(Binding("memory", "RTX 3090"), None)
    'memory of RTX 3090'
    >>> binding_words(Binding("link", "between devices"), None)
    'link, between devices'
    """
    if binding is None:
        return ""
    if not binding.place:
        return tr(binding.resource)
    host = None if composition is None else composition.host
    if host is not None and binding.place == host.name:
        words = {"memory": tr("system memory"), "link": tr("link to the system memory")}
        if binding.resource in words:
            return words[binding.resource]
    words_of = tr("link, {place}") if binding.resource == "link" else tr("{resource} of {place}")
    return words_of.format(resource=tr(binding.resource), place=spoken(binding.place))


def _policy(known: Figures, policy: PolicyFigures) -> Row:
    single, best = policy.single_session_tokens_per_s, policy.best_batch
    gives = policy.aggregate_tokens_per_s
    told = []
    if best is not None and policy.per_session_tokens_per_s is not None:
        sessions = trn("{count} session", "{count} sessions", best).format(count=known.count(best))
        words = tr("{sessions} at {rate}, limited by {limit}")
        if (policy.groups or 1) > 1:
            words = tr("{sessions} in {groups} groups at {rate}, limited by {limit}")
        rate = known.rate(policy.per_session_tokens_per_s)
        limit = binding_words(policy.binding, known.setup.composition)
        told.append(words.format(sessions=sessions, groups=policy.groups, rate=rate, limit=limit))
        if (last := policy.last_usable_batch or best) > best:
            words = tr("up to {count} keep the floor, at {rate}")
            least = known.rate(policy.last_usable_per_session_tokens_per_s or 0.0)
            told.append(words.format(count=known.count(last), rate=least))
    if single is not None:
        told.append(
            tr("one alone {rate}, limited by {limit}").format(
                rate=known.rate(single),
                limit=binding_words(policy.single_binding, known.setup.composition),
            )
        )
    told += _prompt(known, policy)
    return Row(
        "placement",
        spoken(policy.name),
        NONE if gives is None else known.rate(gives),
        "" if gives is None else RATE,
        gives,
        kind=policy.kind,
        worked="; ".join(told),
        note="" if best is not None else tr("no batch serves under this policy"),
    )


def _prompt(known: Figures, policy: PolicyFigures) -> list[str]:
    """What the policy makes of the prompt; nothing where none is asked about."""
    prompt = policy.prompt
    if prompt is None:
        return []
    if prompt.tokens_per_s is None or prompt.time_s is None:
        serves = prompt.verdict == "serves"
        why = tr("arithmetic or traffic unknown") if serves else tr(prompt.verdict)
        return [tr("prompt: {why}").format(why=why)]
    words = tr("{count} prompts in {time} at {rate}, limited by {limit}")
    if prompt.batch == 1:
        words = tr("prompt in {time} at {rate}, limited by {limit}")
    return [
        words.format(
            count=known.count(prompt.batch or 0),
            time=units.duration(prompt.time_s, known.separators),
            rate=known.rate(prompt.tokens_per_s),
            limit=binding_words(prompt.binding, known.setup.composition),
        )
    ]


def _pool(known: Figures, pool: PoolShare) -> Row:
    names = {
        "weights": tr("weights"),
        "routed_experts": tr("routed experts"),
        "embedding": tr("embedding"),
        "cache": tr("cache"),
        "draft": tr("draft"),
        "layers": tr("whole layers"),
    }
    held = {name: size for name, size in pool.held_bytes.items() if size >= 1.0}
    listed = " + ".join(f"{names[name]} {known.size(size)}" for name, size in held.items())
    text, unit = split(known.size(sum(held.values())))
    return Row(
        "placement",
        tr("In {pool}").format(pool=pool.name),
        text,
        unit,
        sum(held.values()) / 1e9,
        worked=tr(
            "{held}; of {capacity}, overhead {overhead}; moves {moved} a step in {time} ms"
        ).format(
            held=listed or tr("nothing"),
            capacity=known.size(pool.capacity_bytes),
            overhead=known.size(pool.overhead_bytes),
            moved=known.size(pool.traffic_bytes),
            time=known.digits(1e3 * pool.time_s),
        ),
    )
