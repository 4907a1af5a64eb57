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


class Context(msgspec.Struct):
    """What was said so far; it grows while a text is read.

    devices: how many of one device were named in the last listing. lengths: by option name.
    """

    device: str = ""
    devices: int = 0
    memory_gb: float | None = None
    model: str = ""
    lengths: dict[str, int] = {}

    def hear(self, line: str) -> bool:
        """Take what a line says; whether it said anything."""
        if found := DEVICE.search(line):
            self._device(next(group for group in found.groups() if group).strip(), line)
            return True
        if "Namespace(" in line:
            for name, value in NAMESPACE.findall(line):
                self._option(name.replace("_", "-"), value)
            return True
        if "--" not in line and " -m " not in line and "ollama run" not in line:
            return False
        for name, value in LENGTH.findall(line):
            self._option(name, value)
        if found := OPTION.search(line):
            self.model = found.group(1).replace("\\", "/").rsplit("/", maxsplit=1)[-1]
            if "--model" in found.group() and not found.group(1).endswith(".gguf"):
                self.model = found.group(1)
            return True
        return False

    def _device(self, name: str, line: str) -> None:
        again = name == self.device and not line.lstrip().startswith("Device 0:")
        self.devices = self.devices + 1 if again else 1
        self.device = name
        memory = VRAM.search(line)
        self.memory_gb = int(memory.group(1)) / 1024 if memory else None

    def _option(self, name: str, value: str) -> None:
        if name == "model":
            self.model = value
        elif (number := count(value)) is not None:
            self.lengths = self.lengths | {name: number}
