"""A format of the weights among the words of a search: "qwen 4bit" is Qwen in four bits."""

from ...library.formats import WEIGHT_FORMATS
from ..choice_list import squeezed
from .search import tokens_of

SPOKEN = {
    **{f"{bits}bit": f"q{bits}_k_m" for bits in (3, 4, 5)},
    **{f"q{bits}": f"q{bits}_k_m" for bits in (3, 4, 5)},
    "2bit": "q2_k",
    "6bit": "q6_k",
    "8bit": "q8_0",
    "16bit": "bf16",
    "q2": "q2_k",
    "q6": "q6_k",
    "q8": "q8_0",
    "int4": "q4_k_m",
    "gguf": "q4_k_m",
    "mlx": "mlx-4bit",
    "awq": "awq-g128",
    "gptq": "gptq-g128",
    "fp4": "nvfp4",
}
"""What people type for the most common format of a kind, beside the formats' own ids and names."""

FORMATS = {squeezed(id_): id_ for id_ in WEIGHT_FORMATS} | SPOKEN


def sought_format(text: str) -> tuple[str, str | None]:
    """The words of a search without those that name a format, and the format that the last names.

    >>> sought_format("qwen 4 bit"), sought_format("Q8_0 llama"), sought_format("moe 30b")
    (('qwen', 'q4_k_m'), ('llama', 'q8_0'), ('moe 30b', None))
    """
    words, found = [], None
    for token in tokens_of(text):
        if (named := FORMATS.get(squeezed(token))) is not None:
            found = named
        else:
            words.append(token)
    return " ".join(words), found
