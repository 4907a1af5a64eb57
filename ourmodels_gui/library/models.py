"""The shape of a model file: every tensor of the release, and every layer that attends.

Nothing here is a byte or a rate. The stored bytes follow from the shapes and a weight format
(`formats`), what a session costs from the layers and a cache format (`profile`).
"""

from collections.abc import Iterator
from difflib import get_close_matches
from math import prod
from typing import Annotated, Literal

import msgspec

from ..engine.setup import LayerKind
from ..language import mark, tr
from ..problem import BadInput, brief
from .encodings import ENCODINGS
from .records import Basis

TensorClass = Literal[
    "input_embedding",
    "output_head",
    "attention",
    "dense_mlp",
    "routed_experts",
    "shared_experts",
    "router",
    "recurrent",
    "norms",
    "other",
]
CLASS_NAMES: dict[TensorClass, str] = {
    "input_embedding": mark("input embedding"),
    "output_head": mark("output head"),
    "attention": mark("attention"),
    "dense_mlp": mark("dense mlp"),
    "routed_experts": mark("routed experts"),
    "shared_experts": mark("shared experts"),
    "router": mark("router"),
    "recurrent": mark("recurrent"),
    "norms": mark("norms"),
    "other": mark("other"),
}
Part = Literal["text", "mtp", "vision", "audio"]
TOWERS: tuple[Part, ...] = ("vision", "audio")

