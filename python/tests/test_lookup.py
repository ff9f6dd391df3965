"""Tables by key."""

import pickle
import threading

import kaldi_io_files as files
import numpy as np
import pytest

import kaldi_tables as kt


@pytest.fixture
def table(tmp_path):
    arrays = {f"utt{index}": np.full((index % 7 + 1, 5), index, np.float32) for index in range(50)}
    script = tmp_path / "m.scp"
    path = files.write_ark(tmp_path / "m.ark", arrays, script)
    return arrays, path, str(script)


def test_it_is_a_mapping(table):
    arrays, path, script = table
    for lookup in (kt.lookup(f"scp:{script}"), kt.lookup(f"ark:{path}"), kt.lookup(path), kt.load_scp(script)):
        assert list(lookup) == list(lookup.keys()) == list(arrays)
        assert len(lookup) == 50 and "utt7" in lookup and "none" not in lookup and 5 not in lookup
        np.testing.assert_array_equal(lookup["utt7"], arrays["utt7"])
        assert lookup.get("none") is None and lookup.type == "matrix"
        assert lookup.shape("utt7") == arrays["utt7"].shape
        with pytest.raises(kt.MissingKeyError) as missing:
            lookup["none"]
        assert isinstance(missing.value, KeyError) and missing.value.key == "none" and "none" in str(missing.value)
        for threads in (1, 3):
            values = lookup.get_many(["utt9", "utt0", "utt9"], threads=threads)
            assert [value[0, 0] for value in values] == [9, 0, 9]
        copy = pickle.loads(pickle.dumps(lookup))
        assert list(copy) == list(arrays)
        lookup.close()
        with pytest.raises(kt.ClosedError):
            lookup["utt7"]


def test_threads_share_a_lookup(table):
    arrays, _, script = table
    lookup, wrong = kt.lookup(f"scp:{script}"), []

    def work(seed):
        for key in np.random.default_rng(seed).permutation(list(arrays)):
            if not np.array_equal(lookup[str(key)], arrays[key]):
                wrong.append(key)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_key_twice_is_an_error(table, tmp_path):
    _, path, _ = table
    script = tmp_path / "twice.scp"
    script.write_text(f"a {path}:5\nb {path}:5\na {path}:5\n")
    with pytest.raises(kt.DataError, match="twice") as raised:
        kt.lookup(f"scp:{script}")
    assert (raised.value.line, raised.value.key) == (3, "a")


def test_streams_have_no_keys_to_look_up(table):
    _, path, _ = table
    with pytest.raises(kt.SpecifierError):
        kt.lookup(f"ark:cat {path} |")


def test_speakers(table, tmp_path):
    arrays, _, script = table
    (tmp_path / "utt2spk").write_text("one utt3\ntwo utt4\n")
    lookup = kt.lookup(f"scp:{script}", utt2spk=tmp_path / "utt2spk")
    assert lookup["one"][0, 0] == 3 and lookup.get_many(["two"])[0][0, 0] == 4 and "three" not in lookup
    with pytest.raises(kt.MissingKeyError):
        lookup["three"]


def test_segments(tmp_path):
    samples = np.arange(8000, dtype=np.int16)
    (tmp_path / "a.wav").write_bytes(files.riff(samples, 8000))
    (tmp_path / "b.wav").write_bytes(files.riff(np.stack([samples, -samples], axis=1), 8000))
    (tmp_path / "wav.scp").write_text(f"a {tmp_path}/a.wav\nb {tmp_path}/b.wav\nc cat {tmp_path}/a.wav |\n")
    (tmp_path / "segments").write_text("s1 a 0.25 0.5\ns2 b 0.5 -1 1\ns3 c 0.25 0.5\n")
    lookup = kt.load_scp(tmp_path / "wav.scp", segments=tmp_path / "segments")
    assert list(lookup) == ["s1", "s2", "s3"]
    rate, cut = lookup["s1"]
    assert rate == 8000
    np.testing.assert_array_equal(cut, samples[2000:4000])
    np.testing.assert_array_equal(lookup["s2"].array, -samples[4000:])
    np.testing.assert_array_equal(lookup["s3"].array, samples[2000:4000])


def test_one_value(table, tmp_path):
    arrays, path, script = table
    place = open(script).readline().split()[1]
    np.testing.assert_array_equal(kt.load_mat(place), arrays["utt0"])
    np.testing.assert_array_equal(kt.load_mat(f"{place}[0:0,1:2]"), arrays["utt0"][0:1, 1:3])
    with pytest.raises(kt.MissingFileError):
        kt.load_mat(tmp_path / "none")
