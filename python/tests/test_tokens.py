"""Token datasets: judged by their bytes, and by megatron_core where tests/peers has installed it."""

from __future__ import annotations

import copy
import gc
import multiprocessing
import os
import pathlib
import pickle
import struct
import subprocess
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kaldi_tables as kt

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = [[[1, 2, 3]], [[4, 5, 6, 7], []], [], [[8, 9]]]


def write(prefix: object, documents: list, dtype: object = np.uint16, **options: object) -> None:
    with kt.tokens.IndexedDatasetBuilder(prefix, dtype, **options) as builder:
        for document in documents:
            for sequence in document:
                builder.add_item(sequence)
            builder.end_document()


def expected_index(documents: list, code: int, size: int) -> bytes:
    """The index of Megatron, written by hand."""
    lengths = [len(sequence) for document in documents for sequence in document]
    pointers = [size * sum(lengths[:number]) for number in range(len(lengths))]
    bounds = [sum(len(document) for document in documents[:number]) for number in range(len(documents) + 1)]
    head = b"MMIDIDX\0\0" + struct.pack("<QBQQ", 1, code, len(lengths), len(bounds))
    arrays = [np.array(lengths, "<i4"), np.array(pointers, "<i8"), np.array(bounds, "<i8")]
    return head + b"".join(array.tobytes() for array in arrays)


def test_files_are_those_of_megatron(tmp_path: pathlib.Path) -> None:
    for dtype, code in [("uint8", 1), ("int8", 2), ("int16", 3), ("int32", 4), ("int64", 5), ("uint16", 8)]:
        write(tmp_path / "text", DOCUMENTS, dtype)
        assert (tmp_path / "text.idx").read_bytes() == expected_index(DOCUMENTS, code, np.dtype(dtype).itemsize)
        assert (tmp_path / "text.bin").read_bytes() == np.arange(1, 10, dtype=dtype).tobytes()
        dataset = kt.tokens.IndexedDataset(tmp_path / "text")
        assert dataset.dtype == np.dtype(dtype)
        assert [sequence.tolist() for sequence in dataset] == [[1, 2, 3], [4, 5, 6, 7], [], [8, 9]]


def test_a_sequence_of_sequences(tmp_path: pathlib.Path) -> None:
    write(tmp_path / "text", DOCUMENTS)
    dataset = kt.tokens.IndexedDataset(str(tmp_path / "text.idx"))
    assert len(dataset) == 4 and dataset.dtype == np.uint16
    assert dataset[-1].tolist() == [8, 9] == dataset[np.int64(3)].tolist()
    assert [it.tolist() for it in dataset[::-2]] == [[8, 9], [4, 5, 6, 7]]
    assert [it.tolist() for it in reversed(dataset)][0] == [8, 9]
    assert dataset.sequence_lengths.tolist() == [3, 4, 0, 2]
    assert dataset.sequence_pointers.tolist() == [0, 6, 14, 14]
    assert dataset.document_indices.tolist() == [0, 1, 3, 3, 4]
    assert dataset.sequence_modes is None
    for wrong in (4, -5):
        with pytest.raises(IndexError):
            dataset[wrong]
    with pytest.raises(TypeError):
        dataset["1"]


def test_a_part_of_a_sequence(tmp_path: pathlib.Path) -> None:
    write(tmp_path / "text", DOCUMENTS)
    dataset = kt.tokens.IndexedDataset(tmp_path / "text")
    assert dataset.get(1).tolist() == [4, 5, 6, 7]
    assert dataset.get(1, 2).tolist() == dataset.get(-3, offset=2).tolist() == [6, 7]
    assert dataset.get(1, offset=1, length=2).tolist() == [5, 6]
    assert dataset.get(1, 4).tolist() == dataset.get(1, 4, 0).tolist() == []
    for offset, length in [(5, None), (-1, None), (0, 5), (3, 2), (0, -1)]:
        with pytest.raises(ValueError, match="sequence 1 has 4 tokens"):
            dataset.get(1, offset, length)


def test_arrays_are_views_that_outlive_the_dataset(tmp_path: pathlib.Path) -> None:
    write(tmp_path / "text", [[list(range(1000))]] * 50)
    dataset = kt.tokens.IndexedDataset(tmp_path / "text")
    arrays = list(dataset) + [dataset.sequence_lengths, dataset.document_indices]
    assert not any(array.flags.writeable or array.flags.owndata for array in arrays)
    assert np.shares_memory(dataset[3], dataset.get(3, 10, 20))
    del dataset
    gc.collect()
    (tmp_path / "text.bin").unlink()
    assert all(array.tolist() == list(range(1000)) for array in arrays[:50])
    assert arrays[50].tolist() == [1000] * 50


