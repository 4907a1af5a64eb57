"""`ourmodels probe`: what this computer is, read without special rights."""

import argparse

from .terminal import BAD_INPUT, DONE, Refused, put, tell


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("probe", help="read what this computer is")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.add_argument(
        "--bandwidth", action="store_true", help="measure the read bandwidth of main memory (6 s)"
    )
    parser.add_argument("--save", action="store_true", help="keep it among your own machines")
    parser.add_argument("--name", metavar="NAME", help="what to call it")
    parser.add_argument(
        "--limit",
        type=float,
        metavar="GB/s",
        help="the memory's bandwidth, where it cannot be read",
    )
    parser.set_defaults(run=run)


def run(asked: argparse.Namespace) -> int:
    import msgspec  # noqa: PLC0415

    from .. import paths  # noqa: PLC0415
    from ..library.load import load  # noqa: PLC0415
    from ..library.user import add_machine  # noqa: PLC0415
    from ..probe import candidates, probe  # noqa: PLC0415
    from ..probe.bandwidth import measure  # noqa: PLC0415
    from ..probe.own import with_bandwidth  # noqa: PLC0415
    from ..probe.words import as_text, as_values  # noqa: PLC0415

    if asked.limit is not None and not 0.1 <= asked.limit <= 1e8:
        raise Refused("--limit must be a bandwidth in GB/s, such as 89.6", BAD_INPUT)
    user = paths.user_data()
    library = load(paths.catalog(), user)
    computer = probe()
    found = candidates(computer, library)
    bandwidth = None
    if asked.bandwidth:
        bandwidth = measure(computer.cache_bytes, computer.memory_bytes)
    if asked.json:
        text = msgspec.json.format(msgspec.json.encode(as_values(computer, found, bandwidth)))
        status = put(text + b"\n")
    else:
        status = put(as_text(computer, found, bandwidth).encode())
    if not asked.save or status != DONE:
        return status
    own = next((one for one in found if not one.id), None)
    if own is None:
        raise Refused("nothing to save: the catalog has this machine already", BAD_INPUT)
    own = msgspec.structs.replace(
        own,
        name=asked.name or own.name,
        bandwidth_gb_per_s=asked.limit or own.bandwidth_gb_per_s,
        notes=(*own.notes, "bandwidth typed") if asked.limit else own.notes,
    )
    record = own.record()
    if record is None:
        raise Refused("not saved: its bandwidth is unknown; give it with --limit", BAD_INPUT)
    if bandwidth is not None and own.reads_main_memory:
        record = with_bandwidth(record, bandwidth)
    place, id_ = add_machine(user, record, library.hardware_ids)
    tell(f"saved as {id_}, in {place}")
    return status
