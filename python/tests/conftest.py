"""What all tests need."""

import signal

import hypothesis

# The same examples each time, however long a busy machine takes for them.
hypothesis.settings.register_profile("same", derandomize=True, deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("same")

# Where Ctrl-C is ignored, as in background jobs of a script, programs that tests start would ignore it, too.
signal.signal(signal.SIGINT, signal.default_int_handler)
