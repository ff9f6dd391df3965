"""Tables by key."""

import errno
import gzip
import os
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


def test_views_have_all_values_in_order(table):
    arrays, path, script = table
    for lookup in (kt.lookup(f"scp:{script}"), kt.lookup(path), kt.lookup(f"scp:{script}", mmap=True)):
        values, items = lookup.values(), lookup.items()
        assert len(values) == len(items) == 50
        for (key, array), (found_key, found), value in zip(arrays.items(), items, values):
            assert found_key == key and np.array_equal(found, array) and np.array_equal(value, array)
        assert sum(1 for _ in values) == sum(1 for _ in items) == 50
        lookup.close()
        for view in (values, items):
            with pytest.raises(kt.ClosedError):
                next(iter(view))


def test_a_view_goes_on_after_a_value_that_cannot_be_read(table, tmp_path):
    arrays, _, script = table
    lines = open(script).read().splitlines()[:3]
    (tmp_path / "broken.scp").write_text(f"{lines[0]}\nnone {tmp_path}/none.ark:5\n{lines[2]}\n")
    values = iter(kt.load_scp(str(tmp_path / "broken.scp")).values())
    assert np.array_equal(next(values), arrays["utt0"])
    with pytest.raises(kt.MissingFileError) as missing:
        next(values)
    assert missing.value.key == "none"
    assert np.array_equal(next(values), arrays["utt2"])


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
    (tmp_path / "utt2spk").write_text("one utt3\ntwo utt4\nfive nobody\n")
    lookup = kt.lookup(f"scp:{script}", utt2spk=tmp_path / "utt2spk")
    # Keys are those of the map.
    assert list(lookup) == ["one", "two"] and len(lookup) == 2 and "utt3" not in lookup
    assert [value[0, 0] for value in lookup.values()] == [3, 4]
    assert lookup["one"][0, 0] == 3 and lookup.get_many(["two"])[0][0, 0] == 4 and "three" not in lookup
    with pytest.raises(kt.MissingKeyError):
        lookup["three"]


def test_views_have_what_keys_stand_for(table, tmp_path):
    arrays, path, _ = table
    (tmp_path / "utt2spk").write_text("b utt4\na utt2\nc none\n")
    lookup = kt.lookup(path, utt2spk=str(tmp_path / "utt2spk"))
    assert [(key, value[0, 0]) for key, value in lookup.items()] == [("b", 4), ("a", 2)]
    assert [value[0, 0] for value in lookup.values()] == [4, 2]


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


def bytes_read():
    return int(open("/proc/self/io").readline().split()[1])


def test_of_segments_only_what_is_needed_is_read(tmp_path):
    samples = np.arange(4_000_000, dtype=np.int32).astype(np.int16)
    (tmp_path / "a.wav").write_bytes(files.riff(np.stack([samples, -samples], axis=1), 8000))
    (tmp_path / "wav.scp").write_text(f"a {tmp_path}/a.wav\nc cat {tmp_path}/a.wav |\n")
    lines = "long a 1 400 1\nshort a 10 10.000125 0\nto-end a 499 -1 0\nof-command c 1 2 0\nno-channel a 1 2\nbeyond a 600 700 0\n"
    (tmp_path / "segments").write_text(lines)
    lookup = kt.lookup(f"scp:{tmp_path}/wav.scp", segments=tmp_path / "segments")
    before = bytes_read()
    shapes = {key: lookup.shape(key) for key in ("long", "short", "to-end")}
    assert shapes == {"long": (399 * 8000,), "short": (1,), "to-end": (8000,)}
    np.testing.assert_array_equal(lookup["short"].array, samples[80000:80001])
    assert bytes_read() - before < 100_000
    assert lookup.shape("of-command") == (8000,)
    for key in shapes:
        assert lookup[key].array.shape == shapes[key]
    for key, message in (("no-channel", "2 channels"), ("beyond", "out of file data range")):
        for ask in (lookup.shape, lookup.__getitem__):
            with pytest.raises(kt.DataError, match=message) as raised:
                ask(key)
            assert raised.value.key == key and raised.value.file == str(tmp_path / "segments")


@pytest.mark.parametrize("count", [0, 1, 3, 20])
def test_only_so_many_files_stay_open(tmp_path, count):
    with open(tmp_path / "m.scp", "w") as script:
        for at in range(12):
            name = files.write_ark(tmp_path / f"{at}.ark", {f"utt{at}": np.full((300, 40), at, np.float32)})
            script.write(f"utt{at} {name}:{len(f'utt{at} ')}\n")

    def num_open():
        # Only files of this table count: what other tests left may be closed at any time.
        names = (os.path.realpath(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd"))
        return sum(os.path.dirname(name) == os.path.realpath(tmp_path) for name in names)

    lookup = kt.lookup(tmp_path / "m.scp", cache_files=count)
    keys = [f"utt{at}" for at in range(12)] * 2
    assert [lookup[key][0, 0] for key in keys] == [at % 12 for at in range(24)]
    assert num_open() == min(count, 12)
    assert [value[0, 0] for value in lookup.get_many(keys, threads=3)] == [at % 12 for at in range(24)]
    assert num_open() <= count
    assert pickle.loads(pickle.dumps(lookup))["utt5"][0, 0] == 5
    lookup.close()
    assert num_open() == 0


def test_numbers_below_what_makes_sense_are_refused(table):
    _, _, script = table
    with pytest.raises(ValueError, match="files"):
        kt.lookup(script, cache_files=-1)
    with pytest.raises(ValueError, match="thread"):
        kt.lookup(script).get_many(["utt1"], threads=0)


def test_short_values_are_views_of_the_map_too(table, tmp_path):
    arrays, path, script = table
    with gzip.open(tmp_path / "m.gz", "wb") as packed:
        packed.write(files.value(arrays["utt0"]))
    (tmp_path / "gz.scp").write_text(f"utt0 {tmp_path}/m.gz\nutt1 cat {path} | tail -c +6 |\n")
    for source in (f"scp:{script}", f"ark:{path}"):
        with kt.lookup(source, mmap=True) as lookup:
            views = {key: lookup[key] for key in lookup} | dict(zip(lookup, lookup.get_many(list(lookup))))
        views_of_reader = dict(kt.open(source, mmap=True))
        for key, array in arrays.items():
            for view in (views[key], views_of_reader[key]):
                np.testing.assert_array_equal(view, array)
                assert not view.flags.writeable and not view.flags.owndata
    # Those of compressed files and commands are none.
    for value in dict(kt.lookup(f"scp:{tmp_path}/gz.scp", mmap=True)).values():
        np.testing.assert_array_equal(value, arrays["utt0"])
        assert value.flags.writeable


def test_the_file_of_an_error_has_no_offset(tmp_path):
    (tmp_path / "x.scp").write_text(f"a {tmp_path}/none.ark:5\n")
    with pytest.raises(kt.MissingFileError) as raised:
        kt.lookup(f"scp:{tmp_path}/x.scp", "matrix")["a"]
    error = raised.value
    assert (error.file, error.filename, error.offset, error.errno) == (f"{tmp_path}/none.ark",) * 2 + (5, errno.ENOENT)
    assert (error.key, error.line) == ("a", 1)
