"""Copies matrices of a script file and integer vectors of an archive with one of two packages.

usage: copy_tables.py kaldiio|kaldi_native_io FEATS_SCP FEATS_ARK INTS_ARK_IN INTS_ARK_OUT
"""

import sys


def copy_with_kaldiio(feats_scp, feats_ark, ints_in, ints_out):
    import kaldiio

    with kaldiio.WriteHelper(f"ark:{feats_ark}") as writer:
        for key, matrix in kaldiio.load_scp_sequential(feats_scp):
            writer(key, matrix)
    with kaldiio.WriteHelper(f"ark:{ints_out}") as writer:
        for key, vector in kaldiio.load_ark(ints_in):
            writer(key, vector)


def copy_with_kaldi_native_io(feats_scp, feats_ark, ints_in, ints_out):
    import kaldi_native_io

    with kaldi_native_io.FloatMatrixWriter(f"ark:{feats_ark}") as writer:
        with kaldi_native_io.SequentialFloatMatrixReader(f"scp:{feats_scp}") as reader:
            for key, matrix in reader:
                writer.write(key, matrix)
    with kaldi_native_io.Int32VectorWriter(f"ark:{ints_out}") as writer:
        with kaldi_native_io.SequentialInt32VectorReader(f"ark:{ints_in}") as reader:
            for key, vector in reader:
                writer.write(key, vector)


peer, *files = sys.argv[1:]
{"kaldiio": copy_with_kaldiio, "kaldi_native_io": copy_with_kaldi_native_io}[peer](*files)
