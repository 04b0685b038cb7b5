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
"$CUPEL" sched record -q --call-graph fp -- ./busy 2>log || {
	echo "the scheduler cannot be recorded here: $(head -n 1 log)"
	exit 77
}
"$CUPEL" timechart -p "busy and lazy" 2>log || {
	cat log
	exit 1
}
"$CUPEL" timechart -o chart.html -T -w 400 --time 0%-50% || exit 1
"$CUPEL" timechart -o cpus.svg -P || exit 1
python3 - <<'PY'
import re
import xml.dom.minidom as dom
text = open("output.svg").read()
for name in "output.svg", "cpus.svg":
    assert dom.parse(name).getElementsByTagName("path").length > 1, name
def ms(doing):
    found = re.findall(r"busy and lazy \d+: %s ([\d.]+) ms" % doing, text)
    return sum(map(float, found))
assert 195 <= ms("running") <= 260, ms("running")
assert 290 <= ms("blocked: sleep") <= 500, ms("blocked: sleep")
page = open("chart.html").read()
assert page.startswith("<!DOCTYPE html>") and "CPU 0" not in page
assert "CPU 0" in open("cpus.svg").read()
print("ran %.0f ms, slept %.0f ms" % (ms("running"), ms("blocked: sleep")))
PY
