"""Composed readers against the orders of table-shuffle, table-sort and table-split."""

from __future__ import annotations

import pathlib
import pickle

import numpy as np
import pytest
import tool_runs

import kaldi_tables as kt


def length_of(item):
    return len(item[1])


def doubled(item):
    return item[0], item[1] * 2


def is_even(item):
    return int(item[0][3:]) % 2 == 0


@pytest.fixture(scope="module")
def table(tmp_path_factory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("compose")
    random = np.random.RandomState(1)
    keys = [f"utt{at}" for at in random.permutation(50)]
    tool_runs.write_matrices(folder / "a.ark", {key: random.standard_normal((random.randint(1, 9), 2)) for key in keys})
    return folder


def reader(table: pathlib.Path):
    return kt.open(f"ark:{table}/a.ark")


def keys(items) -> list[str]:
    return [key for key, _ in items]


def of_tool(table: pathlib.Path, tool: str, *words: str) -> list[str]:
    tool_runs.run(tool, *words, f"ark:{table}/a.ark", f"ark:{table}/out.ark")
    return list(tool_runs.matrices(table / "out.ark"))


@pytest.mark.parametrize("buffer, seed, epoch, initial", [(0, 0, 0, 0), (7, 0, 0, 0), (7, 3, 2, 2), (1000, 1, 0, 5), (1, 0, 0, 0)])
def test_the_order_of_a_shuffle_is_that_of_the_tool(table, buffer, seed, epoch, initial):
    words = [f"--buffer-size={buffer}", f"--seed={seed}", f"--epoch={epoch}", f"--initial={initial}"]
    shuffled = reader(table).shuffle(buffer, seed, epoch, initial=initial)
    expected = of_tool(table, "table-shuffle", *words)
    assert keys(shuffled) == expected
    assert keys(shuffled) == expected
    assert keys(pickle.loads(pickle.dumps(shuffled))) == expected


def test_the_order_of_a_sort_is_that_of_the_tool(table):
    assert keys(reader(table).sort()) == of_tool(table, "table-sort")
    assert keys(reader(table).sort(8, reverse=True)) == of_tool(table, "table-sort", "--buffer-size=8", "--reverse=true")
    matrices = tool_runs.matrices(table / "a.ark")
    (table / "lengths").write_text("".join(f"{key} {len(matrix)}\n" for key, matrix in matrices.items()))
    for reverse in ("true", "false"):
        words = ["--by=length", f"--utt2num-frames={table}/lengths", f"--reverse={reverse}"]
        expected = of_tool(table, "table-sort", *words)
        assert keys(reader(table).sort(key="length", reverse=reverse == "true")) == expected
        assert keys(reader(table).sort(0, length_of, reverse=reverse == "true")) == expected
    with pytest.raises(ValueError, match="'size'"):
        reader(table).sort(key="size")


def test_shares_are_those_of_the_tool_and_nothing_is_lost(table):
    every = []
    for rank in range(3):
        for worker in range(2):
            share = keys(reader(table).partition(rank, 3, worker, 2))
            words = [f"--rank={rank}", "--world-size=3", f"--worker={worker}", "--num-workers=2"]
            assert share == of_tool(table, "table-split", *words)
            every += share
    assert sorted(every) == sorted(keys(reader(table)))
    for wrong in ({"rank": 1}, {"worker": -1}, {"world_size": 0}):
        with pytest.raises(ValueError):
            reader(table).partition(**wrong)


def test_values_of_other_shares_are_not_read(tmp_path):
    (tmp_path / "a.ark").write_text("a [ 1 2 ]\nb [ x ]\nc [ 3 4 ]\n")
    reader = kt.open(f"ark:{tmp_path}/a.ark", "vector")
    assert keys(reader.partition(0, 2)) == ["a", "c"] == keys(reader.partition(0, 2))
    with pytest.raises(kt.DataError, match="b: "):
        list(reader.partition(1, 2))
    with open(tmp_path / "a.ark", "rb") as file:
        assert keys(kt.open(file, "token-vector").partition(1, 2)) == ["b"]
    command = kt.open(f"ark:cat {tmp_path}/a.ark |", "token-vector")
    assert keys(command.partition(1, 2, 0, 1)) == ["b"] and keys(command.partition(0, 1, 1, 2)) == ["b"]


def test_stages_compose_and_come_again(table):
    stages = reader(table).filter(is_even).map(doubled).shuffle(5, 1).batch(4).take(3).repeat(2)
    first = [[key for key, _ in batch] for batch in stages]
    assert [len(batch) for batch in first] == [4] * 6 and first[:3] == first[3:]
    assert all(is_even((key, None)) for batch in first for key in batch)
    again = pickle.loads(pickle.dumps(stages))
    for batch, other in zip(stages, again):
        for (key, value), (other_key, other_value) in zip(batch, other):
            assert key == other_key and np.array_equal(value, other_value)
            assert np.array_equal(value, tool_runs.matrices(table / "a.ark")[key] * 2)
    assert [len(batch) for batch in reader(table).batch(20)] == [20, 20, 10]
    assert [len(batch) for batch in reader(table).batch(20, drop_last=True)] == [20, 20]
    assert len(list(reader(table).repeat(3))) == 150 and list(reader(table).repeat(0)) == []
    assert list(reader(table).take(0).repeat()) == []
    assert keys(reader(table).repeat().take(120)) == (keys(reader(table)) * 3)[:120]


def test_nothing_is_read_before_it_is_asked_for():
    asked = []

    class Numbers(kt._compose.Composable):
        def __iter__(self):
            for number in range(100):
                asked.append(number)
                yield number

    stages = Numbers().map(str).filter(bool).shuffle(10).batch(2).take(5)
    iterator = iter(stages)
    assert asked == []
    next(iterator)
    assert 10 <= len(asked) <= 13
    assert list(Numbers().take(2)) == [0, 1] and len(asked) <= 15
    for wrong in (lambda: Numbers().shuffle(-1), lambda: Numbers().batch(0), lambda: Numbers().take(-1)):
        with pytest.raises(ValueError):
            wrong()


def test_an_error_ends_every_stage():
    class Failing(kt._compose.Composable):
        def __iter__(self):
            yield from "abc"
            raise kt.DataError("cut")

    for make in (
        lambda it: it.shuffle(2),
        lambda it: it.shuffle(0),
        lambda it: it.sort(key=str),
        lambda it: it.batch(2),
        lambda it: it.repeat(2),
        lambda it: it.map(str).filter(bool),
        lambda it: kt.interleave([it, "xyz"]),
    ):
        iterator = iter(make(Failing()))
        with pytest.raises(kt.DataError, match="cut"):
            list(iterator)
        assert list(iterator) == []
    with pytest.raises(ZeroDivisionError):
        list(Failing().map(lambda letter: 1 // 0))


def test_readers_are_mixed_by_weight(table):
    numbers = [range(0, 1000), range(1000, 2000), range(2000, 3000)]
    mixed = list(kt.interleave(numbers, [5, 3, 2]))
    assert sorted(mixed) == list(range(3000))
    for end in range(1, 2000):
        for lane, weight in enumerate((5, 3, 2)):
            got = sum(number // 1000 == lane for number in mixed[:end]) if end % 97 == 0 else end * weight / 10
            assert abs(got - end * weight / 10) <= 1
    both = kt.interleave([reader(table), reader(table).shuffle(9)])
    assert len(list(both.batch(10))) == 10 and keys(pickle.loads(pickle.dumps(both))) == keys(both)
    assert list(kt.interleave([])) == []
    for weights in ([1], [1, 0], [1, -1], [1, float("nan")], [1, float("inf")]):
        with pytest.raises(ValueError):
            kt.interleave([[1], [2]], weights)


def test_closing_a_stage_closes_its_reader(table):
    source = reader(table)
    with source.shuffle(3).batch(2) as stages:
        assert len(next(iter(stages))) == 2
    assert source.closed
    with pytest.raises(kt.ClosedError):
        list(stages)
