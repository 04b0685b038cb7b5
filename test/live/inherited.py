#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# A program inherits the same state from Cupel as without it: signal dispositions and mask, limits,
# descriptors, environment, controlling terminal, priorities. It prints all of them, and the test
# compares the two outputs.
# inherited.py CUPEL FOLDER
import difflib
import os
import pty
import re
import resource
import signal
import subprocess
import sys

cupel, folder = sys.argv[1:3]
os.chdir(folder)

PROBE = r"""
yes | head -n 1 >/dev/null
{
	echo "pipeline ${PIPESTATUS[*]}"
	grep -E '^(Sig[PBIC]|ShdPnd|Cap|NoNewPrivs|Seccomp:|Cpus_allowed:|Mems_allowed:|Umask|Groups|Uid|Gid)' \
		/proc/self/status
	cat /proc/$$/limits
	for fd in /proc/$$/fd/*; do echo "$fd $(readlink "$fd")"; done
	echo "cwd $(readlink /proc/$$/cwd)"
	tr '\0' '\n' </proc/$$/environ
	awk '{ print "group", $5, "session", $6, "terminal", ($7 != 0), $8, "priority", $18, $19, $40, $41 }' \
		/proc/$$/stat
	cat /proc/$$/oom_score_adj /proc/$$/coredump_filter /proc/$$/personality /proc/$$/cgroup
	echo "sees its terminal: $(stty size </dev/tty 2>&1)"
} >seen 2>&1
"""
PROGRAM = ["bash", "-c", PROBE]


def plain():
    pass


def unusual():
    for number in (signal.SIGHUP, signal.SIGPIPE, signal.SIGCHLD, signal.SIGBUS, signal.SIGUSR1):
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGUSR2, signal.SIGRTMIN])
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, 2000))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_STACK, (4 << 20, 16 << 20))
    os.dup2(os.open("/dev/null", os.O_RDONLY), 17)
    os.set_inheritable(17, True)
    os.umask(0o27)
    os.nice(3)


def closed():
    os.close(0)
    os.close(2)


def seen(setting, words):
    """The program's output if it is started with these words."""
    if os.path.exists("seen"):
        os.remove("seen")
    pid, terminal = pty.fork()
    if pid == 0:
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)  # Python ignores them
        setting()
        os.execvpe(words[0], words, {"PATH": os.environ["PATH"], "HOME": folder, "ODD": "a b"})
    said = b""
    while True:
        try:
            more = os.read(terminal, 65536)
        except OSError:
            break  # the terminal is closed
        if not more:
            break
        said += more
    os.close(terminal)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if not os.path.exists("seen"):
        return ["status %d, it said: %s" % (status, said.decode(errors="replace"))]
    text = open("seen", errors="replace").read()
    lines = []
    for line in text.splitlines():
        words = ["LAUNCHED" if word == str(pid) else word for word in line.split(" ")]
        line = " ".join("/dev/pts/N" if word.startswith("/dev/pts/") else word for word in words)
        if line.startswith("/proc/"):  # /proc/PID/fd/N
            line = "fd " + line.split("/", 4)[4]
        lines.append(re.sub(r"pipe:\[\d+\]", "pipe", line))  # those of the shell
    return lines


WAYS = [
    ["record", "-o", "p.data"],
    ["record", "--call-graph", "fp", "-o", "p.data"],
    ["flamegraph", "-o", "p.svg"],
    ["wall", "-o", "p.txt"],
    ["offcputime", "-o", "p.txt"],
    ["sched", "record", "-o", "p.data"],
    ["sched", "stats", "record", "-o", "p.data"],
]


def works(way):
    """Tracefs or the kernel's counters may be missing here."""
    return way[0] != "sched" or subprocess.run(
        [cupel] + way + ["--", "true"], capture_output=True, check=False).returncode == 0


ways = list(filter(works, WAYS))
failed = False
for setting in (plain, unusual, closed):
    alone = seen(setting, PROGRAM)
    if not any(line.startswith("pipeline") for line in alone):
        sys.exit("%s: the program itself: %s" % (setting.__name__, alone))
    for way in ways:
        name = "%s, %s" % (setting.__name__, " ".join(way))
        got = seen(setting, [cupel] + way + ["--"] + PROGRAM)
        if got == alone:
            continue
        failed = True
        print("FAIL: %s: not as without cupel:" % name)
        print("\n".join(list(difflib.unified_diff(alone, got, "without", "with", n=0, lineterm=""))))
sys.exit(failed)
