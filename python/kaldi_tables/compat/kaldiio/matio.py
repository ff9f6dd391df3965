"""Archives and script files: what kaldiio has in `kaldiio.matio`."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ..._errors import DataError, MissingKeyError
from ._names import _convert_to_slice as _convert_to_slice
from ._names import _parse_arkpath as _parse_arkpath
from ._read import check_endian, read_binary, read_value
from ._segments import read_part
from ._stream import Stream
from ._write import Target, appended, encode_array, encode_key, encode_text, encode_value, written
from .utils import (
    FileCache,
    LazyLoader,
    LimitedSizeDict,
    MultiFileDescriptor,
    SharedFile,
    at_key,
    default_encoding,
    is_command,
    open_like_kaldi,
    open_or_fd,
    parse_specifier,
    seekable,
)
from .wavio import read_wav, write_wav

__all__ = [
    "LazyLoader",
    "LimitedSizeDict",
    "MultiFileDescriptor",
    "SegmentsExtractor",
    "default_encoding",
    "load_ark",
    "load_mat",
    "load_scp",
    "load_scp_sequential",
    "load_wav_scp",
    "open_like_kaldi",
    "open_or_fd",
    "parse_specifier",
    "read_ascii_mat",
    "read_int32vector",
    "read_kaldi",
    "read_matrix_or_vector",
    "read_token",
    "read_wav",
    "save_ark",
    "save_mat",
    "seekable",
    "write_array",
    "write_array_ascii",
    "write_wav",
]


def _script_lines(fname: Any, separator: str | None) -> Iterator[tuple[int, str, str]]:
    """Number, key and name of each line of a script file."""
    with open_like_kaldi(fname, "r") as file:
        shown = str(getattr(file, "name", None) or fname)
        for number, line in enumerate(file, 1):
            fields = line.split(separator, 1)
            if len(fields) != 2 or not fields[1].strip():
                place = f"{shown}:{number}"
                raise DataError(f"{place}: expected a key and a name, found {line!r}", file=shown, line=number)
            yield number, fields[0], fields[1].rstrip()


def load_scp(
    fname: Any, endian: str = "<", separator: str | None = None, segments: Any = None, max_cache_fd: int = 0
) -> Mapping[str, Any]:
    """A dictionary of the values of a script file, which are read when they are asked for.

    `separator` is what is between a key and its name; by default white space. With `segments`, the name of a file of segments
    or a file object, the keys are those of segments of recordings. At most `max_cache_fd` archives stay open.
    """
    check_endian(endian)
    if segments is not None:
        if max_cache_fd != 0:
            raise ValueError("max_cache_fd is not supported with segments")
        return SegmentsExtractor(fname, separator=separator, segments=segments)
    cache = FileCache(max_cache_fd) if max_cache_fd != 0 else None
    loader = LazyLoader(partial(load_mat, endian=endian, fd_dict=cache))
    for _, key, name in _script_lines(fname, separator):
        loader[key] = name
    return loader


def load_scp_sequential(
    fname: Any, endian: str = "<", separator: str | None = None, segments: Any = None
) -> Iterator[tuple[str, Any]]:
    """Pairs of keys and values of a script file, in its order."""
    check_endian(endian)
    if segments is not None:
        yield from SegmentsExtractor(fname, separator=separator, segments=segments).generator()
        return
    with _OneFile() as opened:
        for _, key, name in _script_lines(fname, separator):
            with at_key(key):
                value = opened.load(name, endian)
            yield key, value


class _OneFile:
    """The archive that is open. The next line is often of the same one."""

    def __init__(self) -> None:
        self._name: str | None = None
        self._stack = ExitStack()
        self._stream: Stream | None = None

    def __enter__(self) -> _OneFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def load(self, name: str, endian: str) -> Any:
        ark, offset, slices = _parse_arkpath(name)
        if is_command(ark) or ark == "-":
            return load_mat(name, endian)
        if self._stream is None or self._name != ark:
            self._name = None
            self._stack.close()
            self._stream = Stream(self._stack.enter_context(open(ark, "rb")), ark, 0)
            self._name = ark
        if self._stream.offset != (offset or 0):
            self._stream.seek(offset or 0)
        return _cut(read_value(self._stream, endian), slices)


def load_wav_scp(fname: Any, segments: Any = None, separator: str | None = None) -> Mapping[str, Any]:
    """An old name of `load_scp`."""
    warnings.warn("use load_scp instead of load_wav_scp", DeprecationWarning, stacklevel=2)
    return load_scp(fname, separator=separator, segments=segments)


class SegmentsExtractor(Mapping[str, Any]):
    """Segments of recordings: a dictionary of pairs of a rate and samples.

    A line of `segments` is ``<segment> <recording> <start> <end>``, in seconds; an end of -1 is the end of the recording.
    """

    def __init__(self, fname: Any, segments: Any = None, separator: str | None = None) -> None:
        self.wav_scp = fname
        self.wav_loader = cast(LazyLoader, load_scp(fname, separator=separator))
        self.segments = segments
        self._segments_dict: dict[str, tuple[str, float, float]] = {}
        with open_or_fd(segments, "r") as file:
            for number, line in enumerate(file, 1):
                self._add(line.rstrip().split(separator), f"{segments}:{number}")

    def _add(self, fields: list[str], place: str) -> None:
        try:
            segment, recording, start, end = fields
            self._segments_dict[segment] = recording, float(start), float(end)
        except ValueError:
            message = f"{place}: expected <segment> <recording> <start> <end>, found {' '.join(fields)!r}"
            raise DataError(message) from None
        if recording not in self.wav_loader:
            raise MissingKeyError(f"{place}: {self.wav_scp} has no recording {recording!r}", key=recording)

    def generator(self) -> Iterator[tuple[str, Any]]:
        """Pairs of keys and values, in the order of the segments."""
        return iter(self.items())

    def __iter__(self) -> Iterator[str]:
        return iter(self._segments_dict)

    def __contains__(self, item: object) -> bool:
        return item in self._segments_dict

    def __len__(self) -> int:
        return len(self._segments_dict)

    def __getitem__(self, key: str) -> tuple[int, npt.NDArray[Any]]:
        if key not in self._segments_dict:
            raise MissingKeyError(f"expected a key of the segments, got {key!r}", key=str(key))
        recording, start, end = self._segments_dict[key]
        with at_key(key):
            name, offset, slices = _parse_arkpath(self.wav_loader._dict[recording])
            if slices is None and not is_command(name) and name != "-":
                part = read_part(name, offset or 0, start, end)
                if part is not None:
                    return part
            value = self.wav_loader[recording]
            if not isinstance(value, (tuple, list)):
                raise DataError(f"expected a recording, found an array: is {self.wav_scp} a list of recordings?")
        rate, array = value
        return rate, array[int(start * rate) :] if end == -1 else array[int(start * rate) : int(end * rate)]


def load_mat(ark_name: str, endian: str = "<", fd_dict: Any = None) -> Any:
    """Reads one value: ``a.mat``, ``a.ark:12``, ``a.ark:12[0:9,2:3]`` (ends are included), ``sox a.flac -t wav - |``.

    Files stay open in `fd_dict`, a dictionary.
    """
    check_endian(endian)
    if fd_dict is not None and not isinstance(fd_dict, Mapping):
        raise RuntimeError(f"expected fd_dict to be a dictionary or None, got {type(fd_dict)}")
    ark, offset, slices = _parse_arkpath(os.fspath(ark_name))
    if fd_dict is None or is_command(ark) or ark == "-":
        with open_like_kaldi(ark, "rb") as file:
            if offset is not None:
                file.seek(offset)
            return _cut(read_value(Stream(file, ark, offset or 0), endian), slices)
    # It is taken first: another thread may put a file in its place.
    shared = fd_dict.get(ark)
    if shared is None:
        shared = SharedFile(ark)
        cast(Any, fd_dict)[ark] = shared
    return _cut(read_value(Stream(shared.at(offset or 0), ark, offset or 0), endian), slices)


def _cut(value: Any, slices: tuple[slice, ...] | None) -> Any:
    """The part of a value that a script file asks for."""
    if slices is None:
        return value
    try:
        return (value[0], value[1][slices]) if isinstance(value, (tuple, list)) else value[slices]
    except IndexError as error:
        raise DataError(f"expected a value of {len(slices)} dimensions or more: {error}") from error


def _load_mat(fd: Any, offset: int | None, slices: tuple[slice, ...] | None = None, endian: str = "<") -> Any:
    """Reads one value of a file object."""
    if offset is not None:
        fd.seek(offset)
    return _cut(read_kaldi(fd, endian), slices)


def load_ark(fname: Any, endian: str = "<") -> Iterator[tuple[str, Any]]:
    """Pairs of keys and values of an archive: a name, or a file object."""
    check_endian(endian)
    is_name = isinstance(fname, (str, bytes, os.PathLike))
    with open_like_kaldi(fname, "rb") if is_name else open_or_fd(fname, "rb") as file:
        stream = Stream(file, start=0 if is_name else None)
        while True:
            start = stream.offset
            key = stream.until_space()
            if key is None or not key.strip(b"\n"):
                return
            if len(key) < 2 or not key.endswith(b" ") or b"\n" in key or b"\0" in key:
                raise stream.error(f"expected a key and a space after it, found {key[:60]!r}", start)
            name = key[:-1].decode(default_encoding, "surrogateescape")
            with at_key(name):
                value = read_value(stream, endian)
            yield name, value


def read_token(fd: Any) -> str | None:
    """Reads a word and the space after it; None at the end of the file."""
    word = (Stream(fd).until_space() or b"").removesuffix(b" ")
    return word.decode(default_encoding, "surrogateescape") or None


def read_kaldi(
    fd: Any, endian: str = "<", audio_loader: Any = "soundfile", load_kwargs: dict[str, Any] | None = None
) -> Any:
    """Reads one value of a binary file object, of any form.

    `audio_loader` is ``"soundfile"`` or a function like `soundfile.read`, `load_kwargs` are its arguments, or those of
    `numpy.load` and `pickle.load`.
    """
    check_endian(endian)
    stream = Stream(fd)
    value = read_value(stream, endian, audio_loader, load_kwargs)
    _give_back(fd, stream)
    return value


def _give_back(fd: Any, stream: Stream) -> None:
    """Puts a file object where the value ended."""
    if stream.has_held and seekable(fd):
        fd.seek(stream.offset)


def read_int32vector(fd: Any, endian: str = "<", return_size: bool = False) -> Any:
    """Reads a binary vector of integers."""
    array, size = _read_binary(fd, endian)
    if array.dtype != np.int32:
        raise DataError(f"expected a vector of integers, found an array of {array.dtype}")
    return (array, size) if return_size else array


def read_matrix_or_vector(fd: Any, endian: str = "<", return_size: bool = False) -> Any:
    """Reads a binary matrix or vector, also a compressed one."""
    array, size = _read_binary(fd, endian)
    return (array, size) if return_size else array


def _read_binary(fd: Any, endian: str) -> tuple[npt.NDArray[Any], int]:
    check_endian(endian)
    stream = Stream(fd)
    start = stream.offset
    stream.expect(b"\0B", "the binary marker \\0B")
    array = read_binary(stream, endian)
    return array, stream.offset - start


def read_ascii_mat(fd: Any, return_size: bool = False) -> Any:
    """Reads a matrix or vector in text."""
    stream = Stream(fd)
    start = stream.offset
    array = read_value(stream)
    return (array, stream.offset - start) if return_size else array


def save_ark(
    ark: Any,
    array_dict: Mapping[str, Any],
    scp: Any = None,
    append: bool = False,
    text: bool = False,
    endian: str = "<",
    compression_method: int | None = None,
    write_function: str | None = None,
    write_kwargs: dict[str, Any] | None = None,
) -> None:
    """Writes an archive, and its script file if `scp` is given; both are names or file objects.

    `compression_method` is a number from 1 to 7 as in `copy-feats`. `write_function` is ``"pickle"``, ``"numpy"`` or
    ``"soundfile"``, for archives that Kaldi does not know.
    """
    check_endian(endian)
    is_named = isinstance(ark, (str, bytes, os.PathLike))
    name = os.fsdecode(ark) if is_named else getattr(ark, "name", None)
    if scp is not None and (name is None or not (is_named or _has_position(ark))):
        raise TypeError("a script file needs an archive that is a file with a name and can seek")
    lines = []
    with ExitStack() as stack:
        # The script file comes last, so it is finished after its archive: `stack` works backwards.
        script = _open_script(stack, scp, append)
        if not is_named:
            file = open_like_kaldi(ark, "wb")
        else:
            file = stack.enter_context(appended(ark) if append else written(ark))
        start = file.tell() if is_named or _has_position(file) else 0
        if script is not None and start is None:
            raise TypeError(f"a script file needs an archive that is a file, got {name!r}")
        offset = start or 0
        for key, value in array_dict.items():
            word = encode_key(key)
            with at_key(key):
                pieces = encode_value(value, text, endian, compression_method, write_function, write_kwargs)
            offset += len(word)
            lines.append(f"{key} {name}:{offset}\n")
            size = sum(map(len, pieces))
            if size < 1 << 16:
                file.write(b"".join((word, *pieces)))
            else:
                file.write(word)
                for piece in pieces:
                    file.write(piece)
            offset += size
        if script is not None:
            script("".join(lines))


def _has_position(file: Any) -> bool:
    try:
        file.tell()
    except (AttributeError, OSError, ValueError):
        return False
    return True


def _open_script(stack: ExitStack, scp: Any, append: bool) -> Any:
    """A function that writes lines of a script file; None if there is none."""
    if scp is None:
        return None
    if not isinstance(scp, (str, bytes, os.PathLike)):
        return scp.write
    target = stack.enter_context(appended(scp) if append else written(scp))
    return lambda lines: target.write(lines.encode(default_encoding, "surrogateescape"))


def save_mat(fname: Any, array: Any, endian: str = "<", compression_method: int | None = None) -> int:
    """Writes one matrix or vector to a file, by its name or as a file object. Returns its length in bytes."""
    if not isinstance(fname, (str, bytes, os.PathLike)):
        return write_array(open_like_kaldi(fname, "wb"), array, endian, compression_method)
    with written(fname) as target:
        return write_array(target, array, endian, compression_method)


def write_array(fd: Any, array: Any, endian: str = "<", compression_method: int | None = None) -> int:
    """Writes one matrix or vector to a file object, in binary form. Returns its length in bytes."""
    check_endian(endian)
    pieces = encode_array(array, endian, compression_method)
    for piece in pieces:
        fd.write(piece)
    return sum(map(len, pieces))


def write_array_ascii(fd: Any, array: Any, digit: str = ".12g") -> int:
    """Writes one matrix or vector to a binary file object, in text form. Returns its length in bytes."""
    text = encode_text(array, digit)
    fd.write(text)
    return len(text)
