"""A path -> the imported model: record, review, and what it costs."""

import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from ...engine.costs import cache_alloc_bytes
from ...language import mark, tr, trn
from ...problem import BadInput
from ...units import ENGLISH, Separators
from ..check_models import check_model
from ..layer_costs import cache_layers
from ..load import Library
from ..models import ModelRecord, total_parameters
from .answers import answered, question
from .assemble import Assembled, assemble
from .compare import differences, twin_of
from .config_shapes import shapes_of
from .described import Described
from .found import Cancelled, Tensor
from .layout import lay_out
from .opening import Files, read_files
from .quantisation import packing_of
from .review import Fact, Question, Review, shown

_CONTEXT = re.compile(r"(?<![0-9A-Za-z.])(\d{1,4}(?=[kK])|10|[124](?=M))([kKM])(?![a-zA-Z0-9])")
COMPARED_TOKENS = 32_768
"""The context at which the effect of an answer is told."""


class Imported(msgspec.Struct, frozen=True):
    """An imported model.

    problems: why it cannot be used or saved as it is; empty when it can. tried: the record that
    each choice of each open question would give, by key and choice.
    """

    record: ModelRecord
    review: Review
    files: Files
    problems: tuple[str, ...] = ()
    tried: dict[str, dict[str, ModelRecord]] = {}


def import_model(
    path: Path,
    library: Library | None = None,
    answers: Mapping[str, str] | None = None,
    cancelled: Cancelled | None = None,
) -> Imported:
    """Read a model's files and say what they are.

    Parameters: path of a GGUF or safetensors file, an index, a config.json or a folder; library, to
    compare with; answers to the review's questions by key; cancelled, asked between files.

    Raises OSError when the path cannot be reached, BadInput for what is no readable model,
    ImportCancelled.
    """
    return review_files(read_files(path, cancelled), library, answers)


def review_files(
    files: Files,
    library: Library | None = None,
    answers: Mapping[str, str] | None = None,
    separators: Separators = ENGLISH,
) -> Imported:
    """The record and its review, with the answers in place. Raises BadInput for a bad answer."""
    answers = dict(answers or {})
    said = answered(files.said, answers)
    made = _assembled(files, said)
    record = made.record
    twin = twin_of(record, library.models) if library else None
    tried: dict[str, dict[str, ModelRecord]] = {}
    review = Review(
        read=_read_facts(files, said, separators),
        inferred=tuple(Fact(tr(name), text) for name, text in made.inferred.items()),
        missing=_questions(files, made, answers, twin.record if twin else None, tried),
        contradictions=(*made.contradictions, *_name_against(files, said)),
        differences=differences(record, twin.record, separators) if twin else (),
        twin=twin.name if twin else "",
        notes=files.checkpoint.notes,
    )
    return Imported(record, review, files, _problems(files, said, made), tried)


def named(imported: Imported, name: str | None) -> Imported:
    """The same under another name; None or a blank one keeps its own."""
    if not name or not name.strip():
        return imported
    record = msgspec.structs.replace(imported.record, name=" ".join(name.split()))
    return msgspec.structs.replace(imported, record=record)


def session_bytes(record: ModelRecord, tokens: int = COMPARED_TOKENS) -> float | None:
    """Cache of one session in FP16 [bytes], or None where the layout is unknown."""
    if not record.layers:
        return None
    cache = cache_layers(record.layers, "fp16", None)
    return float(cache_alloc_bytes(cache, compared_tokens(record, tokens), "windowed"))


def compared_tokens(record: ModelRecord, tokens: int = COMPARED_TOKENS) -> int:
    """The context of `session_bytes`: no more than the model was made for."""
    return min(tokens, record.context_tokens or tokens)


def _assembled(files: Files, said: Described) -> Assembled:
    checkpoint = files.checkpoint
    if checkpoint.container == "config":
        checkpoint = msgspec.structs.replace(checkpoint, tensors=_implied(files, said))
        if not checkpoint.tensors:
            message = tr(
                "the config does not give width, layers and vocabulary of a language model"
            )
            raise BadInput("", message, checkpoint.place)
    return assemble(checkpoint, said, files.name)


def _implied(files: Files, said: Described) -> tuple[Tensor, ...]:
    config, place = files.checkpoint.metadata, files.checkpoint.place
    dtype = config.get("torch_dtype") or config.get("dtype")
    packing = packing_of(config, place)
    return shapes_of(said, packing, dtype if isinstance(dtype, str) else None)


