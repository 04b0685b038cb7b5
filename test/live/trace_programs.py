# SPDX-License-Identifier: GPL-2.0-or-later
# Compares lines of cupel trace and strace (see trace_programs.sh).
import difflib, glob, os, re, sys

os.chdir(sys.argv[1])
# What differs: of strace's line, and why.
REASONS = [
    (r"^clone3?\(|^vfork\(", "arguments of clone have the kernel's order, and no names"),
    (r"^<\.\.\. execve resumed>", "strace cuts the line where threads change"),
    (r"^syscall_0x", "numbers of unknown calls are decimal"),
    (r"^(getpid|close|access)\(", "calls of the 32-bit kind are marked"),
    (r"^getrandom\(", "bytes are random"),
    (r"^futex\(.*FUTEX_(WAIT_BITSET|BITSET)", "the unused argument is shown, too"),
    (r"^(getpeername|getsockopt)\(.* = -1 ", "outputs of failed calls are addresses"),
    (r"^p?poll\(.* = [1-9]", "what happened is beside each descriptor, not behind the result"),
    (r"^perf_event_open\(", "the size in it is not believed"),
    (r"tv_nsec=18446744073709551615", "negative times are negative"),
    (r"^rt_sigreturn\(", "the mask is on the stack of the handler"),
    (r"^(prctl|sched_getscheduler)\(", "results and values without names are numbers"),
    (r"^p(read|write)v\(", "the unused half of the offset is shown, too"),
    (r"^io_uring_setup\(", "offsets of rings are left out"),
    (r"^restart_syscall\(", "the call that is resumed is not named"),
]

def ours(name):
    lines = [line.rstrip("\n").split(" ", 1) for line in open(name + ".ours")]
    first = lines[0][0]
    return [line for tid, line in lines if tid == first]

def theirs(name):
    files = glob.glob(name + ".strace.*")
    first = min(files, key=lambda file: int(file.rsplit(".", 1)[1]))
    lines = [line.rstrip("\n") for line in open(first)]
    return [line for line in lines if not line.startswith(("---", "+++"))]

def between(lines):
    marks = [i for i, line in enumerate(lines) if line.startswith("getpgid(-7)")]
    return lines[marks[0] + 1:marks[-1]]

def plain(line):
    line = re.sub(r"\)\s+= ", ") = ", line)
    line = re.sub(r" /\* .*? \*/", "", line)  # strace's comments
    line = re.sub(r"^(wait4)\(\d+", r"\1(NUMBER", line)
    if re.match("wait4|clone|vfork|fork|getpid|getppid|set_tid_address", line):
        line = re.sub(r"(?<== )\d+$", "NUMBER", line)
    line = re.sub(r"\b0x[0-9a-f]{6,}", "ADDRESS", line)
    line = re.sub(r"(?<== )\d{4,}$", "NUMBER", line)
    return re.sub(r"\w+(?:\|\w+)+", lambda m: "|".join(sorted(m.group(0).split("|"))), line)

def call(line):
    return re.match(r"[\w.< -]*", line).group(0).split(" ")[0]

# Side by side; a call that only one has is missing in the other, unless threads race for it.
def pairs(name, mine, other):
    match = difflib.SequenceMatcher(None, [call(l) for l in mine], [call(l) for l in other], False)
    for kind, a, a_end, b, b_end in match.get_opcodes():
        if kind == "equal" or (kind == "replace" and a_end - a == b_end - b):
            yield from zip(mine[a:a_end], other[b:b_end])
            continue
        for line in mine[a:a_end] + other[b:b_end]:
            if name == "exec_from_thread":
                different["threads race"] = different.get("threads race", 0) + 1
            else:
                bad.append("%s: only one of both has %s" % (name, line))

exact, different, bad = 0, {}, []
names = sorted(file[:-5] for file in glob.glob("*.ours"))
for name in names:
    mine, other = between(ours(name)), between(theirs(name))
    for a, b in pairs(name, mine, other):
        a = plain(re.sub(r"(?<=\d)<[^>]*>", "", a))
        b = plain(b)
        if a == b:
            exact += 1
            continue
        for pattern, reason in REASONS:
            if re.search(pattern, b):
                different[reason] = different.get(reason, 0) + 1
                break
        else:
            bad.append("%s\n    ours: %s\n  strace: %s" % (name, a, b))
print("\n".join(bad))
for reason, count in different.items():
    print("%d differ: %s" % (count, reason))
print("%d programs, %d lines are strace's" % (len(names), exact))
# Reasons hide what is behind them: there must not be more.
sys.exit(bool(bad) or exact < 370)
