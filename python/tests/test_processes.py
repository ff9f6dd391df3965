"""Commands, signals, forks: what a process leaves behind."""

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import kaldi_io_files as files
import numpy as np
import pytest
from held import held, left

import kaldi_tables as kt
from kaldi_tables import _core


def run(code, **options):
    """Runs a program; returns it when it has ended."""
    command = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, **options)


def is_gone(pid_file):
    """Whether the process ends whose number is in the file."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            pid = int(pid_file.read_text())
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        except (FileNotFoundError, ValueError):
            pass
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("command", ["while :; do echo a 1; done", "echo a 1; exec sleep 1000", "echo a 1; sleep 1000 | cat"])
def test_an_iterator_that_is_dropped_ends_its_command(tmp_path, command):
    before = held()
    pid_file = tmp_path / "pid"
    iterator = iter(kt.open(f"ark:echo $$ > {pid_file}; {command} |", "int32"))
    assert next(iterator) == ("a", 1)
    del iterator
    gc.collect()
    assert is_gone(pid_file)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
    assert left(before) == set()


def test_a_reader_that_is_closed_ends_its_command(tmp_path):
    pid_file = tmp_path / "pid"
    with kt.open(f"ark:echo $$ > {pid_file}; sleep 1000 |", "int32"):
        while not pid_file.exists():
            time.sleep(0.01)
    assert is_gone(pid_file)


def test_ctrl_c_interrupts_a_silent_pipe():
    code = """
        import os, signal, threading, kaldi_tables as kt
        reader = kt.open("ark:sleep 1000 |", "int32")
        try:
            threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            list(reader)
        except KeyboardInterrupt:
            print("interrupted")
    """
    assert run(code).stdout == "interrupted\n"


def test_the_interpreter_ends_with_live_iterators(tmp_path):
    pid_file = tmp_path / "pid"
    code = f"""
        import kaldi_tables as kt
        iterator = iter(kt.open("ark:echo $$ > {pid_file}; echo a 1; sleep 1000 |", "int32"))
        print(next(iterator))
    """
    ended = run(code)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "('a', 1)\n", "")
    assert is_gone(pid_file)


def _sum(lookup, keys, queue):
    queue.put(sum(float(lookup[key][0, 0]) for key in keys))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_children_share_a_lookup(tmp_path, method):
    arrays = {f"utt{index}": np.full((2, 2), index, np.float32) for index in range(100)}
    script = tmp_path / "m.scp"
    files.write_ark(tmp_path / "m.ark", arrays, script)
    lookup, context = kt.lookup(f"scp:{script}"), multiprocessing.get_context(method)
    assert lookup["utt1"][0, 0] == 1
    queue = context.Queue()
    children = [context.Process(target=_sum, args=(lookup, list(arrays), queue)) for _ in range(3)]
    for child in children:
        child.start()
    assert [queue.get(timeout=120) for _ in children] == [sum(range(100))] * 3
    for child in children:
        child.join()


def test_a_forked_child_leaves_the_command_alone():
    iterator = iter(kt.open("ark:echo a 1; read line < /dev/zero; echo b 2 |", "int32"))
    assert next(iterator) == ("a", 1)
    child = os.fork()
    if child == 0:
        del iterator
        gc.collect()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    iterator.close()
    command = iter(kt.open("ark:echo a 1; sleep 0.2; echo b 2 |", "int32"))
    assert next(command) == ("a", 1)
    child = os.fork()
    if child == 0:
        command.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert next(command) == ("b", 2)


def test_importing_is_quiet_and_changes_nothing():
    code = """
        import signal, threading
        before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGTERM)]
        import kaldi_tables
        assert before == [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGTERM)]
        assert threading.active_count() == 1
    """
    ended = run(code)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_a_subinterpreter_is_refused():
    code = """
        import kaldi_tables
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            import _interpreters as interpreters
        other = interpreters.create()
        try:
            failure = interpreters.run_string(other, "import kaldi_tables")
        except Exception as error:
            failure = error
        print("ImportError" in repr(failure) or "ImportError" in str(failure))
    """
    assert run(code).stdout == "True\n"


def test_ctrl_c_interrupts_threads(tmp_path):
    (tmp_path / "x.scp").write_text("a sleep 1000 |\nb sleep 1000 |\nc sleep 1000 |\n")
    code = f"""
        import os, signal, threading, kaldi_tables as kt
        lookup = kt.lookup("scp:{tmp_path}/x.scp", "int32")
        try:
            threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            lookup.get_many(["a", "b", "c"], threads=2)
        except KeyboardInterrupt:
            print("interrupted")
    """
    assert run(code).stdout == "interrupted\n"


def test_an_iterator_does_not_go_on_in_a_child(tmp_path):
    path = files.write_ark(tmp_path / "m.ark", {f"k{index}": np.ones((300, 300), np.float32) for index in range(9)})
    iterator = iter(kt.open(path))
    assert next(iterator)[0] == "k0"
    child = os.fork()
    if child == 0:
        try:
            list(iterator)
        except kt.Error:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert [key for key, _ in iterator] == [f"k{index}" for index in range(1, 9)]


def test_shapes_and_keys_run_a_command_once(tmp_path):
    command = f"ark:echo run >> {tmp_path}/runs; echo a 1 2 |"
    assert dict(kt.open(command, "int32-vector").shapes()) == {"a": (2,)}
    assert kt.shapes(command) == {"a": (2,)}
    assert (tmp_path / "runs").read_text() == "run\nrun\n"


def test_a_reader_can_be_closed_while_a_thread_waits(tmp_path):
    pid_file, ended = tmp_path / "pid", []
    reader = kt.open(f"ark:echo $$ > {pid_file}; sleep 1000 |", "int32")

    def read():
        try:
            list(reader)
        except kt.ClosedError as error:
            ended.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    while not pid_file.exists():
        time.sleep(0.01)
    reader.close()
    thread.join(300)
    assert len(ended) == 1 and is_gone(pid_file)


def test_the_interpreter_ends_while_a_thread_waits(tmp_path):
    code = f"""
        import os, threading, time, kaldi_tables as kt
        reader = kt.open("ark:echo $$ > {tmp_path}/pid; sleep 1000 |", "int32")
        def read():
            try:
                list(reader)
            except kt.ClosedError:
                pass
        threading.Thread(target=read, daemon=True).start()
        while not os.path.exists("{tmp_path}/pid"):
            time.sleep(0.01)
    """
    assert run(code).returncode == 0
    assert is_gone(tmp_path / "pid")


def test_ctrl_c_ends_the_wait_for_a_lookup_that_another_thread_uses(tmp_path):
    (tmp_path / "x.scp").write_text(f"a echo $$ > {tmp_path}/pid; exec sleep 1000 |\n")
    code = f"""
        import os, signal, threading, time, kaldi_tables as kt
        lookup = kt.lookup("scp:{tmp_path}/x.scp", "int32")
        threading.Thread(target=lambda: lookup["a"], daemon=True).start()
        while not (os.path.exists("{tmp_path}/pid") and os.path.getsize("{tmp_path}/pid")):
            time.sleep(0.01)
        try:
            threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            lookup.close()
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        os.kill(int(open("{tmp_path}/pid").read()), signal.SIGKILL)
        os._exit(0)
    """
    ended = run(code)
    assert ended.stdout == "interrupted\n"


@pytest.mark.parametrize("place", ["without the interpreter", "in threads", "with the interpreter"])
def test_a_panic_is_an_exception(place, capfd):
    with pytest.raises(kt.Error, match=f"internal error: {place}") as raised:
        _core._panic(place)
    assert type(raised.value) is kt.Error
    # The module goes on.
    assert dict(kt.open("ark:echo a 1 |", "int32")) == {"a": 1}


def test_children_write_whatever_threads_of_the_parent_do(tmp_path):
    code = f"""
        import os, signal, threading
        import numpy as np, kaldi_tables as kt
        ended = False
        def write():
            with kt.create("ark:/dev/null") as writer:
                while not ended:
                    writer.write("k", matrix)
        matrix = np.ones((20, 10), np.float32)
        threads = [threading.Thread(target=write) for _ in range(2)]
        for thread in threads:
            thread.start()
        for child in range(8):
            pid = os.fork()
            if pid == 0:
                # None of the locks of the parent is held for ever.
                signal.alarm(300)
                matrices = {{f"k{{at}}": np.ones((300, 100), np.float32) for at in range(20)}}
                with kt.create(f"ark:{tmp_path}/child.ark", compression=1, threads=2) as writer:
                    writer.write_many(matrices.items())
                os._exit(0 if len(list(kt.keys("{tmp_path}/child.ark"))) == 20 else 1)
            assert os.waitpid(pid, 0)[1] == 0, child
        ended = True
        for thread in threads:
            thread.join()
        print("done")
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert ended.stdout == "done\n", ended.stderr
