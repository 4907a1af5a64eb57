"""A result in words and rows: one ledger for the window, the text output and the report."""

from .shapes import Answer, Group, Input, Row, Summary, Tone
from .summarise import summarise
from .text import to_text

__all__ = ["Answer", "Group", "Input", "Row", "Summary", "Tone", "summarise", "to_text"]
