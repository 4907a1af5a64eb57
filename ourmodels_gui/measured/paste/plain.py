"""From what was pasted or opened to plain lines."""

import re

MOST_BYTES = 32_000_000
ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
LOST = "\ufffd"
"""What stands for a byte that is no text."""


def plain_lines(text: str | bytes) -> list[str] | None:
    """Lines without colours and control characters; None for what is no text.

    Of a line that a progress display wrote over, the last writing counts.

    >>> plain_lines(b"\\x1b[32mpp512\\x1b[0m\\r\\n 10%\\r 99%\\rdone")
    ['pp512', 'done']
    """
    if isinstance(text, bytes):
        data = text[:MOST_BYTES]
        wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        text = data.decode("utf-16" if wide else "utf-8-sig", "replace")
    text = text[:MOST_BYTES]
    sample = ANSI.sub("", text[:20_000])
    odd = len(CONTROL.findall(sample)) + sample.count(LOST)
    if odd > 0.05 * len(sample) + 8:
        return None
    lines = CONTROL.sub("", ANSI.sub("", text)).split("\n")
    return [
        line.rstrip("\r").rsplit("\r", maxsplit=1)[-1] if "\r" in line else line for line in lines
    ]
