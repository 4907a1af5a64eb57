"""Two windows that save one file at the same moment: one of them is told, nothing is lost."""

import threading

import pytest

from ourmodels_gui.files import FileChanged, write_over


def race(path, read, writers):
    """Every writer saves over what all of them read; returns who wrote and who was refused."""
    wrote, refused = [], []
    gate = threading.Barrier(len(writers))

    def save(data):
        gate.wait()
        try:
            write_over(path, data, read)
        except FileChanged:
            refused.append(data)
        else:
            wrote.append(data)

    threads = [threading.Thread(target=save, args=(data,)) for data in writers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrote, refused


@pytest.mark.parametrize("round_", range(20))
def test_of_windows_that_save_at_once_one_writes_and_the_others_are_told(tmp_path, round_):
    path = tmp_path / "shared.json"
    path.write_bytes(b"first")
    wrote, refused = race(path, b"first", [b"one", b"two", b"three", b"four"])
    assert len(wrote) == 1
    assert len(refused) == 3
    assert path.read_bytes() == wrote[0]
    assert [item.name for item in tmp_path.iterdir()] == ["shared.json"]


def test_a_file_that_is_gone_is_written_anew(tmp_path):
    write_over(tmp_path / "new.json", b"data", b"before")
    assert (tmp_path / "new.json").read_bytes() == b"data"


def test_another_content_is_refused_and_stays(tmp_path):
    path = tmp_path / "shared.json"
    path.write_bytes(b"theirs")
    with pytest.raises(FileChanged):
        write_over(path, b"mine", b"first")
    assert path.read_bytes() == b"theirs"
