"""Features of arrays against the tools, bit by bit; options against those of the tools."""

from __future__ import annotations

import dataclasses
import pathlib
import pickle
import warnings

import numpy as np
import pytest
import tool_runs

import kaldi_tables as kt

KINDS = {
    "fbank": ("compute-fbank-feats", kt.feats.fbank, kt.feats.FbankOptions),
    "mfcc": ("compute-mfcc-feats", kt.feats.mfcc, kt.feats.MfccOptions),
    "plp": ("compute-plp-feats", kt.feats.plp, kt.feats.PlpOptions),
    "spectrogram": ("compute-spectrogram-feats", kt.feats.spectrogram, kt.feats.SpectrogramOptions),
    "pitch": ("compute-kaldi-pitch-feats", kt.feats.pitch, kt.feats.PitchOptions),
    "process-pitch": ("process-kaldi-pitch-feats", kt.feats.process_pitch, kt.feats.ProcessPitchOptions),
}

# Options of the tools that say which tables, or in which form.
OF_TABLES = {"output_format", "write_utt2dur", "vtln_map", "utt2spk"}


def of_tool(tool, folder: pathlib.Path, samples, rate, words=(), key="utt1"):
    tool_runs.write_wave(folder / "a.wav", rate, samples)
    (folder / "wav.scp").write_text(f"{key} {folder}/a.wav\n")
    tool_runs.run(tool, *words, f"scp:{folder}/wav.scp", f"ark:{folder}/out.ark")
    return tool_runs.matrices(folder / "out.ark")[key]


def on_table(tool, folder: pathlib.Path, feats, words=(), key="utt1", before=()):
    tool_runs.write_matrices(folder / "in.ark", {key: feats})
    tool_runs.run(tool, *words, *before, f"ark:{folder}/in.ark", f"ark:{folder}/out.ark")
    return tool_runs.matrices(folder / "out.ark")[key]


def same(got, expected) -> None:
    assert got.dtype == expected.dtype and got.shape == expected.shape
    assert got.tobytes() == expected.tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_options_have_the_names_and_defaults_of_the_tool(kind):
    _, _, options = KINDS[kind]
    ours = {field.name: field.default for field in dataclasses.fields(options)}
    tools = {name.replace("-", "_"): default for name, default in kt._core.feats_options(kind)}
    assert set(tools) - set(ours) <= OF_TABLES and set(ours) <= set(tools)
    for name, default in ours.items():
        text = tools[name]
        expected = {"true": True, "false": False}.get(text, text) if isinstance(default, bool) else type(default)(text)
        assert default == expected, name
    assert options().words() == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_help_of_the_tool_has_no_other_options(kind):
    tool, _, options = KINDS[kind]
    usage = tool_runs.run(tool, "--help").stdout.decode() + tool_runs.run(tool, "--help").stderr.decode()
    own = usage.split("Standard options:")[0].split("Options:")[-1]
    listed = {line.split()[0][2:].replace("-", "_") for line in own.splitlines() if line.startswith("  --")}
    assert listed - OF_TABLES == set(options.names())


@pytest.mark.parametrize(
    "kind, rate, overrides",
    [
        ("fbank", 16000, {}),
        ("fbank", 16000, {"num_mel_bins": 80, "dither": 0}),
        ("fbank", 8000, {"use_energy": True, "htk_compat": True, "dither": 0.5, "seed": 3, "snip_edges": False}),
        ("fbank", 16000, {"vtln_warp": 0.9, "window_type": "blackman", "blackman_coeff": 0.4, "subtract_mean": True}),
        ("fbank", 44100, {"sample_frequency": 16000, "allow_downsample": True}),
        ("mfcc", 16000, {}),
        ("mfcc", 16000, {"num_ceps": 20, "num_mel_bins": 40, "use_energy": False, "frame_shift": 12.5}),
        ("plp", 16000, {}),
        ("plp", 16000, {"lpc_order": 10, "num_ceps": 11, "compress_factor": 0.25}),
        ("spectrogram", 16000, {}),
        ("spectrogram", 16000, {"return_raw_fft": True, "dither": 0}),
    ],
)
def test_features_are_those_of_the_tool(kind, rate, overrides, tmp_path):
    tool, compute, options = KINDS[kind]
    samples = tool_runs.noise(12345)
    chosen = options(**{"sample_frequency": rate, **overrides})
    expected = of_tool(tool, tmp_path, samples, rate, chosen.words())
    same(compute(samples, rate, chosen, key="utt1"), expected)
    same(compute(samples, rate, key="utt1", **overrides), expected)
    same(compute(samples.astype(np.float64), rate, key="utt1", **overrides), expected)
    if chosen.dither:
        assert not np.array_equal(compute(samples, rate, key="utt2", **overrides), expected)


