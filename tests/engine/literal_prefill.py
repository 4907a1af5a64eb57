"""The judge: the prefill formulas written out in plain Python, over every batch, chunk and length.

Nothing here is clever, and nothing comes from the engine but its inputs.
"""

from ourmodels_gui.engine.setup import TypedCache


def sweep_bytes(setup, positions):
    model, floor = setup.model, setup.workload.routing == "floor"
    touched = full = model.always_bytes
    for group in model.experts:
        missed = (1 - group.per_token / group.routed) ** positions
        distinct = group.per_token if floor else group.routed * (1 - missed)
        touched += group.expert_bytes * distinct
        full += group.expert_bytes * group.routed
    return touched * (model.prefill_sweep_bytes or full) / full


def read_bytes(setup, context):
    total = 0.0
    for layer in setup.model.cache:
        tokens = context
        if layer.kind == "window":
            tokens = min(context, layer.window_tokens)
        if layer.kind == "sparse":
            tokens = min(context, layer.selected_tokens)
        each = layer.read_bytes_per_token * tokens + layer.index_bytes_per_token * context
        total += layer.count * (each + layer.state_bytes)
    return total


def reserved_bytes(setup, cache, context):
    total = 0.0
    for layer in cache:
        tokens = context
        if layer.kind == "window" and setup.workload.cache_policy == "windowed":
            tokens = min(context, layer.window_tokens)
        each = (layer.bytes_per_token + layer.index_bytes_per_token) * tokens
        total += layer.count * (each + layer.state_bytes)
    return round(total)


def session_bytes(setup, context):
    total = reserved_bytes(setup, setup.model.cache, context)
    if setup.speculation is None:
        return total
    draft = setup.speculation.draft
    if isinstance(draft.cache, TypedCache):
        return total + round(draft.cache.alloc_bytes_per_session)
    limit = draft.max_context_tokens
    within = context if limit is None else min(context, limit)
    return total + reserved_bytes(setup, draft.cache, within)


def margin_bytes(setup):
    margin = round(setup.machine.capacity_bytes) - round(setup.model.resident_bytes)
    margin -= round(setup.workload.overhead_bytes)
    return margin - (round(setup.speculation.draft.resident_bytes) if setup.speculation else 0)


def fitting_batch(setup, context):
    return max(margin_bytes(setup), 0) // session_bytes(setup, context)


def chunks(tokens, width, prefix):
    """Start and width of each chunk."""
    start = 0
    while start < tokens:
        step = min(width, tokens - start)
        yield prefix + start, step
        start += step


def memory_s(setup, batch, tokens, width, prefix):
    moved = 0.0
    for start, step in chunks(tokens, width, prefix):
        moved += sweep_bytes(setup, batch * step)
        if start > 0:
            moved += batch * read_bytes(setup, start)
        moved += batch * step * setup.model.cache_write_bytes_per_token
    return moved / setup.machine.bandwidth_bytes_per_s


def attention_flop_of_token(setup, position):
    """Of the token that is the position-th of its context, itself included."""
    total = 0.0
    for layer in setup.model.attention:
        pairs = position
        if layer.kind == "window":
            pairs = min(position, layer.window_tokens)
        if layer.kind == "sparse":
            pairs = min(position, layer.selected_tokens)
        each = 4 * layer.query_width * pairs + layer.index_flop_per_pair * position
        total += layer.count * (each + layer.flop_per_token)
    return total


def seconds(setup, flop, shares):
    """Split the FLOPs by mode and charge each part at its rate."""
    return sum(flop * share / setup.machine.compute_flop_per_s[m] for m, share in shares.items())


def compute_s(setup, batch, tokens, prefix):
    linear = batch * tokens * 2 * setup.model.linear_active_parameters
    attention = batch * sum(
        attention_flop_of_token(setup, prefix + j) for j in range(1, tokens + 1)
    )
    return seconds(setup, linear, setup.linear_mode) + (
        seconds(setup, attention, setup.attention_mode)
    )


def admitted(setup, fitting):
    """(batch, memory time, compute time) of every batch that fits and keeps the budget."""
    prompt = setup.prompt
    tokens, prefix = prompt.prompt_tokens, prompt.cached_prefix_tokens
    width = min(prompt.chunk_tokens or tokens, tokens)
    each = compute_s(setup, 1, tokens, prefix)
    for batch in range(1, fitting + 1):
        times = memory_s(setup, batch, tokens, width, prefix), batch * each
        if prompt.ttft_budget_s is None or max(times) <= prompt.ttft_budget_s:
            yield batch, *times


def range_ends(setup, batch=None):
    """{length: highest rate} over all lengths with an admitted batch, or the one batch."""
    prompt, model = setup.prompt, setup.model
    write = model.cache_write_bytes_per_token
    rates, attention, sweeps = {}, 0.0, {}

    def sweep(positions):
        if positions not in sweeps:
            sweeps[positions] = sweep_bytes(setup, positions)
        return sweeps[positions]

    rereads = {0: 0.0}  # by number of chunks after the first
    for tokens in range(1, model.max_context_tokens + 1):
        attention += attention_flop_of_token(setup, tokens)
        linear = tokens * 2 * model.linear_active_parameters
        compute = seconds(setup, linear, setup.linear_mode)
        compute += seconds(setup, attention, setup.attention_mode)
        width = min(prompt.chunk_tokens or tokens, tokens)
        later = -(-tokens // width) - 1
        if later not in rereads:
            rereads[later] = rereads[later - 1] + read_bytes(setup, later * width)
        rest = tokens - later * width
        best = None
        fitting = fitting_batch(setup, tokens)
        for b in range(1, fitting + 1) if batch is None else [batch][: fitting // batch]:
            moved = later * sweep(b * width) + sweep(b * rest)
            moved += b * (rereads[later] + write * tokens)
            time_s = max(moved / setup.machine.bandwidth_bytes_per_s, b * compute)
            if prompt.ttft_budget_s is not None and time_s > prompt.ttft_budget_s:
                continue
            best = max(best or 0.0, b * tokens / time_s)
        if best is not None:
            rates[tokens] = best
    return rates
