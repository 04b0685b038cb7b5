#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The commands in doc/tracing.md work: each runs beside a program that has the functions they name,
# those that need one another in the order of the page. Those about the kernel's functions and tracers may be
# refused, with the reason.
set -u
: "${CUPEL:?path of the cupel binary}"
page=$(readlink -f "$(dirname "$0")/../../doc/tracing.md")
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
"$CUPEL" trace -o probe.txt -- true 2>log && "$CUPEL" funccount -d 10ms c:malloc >out 2>log &&
	"$CUPEL" argdist -d 10ms -C 't:sched:sched_switch()' >out 2>log || {
	echo "no tracing here: $(grep -v ^Tracing log | head -n 1)"
	exit 77
}

cat >parse.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) void parse_item(int n) { void *volatile p = malloc((size_t)n + 20); free(p); __asm__ volatile(""); }
__attribute__((noinline)) void parse_list(int n) { while (n--) parse_item(n); __asm__ volatile(""); }
__attribute__((noinline)) void parse_all(void) { parse_list(3); __asm__ volatile(""); }
__attribute__((noinline)) int parse(int length, const char *name)
{
	__asm__ volatile("" ::"r"(name) : "memory");
	parse_all();
	return length;
}
C
cat >work.c <<'C'
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#define SDT(name, argument) \
	__asm__ volatile("990: nop\n.pushsection .note.stapsdt, \"\", \"note\"\n.balign 4\n" \
		".4byte 992f - 991f, 994f - 993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n" \
		"993: .8byte 990b, 0, 0\n.asciz \"program\"\n.asciz \"" name "\"\n.asciz \"" argument "\"\n" \
		"994: .balign 4\n.popsection")
struct shape { const char *name; struct { int x, y; } at; };
int parse(int length, const char *name);
static int total;
__attribute__((noinline)) int work(struct shape *s, struct shape *p, int n, int length)
{
	int sum = n;
	total += length;
	__asm__ volatile("" ::"r"(s), "r"(p) : "memory");
	return sum + parse(length, s->name);
}
int main(int argc, char **argv)
{
	struct shape shape = { "round", { 1, 2 } };
	char block[8192];
	int file = open("made", O_RDWR | O_CREAT, 0600);
	int rounds = argc > 1 ? atoi(argv[1]) : 5;

	(void)!write(file, block, sizeof(block));
	(void)!pread(file, block, sizeof(block), 0);
	connect(socket(AF_UNIX, SOCK_STREAM, 0), &(struct sockaddr){ AF_UNIX, "none" }, 9);
	for (int i = 0; i < rounds; i++) {
		work(&shape, &shape, i, i % 2);
		SDT("hit", "4@$5");
		SDT("request", "");
		poll(NULL, 0, 1);
	}
	usleep(12000);
	return 0;
}
C
cc -O0 -g -w -o program work.c parse.c || exit 1
./program 100000000 &
pid=$!
export XDG_CONFIG_HOME=$work
mkdir bin
ln -s "$CUPEL" bin/cupel
PATH=$work/bin:$PATH
python3 - "$page" "$pid" <<'PY'
import re, subprocess, sys
from concurrent.futures import ThreadPoolExecutor
page, pid = sys.argv[1:]
names = re.compile(r"cupel (doctor|ftrace|funccount|probe|probe -V|trace|wall|report|"
                   r"trace (-e|-i|--json|-s --json|--by-caller --json|--help))$")
files = re.compile(r"trace\.dat|report\.txt|graph\.txt")  # test/live/trace_dat.sh
kernel = re.compile(r"--cgroup|vfs_|ftrace.*-t irqsoff|ftrace profile")
refused = re.compile(r"version 2 cgroup|this kernel|the kernel (refuses|does not)|CONFIG_|not permitted|Operation not")
in_order = re.compile(r"cupel (record|report|probe|flamegraph|stat) |cupel report|trace (record|-i)|--folded")

def run(command):
    endless = " -- " not in command and (" -p " in command or " -a" in command or " argdist " in command or
                                         "--summary-mode" in command or "--cgroup" in command)
    limit = "timeout -s INT -k 60 0.5 " if endless else "timeout -k 1 60 "
    done = subprocess.run(["bash", "-c", limit + command], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, errors="replace")
    if done.returncode == 0 or endless and done.returncode in (124, 130):
        return "done"
    if kernel.search(command) and refused.search(done.stderr):
        return "refused"
    print("FAIL: %s: status %d: %s%s" % (command, done.returncode, done.stdout[-300:], done.stderr[-500:]))
    return "failed"

commands = []
for line in open(page):
    found = re.findall(r"^    (?:\$ )?(cupel .*)", line) or re.findall(r"`(cupel [^`]*)`", line)
    for command in found:
        command = re.split(r"   +", command)[0].strip().replace("1234", pid).replace("--cgroup PATH", "--cgroup /")
        if (names.match(command) and command != "cupel report") or files.search(command):
            continue
        commands.append(re.sub(r"(-d|-D) (10|2)$|(--timeout) 10s", lambda m: (m[1] or m[3]) + " 300ms", command))
with ThreadPoolExecutor(3) as pool:
    others = pool.map(run, [c for c in commands if not in_order.search(c)])
    got = [run(c) for c in commands if in_order.search(c)] + list(others)
print("%d commands, %d of them refused by this kernel" % (len(got), got.count("refused")))
sys.exit(len(got) < 70 or "failed" in got)
PY