def test_pitch_is_that_of_the_tools(tmp_path):
    samples = tool_runs.noise(20000)
    pitch = of_tool("compute-kaldi-pitch-feats", tmp_path, samples, 16000)
    same(kt.feats.pitch(samples, 16000), pitch)
    same(kt.feats.process_pitch(pitch), on_table("process-kaldi-pitch-feats", tmp_path, pitch))
    both = of_tool("compute-and-process-kaldi-pitch-feats", tmp_path, samples, 16000, ["--min-f0=60", "--delay=2"])
    same(kt.feats.process_pitch(samples, 16000, min_f0=60, delay=2), both)
    by_key = on_table("process-kaldi-pitch-feats", tmp_path, pitch, ["--random=entry", "--srand=4"], key="x")
    same(kt.feats.process_pitch(pitch, random="entry", srand=4, key="x"), by_key)
    with pytest.raises(TypeError, match="did you mean 'min_f0'"):
        kt.feats.process_pitch(samples, 16000, minf0=60)


def test_a_batch_is_what_each_utterance_is_alone():
    waves = [tool_runs.noise(length, length) for length in (4000, 12000, 100, 9000, 16000)]
    keys = [f"utt{at}" for at in range(5)]
    for threads in (None, 1, 3, 100):
        batch = kt.feats.fbank_batch(waves, 16000, keys=keys, num_mel_bins=40, threads=threads)
        assert len(batch) == 5
        for feats, wave, key in zip(batch, waves, keys):
            same(feats, kt.feats.fbank(wave, 16000, key=key, num_mel_bins=40))
    assert kt.feats.fbank_batch([], 16000) == []
    same(kt.feats.fbank_batch(waves[:1], 8000)[0], kt.feats.fbank(waves[0], 8000))
    with pytest.raises(ValueError, match="expected a key for each of 5 utterances, got 1"):
        kt.feats.fbank_batch(waves, 16000, keys=["a"])
    with pytest.raises(kt.DataError, match="mismatch"):
        kt.feats.fbank_batch(waves[:2], [16000, 8000])


def test_frames_are_worked_on_as_by_the_tools(tmp_path):
    feats = np.random.RandomState(2).standard_normal((60, 20)).astype(np.float32) + 8
    same(kt.feats.add_deltas(feats), on_table("add-deltas", tmp_path, feats))
    words = ["--delta-order=1", "--delta-window=3", "--truncate=5"]
    got = kt.feats.add_deltas(feats, delta_order=1, delta_window=3, truncate=5)
    same(got, on_table("add-deltas", tmp_path, feats, words))
    same(kt.feats.splice(feats), on_table("splice-feats", tmp_path, feats))
    words = ["--left-context=1", "--right-context=0"]
    same(kt.feats.splice(feats, 1, 0), on_table("splice-feats", tmp_path, feats, words))
    same(kt.feats.sliding_cmvn(feats), on_table("apply-cmvn-sliding", tmp_path, feats))
    words = ["--center=true", "--norm-vars=true", "--cmn-window=20", "--min-cmn-window=5"]
    got = kt.feats.sliding_cmvn(feats, center=True, norm_vars=True, cmn_window=20, min_cmn_window=5)
    same(got, on_table("apply-cmvn-sliding", tmp_path, feats, words))
    same(kt.feats.vad(feats), on_table("compute-vad", tmp_path, feats))
    words = ["--vad-energy-threshold=4", "--vad-frames-context=2", "--vad-proportion-threshold=0.5"]
    got = kt.feats.vad(feats, vad_energy_threshold=4, vad_frames_context=2, vad_proportion_threshold=0.5)
    same(got, on_table("compute-vad", tmp_path, feats, words))
    assert 0 < got.sum() < len(got)


