"""Makes random datasets and their sample indices with megatron_core, and tells by which commands ours make the same.

usage: make_datasets.py SEED COUNT

For number N, in the current folder: N.txt, an archive of vectors of vectors; theirs-N.idx, theirs-N.bin; cache-N, the
indices; N.samples, the samples in the order of training as an archive. Prints a line for each: number, options of
int-vector-to-indexed, options of indexed-build-samples, options of indexed-samples-to-int-vector, separated by tabs.
"""

import collections
import os
import random
import sys
import types

import numpy

from load_megatron import Item, load

indexed_dataset, helpers, gpt_dataset = load()

TYPES = ["int32", "uint16", "uint8", "int8", "int16", "int64"]
SPLITS = ["969,30,1", "1", "50,50", "1,1,1", "0.7 0.2 0.1", "98,1,1"]
PAD = 7


def random_documents(rng, dtype):
    """Documents of sequences, some of them empty; now and then many or long ones."""
    info = numpy.iinfo(dtype)
    low, high = max(info.min, -(2**31)), min(info.max, 2**31 - 1)
    kind = rng.random()
    count = 3000 if kind < 0.01 else rng.randint(1, 14)
    longest = 70000 if 0.01 <= kind < 0.02 else rng.choice([1, 8, 60])
    nested = rng.random() < 0.5
    return [
        [
            [rng.randint(low, high) for _ in range(rng.choice([0, rng.randint(0, longest)]))]
            for _ in range(rng.randint(0, 4) if nested else 1)
        ]
        for _ in range(count)
    ]


def write_dataset(prefix, documents, dtype, rng):
    builder = indexed_dataset.IndexedDatasetBuilder(prefix + ".bin", dtype=numpy.dtype(dtype).type)
    for document in documents:
        if rng.random() < 0.5:
            builder.add_document(sum(document, []), [len(sequence) for sequence in document])
        else:
            for sequence in document:
                builder.add_item(Item(numpy.array(sequence, dtype=dtype)))
            builder.end_document()
    builder.finalize(prefix + ".idx")


def write_archive(path, documents):
    with open(path, "w") as file:
        for number, document in enumerate(documents):
            lists = "".join("".join(f"{token} " for token in sequence) + "; " for sequence in document)
            file.write(f"doc-{number:05} {lists}\n")


def config(rng, prefix, cache, **options):
    tokenizer = types.SimpleNamespace(
        vocab_size=None,
        pad=PAD,
        eos=-1,
        eod=-1,
        special_tokens_dict={"a": -1},
        unique_identifiers=collections.OrderedDict([("class", "none"), ("name", rng.choice("äbc"))]),
    )
    return gpt_dataset.GPTDatasetConfig(
        blend=([prefix], None),
        path_to_cache=cache,
        tokenizer=tokenizer,
        reset_position_ids=False,
        reset_attention_mask=False,
        eod_mask_loss=False,
        **options,
    )


def make_cached(rng, number, dataset):
    """The indices that a training makes, with their names."""
    prefix, cache = f"theirs-{number}", f"cache-{number}"
    split_name, split = rng.choice(["train", "train", "valid", "test"]), rng.choice(SPLITS)
    extra, drop_last = rng.random() < 0.7, rng.random() < 0.5
    length, seed = rng.randint(1, 60), rng.choice([1234, 0, 2**32 - 1, rng.randrange(2**32)])
    made = config(
        rng,
        prefix,
        cache,
        random_seed=seed,
        sequence_length=length,
        split=split,
        drop_last_partial_validation_sequence=drop_last,
        add_extra_token_to_sequence=extra,
    )
    part = gpt_dataset.Split[split_name]
    if made.split_matrix[part.value] is None:
        return None
    begin, end = (int(round(place * float(len(dataset)))) for place in made.split_matrix[part.value])
    indices = numpy.arange(begin, end, dtype=numpy.int32)
    tokens = int(dataset.sequence_lengths[indices].sum())
    if tokens == 0:
        return None
    wanted = rng.choice([None, rng.randint(1, max(1, 6 * tokens // length))])
    try:
        samples = gpt_dataset.GPTDataset(dataset, prefix, indices, wanted, part, made)
    except AssertionError:
        # The last sequence is empty, and its offset would be -1: ours steps back to one that is not.
        assert not drop_last and split_name == "valid"
        return None
    (name,) = [name for name in os.listdir(cache) if name.endswith("description.txt")]
    drop = drop_last or split_name != "valid"
    build = f"--seq-length={length} --seed={seed} --split='{split}' --part={split_name} --extra-token={extra}"
    build += f" --drop-last={drop} --description='{cache}/{name}'" + (f" --num-samples={wanted}" if wanted else "")
    write_samples(number, samples, length, extra)
    return build, f"--seq-length={length} --extra-token={extra} --pad={PAD}"


def write_samples(number, samples, length, extra):
    with open(f"{number}.samples", "w") as file:
        width = len(str(max(0, len(samples) - 1)))
        for place in range(len(samples)):
            tokens, _ = samples._query_document_sample_shuffle_indices(place)
            assert len(tokens) == length + extra
            file.write(f"{place:0{width}} " + "".join(f"{token} " for token in tokens) + "\n")


def make_by_parts(rng, number, dataset):
    """Indices of whole epochs, by the functions that make each of them."""
    cache = f"cache-{number}"
    count = len(dataset)
    tokens = int(dataset.sequence_lengths.sum())
    extra, drop_last, separate = (rng.random() < 0.5 for _ in range(3))
    length, seed, epochs = rng.randint(1, 60), rng.randrange(2**32), rng.randint(1, 5)
    state = numpy.random.RandomState(seed)
    documents = gpt_dataset._build_document_index(numpy.arange(count), epochs, state, separate)
    try:
        rows = helpers.build_sample_idx(
            dataset.sequence_lengths.copy(), documents, length, epochs, tokens, drop_last, extra
        )
    except AssertionError:
        assert not drop_last
        return None
    apart = separate and epochs > 1
    first = ((epochs - 1) * tokens - extra) // length if apart else rows.shape[0] - 1
    order = gpt_dataset._build_shuffle_index(first, rows.shape[0] - 1, state)
    os.makedirs(cache)
    for name, array in [("document", documents), ("sample", rows), ("shuffle", order)]:
        numpy.save(f"{cache}/{name}_index.npy", array)
    build = f"--seq-length={length} --seed={seed} --split=1 --extra-token={extra} --drop-last={drop_last}"
    return build + f" --num-epochs={epochs} --separate-last-epoch={separate}", ""


def make(rng, number):
    dtype = rng.choice(TYPES)
    documents = random_documents(rng, dtype)
    if not any(sequence for document in documents for sequence in document):
        return False
    prefix = f"theirs-{number}"
    write_dataset(prefix, documents, dtype, rng)
    dataset = indexed_dataset.IndexedDataset(prefix)
    made = (make_cached if rng.random() < 0.5 else make_by_parts)(rng, number, dataset)
    if made is None:
        return False
    write_archive(f"{number}.txt", documents)
    print(number, f"--dtype={dtype}", *made, sep="\t")
    return True


seed, wanted = int(sys.argv[1]), int(sys.argv[2])
rng = random.Random(seed)
done = 0
while done < wanted:
    for name in os.listdir("."):
        # What was tried and not used.
        if f"-{done}" in name and name.split(".")[0].endswith(f"-{done}"):
            os.system(f"rm -r '{name}'")
    done += make(rng, done)
