"""What differs between the command lines of two builds of the program: python3 tests/same_options.py OLD NEW

Compares the lists of tools (options, types, defaults, choices, roles, help), the help and the manual of each tool, completions, and the answers
to wrong numbers of arguments, unknown options, and wrong, missing and extreme values of every option.
"""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor


def run(program, words):
    """The status and the output, without the name of the program."""
    env = {**os.environ, "COLUMNS": "100"}
    ran = subprocess.run([program, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, env=env)
    texts = (text.decode(errors="replace").replace(program, "kaldi-tables") for text in (ran.stdout, ran.stderr))
    return (ran.returncode, *texts)


def lines(tool):
    """Command lines that fail before a tool starts."""
    name = tool["name"]
    yield from ([name, "--help"], ["manual", name], [name], [name, "--nosuch=3"], [name] + ["x"] * 9)
    for option in tool["options"]:
        word = f"--{option['name']}"
        yield from ([name, f"{word}=bad?"], [name, word.upper().replace("-", "_").replace("__", "--", 1)])
        if option["type"] in ("int", "uint", "float", "double"):
            yield from ([name, f"{word}={value}"] for value in ("-99999999999", "1e99", ""))
            yield [name, word, "3"]


def main(old, new):
    """Prints what differs; whether anything does."""
    tools = json.loads(run(old, ["--print-args=false", "--json", "list"])[1])
    all_lines = [["--print-args=false", "--json", "list"]]
    all_lines += [["--print-args=false", "completions", shell] for shell in ("bash", "fish", "zsh")]
    all_lines += [line for tool in tools for line in lines(tool)]
    with ThreadPoolExecutor() as threads:
        pairs = threads.map(lambda line: (line, run(old, line), run(new, line)), all_lines)
        differing = [(line, before, after) for line, before, after in pairs if before != after]
    for line, before, after in differing:
        print(" ".join(line))
        for mark, texts in (("-", before), ("+", after)):
            print("".join(f"  {mark} {text}\n" for text in "\n".join(map(str, texts)).splitlines()[:20]), end="")
    print(f"{len(differing)} of {len(all_lines)} command lines differ")
    return bool(differing)


if __name__ == "__main__":
    sys.exit(main(*map(os.path.abspath, sys.argv[1:3])))
