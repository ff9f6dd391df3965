"""Trains a tiny model on the batches that feed-batches writes to a pipe. It needs NumPy only.

usage: train_on_pipe.py NUM_EPOCHS NUM_SYMBOLS FEED_BATCHES ARGUMENTS...
 e.g.: train_on_pipe.py 5 4000 feed-batches --conf=train.yaml --symbols=units.txt data.list

The model guesses the first symbol of an utterance from the mean of its features (softmax regression). Each epoch is a run
of feed-batches, with another order and other changes. Prints the loss and the accuracy of each epoch.
"""

import json
import struct
import subprocess
import sys

import numpy as np

TYPES = {"F32": np.float32, "I32": np.int32, "I64": np.int64}


def batches(stream):
    """Reads one safetensors file after the other, as dictionaries of arrays."""
    while head := stream.read(8):
        header = json.loads(stream.read(struct.unpack("<Q", head)[0]))
        keys = json.loads(header.pop("__metadata__")["keys"])
        content = stream.read(max(entry["data_offsets"][1] for entry in header.values()))
        batch = {"keys": keys}
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            numbers = np.frombuffer(content[begin:end], TYPES[entry["dtype"]])
            batch[name] = numbers.reshape(entry["shape"])
        yield batch


def feed(command, epoch):
    """The batches of an epoch, from a process that is gone when the last one was read."""
    process = subprocess.Popen(command[:1] + [f"--epoch={epoch}"] + command[1:] + ["-"], stdout=subprocess.PIPE)
    yield from batches(process.stdout)
    process.stdout.close()
    if process.wait() != 0:
        sys.exit(f"{command[0]} failed with status {process.returncode}")


class Model:
    """Softmax regression on means of features, trained by gradient descent."""

    def __init__(self, num_symbols):
        self.num_symbols = num_symbols
        self.weights = None

    def inputs(self, batch):
        # Padding and masks are zeros, which do not count.
        is_there = batch["feats"] != 0
        means = batch["feats"].sum(axis=1) / np.maximum(is_there.sum(axis=1), 1)
        is_masked = ~is_there.any(axis=1)
        if self.weights is None:
            self.offset, self.scale = means.mean(axis=0), means.std(axis=0) + 1.0
            self.weights = np.zeros((means.shape[1] + 1, self.num_symbols))
        means = np.where(is_masked, 0, (means - self.offset) / self.scale)
        return np.hstack([means, np.ones((len(means), 1))])

    def train(self, batch, rate):
        """Makes one step; returns the sum of losses and how many guesses were right."""
        inputs, targets = self.inputs(batch), batch["target"][:, 0]
        scores = inputs @ self.weights
        scores -= scores.max(axis=1, keepdims=True)
        guesses = np.exp(scores)
        guesses /= guesses.sum(axis=1, keepdims=True)
        places = np.arange(len(targets))
        loss = -np.log(guesses[places, targets] + 1e-12).sum()
        right = (guesses.argmax(axis=1) == targets).sum()
        guesses[places, targets] -= 1
        self.weights -= rate * inputs.T @ guesses / len(targets)
        return loss, right


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    num_epochs, model, command = int(sys.argv[1]), Model(int(sys.argv[2])), sys.argv[3:]
    for epoch in range(num_epochs):
        loss, right, number = 0.0, 0, 0
        for batch in feed(command, epoch):
            batch_loss, batch_right = model.train(batch, rate=0.3)
            loss, right, number = loss + batch_loss, right + batch_right, number + len(batch["keys"])
        number = max(number, 1)
        print(f"epoch {epoch}: loss {loss / number:.3f}, {100 * right / number:.0f} percent right", flush=True)


if __name__ == "__main__":
    main()
