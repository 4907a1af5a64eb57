"""The shape of a hardware file."""

import msgspec


class HardwareRecord(msgspec.Struct, frozen=True):
    name: str
