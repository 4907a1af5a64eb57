"""Questions that the files leave open, with their choices; and answers put in their place."""

from collections.abc import Mapping

import msgspec

from ...language import mark, tr
from ...problem import BadInput
from .described import Described, Layer
from .review import Choice, Question

PERIODS = (2, 3, 4, 5, 6, 8)
_OF_LAYERS = ("query_heads", "key_heads", "key_width")
BLOCKING = ("per_token",)
OPEN_FOR_GOOD = ("state", "layers")
"""Questions that no single number answers: the layout stays unknown."""

TEXTS: dict[str, str] = {
    "window": mark("Which layers see only the window?"),
    "query_heads": mark("How many query heads has a layer?"),
    "key_heads": mark("How many key heads has a layer?"),
    "key_width": mark("How wide is one head?"),
    "latent_width": mark("How wide is the latent that each token stores (kv_lora_rank)?"),
    "per_token": mark("How many of its routed experts does a token use?"),
    "context_tokens": mark("For how many tokens of context was the model made?"),
    "tied": mark("Is the output head the input embedding?"),
    "dense_width": mark("How wide is the MLP between its projections?"),
    "gated": mark("Has the MLP a gate beside its up and down projections?"),
    "mixers": mark("Which layers attend, and which keep a state?"),
    "state": mark("How large is the recurrent state?"),
    "layers": mark("How many layers has the model?"),
}


def choices_of(key: str, layer_count: int) -> tuple[Choice, ...]:
    """The answers one can give, without their effects; empty where a number is wanted."""
    if key == "window":
        periods = [n for n in PERIODS if n <= layer_count]
        return (
            Choice("none", tr("none: every layer sees everything")),
            Choice("all", tr("all layers")),
            *(Choice(f"every_{n}", _all_but(n)) for n in periods),
        )
    if key in ("tied", "gated"):
        return (Choice("yes", tr("yes")), Choice("no", tr("no")))
    if key == "mixers":
        return (
            Choice("both", tr("every layer attends and keeps a state")),
            Choice("state", tr("every layer keeps a state")),
            Choice("attention", tr("every layer attends")),
        )
    return ()


def question(key: str, layer_count: int, why: str = "") -> Question:
    """One open question. Parameters: why, what is missing in words."""
    return Question(
        key,
        tr(TEXTS.get(key, why)),
        choices_of(key, layer_count),
        blocking=key in BLOCKING,
        answerable=key not in OPEN_FOR_GOOD,
    )


def answered(said: Described, answers: Mapping[str, str]) -> Described:
    """The metadata as if it had said what the user answered.

    Raises BadInput naming the answer that is unknown or no number.
    """
    for key, answer in answers.items():
        if key not in TEXTS or key in OPEN_FOR_GOOD:
            known = ", ".join(name for name in TEXTS if name not in OPEN_FOR_GOOD)
            raise BadInput(
                f"answer.{key}", tr("nobody asked that; one of {known}").format(known=known)
            )
        choices = [choice.id for choice in choices_of(key, said.layer_count or 0)]
        if choices and answer not in choices:
            raise BadInput(
                f"answer.{key}",
                tr("“{answer}” is not one of {choices}").format(
                    answer=answer, choices=", ".join(choices)
                ),
            )
        if key in ("tied", "gated"):
            said = msgspec.structs.replace(said, **{key: answer == "yes"})
        elif key == "window":
            said = _windowed(said, answer)
        elif key == "mixers":
            said = _each(said, mixer=answer)
        elif key in _OF_LAYERS:
            said = _each(said, **{key: _number(key, answer)})
        else:
            said = msgspec.structs.replace(said, **{key: _number(key, answer)})
    return said


def _windowed(said: Described, answer: str) -> Described:
    period = 0 if answer in ("none", "all") else int(answer.removeprefix("every_"))
    layers = []
    for i, layer in enumerate(said.layers):
        sees_all = answer == "none" or bool(period and (i + 1) % period == 0)
        window = layer.window_tokens
        if window is None:
            window = 0 if sees_all else said.window_tokens
        layers.append(msgspec.structs.replace(layer, window_tokens=window))
    return msgspec.structs.replace(said, layers=tuple(layers))


def _each(said: Described, **changes: object) -> Described:
    layers = said.layers or (Layer(),) * (said.layer_count or 0)
    missing = [
        msgspec.structs.replace(
            layer, **{k: v for k, v in changes.items() if not getattr(layer, k)}
        )
        for layer in layers
    ]
    return msgspec.structs.replace(said, layers=tuple(missing))


def _number(key: str, answer: str) -> int:
    if not answer.isascii() or not answer.isdigit() or not 0 < int(answer[:20]) < 1 << 40:
        raise BadInput(
            f"answer.{key}",
            tr("“{answer}” is not a whole number of at least 1").format(answer=answer[:40]),
        )
    return int(answer)


def _all_but(n: int) -> str:
    words = {2: tr("all but every {n}nd layer"), 3: tr("all but every {n}rd layer")}
    return words.get(n, tr("all but every {n}th layer")).format(n=n)
