# SPDX-License-Identifier: GPL-2.0-or-later
"""The programs that the unwinding benchmark profiles: what distributions ship without frame pointers,
each busy for about two seconds. Inputs are made in the current folder."""
import os
import shutil
import subprocess

PYTHON = """
import json
def f(n): return n if n < 2 else f(n - 1) + f(n - 2)
for i in range(%d): f(17); json.loads(json.dumps(list(range(20000)))); sorted(range(20000), key=lambda v: -v)
"""
# sorted() calls back from C, so each level has seven frames; 125 levels make 900.
PYTHON_DEEP = """
import sys
sys.setrecursionlimit(5000)
def deep(n):
    if n: return sorted([n], key=lambda v: deep(v - 1))[0]
    s = 0
    for i in range(20000): s += i
    return s
for i in range(%d): deep(%d)
"""
NODE = """function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2) }
for (let i = 0; i < %d; i++) { f(27); JSON.parse(JSON.stringify([...Array(100000).keys()])).sort() }"""
PERL = """for (1 .. %d) { my %%h; $h{$_ %% 1000} .= chr(65 + $_ %% 26) for 1 .. 100000;
my $s = join ",", map { $h{$_} } sort keys %%h; $s =~ s/A(.)/B$1/g }"""
SQL = """with recursive c(x) as (select 1 union all select x + 1 from c where x < %d)
select sum(x * x %% 7) from c"""


def make_inputs():
    with open("source.c", "w", encoding="ascii") as file:
        for i in range(700):
            file.write("int f%d(int a, int *b) { int s = 0; while (a--) s += b[a] * %d; return s; }\n"
                       % (i, i))
    with open("text", "w", encoding="ascii") as file:
        for _ in range(100000):
            file.write(os.urandom(32).hex(" ", 2) + "\n")


# Functions within functions: twelve frames each.
BASH = """f() { if ((n < 4)); then local n=$((n + 1)); f; else
local i; for ((i = 0; i < 20000; i++)); do ((s += i)); done; fi; }
n=0; for ((k = 0; k < 50; k++)); do f; done"""


def fifty_frames():
    """name → programs with stacks of about fifty frames, for long enough that their start does not
    count. A runtime of Python is recognised by its name: a copy of another one has native stacks."""
    python = system_program("python3")
    shutil.copy(python, "interpreter")
    return {
        "fifty: bash": [system_program("bash"), "-c", BASH],
        "fifty: native python3": [os.path.abspath("interpreter"), "-c", PYTHON_DEEP % (8000, 6)],
        "fifty: python3": [python, "-c", PYTHON_DEEP % (8000, 4)],
    }


def system_program(name):
    """A program of the distribution rather than one that a user put before it."""
    return shutil.which(name, path="/usr/bin:/bin") or shutil.which(name)


def programs(size=1.0):
    """name → command, or None when the program is not installed; size scales their work."""
    cc1 = subprocess.run(["gcc", "-print-prog-name=cc1"], stdout=subprocess.PIPE, text=True,
                         check=True).stdout.strip()

    def scaled(count):
        return max(1, round(count * size))

    commands = {
        "cc1": [cc1, "-quiet", "-O2", "source.c", "-o", "source.s"],
        "python3": ["python3", "-c", PYTHON % scaled(600)],
        "deep python3": ["python3", "-c", PYTHON_DEEP % (scaled(4000), 125)],
        "node": ["node", "-e", NODE % scaled(150)],
        "perl": ["perl", "-e", PERL % scaled(160)],
        "xz": ["xz", "-1", "-T2", "-k", "-c", "text"],
        "openssl": ["openssl", "speed", "-seconds", str(scaled(2)), "-bytes", "8192", "sha256",
                    "aes-128-cbc"],
        "sqlite3": ["sqlite3", ":memory:", SQL % scaled(8000000)],
        "gzip": ["gzip", "-9", "-c", "text"],
    }
    for name, command in commands.items():
        path = system_program(command[0])
        commands[name] = [path] + command[1:] if path else None
    return commands
