"""Tensors by use and layer: classes, experts gathered, shapes turned to rows and columns."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from math import prod

import msgspec

from ..encodings import ENCODINGS, stored_bytes
from ..models import Tensors
from .classify import Place, Use, place_of, use_of
from .found import Tensor

_KEYED = frozenset({"key", "query_key_value", "latent_down"})
Shape = tuple[int, ...]


class Placed(msgspec.Struct, frozen=True, gc=False):
    """One tensor with what it is for and where it stands."""

    tensor: Tensor
    place: Place
    use: Use


class LayerTensors(msgspec.Struct):
    """What one layer holds: shapes of its attention by token, and marks of a recurrent part.

    inner: recurrent tensors inside the attention itself, so that its projections feed the state.
    """

    shapes: dict[str, Shape] = {}
    recurrent: bool = False
    inner: bool = False
    index: bool = False
    tokens: int = 0

    @property
    def attends(self) -> bool:
        """Whether it has what attention needs: keys, or at least a query over another's keys."""
        return bool(self.shapes.keys() & (_KEYED | {"query"}))


def place_all(tensors: Iterable[Tensor], layer_count: int | None) -> list[Placed]:
    """Each tensor with its use. Layers from `layer_count` on are draft layers."""
    placed = []
    for tensor in tensors:
        place = place_of(tensor.name)
        vector = len(tensor.shape) == 1 and tensor.encoding != "nf4"
        use = use_of(place.pattern, vector)
        if layer_count is not None and place.layer >= layer_count and use.part == "text":
            use = msgspec.structs.replace(use, part="mtp")
        placed.append(Placed(tensor, place, use))
    return placed


def by_layer(placed: Iterable[Placed], part: str = "text") -> dict[int, LayerTensors]:
    """What each layer of a part holds."""
    layers: dict[int, LayerTensors] = defaultdict(LayerTensors)
    for one in placed:
        if one.use.part != part or one.place.layer < 0:
            continue
        layer, name, use = layers[one.place.layer], one.tensor.name, one.use
        layer.tokens += 1
        if use.tensor_class == "recurrent":
            layer.recurrent = True
            layer.inner |= "self_attn" in name or "conv1d_q" in name
        elif use.tensor_class == "attention" and use.role != "bias":
            layer.index |= "indexer" in name
            if use.token:
                layer.shapes[use.token] = one.tensor.shape
    return layers


def as_recurrent(placed: list[Placed], layers: set[int]) -> list[Placed]:
    """The projections of these layers feed a state: their attention tensors become recurrent."""
    changed = []
    for one in placed:
        use = one.use
        if use.part == "text" and use.tensor_class == "attention" and one.place.layer in layers:
            role = use.role if use.role in ("output", "bias") else ""
            use = msgspec.structs.replace(use, tensor_class="recurrent", role=role)
            one = Placed(one.tensor, one.place, use)  # noqa: PLW2901
        changed.append(one)
    return changed


def routed_count(placed: Iterable[Placed], part: str = "text") -> set[int]:
    """Numbers of routed experts that the tensors of single or merged experts show."""
    single: dict[tuple[int, str], set[int]] = defaultdict(set)
    merged = set()
    for one in placed:
        if one.use.tensor_class != "routed_experts" or one.use.part != part:
            continue
        if one.place.expert >= 0:
            single[one.place.layer, one.place.pattern].add(one.place.expert)
        elif len(one.tensor.shape) == 3:
            merged.add(one.tensor.shape[0])
    return merged | {len(experts) for experts in single.values()}


def grouped(placed: list[Placed], hidden: int, stated_experts: int | None) -> tuple[Tensors, ...]:
    """The record's tensors: equal ones counted, single experts of a layer gathered into one.

    Parameters: hidden, the model's width, by which transposed matrices are told;
    stated_experts, by which experts that are stacked in two dimensions are told apart.
    """
    counts: Counter[tuple[Use, Shape, str]] = Counter()
    sizes: Counter[tuple[Use, Shape, str]] = Counter()
    experts: dict[tuple[int, str], list[Placed]] = defaultdict(list)
    for one in placed:
        if one.use.tensor_class == "routed_experts" and one.place.expert >= 0:
            experts[one.place.layer, one.place.pattern].append(one)
            continue
        shape = _turned(one, hidden, stated_experts)
        key = (msgspec.structs.replace(one.use, token=""), shape, one.tensor.encoding)
        counts[key] += 1
        sizes[key] += one.tensor.stored_bytes
    for members in experts.values():
        first = members[0]
        shape = (len(members), *_turned(first, hidden, None))
        encodings = Counter(member.tensor.encoding for member in members)
        encoding = encodings.most_common(1)[0][0]
        key = (msgspec.structs.replace(first.use, token=""), shape, encoding)
        counts[key] += 1
        sizes[key] += sum(member.tensor.stored_bytes for member in members)
    return tuple(
        _group(use, shape, encoding, counts[use, shape, encoding], sizes[use, shape, encoding])
        for use, shape, encoding in counts
    )


def _group(use: Use, shape: Shape, encoding: str, count: int, size: int) -> Tensors:
    by_rule = count * stored_bytes(shape, ENCODINGS[encoding])
    return Tensors(
        use.tensor_class,
        count,
        shape,
        use.role,
        use.part,
        encoding,
        None if by_rule == size else float(size),
    )


def _turned(one: Placed, hidden: int, stated_experts: int | None) -> Shape:
    """The shape as (experts,) rows, columns, whichever way round the file has it."""
    shape, use = one.tensor.shape, one.use
    if one.tensor.encoding == "nf4" and len(shape) == 1 and shape[0] % hidden == 0:
        other = shape[0] // hidden
        return (hidden, other) if use.role in ("down", "output") else (other, hidden)
    if use.role == "convolution" or len(shape) > 3:
        plain = tuple(axis for axis in shape if axis > 1) or (1,)
        return plain if len(plain) <= 2 else (plain[0], prod(plain[1:]))
    if use.role == "bias" or len(shape) < 2:
        return shape
    stacked = use.tensor_class == "routed_experts" and len(shape) == 2 and one.place.expert < 0
    if stacked and stated_experts and shape[0] % stated_experts == 0:
        shape = (stated_experts, shape[0] // stated_experts, shape[1])
    *front, rows, columns = shape
    inward = use.role in ("gate", "up", "gate_up", "query_key_value")
    if use.part == "text" and (
        (inward and rows == hidden != columns) or (use.role == "down" and columns == hidden != rows)
    ):
        return (*front, columns, rows)
    return shape
