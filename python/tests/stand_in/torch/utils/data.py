"""Data sets, and a loader in this process."""

import typing

T = typing.TypeVar("T")


class Dataset(typing.Generic[T]):
    pass


class IterableDataset(Dataset[T]):
    pass


def get_worker_info():
    return None


class DataLoader:
    def __init__(self, dataset, batch_size=1, num_workers=0, collate_fn=list):
        self._dataset, self._size, self._collate = dataset, batch_size, collate_fn

    def __iter__(self):
        waiting = []
        for item in self._dataset:
            if self._size is None:
                yield item
                continue
            waiting.append(item)
            if len(waiting) == self._size:
                yield self._collate(waiting)
                waiting = []
        if waiting:
            yield self._collate(waiting)
