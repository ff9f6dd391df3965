"""`python -m kaldi_tables <tool> ...` is the tool; without words, it lists all tools."""

import os
import signal
import sys

from .tools import path


def main() -> None:
    program = path("kaldi-tables")
    # Python ignores this signal, and a program would inherit that.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