def _problems(files: Files, said: Described, made: Assembled) -> tuple[str, ...]:
    if said.causal is False:
        return (
            tr(
                "{name} is not a decoder: it reads a text at once and keeps no cache, so "
                "there is no token rate to bound"
            ).format(name=files.name),
        )
    blocked = [question(key, 1).text for key in made.open if question(key, 1).blocking]
    faults = [str(p) for p in check_model(made.record, "")] if not blocked else []
    return (*(tr("answer first: {text}").format(text=text) for text in blocked), *faults)


def _questions(
    files: Files,
    made: Assembled,
    answers: dict[str, str],
    twin: ModelRecord | None,
    tried: dict[str, dict[str, ModelRecord]],
) -> tuple[Question, ...]:
    """What is open, with the effect of every choice, tried out one by one and kept in `tried`."""
    questions = []
    for key, why in made.open.items():
        asked = question(key, made.record.layer_count, why)
        choices, suggestion = [], ""
        for choice in asked.choices:
            other = _tried(files, made, {**answers, key: choice.id}, key)
            tried.setdefault(key, {})[choice.id] = other
            choices.append(msgspec.structs.replace(choice, effect=_effect(made.record, other)))
            if twin is not None and twin.layers and other.layers:
                same = session_bytes(twin) == session_bytes(other)
                suggestion = suggestion or (choice.id if same else "")
        questions.append(
            msgspec.structs.replace(asked, choices=tuple(choices), suggestion=suggestion)
        )
    return tuple(questions)


def _tried(files: Files, made: Assembled, answers: dict[str, str], key: str) -> ModelRecord:
    """The record with one more answer; its tensors are sorted anew only where they depend on it."""
    said = answered(files.said, answers)
    if key in ("tied", "gated"):
        return _assembled(files, said).record
    said = msgspec.structs.replace(said, layer_count=made.record.layer_count)
    return msgspec.structs.replace(made.record, layers=lay_out(said, made.held).groups)


def _effect(now: ModelRecord, then: ModelRecord) -> str:
    parts = []
    cache = session_bytes(then)
    if cache is not None:
        parts.append(
            tr("{size:.3g} GB of cache at {tokens:,} tokens").format(
                size=cache / 1e9, tokens=compared_tokens(then)
            )
        )
    if total_parameters(now) != total_parameters(then):
        parts.append(
            tr("{count:.3g} billion parameters").format(count=total_parameters(then) / 1e9)
        )
    return ", ".join(parts)


def _read_facts(files: Files, said: Described, separators: Separators) -> tuple[Fact, ...]:
    checkpoint = files.checkpoint
    metadata = mark("metadata")
    facts = {
        tr("files"): (
            trn(
                "{count} file, {size} bytes", "{count} files, {size} bytes", checkpoint.files
            ).format(
                count=shown(checkpoint.files, separators),
                size=shown(checkpoint.file_bytes, separators),
            ),
            checkpoint.container,
        ),
        tr("architecture"): (said.family, metadata),
        tr("format"): (said.weights_name, metadata),
        tr("layers"): (said.layer_count, metadata),
        tr("width"): (said.hidden_width, metadata),
        tr("context limit"): (said.context_tokens, metadata),
        tr("vocabulary"): (said.vocabulary, metadata),
        tr("routed experts"): (said.routed, metadata),
        tr("experts per token"): (said.per_token, metadata),
        tr("window"): (said.window_tokens, metadata),
        tr("draft layers"): (said.mtp_layers or None, metadata),
        tr("bytes of all tensors"): (checkpoint.stated.get("total_size"), mark("index")),
    }
    return tuple(
        Fact(name, shown(value, separators), tr(origin))
        for name, (value, origin) in facts.items()
        if value is not None
    )


def _name_against(files: Files, said: Described) -> tuple[str, ...]:
    """A context limit in the name that is not the one in the metadata."""
    found = _CONTEXT.search(files.name)
    if found is None or said.context_tokens is None:
        return ()
    unit = 1024 if found[2].lower() == "k" else 1 << 20
    named = int(found[1]) * unit
    if 0.9 < named / said.context_tokens < 1.1:
        return ()
    return (
        tr("the name says {said} of context, the metadata {context_tokens:,}").format(
            said=found[0], context_tokens=said.context_tokens
        ),
    )
