"""What a buyer needs, and the file that holds it; docs/requirements.md describes the format."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from .. import strict_json
from ..engine.setup import CachePolicy, Routing
from ..files import write_whole
from ..fitting import fit
from ..inline import Part, Positive, Tokens, TokensOrNone
from ..language import tr
from ..problem import BadInput
from ..scenario import READ_CONTEXT_TOKENS, InlineModel, ModelRef, PrefillChoice, WorkloadChoice

FORMAT = "ourmodels-requirements"
VERSION = 1


class Requirements(Part, frozen=True):
    """Needs of one model's users; what is None is not asked for.

    model: its weights left open mean any format of the release's own and the ladder.
    users: sessions at the same time, each with context_tokens reserved. read_context_tokens: what a
    step reads of them, as in a scenario. tokens_per_s_each: least rate of each session while all
    are active. first_token_s: longest wait for the first token after prompt_tokens, alone.
    budget: in the currency of the settings. watts: of the device.
    """

    model: ModelRef | InlineModel
    context_tokens: Tokens
    users: Annotated[int, Meta(ge=1, le=1_000_000)] = 1
    name: str | None = None
    read_context_tokens: TokensOrNone | None = None
    tokens_per_s_each: Positive | None = None
    first_token_s: Positive | None = None
    prompt_tokens: Tokens | None = None
    budget: Positive | None = None
    watts: Positive | None = None
    cache_format: str | None = None
    cache_read_format: str | None = None
    cache_policy: CachePolicy | None = None
    routing: Routing | None = None
    overhead_gb: Annotated[float, Meta(ge=0, le=1e9)] | None = None

    def __post_init__(self) -> None:
        if (self.read_context_tokens or 0) > self.context_tokens:
            raise BadInput("read_context_tokens", _above(self.context_tokens))
        if (self.prompt_tokens or 0) > self.context_tokens:
            raise BadInput("prompt_tokens", _above(self.context_tokens))

    @property
    def workload(self) -> WorkloadChoice:
        """The same as a scenario's workload: the users forced, no floor."""
        read = self.read_context_tokens
        return WorkloadChoice(
            reserved_context_tokens=self.context_tokens,
            read_context_tokens=min(READ_CONTEXT_TOKENS, self.context_tokens)
            if read is None
            else read,
            floor_tokens_per_s=0.0,
            overhead_gb=self.overhead_gb,
            cache_format=self.cache_format,
            cache_read_format=self.cache_read_format,
            cache_policy=self.cache_policy,
            routing=self.routing,
            batch=self.users,
        )

    @property
    def prefill(self) -> PrefillChoice | None:
        """The prompt that the first token waits for; None when no wait is asked for."""
        if self.first_token_s is None:
            return None
        prompt = self.prompt_tokens or min(8192, self.context_tokens)
        return PrefillChoice(prompt_tokens=prompt)


def _above(context_tokens: int) -> str:
    return tr(
        "is above context_tokens, which is {context_tokens:,}; lower it or raise the context"
    ).format(context_tokens=context_tokens)


def read(text: str | bytes) -> Requirements:
    """The requirements that a file holds. Raises BadInput with the path of the key at fault."""
    document: Any = strict_json.parse(text)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise BadInput(
            "format",
            tr('must be "{format}"; this is not a requirements file').format(format=FORMAT),
        )
    if document.get("version") != VERSION or isinstance(document["version"], bool):
        raise BadInput(
            "version",
            tr("must be {version}, the version that this program reads").format(version=VERSION),
        )
    rest = {key: value for key, value in document.items() if key not in ("format", "version")}
    requirements: Requirements = fit(rest, Requirements)
    return requirements


def read_file(path: str | Path) -> Requirements:
    """`read` a file. Raises OSError when it cannot be read; BadInput, which names the file."""
    return strict_json.of_file(path, read)


def write(requirements: Requirements) -> bytes:
    """The file that holds the requirements; what is not asked for stays absent."""
    document = {"format": FORMAT, "version": VERSION} | msgspec.to_builtins(requirements)
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def write_file(path: str | Path, requirements: Requirements) -> None:
    """Write the file whole, or leave what was there. Raises OSError."""
    write_whole(Path(path), write(requirements))
