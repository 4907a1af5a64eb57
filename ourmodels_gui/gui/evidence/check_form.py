"""The fields of one measurement: what the text said, what a person has to add."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QWidget

from ...language import tr
from ...library.load import Library
from ...measured.check import Check
from ...measured.runs import Drafting, MeasuredRun, Said
from ...units import exact
from .. import typed
from ..asked.weight_choices import format_choices, weight_choices
from ..form import Group

TYPED = MeasuredRun(
    id="typed", said=Said("", "", ""), phase="decode", tokens_per_s=1.0, source="typed"
)
"""Where a measurement begins that nobody pasted; its rate has to be typed."""


class CheckForm(Group):
    """Emits the changes of the user; `answers_of` turns them into fields of a run."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(foldable=False, has_defaults=False, parent=parent)
        self.set_title(tr("Measurement"))
        self.number("tokens_per_s", tr("Rate"), tr("Of all sessions together."), unit="tok/s")
        self.choice("phase", tr("Phase"), tr("What the rate is of.")).offer(
            (
                ("decode", tr("decode: generating")),
                ("prefill", tr("prefill: reading a prompt")),
                ("serving", tr("serving: many requests")),
            )
        )
        self.name("machine", tr("Machine"), tr("Type a part of its name."))
        self.name("model", tr("Model"), tr("Type a part of its name."))
        self.choice("weights", tr("Weights"), tr("The format that the weights are stored in."))
        self._whole("batch", tr("Sessions"), tr("How many were served at once."))
        self._whole("prompt_tokens", tr("Prompt"), tr("Tokens of each prompt."))
        self._whole("generated_tokens", tr("Generated"), tr("Tokens of each answer."))
        self._whole("depth_tokens", tr("Cached before"), tr("Tokens in the cache at the start."))
        self._whole(
            "draft_tokens",
            tr("Drafted"),
            tr("Tokens drafted by the model's own layers, where it speculated."),
        )
        self.number(
            "acceptance", tr("Accepted"), tr("Share of the drafted tokens that were accepted, 0-1.")
        )
        self.text("note", tr("Note"), tr("For the log, such as the program's version."))

    def offer(self, library: Library) -> None:
        """The machines and models that can be named."""
        for key, entries in (("machine", library.machines), ("model", library.models)):
            names = sorted(
                ((id_, entry.name) for id_, entry in entries.items()), key=lambda one: one[1]
            )
            self.field(key).offer(names)  # type: ignore[union-attr]

    def present_check(self, checked: Check, library: Library, *, rated: bool) -> None:
        """Show the run; rated: its rate is a real one. What is missing is asked for there."""
        run = checked.run
        choices = format_choices()
        if run.model in library.models:
            choices = list(weight_choices(library.models[run.model].record))
        if run.weights and run.weights not in dict(choices):
            choices.append((run.weights, run.weights))
        self.field("weights").offer(choices)  # type: ignore[union-attr,arg-type]
        values: dict[str, Any] = {
            name: getattr(run, name) or None
            for name in ("machine", "model", "weights", "depth_tokens", "note")
        }
        values |= {
            name: getattr(run, name)
            for name in ("phase", "batch", "prompt_tokens", "generated_tokens")
        }
        values["tokens_per_s"] = run.tokens_per_s if rated else None
        drafting = run.drafting or Drafting("mtp")
        values |= {"draft_tokens": drafting.draft_tokens, "acceptance": drafting.acceptance}
        self.present(values, {"batch": 1 if run.phase != "serving" else None})
        said = {"machine": run.said.machine, "model": run.said.model, "weights": run.said.weights}
        for key in ("machine", "model", "weights"):
            words = ""
            if rated and key in checked.missing:
                words = tr("Choose it.")
                if said[key]:
                    words = tr("Choose it: the text says \u201c{printed}\u201d")
                    words = words.format(printed=said[key])
                elif run.said.model:
                    words = tr("Choose it: the text says nothing of it")
            self.refuse(key, words)

    def _whole(self, key: str, label: str, tip: str) -> None:
        self.number(key, label, tip, parse=typed.whole, empty=tr("not said"))


def answers_of(changes: Mapping[str, Any]) -> dict[str, Any]:
    """What was typed as fields of a run.

    >>> answers_of({"tokens_per_s": 12.45, "draft_tokens": 3, "batch": 2})["drafting"]
    Drafting(kind='mtp', draft_tokens=3, acceptance=None)
    """
    answers = {key: value for key, value in changes.items() if value is not None}
    if (rate := answers.get("tokens_per_s")) is not None:
        answers["decimals"] = len(exact(rate).partition(".")[2])
    drafted, accepted = answers.pop("draft_tokens", None), answers.pop("acceptance", None)
    if drafted:
        answers["drafting"] = Drafting("mtp", drafted, accepted)
    if "generated_tokens" in answers:
        answers["generated_tokens"] = float(answers["generated_tokens"])
    return answers


def fault_of(changes: Mapping[str, Any]) -> tuple[str, str]:
    """The key of a value that no measurement can have, with what to write; "" for none."""
    for key, value in changes.items():
        if value is None or isinstance(value, str):
            continue
        if key == "tokens_per_s" and not 0 < value < 1e12:
            return key, tr("must be above 0")
        if key == "acceptance" and not 0 <= value <= 1:
            return key, tr("must lie between 0 and 1")
        if key in ("batch", "draft_tokens") and value < 1:
            return key, tr("must be at least 1")
        if key not in ("tokens_per_s", "acceptance") and not 0 <= value < 2**31:
            return key, tr("must be a number of tokens or sessions below 2^31")
    return "", ""
