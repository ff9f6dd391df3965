"""Training examples: read, made, changed and written, beside what the tools say of them."""

from __future__ import annotations

import pathlib
import pickle
import struct

import numpy as np
import pytest
import tool_runs

import kaldi_tables as kt
from kaldi_tables.compat import kaldiio as ours


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> pathlib.Path:
    """`egs.ark`, `egs.scp` and `egs.txt`: examples of four frames, compressed; `full.ark` without compression."""
    folder = tmp_path_factory.mktemp("egs")
    feats = {f"utt{at}": np.arange(24, dtype=np.float32).reshape(12, 2) + at for at in range(3)}
    tool_runs.write_matrices(folder / "feats.ark", feats)
    (folder / "post").write_text("".join(f"utt{at} " + "[ 3 1 ] " * 4 + "[ ] " + "[ 1 0.5 2 0.5 ] " * 7 + "\n" for at in range(3)))
    for name, options in (("egs", []), ("full", ["--compress=false"])):
        words = ["--num-pdfs=5", "--num-frames=4", "--left-context=1", f"ark:{folder}/feats.ark", f"ark:{folder}/post"]
        tool_runs.run("nnet3-get-egs", *options, *words, f"ark,scp:{folder}/{name}.ark,{folder}/{name}.scp")
    tool_runs.run("nnet3-copy-egs", f"ark:{folder}/full.ark", f"ark,t:{folder}/full.txt")
    return folder


def test_examples_have_names_frames_numbers_and_labels(folder):
    entries = dict(kt.open(f"ark:{folder}/full.ark"))
    assert list(entries) == [f"utt{at}-{start}" for at in range(3) for start in (0, 4, 8)]
    example = entries["utt1-4"]
    assert isinstance(example, kt.Example)
    assert example.keys() == list(example) == ["input", "output"] and len(example) == 2 and "output" in example
    io, output = example["input"], example["output"]
    assert (io.name, io.stored, len(io)) == ("input", "full", 5)
    assert io.indexes.dtype == np.int32 and io.indexes.tolist() == [[0, t, 0] for t in range(-1, 4)]
    assert io.t.tolist() == [-1, 0, 1, 2, 3]
    assert io.matrix.dtype == np.float32 and io.matrix.tolist() == (np.arange(6, 16).reshape(5, 2) + 1).tolist()
    assert io.sparse is None and output.stored == "sparse"
    dim, lengths, index, weight = output.sparse
    assert (dim, lengths.tolist(), index.tolist()) == (5, [0, 2, 2, 2], [1, 2] * 3)
    assert output.sparse.weight.tolist() == weight.tolist() == [0.5] * 6
    assert output.matrix.tolist() == [[0] * 5] + [[0, 0.5, 0.5, 0, 0]] * 3
    assert entries["utt0-0"]["output"].labels.tolist() == [3] * 4
    with pytest.raises(kt.ArgumentError, match="expected one label for each row of 'output', got 0 in row 0"):
        _ = output.labels
    with pytest.raises(kt.ArgumentError, match="'input' has numbers, not labels: it is full"):
        _ = io.labels
    with pytest.raises(kt.MissingKeyError, match="the example has no 'ivector'; it has 'input', 'output'"):
        example["ivector"]


@pytest.mark.parametrize("source", ["ark:{}/full.txt", "scp:{}/full.scp", "{}/full.ark"])
def test_every_form_of_a_table_gives_the_same(folder, source):
    assert dict(kt.open(source.format(folder))) == dict(kt.open(f"ark:{folder}/full.ark"))
    lookup = kt.lookup(f"scp:{folder}/full.scp")
    assert lookup["utt2-8"]["input"].matrix[0].tolist() == [16, 17]
    assert lookup.shape("utt2-8") == (5, 2)


