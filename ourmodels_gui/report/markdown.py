"""A report as Markdown; a figure is the table of what it shows."""

import re
from collections.abc import Iterator

from .shapes import Block, Bullets, Figure, Heading, Report, Table, Text

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")


def to_markdown(report: Report) -> bytes:
    """The whole report, with every attachment as a block of code at its end."""
    return ("\n".join(_lines(report)).rstrip() + "\n").encode()


def _lines(report: Report) -> Iterator[str]:
    yield f"# {_plain(report.title)}\n"
    byline = " · ".join(part for part in (report.author, report.date, report.versions) if part)
    yield f"{_plain(byline)}\n"
    yield f"**{_plain(report.question)}**\n"
    for section in report.sections:
        yield f"## {section.title}\n"
        shown: set[str] = set()
        for block in section.blocks:
            yield from _block(block, shown)
    yield "## Attached\n"
    for attached in report.attachments:
        yield f"`{attached.name}`, {attached.description}:\n"
        yield from _code(attached.data.decode())


def _block(block: Block, shown: set[str]) -> Iterator[str]:
    if isinstance(block, Text):
        text = _plain(block.text)
        yield f"{text}\n" if block.style in ("body", "muted") else f"**{text}**\n"
    elif isinstance(block, Heading):
        yield f"### {_plain(block.text)}\n"
    elif isinstance(block, Bullets):
        for lead, item in block.items:
            yield f"- **{_plain(lead)}** {_plain(item)}" if lead else f"- {_plain(item)}"
        yield ""
    elif isinstance(block, Figure):
        yield f"### {_plain(block.title)}\n"
        yield f"{_plain(block.caption)}\n"
        yield from _table(block.table, shown)
    else:
        yield from _table(block, shown)


def _table(table: Table, shown: set[str]) -> Iterator[str]:
    """A table once: a figure and the text may both bring it."""
    if table.name in shown or not table.rows:
        return
    shown.add(table.name)
    if table.title:
        yield f"*{_plain(table.title)}*\n"
    yield "| " + " | ".join(_cell(column.title) for column in table.columns) + " |"
    yield "|" + "|".join("---:" if column.numeric else "---" for column in table.columns) + "|"
    for place, row in enumerate(table.rows):
        cells = [_cell(text) for text in row]
        if place in table.strong:
            cells = [f"**{text}**" if text else "" for text in cells]
        yield "| " + " | ".join(cells) + " |"
    yield ""
    if table.note:
        yield f"{_plain(table.note)}\n"


def _plain(text: str) -> str:
    """The text without a meaning in Markdown, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _cell(text: str) -> str:
    return "<br>".join(_plain(line) for line in text.split("\n"))


def _code(text: str) -> Iterator[str]:
    """A block whose fence is longer than any in the text."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}json\n{text.rstrip()}\n{fence}\n"