def test_cmvn_is_that_of_the_tools(tmp_path):
    random = np.random.RandomState(3)
    feats = {key: random.standard_normal((30, 5)).astype(np.float32) for key in "abc"}
    tool_runs.write_matrices(tmp_path / "in.ark", feats)
    (tmp_path / "spk2utt").write_text("spk a b c\n")
    source = f"ark:{tmp_path}/in.ark"
    tool_runs.run("compute-cmvn-stats", source, f"ark:{tmp_path}/utt.ark")
    tool_runs.run("compute-cmvn-stats", f"--spk2utt=ark:{tmp_path}/spk2utt", source, f"ark:{tmp_path}/spk.ark")
    for key, stats in tool_runs.matrices(tmp_path / "utt.ark").items():
        same(kt.feats.cmvn_stats(feats[key]), stats)
    stats = tool_runs.matrices(tmp_path / "spk.ark")["spk"]
    same(kt.feats.cmvn_stats(list(feats.values())), stats)
    same(kt.feats.cmvn_stats(iter(feats.values())), stats)
    (tmp_path / "utt2spk").write_text("a spk\nb spk\nc spk\n")
    words = ["--norm-vars=true", "--skip-dims=1:3", f"--utt2spk=ark:{tmp_path}/utt2spk"]
    tool_runs.run("apply-cmvn", *words, f"ark:{tmp_path}/spk.ark", source, f"ark:{tmp_path}/out.ark")
    applied = tool_runs.matrices(tmp_path / "out.ark")
    for key in "abc":
        same(kt.feats.apply_cmvn(feats[key], stats, norm_vars=True, skip_dims=[1, 3]), applied[key])
        same(kt.feats.apply_cmvn(feats[key], stats, norm_vars=True, skip_dims="1:3"), applied[key])
    weights = np.zeros(30, np.float32)
    weights[4] = 2
    assert kt.feats.cmvn_stats(feats["a"], weights)[0, -1] == 2.0
    with pytest.raises(kt.DataError):
        kt.feats.apply_cmvn(np.zeros((3, 4)), stats)
    with pytest.raises(ValueError, match="norm_means"):
        kt.feats.apply_cmvn(feats["a"], stats, norm_vars=True, norm_means=False)


def test_augmentation_is_that_of_the_tool(tmp_path):
    feats = np.ones((200, 40), np.float32)
    words = ["--epoch=2", "--seed=5", "--num-t-sub=2", "--max-t-trim=30"]
    expected = on_table("spec-augment-feats", tmp_path, feats, words, key="utt9")
    got = kt.feats.spec_augment(feats, "utt9", epoch=2, seed=5, num_t_sub=2, max_t_trim=30)
    same(got, expected)
    assert feats.all() and not got.all()


@pytest.mark.parametrize("channels", [0, 2])
def test_resampling_is_that_of_the_tool(channels, tmp_path):
    samples = tool_runs.noise(5000, channels=channels)
    tool_runs.write_wave(tmp_path / "in.wav", 16000, samples)
    tool_runs.run("resample-wav", "--resample-rate=11025", tmp_path / "in.wav", tmp_path / "out.wav")
    data = (tmp_path / "out.wav").read_bytes()
    expected = np.frombuffer(data[data.index(b"data") + 8 :], "<i2").reshape(-1, *samples.shape[1:])
    same(kt.feats.resample(samples, 16000, 11025), expected)
    exact = kt.feats.resample(samples.astype(np.float32), 16000, 11025)
    assert exact.dtype == np.float32 and np.abs(exact - expected).max() <= 0.5
    loud = np.tile(np.int16([32767, -32768]).repeat(40), 50)
    assert kt.feats.resample(loud, 16000, 44100).max() == 32767
    wave = kt.feats.resample(kt.Wave(16000, samples), to_rate=8000)
    assert wave.rate == 8000 and wave.array.dtype == np.int16


