"""The report of a reverse search: what is needed, who can meet it, what the others lack."""

from collections.abc import Sequence

from ..evaluation import run
from ..ranking.requirements import Requirements, write
from ..ranking.search import Candidate, Found, search
from ..units import plain, rate, tokens
from .build import assembled, details, encodable, scenario_files
from .known import Known
from .shapes import Attachment, Block, Column, Heading, Options, Report, Section, Table, Text, cell
from .subject import LETTERS, MOST, subjects

REQUIREMENTS_NAME = "requirements.ourmodels.json"
MOST_ROWS = 15


def build_search(
    requirements: Requirements, known: Known, options: Options | None = None
) -> Report:
    """The report of a reverse search; its sections after the answer are of the first candidates.

    Parameters: requirements; known, whose library is searched and whose prices count; options.
    Errors: BadInput as the search raises it, or where no machine has an answer to show.
    """
    options = encodable(options or Options())
    found = search(known.library, requirements, known.settings)
    shown = [*found.meets, *found.unknown, *found.misses][:MOST]
    evaluations = [run(candidate.scenario, known.library) for candidate in shown]
    told = subjects([done for done in evaluations if done.problem is None], known.library)
    letters = {
        candidate.machine.name: LETTERS[place]
        for place, candidate in enumerate(
            c for c, done in zip(shown, evaluations, strict=True) if done.problem is None
        )
    }
    model = told[0].model
    return assembled(
        (_answer(found, letters, known, options.note), *details(told, known)),
        known,
        options,
        title=requirements.name or f"Machines for {model}",
        question=_question(requirements, model, known.settings.currency),
        attachments=(
            Attachment(REQUIREMENTS_NAME, write(requirements), "what is needed"),
            *scenario_files(told, known),
        ),
    )


def _question(needs: Requirements, model: str, currency: str) -> str:
    users = "one user" if needs.users == 1 else f"{needs.users:,} users at the same time"
    said = [f"{tokens(needs.context_tokens)} tokens of context for each"]
    if needs.tokens_per_s_each is not None:
        said.append(f"at least {rate(needs.tokens_per_s_each)} tok/s each")
    if needs.first_token_s is not None:
        said.append(f"the first token within {plain(needs.first_token_s)} s")
    if needs.budget is not None:
        said.append(f"a budget of {plain(needs.budget)} {currency}")
    if needs.watts is not None:
        said.append(f"at most {plain(needs.watts)} W")
    return f"Which machine can serve {model} to {users}, with {', '.join(said)}?"


def _answer(found: Found, letters: dict[str, str], known: Known, note: str) -> Section:
    blocks: list[Block] = [Text(_verdict(found, known.settings.currency), "lead")]
    blocks += [Text(said, "muted") for said in found.said]
    for name, title, listed in (
        ("meets", "Can meet every need, by price", found.meets),
        ("unknown", "Ruled out by nothing, with something unknown", found.unknown),
        ("misses", "The nearest misses", found.misses),
    ):
        if listed:
            blocks += _table(name, title, listed, letters, known.settings.currency)
    if letters:
        blocks.append(Text("The sections that follow are about the machines with a letter."))
    if note.strip():
        paragraphs = (part.strip() for part in note.split("\n"))
        blocks += [Heading("Note"), *(Text(part) for part in paragraphs if part)]
    return Section("answer", "Answer", tuple(blocks))


def _verdict(found: Found, currency: str) -> str:
    if found.meets:
        first = found.meets[0]
        many = f"{len(found.meets):,} machines" if len(found.meets) > 1 else "One machine"
        price = "" if first.price is None else f" at {first.price_text()} {currency}"
        which = "cheapest" if first.price is not None and first.price_tag.whole else "first"
        return f"{many} can meet every need; the {which} is {first.machine.name}{price}."
    if found.unknown:
        count = len(found.unknown)
        which = "one is" if count == 1 else f"{count:,} are"
        return (
            f"No machine is known to meet every need; {which} ruled out by nothing, with something "
            "asked for unknown."
        )
    return "No machine meets these needs, and that is certain."


def _table(
    name: str, title: str, listed: Sequence[Candidate], letters: dict[str, str], currency: str
) -> list[Block]:
    columns = (
        Column("", 0.3),
        Column("Machine", 2.2),
        Column("Weights", 0.8),
        Column(f"Price\n{currency}", 0.8, numeric=True),
        Column("Lacks" if name == "misses" else "Binds", 3.4),
        Column("Headroom", 0.8, numeric=True),
    )
    rows = tuple(_row(candidate, letters) for candidate in listed[:MOST_ROWS])
    left = len(listed) - len(rows)
    note = f"And {left:,} more." if left > 0 else ""
    return [Table(f"search-{name}", title, columns, rows, note)]


def _row(candidate: Candidate, letters: dict[str, str]) -> tuple[str, ...]:
    binds = candidate.binds
    said = [check.said() for check in candidate.lacks or candidate.unknown]
    if not said and binds is not None:
        said = [binds.said()]
    headroom = None if binds is None else binds.headroom
    return (
        letters.get(candidate.machine.name, ""),
        cell(candidate.machine.name),
        candidate.weights,
        candidate.price_text() or "-",
        cell("\n".join(said)),
        "-" if headroom is None else f"{headroom:.2f} x",
    )
