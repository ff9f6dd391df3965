"""Compares our indices of a Shar folder with those of lhotse 2, which then reads cuts by them, the last one first.

usage: indexed_shar.py FOLDER
"""

import pathlib
import sys

# lhotse 2 is in a folder of its own.
sys.path.insert(0, f"{sys.prefix}/lhotse2")
import load_lhotse

lhotse = load_lhotse.load()
assert lhotse.__version__.startswith("2."), lhotse.__version__
import torch
from lhotse import indexing
from lhotse.shar.readers.indexed import LazyIndexedSharIterator

torch.is_tensor = lambda value: False
folder = pathlib.Path(sys.argv[1])
theirs = pathlib.Path("theirs")
theirs.mkdir()
indexing.create_shar_index(folder, output_dir=theirs)
ours = sorted(path.name for path in folder.glob("*.idx"))
assert ours == sorted(path.name for path in theirs.iterdir()), ours
for name in ours:
    *places, end = indexing.read_index(folder / name).tolist()
    *wanted, last = indexing.read_index(theirs / name).tolist()
    # The last number is the size of the file. Theirs is where the reading of a tar stopped, which may be a record before its end.
    assert places == wanted and last <= end == (folder / name.removesuffix(".idx")).stat().st_size, name
print(*ours)
cuts = LazyIndexedSharIterator(in_dir=folder)
for at in reversed(range(len(cuts))):
    cut = cuts[at]
    print(cut.id, cut.load_audio().shape, cut.supervisions[0].text)
