"""Computes the means and variances of models from their text, and looks whether exported arrays are the same numbers.

usage: read_models.py MODEL ...

The text of MODEL is in MODEL.txt, the arrays in MODEL.npz, MODEL.safetensors and the folder MODEL.npy.
"""

import os
import re
import sys

import numpy
import safetensors.numpy

NUMBERS = re.compile(r"\[([^\]]*)\]")


def after(text, token):
    """All brackets from each token up to the next token."""
    return [NUMBERS.findall(part) for part in re.findall(re.escape(token) + r"\s[^<]*", text)]


def vector(bracket):
    return numpy.array(bracket.split(), dtype=float)


def matrix(bracket):
    return numpy.array([line.split() for line in bracket.strip().splitlines()], dtype=float)


def packed(bracket):
    rows = [[float(word) for word in line.split()] for line in bracket.strip().splitlines()]
    full = numpy.zeros((len(rows), len(rows)))
    for at, row in enumerate(rows):
        full[at, : at + 1] = full[: at + 1, at] = row
    return full


def expected(text):
    first = lambda token: [found[0] for found in after(text, token)]
    arrays = {}
    if "<INV_VARS>" in text:
        inverses = [matrix(found) for found in first("<INV_VARS>")]
        products = [matrix(found) for found in first("<MEANS_INVVARS>")]
        arrays["weights"] = numpy.concatenate([vector(found) for found in first("<WEIGHTS>")])
        arrays["means"] = numpy.concatenate([mean / inverse for mean, inverse in zip(products, inverses)])
        arrays["variances"] = numpy.concatenate([1 / inverse for inverse in inverses])
        if "<NUMPDFS>" in text:
            arrays["pdfs"] = numpy.concatenate([[pdf] * len(rows) for pdf, rows in enumerate(inverses)])
    if "<LogProbs>" in text:
        arrays["transition_log_probs"] = vector(first("<LogProbs>")[0])
    if "<INV_COVARS>" in text:
        covariances = numpy.linalg.inv([packed(found) for found in after(text, "<INV_COVARS>")[0]])
        arrays["weights"] = vector(first("<WEIGHTS>")[0])
        arrays["means"] = numpy.einsum("gij,gj->gi", covariances, matrix(first("<MEANS_INVCOVARS>")[0]))
        arrays["covariances"] = covariances
    if "<SigmaInv>" in text:
        offset = float(re.search(r"<IvectorOffset> (\S+)", text)[1])
        arrays["projections"] = numpy.array([matrix(found) for found in after(text, "<M>")[0]])
        arrays["means"] = arrays["projections"][:, :, 0] * offset
        arrays["inverse_covariances"] = numpy.array([packed(found) for found in after(text, "<SigmaInv>")[0]])
        arrays["prior_offset"] = numpy.array(offset)
        weights = first("<w_vec>")[0]
        if weights.split():
            arrays["weights"] = vector(weights)
        else:
            arrays["weight_projections"] = matrix(first("<w>")[0])
    return arrays


for name in sys.argv[1:]:
    with open(f"{name}.txt", encoding="ascii") as file:
        wanted = expected(file.read())
    npz = dict(numpy.load(f"{name}.npz"))
    tensors = safetensors.numpy.load_file(f"{name}.safetensors")
    folder = {file[:-4]: numpy.load(f"{name}.npy/{file}") for file in os.listdir(f"{name}.npy")}
    assert wanted, name
    for key, array in npz.items():
        for other in (tensors, folder):
            assert other[key].dtype == array.dtype and other[key].tobytes() == array.tobytes(), (name, key)
        if key in wanted:
            assert array.shape == wanted[key].shape, (name, key, array.shape, wanted[key].shape)
            # The text has seven digits.
            scale = numpy.abs(wanted[key]).max()
            assert numpy.allclose(array, wanted[key], rtol=1e-4, atol=1e-5 * scale), (name, key)
    others = {"transition_phones", "transition_pdfs", "transition_states"}
    assert set(npz) - others == set(wanted) and set(tensors) == set(folder) == set(npz), (name, list(npz))
    if "transition_pdfs" in npz and "pdfs" in npz:
        # Transition-ids are indices, and each pdf has some.
        assert set(npz["transition_pdfs"][1:]) == set(npz["pdfs"])
        assert len(npz["transition_log_probs"]) == len(npz["transition_pdfs"])
print("the same")
