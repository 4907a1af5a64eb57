"""An imported model as text for people, and as JSON."""

from typing import Any

import msgspec

from ..formats import bytes_of, class_bytes
from ..models import ModelRecord, active_parameters, parameters_by_class, total_parameters
from ..profile import default_weights, parts_bytes
from .compare import in_words, sets
from .importing import Imported, compared_tokens, session_bytes
from .review import Fact, Question


def resident_bytes(record: ModelRecord) -> float:
    """What the main model's tensors occupy as stored [bytes], copies nobody keeps left out."""
    return bytes_of(
        record,
        default_weights(record),
        (group for group in record.tensors if group.part == "text" and group.role != "unused"),
    )


def as_json(imported: Imported) -> bytes:
    """Record, review and sizes, for programs."""
    record = imported.record
    content: dict[str, Any] = {
        "record": record,
        "review": imported.review,
        "sizes": {
            "resident_bytes": resident_bytes(record),
            "parameters": total_parameters(record),
            "active_parameters": known_active(record),
            "bytes_by_part": parts_bytes(record, default_weights(record)),
            "bytes_by_class": class_bytes(record, default_weights(record)),
            "session_bytes": session_bytes(record),
            "session_tokens": compared_tokens(record),
            "file_bytes": imported.files.checkpoint.file_bytes,
        },
        "problems": imported.problems,
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n"


def as_text(imported: Imported) -> str:
    """The profile and its review, one fact in a line."""
    record, review = imported.record, imported.review
    parts = [
        (record.name, _totals(imported)),
        ("Tensors, as stored", _classes(record)),
        ("Read", [_line(fact) for fact in review.read]),
        ("Inferred", [_line(fact) for fact in review.inferred]),
        ("Missing", [line for asked in review.missing for line in _asked(asked)]),
        ("Contradictions", [f"  {text}" for text in review.contradictions]),
        (
            f"Other than the catalog's {review.twin}" if review.twin else "",
            [f"  {d.name}: {d.here} here, {d.catalog} there" for d in review.differences]
            or ["  nothing"],
        ),
        ("Notes", [f"  {note}" for note in review.notes]),
    ]
    blocks = ["\n".join([title, *lines]) for title, lines in parts if title and lines]
    return "\n\n".join(blocks) + "\n"


def _totals(imported: Imported) -> list[str]:
    record = imported.record
    resident = resident_bytes(record)
    active = known_active(record)
    cache = session_bytes(record)
    facts = {
        "resident": f"{resident:,.0f} bytes ({resident / 1e9:.3g} GB)",
        "parameters": f"{total_parameters(record):,}",
        "active for each token": "unknown" if active is None else f"{active:,}",
        "layers": f"{record.layer_count}: {in_words(record.layers)}",
        "experts": sets(record),
        "cache of one session": (
            "cache layout unknown"
            if cache is None and record.layers is None
            else "none: it is not a decoder"
            if cache is None
            else f"{cache:,.0f} bytes at {compared_tokens(record):,} tokens in FP16"
        ),
        "output head": "the input embedding" if record.tied else "a tensor of its own",
        "context limit": (
            f"{record.context_tokens:,} tokens" if record.context_tokens else "unknown"
        ),
    }
    return [f"  {name}: {text}" for name, text in facts.items() if text]


def _classes(record: ModelRecord) -> list[str]:
    weights = default_weights(record)
    lines = []
    for part in parts_bytes(record, weights):
        counts = parameters_by_class(record, part)
        for tensor_class, size in class_bytes(record, weights, part).items():
            name = tensor_class.replace("_", " ")
            where = "" if part == "text" else f" of the {part} part"
            lines.append(f"  {name}{where}: {size:,.0f} bytes, {counts[tensor_class]:,} parameters")
    return lines


def known_active(record: ModelRecord) -> int | None:
    """Parameters that one token uses, or None where the number of experts is not known."""
    try:
        return active_parameters(record)
    except KeyError:  # experts without the number that a token uses
        return None


def _line(fact: Fact) -> str:
    return f"  {fact.name}: {fact.value}" + (f" ({fact.origin})" if fact.origin else "")


def _asked(asked: Question) -> list[str]:
    if not asked.answerable:
        return [f"  {asked.text} The layout stays unknown."]
    lines = [f"  {asked.text} --answer {asked.key}=" + ("" if asked.choices else "NUMBER")]
    for choice in asked.choices:
        mark = ", as in the catalog" if choice.id == asked.suggestion else ""
        effect = f" -> {choice.effect}" if choice.effect else ""
        lines.append(f"    {choice.id}: {choice.text}{effect}{mark}")
    return lines
