"""Trains a SentencePiece model on sentences made here, and cuts these and others with it.

Writes KIND.model, KIND.units (its symbol table), text, and KIND.ids: the numbers of the pieces of each line.

usage: sentencepieces.py bpe|unigram
"""

import random
import sys

import sentencepiece

kind = sys.argv[1]
draws = random.Random(1)
syllables = ["ta", "ble", "rea", "der", "fea", "ture", "wave", "form", "é", "ö", "ﬁ", "Ａ", "x", "s"]


def word():
    return "".join(draws.choices(syllables, k=draws.randint(1, 4)))


sentences = [" ".join(word() for _ in range(draws.randint(1, 12))) for _ in range(600)]
train = [sentence.upper() for sentence in sentences[:400]]
sentencepiece.SentencePieceTrainer.train(
    sentence_iterator=iter(train), model_prefix=kind, vocab_size=120, model_type=kind, minloglevel=2
)
model = sentencepiece.SentencePieceProcessor(model_file=f"{kind}.model")
with open(f"{kind}.units", "w") as units:
    for number in range(model.get_piece_size()):
        units.write(f"{model.id_to_piece(number)} {number}\n")
with open("text", "w") as text, open(f"{kind}.ids", "w") as ids:
    for number, sentence in enumerate(sentences):
        sentence = sentence.replace(" ", "  ", number % 3)
        numbers = model.encode(sentence.upper())
        text.write(f"u{number} {sentence}\n")
        ids.write(" ".join([f"u{number}", *map(str, numbers)]) + "\n")