def test_compressed_examples_pass_unchanged(folder, tmp_path):
    with kt.create(f"ark:{tmp_path}/copy.ark") as out:
        for key, example in kt.open(f"scp:{folder}/egs.scp"):
            io = example["input"]
            assert io.stored == "compressed" and len(io) == 5
            np.testing.assert_allclose(io.matrix, dict(kt.open(f"ark:{folder}/full.ark"))[key]["input"].matrix, atol=0.1)
            # A new array each time: a change of it is no change of the example.
            io.matrix[:] = 0
            out[key] = example
    assert (tmp_path / "copy.ark").read_bytes() == (folder / "egs.ark").read_bytes()


def test_examples_are_relabelled_renamed_and_cut(folder, tmp_path):
    with kt.create(f"ark,scp:{tmp_path}/new.ark,{tmp_path}/new.scp") as out:
        for key, example in kt.open(f"ark:{folder}/full.ark"):
            io = example["input"]
            cut = kt.Io("input", io.matrix[1:], t=io.t[1:])
            out[key] = kt.Example([cut, kt.Io("output-0", labels=[2] * len(example["output"]), dim=9)])
    text = tool_runs.run("nnet3-copy-egs", f"scp:{tmp_path}/new.scp", "ark,t:-").stdout.decode()
    assert text.startswith(
        "utt0-0 <Nnet3Eg> <NumIo> 2 <NnetIo> input <I1V> 4 <I1> 0 0 0 <I1> 0 1 0 <I1> 0 2 0 <I1> 0 3 0  [\n  0 1 \n"
    )
    assert text.count("<NnetIo> output-0 <I1V> 4 <I1> 0 0 0 ") == 9
    assert text.count("rows=4 dim=9 [ 2 1 ] dim=9 [ 2 1 ] dim=9 [ 2 1 ] dim=9 [ 2 1 ] ") == 9


def test_examples_are_made_of_arrays(tmp_path):
    example = kt.Example(
        [
            kt.Io("input", np.ones((9, 2)), t=-4, compress=True),
            kt.Io("ivector", [[0.5]]),
            kt.Io("output", sparse=(4, [1, 0, 2], [3, 0, 1], [1, 0.25, 0.75]), t=[0, 3, 6]),
            kt.Io("other", np.zeros((2, 1), np.float64), indexes=[[0, 0, 0], [1, 0, 0]]),
            kt.Io("empty", np.zeros((0, 0))),
        ]
    )
    kt.save_ark(tmp_path / "a.ark", {"a": example}, text=False)
    ((key, again),) = kt.open(f"ark:{tmp_path}/a.ark")
    assert key == "a" and again == example == pickle.loads(pickle.dumps(again)) and again != kt.Example(example.io[:2])
    assert again["other"].indexes.tolist() == [[0, 0, 0], [1, 0, 0]] and again["empty"].matrix.shape == (0, 0)
    assert kt.check(tmp_path / "a.ark") == [] and kt.info(tmp_path / "a.ark")["type"] == "nnet3-example"
    kt.save_ark(tmp_path / "t.ark", {"a": example}, text=True)
    assert tool_runs.run("nnet3-copy-egs", f"ark:{tmp_path}/a.ark", "ark,t:-").stdout == (tmp_path / "t.ark").read_bytes()
    with pytest.raises(kt.ArgumentTypeError, match="a value of the type nnet3-example, as the first one, got matrix"):
        kt.save_ark(tmp_path / "b.ark", [("a", example), ("b", np.zeros((1, 1), np.float32))])
    assert not (tmp_path / "b.ark").exists()