def read_in_child(dataset: kt.tokens.IndexedDataset, number: int) -> list:
    return dataset[number].tolist()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_datasets_pickle_and_reach_processes(tmp_path: pathlib.Path, method: str) -> None:
    write(tmp_path / "text", DOCUMENTS)
    dataset = kt.tokens.IndexedDataset(tmp_path / "text", dialect="megatron")
    for other in (pickle.loads(pickle.dumps(dataset)), copy.copy(dataset)):
        assert other[1].tolist() == [4, 5, 6, 7] and other.prefix == dataset.prefix
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.starmap(read_in_child, [(dataset, number % 4) for number in range(8)])
    assert found == [it.tolist() for it in dataset] * 2


def test_threads_read_at_once(tmp_path: pathlib.Path) -> None:
    write(tmp_path / "text", [[[number] * 7] for number in range(300)])
    dataset = kt.tokens.IndexedDataset(tmp_path / "text")
    wrong: list = []

    def read() -> None:
        wrong.extend(number for number in range(300) if dataset[number].tolist() != [number] * 7)

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_files_appear_at_the_end_of_the_block_or_never(tmp_path: pathlib.Path) -> None:
    prefix = tmp_path / "text"
    with pytest.raises(KeyError, match="mine"), kt.tokens.IndexedDatasetBuilder(prefix, np.int32) as builder:
        builder.add_item([1])
        builder.end_document()
        raise KeyError("mine")
    assert list(tmp_path.iterdir()) == []
    write(prefix, DOCUMENTS)
    old = (tmp_path / "text.bin").read_bytes()
    builder = kt.tokens.IndexedDatasetBuilder(prefix, np.int32)
    builder.add_item([7])
    assert (tmp_path / "text.bin").read_bytes() == old
    builder.discard()
    assert builder.closed and (tmp_path / "text.bin").read_bytes() == old
    for use in (lambda: builder.add_item([1]), builder.end_document, builder.__enter__):
        with pytest.raises(kt.ClosedError):
            use()
    builder.close()
    builder = kt.tokens.IndexedDatasetBuilder(prefix, np.int32)
    with pytest.warns(ResourceWarning, match="never closed"):
        del builder
        gc.collect()
    assert (tmp_path / "text.bin").read_bytes() == old
    assert sorted(path.name for path in tmp_path.iterdir()) == ["text.bin", "text.idx"]


def test_sequences_without_a_document_are_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ValueError, match="the last 2 sequences have no document"):
        with kt.tokens.IndexedDatasetBuilder(tmp_path / "text", np.int32) as builder:
            builder.add_item([1])
            builder.add_item([2])
    assert list(tmp_path.iterdir()) == []


def test_what_a_builder_takes(tmp_path: pathlib.Path) -> None:
    items = [np.array([1, 2], np.int64), np.array([3], ">i4"), np.arange(10)[::3], (4, 5), np.array([], np.float32), []]
    write(tmp_path / "text", [[item] for item in items], "int32")
    found = [it.tolist() for it in kt.tokens.IndexedDataset(tmp_path / "text")]
    assert found == [[1, 2], [3], [0, 3, 6, 9], [4, 5], [], []]
    with kt.tokens.IndexedDatasetBuilder(tmp_path / "text", np.uint8) as builder:
        for wrong in ([256], [-1], np.array([1 << 40]), [1 << 70]):
            with pytest.raises(OverflowError):
                builder.add_item(wrong)
        for wrong in ([1.5], ["a"], np.array([True])):
            with pytest.raises(TypeError):
                builder.add_item(wrong)
        for wrong in (5, [[1, 2]]):
            with pytest.raises(ValueError):
                builder.add_item(wrong)
        builder.add_item([255])
        builder.end_document()
    assert [it.tolist() for it in kt.tokens.IndexedDataset(tmp_path / "text")] == [[255]]
    for dtype in ("complex64", "bool", "float16", "uint32"):
        with pytest.raises(ValueError):
            kt.tokens.IndexedDatasetBuilder(tmp_path / "other", dtype)


def test_other_dialects_and_modes(tmp_path: pathlib.Path) -> None:
    with kt.tokens.IndexedDatasetBuilder(tmp_path / "modes", np.int32, multimodal=True) as builder:
        builder.add_item([1, 2], mode=1)
        builder.add_item([3], -1)
        builder.end_document()
    modes = kt.tokens.IndexedDataset(tmp_path / "modes").sequence_modes
    assert modes is not None and modes.tolist() == [1, -1]
    write(tmp_path / "fair", [[[1, 2]], [[3]]], dialect="fairseq")
    fair = kt.tokens.IndexedDataset(tmp_path / "fair")
    assert fair.dialect == "fairseq" and fair.document_indices.tolist() == [0, 1, 2]
    write(tmp_path / "deep", [[[1, 1 << 31]]], "uint32", dialect="deepspeed")
    assert kt.tokens.IndexedDataset(tmp_path / "deep", dialect="deepspeed")[0].tolist() == [1, 1 << 31]
    write(tmp_path / "floats", [[[1.5, 2]]], "float32")
    assert kt.tokens.IndexedDataset(tmp_path / "floats")[0].tolist() == [1.5, 2]
    with pytest.raises(ValueError, match="expected dialect to be one of megatron"):
        kt.tokens.IndexedDataset(tmp_path / "fair", dialect="other")
    with pytest.raises(kt.DataError):
        kt.tokens.IndexedDataset(tmp_path / "fair", dialect="megatron")


