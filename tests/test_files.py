import errno
import io
import os
import threading

import pytest

from ourmodels_gui import files


def test_replace_writes_the_whole_content(tmp_path):
    path = tmp_path / "a.json"
    files.create(path, b"old")
    files.replace(path, b"new", files.stamp(b"old"))
    assert path.read_bytes() == b"new"


def test_create_never_takes_a_name_that_exists(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(b"theirs")
    with pytest.raises(FileExistsError):
        files.create(path, b"mine")
    assert path.read_bytes() == b"theirs"


def test_create_respects_a_link_that_points_nowhere(tmp_path):
    path = tmp_path / "a.json"
    path.symlink_to(tmp_path / "gone")
    with pytest.raises(FileExistsError):
        files.create(path, b"mine")
    assert path.is_symlink()


def test_replace_refuses_a_file_that_changed_since_it_was_read(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(b"theirs")
    with pytest.raises(files.FileChanged):
        files.replace(path, b"mine", files.stamp(b"what I read"))
    assert path.read_bytes() == b"theirs"


def test_replace_refuses_a_file_that_is_gone(tmp_path):
    with pytest.raises(files.FileChanged):
        files.replace(tmp_path / "a.json", b"mine", files.stamp(b"what I read"))
    assert not (tmp_path / "a.json").exists()


def test_replace_without_expectation_overwrites(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(b"theirs")
    files.replace(path, b"mine", None)
    assert path.read_bytes() == b"mine"


def test_delete_removes_only_what_was_read(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(b"theirs")
    with pytest.raises(files.FileChanged):
        files.delete(path, files.stamp(b"what I read"))
    files.delete(path, files.stamp(b"theirs"))
    assert not path.exists()


@pytest.mark.parametrize("broken", ["fsync", "replace"])
def test_crash_while_saving_leaves_the_old_file_and_no_rubbish(tmp_path, monkeypatch, broken):
    path = tmp_path / "a.json"
    path.write_bytes(b"old")

    def fail(*_):
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(files.os, broken, fail)
        with pytest.raises(OSError, match="disk full"):
            files.replace(path, b"new", files.stamp(b"old"))
    assert path.read_bytes() == b"old"
    assert sorted(p.name for p in tmp_path.iterdir()) == [".lock", "a.json"]


def test_content_is_on_the_disk_before_the_name_changes(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    order = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(files.os, "fsync", lambda fd: (order.append("fsync"), fsync(fd)))
    monkeypatch.setattr(files.os, "replace", lambda a, b: (order.append("replace"), replace(a, b)))
    files.create(path, b"new")
    assert order[:2] == ["fsync", "replace"]


def test_rights_of_the_old_file_are_kept(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    path.chmod(0o640)
    files.replace(path, b"new", None)
    assert path.stat().st_mode & 0o777 == 0o640


def test_two_windows_saving_at_once_lose_nothing(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(b"start")
    seen = files.stamp(b"start")
    barrier = threading.Barrier(8)
    outcome = []

    def window(number):
        barrier.wait()
        try:
            files.replace(path, b"window %d" % number, seen)
            outcome.append(("saved", number))
        except files.FileChanged:
            outcome.append(("refused", number))

    threads = [threading.Thread(target=window, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    saved = [number for what, number in outcome if what == "saved"]
    assert len(outcome) == 8
    assert [path.read_bytes()] == [b"window %d" % n for n in saved]


def test_two_windows_creating_one_name_make_one_file(tmp_path):
    path = tmp_path / "a.json"
    barrier = threading.Barrier(8)
    made = []

    def window(number):
        barrier.wait()
        try:
            files.create(path, b"window %d" % number)
            made.append(number)
        except FileExistsError:
            pass

    threads = [threading.Thread(target=window, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [path.read_bytes()] == [b"window %d" % n for n in made]


def test_a_huge_file_is_refused_without_reading_it_all(tmp_path):
    path = tmp_path / "a.json"
    with path.open("wb") as file:
        file.truncate(50_000_000_000)
    with pytest.raises(ValueError, match="larger than 1 MB"):
        files.read_small(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_in_the_folder_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / "a.json")
    with pytest.raises(ValueError, match="not an ordinary file"):
        files.read_small(tmp_path / "a.json")


@pytest.mark.parametrize(
    "write",
    [
        lambda path: files.write_whole(path, b"new"),
        lambda path: files.write_over(path, b"new", b"old"),
        lambda path: files.replace(path, b"new", None),
    ],
    ids=["whole", "over", "replace"],
)
def test_a_read_only_file_stays_as_it_is(tmp_path, write):
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(PermissionError, match="read-only"):
        write(path)
    assert path.read_bytes() == b"old"
    assert {item.name for item in tmp_path.iterdir()} <= {".lock", "a.json"}


class FullDisk(io.RawIOBase):
    """Takes a little, then has no room."""

    def __init__(self, handle):
        self._handle, self._room = handle, 100

    def writable(self):
        return True

    def fileno(self):
        return self._handle

    def write(self, data):
        if not self._room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        taken = os.write(self._handle, bytes(data[: self._room]))
        self._room = 0
        return taken

    def close(self):
        if not self.closed:
            os.close(self._handle)
        super().close()


@pytest.mark.parametrize("before", [b"old", None], ids=["over-another", "new"])
def test_a_disk_that_fills_up_on_the_way_leaves_no_half_file(tmp_path, monkeypatch, before):
    path = tmp_path / "a.json"
    if before is not None:
        path.write_bytes(before)
    monkeypatch.setattr(files.os, "fdopen", lambda handle, _: io.BufferedWriter(FullDisk(handle)))
    with pytest.raises(OSError, match="No space left"):
        files.write_whole(path, b"x" * 100_000)
    assert (path.read_bytes() if path.exists() else None) == before
    assert len(list(tmp_path.iterdir())) == (before is not None)