def test_examples_that_were_read_can_be_changed_in_any_order(folder, tmp_path):
    """What was read becomes arrays when it is asked for, and what is set before that stays."""
    example = dict(kt.open(f"ark:{folder}/egs.ark"))["utt0-0"]
    again = pickle.loads(pickle.dumps(example))
    io, output = example["input"], example["output"]
    labels = output.labels
    labels[0] = 1
    assert output.labels is labels and output.sparse.index.tolist() == [1, 3, 3, 3] and output.labels is output.sparse.index
    assert again["output"].labels.tolist() == [3] * 4 and again != example
    io.indexes = io.indexes[:, [0, 1, 2]] + [0, 10, 0]
    assert io.stored == "compressed" and io.t.tolist() == [9, 10, 11, 12, 13] and len(io) == 5
    assert np.array_equal(io.matrix, again["input"].matrix) and again["input"].t.tolist() == [-1, 0, 1, 2, 3]
    changed = dict(kt.open(f"ark:{folder}/egs.ark"))["utt0-0"]
    changed["input"].matrix = [[float(row)] for row in range(5)]
    assert changed["input"].stored == "full" and changed["input"].t.tolist() == [-1, 0, 1, 2, 3]
    with pytest.raises(AttributeError, match="'Io' object has no attribute 'frames'"):
        _ = changed["input"].frames
    with pytest.raises(AttributeError):
        _ = kt.Io.__new__(kt.Io).indexes
    kt.save_ark(tmp_path / "a.ark", {"a": example, "b": changed})
    first, second = dict(kt.open(f"ark:{tmp_path}/a.ark")).values()
    assert first == example and second == changed


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: kt.Io("i"), "expected one of matrix, labels and sparse"),
        (lambda: kt.Io("i", [[1.0]], labels=[1], dim=2), "expected one of matrix, labels and sparse"),
        (lambda: kt.Io("i", labels=[1]), "expected labels and dim together"),
        (lambda: kt.Io("i", labels=[2], dim=2), "expected an index from 0 to 1, got 2 to 2"),
        (lambda: kt.Io("i", labels=[-1], dim=2), "expected an index from 0 to 1, got -1 to -1"),
        (lambda: kt.Io("i", [1.0, 2.0]), "expected a matrix of two dimensions, got 1"),
        (lambda: kt.Io("i", [[1.0]], t=[0, 1]), "expected 1 indexes, one for each row, got 2"),
        (lambda: kt.Io("i", [[1.0]], indexes=[0, 1]), r"expected indexes of the shape \(rows, 3\)"),
        (lambda: kt.Io("i", [[1.0]], t=2**40), "beyond int32"),
        (lambda: kt.Io("i", sparse=(2, [2], [1], [1.0])), "expected lengths that add up to the elements"),
        (lambda: kt.Io("i", sparse=(2, [2, -1], [1], [1.0])), "expected lengths that add up to the elements"),
    ],
)
def test_what_makes_no_input_or_output_is_refused(make, message):
    with pytest.raises(kt.Error, match=message):
        make()


@pytest.mark.parametrize(
    "io, message",
    [
        ([], "expected at least one of io, got none"),
        ([kt.Io("a b", [[1.0]])], 'expected a name without spaces, got "a b"'),
        ([kt.Io("", [[1.0]])], "expected a name without spaces"),
        ([kt.Io("o", sparse=(4, [2], [3, 1], [1, 1]))], "expected an index from 4 on, since indexes ascend, got 1"),
    ],
)
def test_what_makes_no_example_is_refused_when_it_is_written(tmp_path, io, message):
    with pytest.raises(kt.Error, match=message):
        kt.save_ark(tmp_path / "a.ark", {"a": kt.Example(io)})
    example = kt.Example([kt.Io("i", [[1.0]])])
    example["i"].matrix = [[1.0], [2.0]]
    with pytest.raises(kt.Error, match="i: expected 1 rows, one for each index, got 2"):
        kt.save_ark(tmp_path / "a.ark", {"a": example})
    assert not (tmp_path / "a.ark").exists()


FST = kt.Fst(0, [0, 1, 2, 3], [3, 1, -1], [0.0, 0.5, 0.0], [1, 2, -1])