def test_empty_datasets(tmp_path: pathlib.Path) -> None:
    for documents in ([], [[]], [[[]]]):
        write(tmp_path / "text", documents)
        dataset = kt.tokens.IndexedDataset(tmp_path / "text")
        assert len(dataset) == sum(map(len, documents)) == len(dataset.sequence_lengths)
        assert dataset[:] == [] or dataset[0].tolist() == []
        assert dataset.document_indices.tolist()[0] == 0


def test_damage_is_an_error_and_gives_no_wrong_tokens(tmp_path: pathlib.Path) -> None:
    write(tmp_path / "text", DOCUMENTS)
    index, tokens = (tmp_path / "text.idx").read_bytes(), (tmp_path / "text.bin").read_bytes()
    whole = [it.tolist() for it in kt.tokens.IndexedDataset(tmp_path / "text")]
    for damaged in [index[:cut] for cut in range(len(index))] + [
        index[:at] + bytes([index[at] ^ 0x41]) + index[at + 1 :] for at in range(len(index))
    ]:
        (tmp_path / "text.idx").write_bytes(damaged)
        try:
            found = [it.tolist() for it in kt.tokens.IndexedDataset(tmp_path / "text")]
        except kt.DataError as error:
            assert error.file is not None and error.file.startswith(str(tmp_path / "text"))
            continue
        # Bounds of documents do not matter here, and int16 is another type of the same size.
        assert found == whole
    (tmp_path / "text.idx").write_bytes(index)
    for cut in range(len(tokens)):
        (tmp_path / "text.bin").write_bytes(tokens[:cut])
        with pytest.raises(kt.DataError):
            list(kt.tokens.IndexedDataset(tmp_path / "text"))
    with pytest.raises(FileNotFoundError):
        kt.tokens.IndexedDataset(tmp_path / "none")
    (tmp_path / "pickle.idx").write_bytes(b"\x80\x04\x95" + bytes(40))
    (tmp_path / "pickle.bin").touch()
    with pytest.raises(kt.DataError, match="pickle"):
        kt.tokens.IndexedDataset(tmp_path / "pickle")


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.lists(st.integers(-(2**15), 2**15 - 1), max_size=9), max_size=4), max_size=6))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, documents: list) -> None:
    prefix = tmp_path_factory.mktemp("tokens") / "text"
    write(prefix, documents, "int16")
    dataset = kt.tokens.IndexedDataset(prefix)
    assert [it.tolist() for it in dataset] == [sequence for document in documents for sequence in document]
    bounds = dataset.document_indices
    found = [[it.tolist() for it in dataset[start:end]] for start, end in zip(bounds[:-1], bounds[1:])]
    assert found == documents


MEGATRON = """
import json, sys, numpy
from load_megatron import Item, load
indexed_dataset = load()[0]
prefix, theirs, dtype, documents = sys.argv[1], sys.argv[2], sys.argv[3], json.loads(sys.argv[4])
dataset = indexed_dataset.IndexedDataset(prefix)
print(json.dumps([
    [it.tolist() for it in (dataset[number] for number in range(len(dataset)))],
    dataset.document_indices.tolist(), dataset.get(1, 1, 2).tolist(), str(numpy.dtype(dataset.index.dtype)),
]))
builder = indexed_dataset.IndexedDatasetBuilder(theirs + ".bin", dtype=numpy.dtype(dtype).type)
for document in documents:
    for sequence in document:
        builder.add_item(Item(numpy.array(sequence, dtype)))
    builder.end_document()
builder.finalize(theirs + ".idx")
"""


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint16", "int32", "int64"])
def test_megatron_reads_and_writes_the_same(tmp_path: pathlib.Path, dtype: str) -> None:
    import json

    target = os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target"))
    python = pathlib.Path(target, "peers", "bin", "python")
    if not python.exists():
        pytest.skip("megatron_core is not installed: scripts/peers.sh does that")
    write(tmp_path / "ours", DOCUMENTS, dtype)
    words = [tmp_path / "ours", tmp_path / "theirs", dtype, json.dumps(DOCUMENTS)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests" / "peers" / "scripts")}
    run = subprocess.run([python, "-c", MEGATRON, *words], capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == [[[1, 2, 3], [4, 5, 6, 7], [], [8, 9]], [0, 1, 3, 3, 4], [5, 6], dtype]
    for suffix in ("idx", "bin"):
        assert (tmp_path / f"ours.{suffix}").read_bytes() == (tmp_path / f"theirs.{suffix}").read_bytes()
