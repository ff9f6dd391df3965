"""The functions of kaldiio 2.18, with its parameters and results.

A program changes one line, ``import kaldiio`` to ``from kaldi_tables.compat import kaldiio``:

>>> import os, tempfile
>>> import numpy as np
>>> from kaldi_tables.compat import kaldiio
>>> folder = tempfile.mkdtemp()
>>> ark, scp = os.path.join(folder, "a.ark"), os.path.join(folder, "a.scp")
>>> kaldiio.save_ark(ark, {"utt1": np.ones((2, 3), np.float32)}, scp=scp)
>>> kaldiio.load_scp(scp)["utt1"].shape
(2, 3)
>>> [key for key, value in kaldiio.load_ark(ark)]
['utt1']

These things are different, on purpose:

- Arrays are writable and have the byte order of the machine, also if ``endian=">"`` was read.
- A command that fails raises `kaldi_tables.CommandError`, when its output has ended or the file object is closed. A command whose
  output is not read to the end is ended, and is no error. An iterator that is dropped ends its command.
- `save_ark`, `save_mat` and `WriteHelper` are atomic: a file gets its name when it is complete, and after an exception the old file
  is as it was. This is not so for ``append=True`` (after an exception, the file is cut to its old length), for the option ``f``
  and for file objects, which others may read meanwhile. A `WriteHelper` that is never closed leaves no file, and warns.
- Names of `save_ark` and `save_mat` may be commands (``"| gzip > a.gz"``) and ``"-"``.
- Text values are read if their first word is an integer and others are not (``[ 1 2.5 ]``), or if it is ``nan`` or ``inf``. An
  empty line is an empty vector of integers; kaldiio takes the next line for it. Numbers beyond float32 are an error, not infinity.
- Damage is a `kaldi_tables.DataError`, which is a `ValueError`, with file, key and offset; also where kaldiio has an assertion.
- Keys that are empty or have white space are refused by `save_ark`. Keys that are not UTF-8 are read (``surrogateescape``).
- ``ReadHelper("scp,p:...")`` leaves out the entries that cannot be read, and goes on. ``ark,p`` ends there. Both log a warning.
- The result of ``load_scp(max_cache_fd=...)`` pickles, and is safe in threads and forked children: they share no positions.
- ``load_scp(segments=...)`` reads only the samples of a segment, if the recording is a WAV file of 8 or 16 bits.
- WAV files of 24 and 32 bits, floats, A-law and mu-law are read, as 16 bits. kaldiio refuses some and misreads others.
- A binary training example of nnet3 is a list with a dict for each input and output: ``name``, ``index`` (a list of n, t, x) and ``matrix``, as
  the reader of kaldi-python-io has it. kaldiio refuses it. `kaldi_tables.open` reads text and examples of chain models, too.
- `LimitedSizeDict` makes no room if a key is set again, and keeps its size when a key is deleted.

Archives with pickles (``PKL``) run code of the file when they are read. Only this module reads them: `kaldi_tables.open` never does.
"""

from __future__ import annotations

from .highlevel import ReadHelper, WriteHelper
from .matio import load_ark, load_mat, load_scp, load_scp_sequential, load_wav_scp, save_ark, save_mat
from .utils import open_like_kaldi, parse_specifier

__version__ = "2.18.1"

__all__ = [
    "ReadHelper",
    "WriteHelper",
    "load_ark",
    "load_mat",
    "load_scp",
    "load_scp_sequential",
    "load_wav_scp",
    "open_like_kaldi",
    "parse_specifier",
    "save_ark",
    "save_mat",
]