def test_options_pickle_compare_and_can_be_replaced():
    for _, _, options in KINDS.values():
        name = next(iter(options.names()))
        changed = dataclasses.replace(options(), **{name: 8000.0})
        assert pickle.loads(pickle.dumps(changed)) == changed != options()
        assert options.__module__ == "kaldi_tables.feats" and name in repr(changed)


def test_a_config_file_is_read_as_by_the_tool(tmp_path):
    config = tmp_path / "mfcc.conf"
    config.write_text("--use_energy=f # no energy\n\n--Num-Mel-Bins=40\n--window-type=hamming\n--verbose=1\n--dither=0\n")
    options = kt.feats.MfccOptions.from_config(config)
    assert options == kt.feats.MfccOptions(use_energy=False, num_mel_bins=40, window_type="hamming", dither=0.0)
    samples = tool_runs.noise(8000)
    same(kt.feats.mfcc(samples, 16000, options), of_tool("compute-mfcc-feats", tmp_path, samples, 16000, [f"--config={config}"]))
    config.write_text("--num-mel-bin=40\n")
    with pytest.raises(ValueError, match="mfcc.conf:1: .*did you mean --num-mel-bins"):
        kt.feats.MfccOptions.from_config(str(config))
    config.write_text("--vtln-map=ark:x\n")
    with pytest.raises(ValueError, match="vtln-map"):
        kt.feats.FbankOptions.from_config(config)
    with pytest.raises(ValueError, match="cannot open config file"):
        kt.feats.PlpOptions.from_config(tmp_path / "missing")


def test_a_wrong_name_says_which_was_probably_meant():
    samples = tool_runs.noise(800)
    for wrong in (
        lambda: kt.feats.FbankOptions(num_mel_bin=80),
        lambda: kt.feats.fbank(samples, 16000, num_mel_bin=80),
        lambda: setattr(kt.feats.FbankOptions(), "num_mel_bin", 80),
        lambda: dataclasses.replace(kt.feats.FbankOptions(), num_mel_bin=80),
    ):
        with pytest.raises(TypeError, match="did you mean 'num_mel_bins'"):
            wrong()
    with pytest.raises(TypeError, match="expected options to be FbankOptions, got MfccOptions"):
        kt.feats.fbank(samples, 16000, kt.feats.MfccOptions())
    for bad in ({"num_mel_bins": 1}, {"num_mel_bins": 40.5}, {"window_type": "round"}, {"frame_shift": -1}):
        with pytest.raises(ValueError):
            kt.feats.fbank(samples, 16000, **bad)


def test_floats_from_minus_one_to_one_are_warned_of():
    samples = tool_runs.noise(8000)
    small = samples / np.float32(32768)
    with pytest.warns(UserWarning, match="scale=32768") as seen:
        kt.feats.fbank(small, 16000)
    assert seen[0].filename == __file__
    with pytest.warns(UserWarning, match="scale=32768") as seen:
        kt.feats.pitch(small, 16000)
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(kt.feats.fbank(small, 16000, scale=32768), kt.feats.fbank(samples, 16000))
        kt.feats.fbank(small, 16000, scale=1)
        kt.feats.fbank(np.zeros(800), 16000)
        kt.feats.fbank(np.ones(800, np.int16), 16000)


