#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timechart of a program that sleeps, and of one that computes: how long they did what is what the
# picture says, and the picture is well-formed, in a page too.
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cat >busy.c <<'C'
#define _GNU_SOURCE
#include <sys/prctl.h>
#include <time.h>

static double cpu(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

int main(void)
{
	struct timespec nap = { 0, 20000000 };
	double start;

	prctl(PR_SET_NAME, "busy and lazy");
	nanosleep(&nap, 0);
	start = cpu();
	while (cpu() < start + 0.2)
		;
	for (int i = 0; i < 15; i++)
		nanosleep(&nap, 0);
	return 0;
}
C
cc -O1 -o busy busy.c || exit 1
# told DOING: milliseconds of that in the picture
told() {
	grep -o "busy and lazy [0-9]*: $1 [0-9.]* ms" output.svg |
		awk '{ sum += $(NF - 1) } END { print sum + 0 }'
}

# within DOING LEAST MOST
within() {
	told "$1" | awk -v least="$2" -v most="$3" '{ exit !($1 >= least && $1 <= most) }'
}

# The kernel throttles switches on a busy machine, and may leave some out: what was not recorded cannot
# be drawn, so there are a few tries.
good=
for _ in 1 2 3 4 5 6 7 8; do
	"$CUPEL" sched record --call-graph fp -m 8M -- ./busy 2>log || {
		echo "the scheduler cannot be recorded here: $(head -n 1 log)"
		exit 77
	}
	"$CUPEL" timechart -p "busy and lazy" 2>>log || {
		cat log
		exit 1
	}
	if within running 195 260 && within 'blocked: sleep' 290 500; then
		good=yes
		break
	fi
	echo "again: ran $(told running) ms, slept $(told 'blocked: sleep') ms"
	cat log
done
[ -n "$good" ] || {
	echo "FAIL: no recording of eight was drawn with the 200 ms run and 300 ms slept"
	exit 1
}
"$CUPEL" timechart -o chart.html -T -w 400 --time 0%-50% || exit 1
"$CUPEL" timechart -o cpus.svg -P || exit 1
python3 - <<'PY'
import xml.dom.minidom as dom
for name in "output.svg", "cpus.svg":
    assert dom.parse(name).getElementsByTagName("path").length > 1, name
page = open("chart.html").read()
assert page.startswith("<!DOCTYPE html>") and "CPU 0" not in page
assert "CPU 0" in open("cpus.svg").read()
PY
