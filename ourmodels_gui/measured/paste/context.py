"""What lines around a benchmark say of the device, the model and the lengths."""

import re

import msgspec

from .figures import count

DEVICE = re.compile(
    r"^\s*Device \d+: (?P<cuda>[^,]+)|"
    r"ggml_vulkan: \d+ = (?P<vulkan>[^(|]+)|"
    r"picking default device: (?P<metal>.+)|GPU name:\s+(?P<name>.+)|"
    r"found device: (?P<found>.+)"
)
VRAM = re.compile(r"VRAM: (\d+) MiB")
OPTION = re.compile(
    r"(?:^|\s)(?:-m|--model|--model-path|--hf-repo|-hf|ollama run)[ =]+[\"']?([^\s\"']+)"
)
NAMESPACE = re.compile(r"\b(input_len|output_len|batch_size|model|max_concurrency)='?([^,')]+)")
LENGTH = re.compile(r"--(input-len|output-len|batch-size|max-concurrency)[ =](\d+)")
USED = re.compile(
    r"--?(?:tensor-parallel-size|tp(?:-size)?|pipeline-parallel-size|pp-size|ep(?:-size)?"
    r"|expert-parallel-size|sm|split-mode|n-cpu-moe|ncmoe|cpu-offload-gb)[ =]+\S+"
    r"|(?:-ot|--override-tensor)[ =]+\S+|--?(?:cpu-moe|cmoe)\b|--enable-expert-parallel\b|--rpc\b"
    r"|(?:-ngl|--n-gpu-layers|--gpu-layers)[ =]+[1-8]?\d\b"
    r"|\b(?:tensor|pipeline)_parallel_size=[2-9]\d*|\benable_expert_parallel=True"
    r"|\bcpu_offload_gb=[1-9][\d.]*"
)
"""Options that say how several devices or host memory are used."""
FURTHER = re.compile(r"^\s*Device [1-9]\d*:|ggml_vulkan: [1-9]\d* = ")
"""A second or later device of one listing."""
MOST_OTHERS, MOST_USED = 63, 300


class Context(msgspec.Struct):
    """What was said so far; it grows while a text is read.

    device: the last one named; others: unlike ones of the same listing. devices: how many of one
    device were named in it. lengths: by option name. used: options of several devices and of host
    memory, as the last command line has them. shares: whether the device has the host's memory.
    """

    device: str = ""
    others: tuple[str, ...] = ()
    devices: int = 0
    memory_gb: float | None = None
    model: str = ""
    lengths: dict[str, int] = {}
    used: str = ""
    shares: bool = False

    @property
    def machine(self) -> str:
        """The devices as printed: one name, or unlike ones joined."""
        if not self.others:
            return self.device
        return " + ".join((*(self.device,) * self.devices, *self.others))

    @property
    def count(self) -> int:
        """How many of the machine that is named."""
        return 1 if self.others else max(self.devices, 1)

    def noted(self, *words: str) -> str:
        """A note: what is used, and further words that it does not say yet."""
        return "; ".join(filter(None, (self.used, *(w for w in words if w not in self.used))))

    def hear(self, line: str) -> bool:
        """Take what a line says; whether it said anything."""
        if found := DEVICE.search(line):
            self._device(next(group for group in found.groups() if group).strip(), line)
            return True
        if "Namespace(" in line:
            self._hear_used(line)
            for name, value in NAMESPACE.findall(line):
                self._option(name.replace("_", "-"), value)
            return True
        if "--" not in line and " -m " not in line and "ollama run" not in line:
            return False
        self._hear_used(line)
        for name, value in LENGTH.findall(line):
            self._option(name, value)
        if found := OPTION.search(line):
            self.model = found.group(1).replace("\\", "/").rsplit("/", maxsplit=1)[-1]
            if "--model" in found.group() and not found.group(1).endswith(".gguf"):
                self.model = found.group(1)
            return True
        return False

    def _hear_used(self, line: str) -> None:
        if found := USED.findall(line):
            self.used = " ".join(dict.fromkeys(found))[:MOST_USED]

    def _device(self, name: str, line: str) -> None:
        """A device of a listing. An integrated one beside another is not used, nor named."""
        listed, shares = FURTHER.search(line) is not None, "uma: 1" in line
        if listed and self.device and name != self.device and not self.shares:
            self.others = self.others if shares else (*self.others, name)[:MOST_OTHERS]
            return
        self.devices = self.devices + 1 if listed and name == self.device else 1
        self.device, self.others, self.shares = name, (), shares
        memory = VRAM.search(line)
        self.memory_gb = int(memory.group(1)) / 1024 if memory else None

    def _option(self, name: str, value: str) -> None:
        if name == "model":
            self.model = value
        elif (number := count(value)) is not None:
            self.lengths = self.lengths | {name: number}