def test_rates_channels_and_forms_of_samples():
    mono, stereo = tool_runs.noise(8000), tool_runs.noise(8000, channels=2)
    same(kt.feats.fbank(kt.Wave(8000, mono)), kt.feats.fbank(mono, 8000))
    same(kt.feats.fbank(mono), kt.feats.fbank(mono, 16000))
    same(kt.feats.fbank(mono.tolist(), 16000), kt.feats.fbank(mono, 16000))
    same(kt.feats.fbank(stereo, 16000, channel=1), kt.feats.fbank(stereo[:, 1], 16000))
    with pytest.warns(UserWarning, match="2 channels"):
        same(kt.feats.fbank(stereo, 16000), kt.feats.fbank(stereo[:, 0].copy(), 16000))
    for wrong in (
        lambda: kt.feats.fbank(mono, 8000, kt.feats.FbankOptions()),
        lambda: kt.feats.fbank(kt.Wave(8000, mono), 16000),
        lambda: kt.feats.fbank(mono, 0),
        lambda: kt.feats.fbank(mono, 16000, channel=1),
        lambda: kt.feats.fbank(stereo, 16000, channel=2),
        lambda: kt.feats.fbank(mono, 16000, min_duration=0.6),
        lambda: kt.feats.fbank(mono.reshape(2, 2, -1), 16000),
        lambda: kt.feats.fbank(np.array([1.0, np.nan] * 400), 16000),
        lambda: kt.feats.pitch(mono, 8000, kt.feats.PitchOptions()),
    ):
        with pytest.raises(ValueError):
            wrong()
    for wrong in (mono.astype(np.uint16), mono.astype(complex), ["a"]):
        with pytest.raises(TypeError):
            kt.feats.fbank(wrong, 16000)


def test_arguments_that_make_no_sense_are_value_errors():
    feats, samples = np.ones((30, 5), np.float32), tool_runs.noise(800)
    for wrong in (
        lambda: kt.feats.process_pitch(feats),
        lambda: kt.feats.process_pitch(-np.ones((3, 2))),
        lambda: kt.feats.apply_cmvn(feats, np.zeros(6)),
        lambda: kt.feats.apply_cmvn(feats, np.zeros((2, 6))),
        lambda: kt.feats.cmvn_stats([]),
        lambda: kt.feats.cmvn_stats([feats], [np.ones(3)]),
        lambda: kt.feats.resample(samples, 16000, 0),
        lambda: kt.feats.resample(samples, 16000, float("nan")),
        lambda: kt.feats.resample(samples, 16000, 10**12),
        lambda: kt.feats.spec_augment(feats, num_t_mask=-1),
        lambda: kt.feats.spec_augment(feats, num_t_mask=10**6),
        lambda: kt.feats.fbank_batch([samples], threads=0),
        lambda: kt.feats.add_deltas(samples),
        lambda: kt.feats.add_deltas(feats, delta_order=2000),
        lambda: kt.feats.add_deltas(feats, truncate=6),
        lambda: kt.feats.splice(feats, -1),
        lambda: kt.feats.splice(feats, 10**18),
        lambda: kt.feats.vad(feats, vad_proportion_threshold=2),
        lambda: kt.feats.sliding_cmvn(feats, cmn_window=0),
    ):
        with pytest.raises(ValueError):
            wrong()


def test_any_array_of_real_numbers_is_taken():
    samples = tool_runs.noise(1600)
    expected = kt.feats.fbank(samples, 16000)
    frozen = samples.copy()
    frozen.flags.writeable = False
    for other in (samples.astype(">i2"), np.repeat(samples, 2)[::2], frozen, samples.astype(np.int64), memoryview(samples)):
        same(kt.feats.fbank(other, 16000), expected)
    feats = np.asfortranarray(np.random.RandomState(5).standard_normal((20, 4)))
    same(kt.feats.splice(feats), kt.feats.splice(np.ascontiguousarray(feats)))


def test_warnings_of_the_core_are_records_of_logging(caplog, capfd):
    kt.feats.fbank(np.zeros(800, np.int16), 16000, dither=0, use_energy=True)
    kt.feats.sliding_cmvn(np.ones((20, 3)), norm_vars=True)
    assert [record.name for record in caplog.records] == ["kaldi_tables"] and "floored" in caplog.records[0].message
    assert capfd.readouterr() == ("", "")


def test_what_is_too_short_has_no_frames_but_columns():
    for samples in (np.zeros(0, np.int16), np.ones(10, np.int16)):
        assert kt.feats.fbank(samples, 16000, num_mel_bins=30).shape == (0, 30)
        assert kt.feats.mfcc(samples, 8000).shape == (0, 13)
        assert kt.feats.spectrogram(samples, 16000).shape == (0, 257)
        assert kt.feats.pitch(samples, 16000).shape == (0, 2)
    assert kt.feats.process_pitch(np.zeros((0, 2))).shape == (0, 3)
