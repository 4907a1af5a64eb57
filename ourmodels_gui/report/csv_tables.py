"""The tables of a report as CSV: each under its title, an empty line between two."""

import csv
import io
from collections.abc import Iterator

from .shapes import Figure, Report, Table

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet would compute instead of show."""


def to_csv(report: Report) -> bytes:
    """Every table once, those behind the figures too; UTF-8 with the mark spreadsheets look for."""
    text = io.StringIO()
    write = csv.writer(text, lineterminator="\r\n")
    write.writerow(["report", _cell(report.title)])
    for section, table in _tables(report):
        write.writerow([])
        write.writerow([table.name, section, _cell(table.title)])
        write.writerow([_cell(" ".join(column.title.split())) for column in table.columns])
        write.writerows([_cell(text) for text in row] for row in table.rows)
    return b"\xef\xbb\xbf" + text.getvalue().encode()


def _tables(report: Report) -> Iterator[tuple[str, Table]]:
    shown = set()
    for section in report.sections:
        for block in section.blocks:
            table = block.table if isinstance(block, Figure) else block
            if isinstance(table, Table) and table.rows and table.name not in shown:
                shown.add(table.name)
                yield section.title, table


def _cell(text: str) -> str:
    """The text; one that a spreadsheet would take for a formula is quoted for it.

    >>> _cell("=1+1"), _cell("-"), _cell("-20 %"), _cell("1,008")
    ("'=1+1", '-', '-20 %', '1,008')
    """
    harmless = text == "-" or text[1:2].isdigit()
    return f"'{text}" if text.startswith(_FORMULA) and not (harmless and text[0] in "+-") else text