def test_examples_of_chain_models_are_made_and_read(tmp_path):
    output = kt.ChainOutput("output", [FST, FST], frames=2, sequences=2, label_dim=8, t=[0, 3], end_to_end=True, weight=0.25)
    assert output.indexes.tolist() == [[0, 0, 0], [1, 0, 0], [0, 3, 0], [1, 3, 0]]
    other = kt.ChainOutput("xent", [FST], frames=2, label_dim=8, deriv_weights=[0, 1], alignment_pdfs=[2, 0])
    example = kt.ChainExample([kt.Io("input", np.ones((4, 2)), t=-1)], [output, other])
    kt.save_ark(tmp_path / "a.ark", {"a": example}, scp=tmp_path / "a.scp")
    again = kt.load_scp(tmp_path / "a.scp")["a"]
    assert again == example and again.keys() == ["input", "output", "xent"]
    assert again["output"].fsts[1].label.tolist() == [3, 1, -1] and again["output"].weight == 0.25
    assert again["xent"].t.tolist() == [0, 1] and again["xent"].deriv_weights.tolist() == [0, 1]
    text = tool_runs.run("nnet3-chain-copy-egs", f"ark:{tmp_path}/a.ark", "ark,t:-").stdout.decode()
    assert "<End2End> T <Fsts> \n0\t1\t3\t3\n1\t2\t1\t1\t0.5\n2\n\n" in text and "<AlignmentPdfs> [ 2 0 ]" in text


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"frames": 1, "indexes": [[0, 0, 0]]}, "expected at least 2 frames of each sequence, got 1"),
        ({"sequences": 2}, "expected 4 indexes|expected 2 acceptors"),
        ({"label_dim": 0}, "expected sequences, frames and pdfs, got 1, 2 and 0"),
        ({"deriv_weights": [1]}, "expected 2 weights, one for each index, or none, got 1"),
        ({"fsts": [FST._replace(next=[1, 9, -1])]}, "expected an arc to one of 3 states"),
        ({"fsts": [FST._replace(label=[1])]}, "expected as many of label, weight and next in an Fst, got 1, 3 and 3"),
        ({"fsts": []}, "expected 1 acceptors, got 0"),
    ],
)
def test_what_makes_no_output_of_a_chain_model_is_refused(tmp_path, changes, message):
    options = {"fsts": [FST], "frames": 2, "label_dim": 8, "indexes": [[0, 0, 0], [0, 1, 0]], **changes}
    output = kt.ChainOutput("output", options.pop("fsts"), **options)
    with pytest.raises(kt.Error, match=message):
        kt.save_ark(tmp_path / "a.ark", {"a": kt.ChainExample([kt.Io("input", [[1.0]])], [output])})


def test_damage_is_an_error_with_its_place(folder, tmp_path):
    whole = (folder / "egs.ark").read_bytes()
    (tmp_path / "cut.ark").write_bytes(whole[:-20])
    read = []
    with pytest.raises(kt.DataError) as raised:
        for key, _ in kt.open(f"ark:{tmp_path}/cut.ark"):
            read.append(key)
    assert raised.value.key == "utt2-8" and len(read) == 8
    # A label beyond the dimension is in the file, but in no array.
    place = whole.index(b"SV \4\5\0\0\0\4\1\0\0\0\4") + 14
    (tmp_path / "odd.ark").write_bytes(whole[:place] + struct.pack("<i", 7) + whole[place + 4 :])
    example = dict(kt.open(f"ark:{tmp_path}/odd.ark"))["utt0-0"]
    assert example["output"].labels.tolist()[0] == 7
    with pytest.raises(IndexError):
        _ = example["output"].matrix


def test_kaldiio_gives_what_the_reader_of_kaldi_python_io_gives(folder):
    pairs = dict(ours.load_ark(f"{folder}/egs.ark"))
    assert pairs.keys() == dict(kt.open(f"ark:{folder}/egs.ark")).keys()
    lazy = ours.load_scp(f"{folder}/egs.scp")
    for key, example in kt.open(f"ark:{folder}/egs.ark"):
        for read in (pairs[key], lazy[key]):
            assert [io["name"] for io in read] == example.keys()
            for io in read:
                assert io["index"] == [tuple(index) for index in example[io["name"]].indexes.tolist()]
                np.testing.assert_array_equal(io["matrix"], example[io["name"]].matrix)
