#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timechart of a sleeping and of a computing program: the times in the picture are correct, and the
# SVG and the page are well-formed. I/O is drawn with its bytes, of stock perf's recordings as well.
# in turn: it runs stock perf
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
# shown DOING: milliseconds of that state in the picture
shown() {
	grep -o "busy and lazy [0-9]*: $1 [0-9.]* ms" output.svg |
		awk '{ sum += $(NF - 1) } END { print sum + 0 }'
}

# within DOING LEAST MOST
within() {
	shown "$1" | awk -v least="$2" -v most="$3" '{ exit !($1 >= least && $1 <= most) }'
}

# Some kernels do not report events on idle CPUs for minutes. Such events are missing in the picture, so
# the test tries several times, on one CPU after the other.
good=
unseen=0
# shellcheck disable=SC2046 # numbers
set -- $(python3 -c 'import os; print(*os.sched_getaffinity(0))')
for _ in 1 2 3 4 5 6 7 8; do
	cpu=$1
	shift
	set -- "$@" "$cpu"
	"$CUPEL" sched record --call-graph fp -m 8M -- taskset -c "$cpu" ./busy 2>log || {
		echo "the scheduler cannot be recorded here: $(head -n 1 log)"
		exit 77
	}
	wakings=$("$CUPEL" script 2>/dev/null | grep -c 'sched_waking: comm=busy and lazy')
	if [ "$wakings" -lt 16 ]; then
		echo "the kernel reported $wakings of 16 wakeups"
		unseen=$((unseen + 1))
		continue
	fi
	"$CUPEL" timechart -p "busy and lazy" 2>>log || {
		cat log
		exit 1
	}
	if within running 195 260 && within 'blocked: sleep' 290 500; then
		good=yes
		break
	fi
	echo "again: ran $(shown running) ms, slept $(shown 'blocked: sleep') ms"
	cat log
done
if [ $unseen -eq 8 ]; then
	echo "this kernel does not report wakeups on idle CPUs"
	exit 77
fi
[ -n "$good" ] || {
	echo "FAIL: no recording of eight was drawn with the 200 ms run and 300 ms slept"
	exit 1
}
"$CUPEL" timechart -o chart.html -T -w 400 --time 0%-50% || exit 1
"$CUPEL" timechart -o all.html || exit 1
"$CUPEL" timechart -o cpus.svg -P || exit 1
python3 - <<'PY'
import base64
import json
import re
import xml.dom.minidom as dom
import zlib
for name in "output.svg", "cpus.svg":
    assert dom.parse(name).getElementsByTagName("path").length > 1, name
def lanes(name):
    """Of a page: CPUs or threads with the kinds of their slices."""
    text = open(name).read()
    assert text.startswith("<!DOCTYPE html>") and "Content-Security-Policy" in text
    packed = re.search('id="timeline-data">([^<]*)<', text).group(1)
    data = json.loads(zlib.decompress(base64.b64decode(packed)))
    kinds = [kind["name"] for kind in data["kinds"]]
    assert "Linux" in data["about"] and "taskset" in data["title"], (data["title"], data["about"])
    return {lane["name"]: {kinds[k] for k in lane["slices"][3::5]} for lane in data["lanes"]}


threads = lanes("chart.html")
assert "CPU 0" not in threads and "running" in set.union(*threads.values()), threads
assert any(name.startswith("CPU") for name in lanes("all.html"))
assert "CPU 0" in open("cpus.svg").read()
PY

# What a program reads and writes: the bytes of its calls, in recordings of cupel and of stock perf.
cat >files.c <<'C'
#include <fcntl.h>
#include <unistd.h>

int main(void)
{
	static char bytes[12345];
	int fd = open("file", O_CREAT | O_RDWR, 0600), folder = open(".", O_RDONLY);
	int bad = fd < 0 || folder < 0;

	for (int i = 0; i < 10; i++)
		bad |= write(fd, bytes, sizeof(bytes)) != sizeof(bytes);
	bad |= fsync(fd);
	for (int i = 0; i < 7; i++)
		bad |= pread(fd, bytes, 1000, i) != 1000;
	bad |= read(folder, bytes, 1) != -1;
	return bad;
}
C
cc -o io_of_files files.c || exit 1
# io_is FILE: the picture says what the program did.
io_is() {
	for line in 'I/O: write .*, 10 calls, 123450 bytes' 'I/O: sync .*, 1 call<' \
		'I/O: error .*, 1 call<'; do
		grep -q "io_of_files [0-9]* I/O: $line" "$1" || {
			echo "FAIL: $1: no line '$line'"
			grep -o 'io_of_files[^<]*' "$1"
			exit 1
		}
	done
}
"$CUPEL" timechart record -I -m 8M -o io.data -- ./io_of_files 2>log || {
	cat log
	exit 1
}
if grep -q ' 0 lost' log; then
	"$CUPEL" timechart -i io.data -o io.svg -p io_of_files || exit 1
	io_is io.svg
	grep -q 'disk [^ ]*: I/O:' io.svg || echo "not tested: requests of disks: none came"
	"$CUPEL" timechart -i io.data -o io.html -p io_of_files || exit 1
	"$CUPEL" script -i io.data >script.txt
	grep -q 'sys_exit_read' script.txt || exit 1
fi
"$CUPEL" timechart -i perf.data -I -o nothing.svg || exit 1
! grep -q 'I/O: write' nothing.svg || exit 1
if command -v perf >/dev/null && perf timechart record -I ./io_of_files >stock.data 2>log; then
	[ -s stock.data ] || mv perf.data stock.data
	"$CUPEL" timechart -i stock.data -o stock.svg -p io_of_files --io-skip-eagain \
		--io-min-time 1m --io-merge-dist 1u || exit 1
	io_is stock.svg
else
	echo "not tested: recordings of perf timechart -I: perf cannot make them"
fi
# Interrupts are lanes.
"$CUPEL" timechart record -m 8M -o all.data -- sleep 0.3 2>log || exit 1
"$CUPEL" timechart -i all.data -o all.html || exit 1
python3 - <<'PY'
import base64
import json
import re
import zlib


def data(name):
    packed = re.search('id="timeline-data">([^<]*)<', open(name).read()).group(1)
    return json.loads(zlib.decompress(base64.b64decode(packed)))


page = data("all.html")
names = {lane["name"] for lane in page["lanes"]}
assert any(name.startswith("interrupts CPU") for name in names), names
assert {"RCU", "TIMER", "SCHED"} & set(page["labels"]), page["labels"]
page = data("io.html")
own = [lane for lane in page["lanes"] if lane["name"].startswith("io_of_files")]
said = {page["labels"][label] for lane in own for label in lane["slices"][4::5]}
assert any("12345 bytes" in text or "123450 bytes" in text for text in said), said
assert any("Is a directory" in text for text in said), said
PY