Layers = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
Count = Annotated[int, msgspec.Meta(ge=1, le=10**15)]
Size = Annotated[int, msgspec.Meta(ge=0, le=10**15)]
Amount = Annotated[float, msgspec.Meta(ge=0, le=1e18)]
Shape = Annotated[tuple[Count, ...], msgspec.Meta(min_length=1)]


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Strict on reading, silent about defaults on writing."""


class Tensors(_Part, frozen=True, rename={"tensor_class": "class"}):
    """`count` tensors of one shape and one use.

    tensor_class: what they do in the model; a row of the ledger of stored bytes.
    role: which tensor of that class, where formats treat it on its own: ``value``, ``down``,
        ``query_key_value``, ...; ``token`` and ``per_layer`` for the two kinds of lookup table;
        ``unused`` for what a file holds and no runtime needs, such as a second copy of a table.
    shape: (experts,) rows, columns; a row is multiplied with one activation vector. One number
        for a vector, or for a tower of which only the parameter count is known.
    encoding: how the release stores them (an id of `formats.ENCODINGS`).
    stored_bytes: all of them in the user's own file, where the encoding does not say.
    """

    tensor_class: TensorClass
    count: Layers
    shape: Shape
    role: str = ""
    part: Part = "text"
    encoding: str = "bf16"
    stored_bytes: Amount | None = None

    @property
    def parameters(self) -> int:
        """Parameters of all `count` tensors.

        >>> Tensors("attention", 2, (4, 3)).parameters
        24
        """
        return self.count * prod(self.shape)


class ExpertSet(_Part, frozen=True):
    """MoE layers with the same routing: E experts, k for each token, in `layers` layers.

    width: inner width of one expert.
    """

    routed: Count
    per_token: Count
    layers: Layers
    width: Count


class LayerGroup(_Part, frozen=True):
    """`count` layers that attend, or carry a state, in the same way.

    query_heads: N_q. key_heads: N_kv. key_width, value_width: of one head.
    window_tokens: of a ``window`` layer, the current token included; of another kind, a window of
        raw entries kept beside compressed ones.
    latent_width, rope_width: entry of one token in a ``latent`` layer or in a ``sparse`` one over
        latents; key and value widths then only price the arithmetic.
    selected_entries: entries that a ``sparse`` layer reads at most. index_heads, index_width: of
        its index; 0 where it follows the selection of an earlier layer.
    tokens_per_entry: tokens that share one entry (1 unless the cache is compressed).
    tokens_per_index_key: tokens that share one index key; 0 where it is as many as share an entry.
    state_elements: recurrent state, held in float32. conv_elements: tail of the short convolution,
        two bytes each. state_flop_per_token: what updating and reading the state costs.
    shares_cache: these layers read the cache of another layer and own none.
    """

    kind: LayerKind
    count: Layers
    query_heads: Size = 0
    key_heads: Size = 0
    key_width: Size = 0
    value_width: Size = 0
    window_tokens: Size = 0
    latent_width: Size = 0
    rope_width: Size = 0
    selected_entries: Size = 0
    index_heads: Size = 0
    index_width: Size = 0
    tokens_per_entry: Count = 1
    tokens_per_index_key: Size = 0
    state_elements: Size = 0
    conv_elements: Size = 0
    state_flop_per_token: Amount = 0.0
    shares_cache: bool = False


class Mtp(_Part, frozen=True):
    """Draft layers that come with the model: `modules` of them, one run at each drafted token.

    layers: what their caches hold. Their tensors are those of part ``mtp``.
    """

    modules: Layers
    layers: tuple[LayerGroup, ...]


class Published(_Part, frozen=True):
    """A file of the makers' in one of our formats, where it differs from the format's own rule.

    encodings: by tensor class, what this file keeps otherwise.
    """

    repository: str = ""
    encodings: dict[TensorClass, str] = {}


class Reference(_Part, frozen=True):
    """Where one group of facts of the file comes from: a source and the place inside it."""

    source: str
    where: str = ""
    basis: Basis = "published"
    note: str = ""


class Audit(_Part, frozen=True):
    """What was checked.

    status: ``audited`` when the shapes sum to the published total within 0.1 % or `explanation`
        says why not, and the layers have a source.
    missing: what a reader would have to find for it.
    """

    status: Literal["audited", "unaudited"]
    missing: tuple[str, ...] = ()
    explanation: str = ""


class ModelRecord(_Part, frozen=True):
    """One release of a model.

    context_tokens: the limit it was made for. tied: the head is the input embedding.
    layer_count: blocks of the main model. summed_blocks: blocks whose output a tensor split has
        to add up, through all layers. hidden_width: of the activations between them.
    layers: None where no source says how the layers attend.
    published_parameters: total that the makers' files count, every part included.
    native: the release's own precision in words. published: other files of the makers, by format.
    sources: by fact: ``shapes``, ``layers``, ``context``, ``total``, ``licence``, ``released``, ...
    """

    name: str
    vendor: str
    family: str
    tied: bool
    hidden_width: Count
    layer_count: Layers
    tensors: Annotated[tuple[Tensors, ...], msgspec.Meta(min_length=1)]
    audit: Audit
    repository: str = ""
    released: str | None = None
    licence: str | None = None
    context_tokens: Count | None = None
    summed_blocks: Size = 0
    experts: tuple[ExpertSet, ...] = ()
    layers: tuple[LayerGroup, ...] | None = None
    mtp: Mtp | None = None
    published_parameters: Count | None = None
    native: str = "BF16"
    published: dict[str, Published] = {}
    sources: dict[str, Reference] = {}
    notes: tuple[str, ...] = ()
    replaced_by: str = ""


def refuse_impossible(record: ModelRecord) -> None:
    """Raise BadInput, with the key, for what no cost can be computed from.

    An expert set that routes to more than it has, experts of no set, an unknown number format.
    """
    for index, experts in enumerate(record.experts):
        if experts.per_token > experts.routed:
            raise BadInput(
                f"experts[{index}].per_token",
                tr("{per_token:,} is more than the {routed:,} routed experts").format(
                    per_token=experts.per_token, routed=experts.routed
                ),
            )
    known = {experts.routed for experts in record.experts}
    for index, group in enumerate(record.tensors):
        _check_encoding(group.encoding, f"tensors[{index}].encoding")
        routed = group.tensor_class == "routed_experts" and group.part not in TOWERS
        if routed and group.shape[0] not in known:
            raise BadInput(
                f"tensors[{index}].shape",
                tr(
                    "no set of {count:,} routed experts stands under experts; add it, or correct "
                    "the shape"
                ).format(count=group.shape[0]),
            )
    for form, files in record.published.items():
        for tensor_class, encoding in files.encodings.items():
            _check_encoding(encoding, f"published.{brief(form)}.encodings.{tensor_class}")


def _check_encoding(encoding: str, key: str) -> None:
    if encoding not in ENCODINGS:
        near = ", ".join(get_close_matches(encoding[:80], ENCODINGS, 3)) or "bf16"
        raise BadInput(
            key,
            tr("“{encoding}” is no number format known here; such as {near}").format(
                encoding=brief(encoding), near=near
            ),
        )


def tensors_of(
    record: ModelRecord, part: Part = "text", *classes: TensorClass
) -> Iterator[Tensors]:
    """The tensors of one part, of the given classes or of all."""
    for group in record.tensors:
        if group.part == part and (not classes or group.tensor_class in classes):
            yield group


def parameters(record: ModelRecord, part: Part = "text", *classes: TensorClass) -> int:
    """Parameters of one part, of the given classes or of all."""
    return sum(group.parameters for group in tensors_of(record, part, *classes))


def total_parameters(record: ModelRecord) -> int:
    """Every parameter of the release, draft layers and towers included, as repositories count."""
    return sum(group.parameters for group in record.tensors)


def parameters_by_class(record: ModelRecord, part: Part = "text") -> dict[TensorClass, int]:
    """The ledger: parameters of one part by tensor class, classes without any left out."""
    ledger: dict[TensorClass, int] = {}
    for group in tensors_of(record, part):
        ledger[group.tensor_class] = ledger.get(group.tensor_class, 0) + group.parameters
    return ledger


def active_parameters(record: ModelRecord) -> int:
    """Parameters one token uses: every expert replaced by the k it is routed to.

    P_active of the formulation, the full input embedding included; draft and towers left out.
    """
    inactive = 0.0
    for group in tensors_of(record, "text", "routed_experts"):
        routed = group.shape[0]
        inactive += group.parameters * (1 - experts_per_token(record, routed) / routed)
    return round(parameters(record) - inactive)


def experts_per_token(record: ModelRecord, routed: int) -> int:
    """k of the set of `routed` experts. KeyError when the record has no such set."""
    for experts in record.experts:
        if experts.routed == routed:
            return experts.per_token
    raise KeyError(routed)
