"""What all tests need."""

import signal

# Where Ctrl-C is ignored, as in background jobs of a script, programs that tests start would ignore it, too.
signal.signal(signal.SIGINT, signal.default_int_handler)
