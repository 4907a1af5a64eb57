"""The recurrent state that a config describes."""

from .config_json import Fields
from .described import State


def state_of(own: Fields, hidden: int | None) -> State | None:
    """State, convolution tail and arithmetic of one recurrent layer; None where nothing is said.

    A state of n elements takes 4 n FLOP a token to update and read, 6 n with the delta rule.
    """
    return (
        _delta_heads(own)
        or _delta_square(own)
        or _state_space(own, hidden)
        or _short_convolution(own, hidden)
        or _square(own)
    )


def _delta_heads(own: Fields) -> State | None:
    values, value_width = own.count("linear_num_value_heads"), own.count("linear_value_head_dim")
    keys, key_width = own.count("linear_num_key_heads"), own.count("linear_key_head_dim")
    if not (values and value_width and keys and key_width):
        return None
    elements = values * value_width * key_width
    channels = 2 * keys * key_width + values * value_width
    kernel = own.count("linear_conv_kernel_dim") or 1
    rows = channels + values * value_width + 2 * values
    return State(elements, (kernel - 1) * channels, 6.0 * elements, rows, values * value_width)


def _delta_square(own: Fields) -> State | None:
    linear = own.inside("linear_attn_config")
    if linear is None:
        return None
    heads, width = linear.count("num_heads"), linear.count("head_dim")
    if not heads or not width:
        return None
    elements = heads * width * width
    kernel = linear.count("short_conv_kernel_size") or 1
    inner = heads * width
    return State(elements, (kernel - 1) * 3 * inner, 6.0 * elements, 3 * inner + heads, inner)


def _state_space(own: Fields, hidden: int | None) -> State | None:
    size = own.count("ssm_state_size", "mamba_d_state", "state_size")
    if size is None or hidden is None:
        return None
    heads, width = own.count("mamba_num_heads", "mamba_n_heads"), None
    if heads is not None:
        width = own.count("mamba_head_dim", "mamba_d_head")
    expand = own.count("mamba_expand", "expand") or 2
    inner = own.count("mamba_d_ssm", "mamba_intermediate_size") or (
        heads * width if heads and width else expand * hidden
    )
    groups = (own.count("mamba_n_groups", "n_groups") or 1) if heads else 0
    kernel = own.count("mamba_d_conv", "conv_kernel") or 1
    elements = inner * size
    channels = inner + 2 * groups * size
    rows = inner + channels + (heads or 0)
    return State(elements, (kernel - 1) * channels, 4.0 * elements, rows, inner)


def _short_convolution(own: Fields, hidden: int | None) -> State | None:
    kernel = own.count("conv_L_cache")
    width = own.count("conv_dim") or hidden
    return State(0, (kernel - 1) * width, 0.0, 3 * width, width) if kernel and width else None


def _square(own: Fields) -> State | None:
    """Linear attention whose state is as wide as the heads, without a convolution."""
    if own.counts("attn_type_list") is None:
        return None
    heads, width = own.count("num_attention_heads"), own.count("head_dim")
    if not heads or not width:
        return None
    elements = heads * width * width
    return State(elements, 0, 4.0 * elements, 4 * heads * width, heads * width)
