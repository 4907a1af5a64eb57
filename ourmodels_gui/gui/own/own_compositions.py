"""Keep the parts in use as a machine of one's own; rename, duplicate and delete such ones."""

import msgspec

from ...language import tr
from ...library import user as own_files
from ...library.compositions import CompositionEntry, CompositionRecord
from ...problem import BadInput
from ..asked.assembly import Assembly
from ..consent import may_lose
from .user_files import UserFiles


class OwnCompositions(UserFiles):
    """Each change writes a file, loads the library again and chooses the composition."""

    def _listen(self) -> None:
        self._window.machine_asked.connect(self._asked)

    def _asked(self, what: str) -> None:
        entry = self._chosen()
        try:
            if what == "keep" or (what == "duplicate" and entry is not None):
                self._keep()
            elif what == "edit" and entry is not None and entry.yours:
                self._rename(entry)
            elif what == "delete" and entry is not None and entry.yours:
                self._delete(entry)
        except BadInput as bad:
            self._window.bar.say(str(bad.problem))

    def _keep(self) -> None:
        parts = Assembly(self._store.scenario.hardware, self._store.library)
        name = self._ask_name(tr("Keep this machine"), self._window.machines.chosen_name)
        if not name or not parts.is_composed:
            return
        record = CompositionRecord(
            name=name, hardware=msgspec.structs.replace(parts.written, name="")
        )
        library = self._store.library
        _, made = own_files.add_composition(self._folder, record, library.hardware_ids)
        self._read_again()
        self._store.edit({"hardware": made})

    def _rename(self, entry: CompositionEntry) -> None:
        name = self._ask_name(tr("Rename {name}").format(name=entry.name), entry.name)
        if name and name != entry.name:
            own_files.rename(entry, name)
            self._read_again()

    def _delete(self, entry: CompositionEntry) -> None:
        words = tr("Delete \u201c{name}\u201d and its file?").format(name=entry.name)
        if may_lose(self._window, tr("Delete a machine"), words):
            own_files.delete(entry)
            # Its parts stay in use, written out.
            self._store.edit({"hardware": entry.hardware})
            self._read_again()

    def _chosen(self) -> CompositionEntry | None:
        hardware = self._store.scenario.hardware
        known = self._store.library.compositions
        return known.get(hardware) if isinstance(hardware, str) else None
