"""Names in script files: a file, an offset, a range."""

from __future__ import annotations

from .utils import is_command


def _parse_arkpath(ark_name: str) -> tuple[str, int | None, tuple[slice, ...] | None]:
    """The name of a file, an offset, and a range of rows and columns.

    >>> _parse_arkpath("a.ark")
    ('a.ark', None, None)
    >>> _parse_arkpath("a.ark:12[3:4]")
    ('a.ark', 12, (slice(3, 5, None),))
    >>> _parse_arkpath('cat "fo:o.ark" |')
    ('cat "fo:o.ark" |', None, None)
    """
    if is_command(ark_name):
        return ark_name, None, None
    slices = None
    before, bracket, inside = ark_name.rstrip().rpartition("[")
    if bracket and inside.endswith("]"):
        try:
            slices = _convert_to_slice(inside[:-1].strip())
            ark_name = before
        except ValueError:
            slices = None
    name, colon, offset = ark_name.rpartition(":")
    if colon and offset.strip().isdigit():
        return name, int(offset), slices
    return ark_name, None, slices


def _convert_to_slice(string: str) -> tuple[slice, ...]:
    """Slices of a range, whose ends are included.

    >>> _convert_to_slice("0:51,6:10")
    (slice(0, 52, None), slice(6, 11, None))
    >>> _convert_to_slice(",6")
    (slice(None, None, None), slice(6, 7, None))
    """
    slices = []
    for part in string.split(","):
        if part in ("", ":"):
            slices.append(slice(None))
            continue
        numbers = [int(number) for number in part.split(":")]
        if len(numbers) > 3:
            raise ValueError(f"expected at most 2 colons, got {part!r}")
        first, last, *step = [*numbers, *numbers] if len(numbers) == 1 else numbers
        slices.append(slice(first, last + 1, *step))
    return tuple(slices)
