#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The output of the seven tools with BCC's names has the layout that scripts parse: first line, column
# heads, rows, sections, times of day and folded lines. Ctrl-C prints the counts since the last
# interval.
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
pids=
trap '[ -z "$pids" ] || kill $pids 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
if ! "$CUPEL" offcputime -f -- sleep 0.1 >probe 2>log || ! "$CUPEL" runqlat 10ms 1 >probe 2>log; then
	echo "no BPF programs here: $(head -n 1 log)"
	exit 77
fi
cat >naps.py <<'PY'
import threading, time

def naps():
    while True:
        time.sleep(0.002)

threading.Thread(target=naps).start()
open("ready", "w").close()
naps()
PY
python3 naps.py &
nap=$!
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
pids=$nap
for _ in 1 2; do
	timeout 50 taskset -c "$cpu" sh -c 'while :; do :; done' &
	pids="$pids $!"
done
while ! [ -e ready ]; do
	kill -0 "$nap" || exit 1
	sleep 0.1
done
stopped=
for tool in runqlat cpudist runqlen; do
	timeout -s INT 12 "$CUPEL" $tool 60 >$tool.stopped 2>&1 &
	stopped="$stopped $!"
done
"$CUPEL" runqlat -T 600ms 2 >runqlat.txt
"$CUPEL" runqlat -m 600ms 1 >runqlat_m.txt
"$CUPEL" runqlat -P -p "$nap" 600ms 1 >runqlat_P.txt
"$CUPEL" runqlat -L -p "$nap" 600ms 1 >runqlat_L.txt
"$CUPEL" cpudist -e -P -p "$nap" 600ms 1 >cpudist.txt
"$CUPEL" cpudist -O -T -p "$nap" 600ms 1 >cpudist_O.txt
"$CUPEL" runqlen -T 600ms 1 >runqlen.txt
"$CUPEL" runqlen -C 600ms 1 >runqlen_C.txt
"$CUPEL" runqlen -O 600ms 1 >runqlen_O.txt
"$CUPEL" runqlen -O -C 600ms 1 >runqlen_OC.txt
"$CUPEL" runqslower -d 500ms 1000 >runqslower.txt
"$CUPEL" runqslower -P -d 500ms 1000 >runqslower_P.txt
for tool in offcputime wakeuptime offwaketime; do
	"$CUPEL" $tool -p "$nap" 500ms >$tool.txt 2>>log
	"$CUPEL" $tool -f -d -p "$nap" 500ms >$tool.folded 2>>log
done
# shellcheck disable=SC2086 # words
wait $stopped
# shellcheck disable=SC2086
kill $pids
python3 - "$nap" <<'PY'
import re, sys

pid = sys.argv[1]
stars = r"\|\**\+? *\|\n"
powers = r" +\d+ -> \d+ +: \d+ +" + stars
lengths = r" {8}\d+ +: \d+ +" + stars
clock = r"\d\d:\d\d:\d\d"
failed = 0

def table(unit):
    return r" {5}%s {15}: count     distribution\n(%s)+" % (unit, powers)

def check(name, shape):
    global failed
    text = open(name).read()
    if not re.fullmatch(shape, text):
        print("%s is not as BCC's:\n%s" % (name, text[:2000]))
        failed = 1

queue = "Tracing run queue latency... Hit Ctrl-C to end.\n"
check("runqlat.txt", queue + (r"\n%s\n" % clock + table("usecs")) * 2)
check("runqlat_m.txt", queue + "\n" + table("msecs"))
check("runqlat_P.txt", queue + "\n\npid = " + pid + r"\b.*\n" + table("usecs"))
check("runqlat_L.txt", queue + r"\n(\ntid = \d+\b.*\n" + table("usecs") + "){2}")
check("cpudist.txt", "Tracing on-CPU time... Hit Ctrl-C to end.\n\n\npid = " + pid + " python3\n" +
      table("usecs") + r"\navg = \d+ usecs, total: \d+ usecs, count: \d+\n\n")
check("cpudist_O.txt", "Tracing off-CPU time... Hit Ctrl-C to end.\n\n" + clock + "\n" + table("usecs"))

length = "Sampling run queue length... Hit Ctrl-C to end.\n"
rows = r" {5}runqlen       : count     distribution\n(%s)+" % lengths
check("runqlen.txt", length + "\n" + clock + "\n" + rows)
check("runqlen_C.txt", length + r"\n(\ncpu = \d+\n" + rows + ")+")
check("runqlen_O.txt", length + r"\nrunqocc: \d+\.\d\d%\n")
check("runqlen_OC.txt", length + r"\n(runqocc, CPU \d[ \d]{2} [ \d]{3}\.\d\d%\n)+")

above = "Tracing run queue latency higher than 1000 us\n"
heads = r"TIME     COMM             TID           LAT\(us\)"
row = clock + r" .{16} \d+ +\d+"
check("runqslower.txt", above + heads + r"\n(%s\n)+" % row)
check("runqslower_P.txt", above + heads + r" PREV COMM        PREV TID\n(%s .{16} \d+ *\n)+" % row)

def heading(what, stacks):
    return r"Tracing %s \(us\) of PID %s by user \+ kernel %s for 0\.5 secs\.\n\n" % (what, pid, stacks)

frames = r"(    \S.*\n)*"
total = r" {8}\d+\n\n"
check("offcputime.txt", heading("off-CPU time", "stack") +
      r"(%s    - {16}\S.* \(\d+\)\n%s)+" % (frames, total))
check("wakeuptime.txt", heading("blocked time", "stack") +
      r"(    target: {10}python3\n%s    waker: {11}\S.*\n%s)+" % (frames, total))
check("offwaketime.txt", heading("blocked time", "off-CPU and waker stacks") +
      r"(    waker: {11}\S.*\n%s    -- {15}--\n%s    target: {10}python3 \d+\n%s)+" %
      (frames, frames, total))
check("offcputime.folded", r"(python3;[^\n]+ \d+\n)+")
check("wakeuptime.folded", r"([^\n;]+;([^\n]+;)?python3 \d+\n)+")
check("offwaketime.folded", r"(python3;[^\n]+;--;[^\n]+ \d+\n)+")
nap = r"python3;.*;-;.*nanosleep.*;--;.*hrtimer_wakeup;.*;swapper.* \d+\n"
if not any(re.fullmatch(nap, line) for line in open("offwaketime.folded")):
    print("no timer that ends the naps, its handler first:\n" + open("offwaketime.folded").read()[:2000])
    failed = 1
for name in "runqlat", "cpudist", "runqlen":
    tables = open(name + ".stopped").read().count("distribution")
    if tables != 1:
        print("%s: %d tables in twelve seconds of a minute:\n%s" %
              (name, tables, open(name + ".stopped").read()))
        failed = 1
print("21 shapes" if not failed else "some shapes differ")
sys.exit(failed)
PY
