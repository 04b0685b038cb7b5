#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What recording costs, beside stock perf, in one run: own CPU time, peak memory and bytes per sample
# of system-wide recordings of the same busy machine by frame pointers and by stack copies, samples
# lost, how much longer `true` and 1,000 programs one after the other take when they are recorded, and
# what the default rate costs by clocks that are not our own: of a program by how much more CPU time the
# same work takes, of the machine by the kernel's statistics of BPF programs, both with the CPU time of
# the recorder added. Last, the time that samples give to tasks of 0.1 to 0.8 ms, beside their time on a
# CPU by the kernel's switch records: exit status 1 when it is not within 3 %. Prints each command before
# its figures.
#
# Environment: CUPEL; BENCH_SECONDS (5), length of each recording.
set -u
export LC_ALL=C
bench=$(cd "$(dirname "$0")" && pwd)
missed=0
# shellcheck source=bench/timing.bash
. "$bench/timing.bash"
seconds=${BENCH_SECONDS:-5}
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
export HOME="$work" # perf keeps copies of binaries there
for tool in perf python3 cc /usr/bin/time; do
	command -v $tool >/dev/null || {
		echo "bench: $tool is missing" >&2
		exit 1
	}
done

# cost FILE COMMAND…: CPU ms, peak KiB and wall ms of the command itself into FILE. Python measures
# finer than time(1), but a child of it starts with its peak memory.
cost() {
	file=$1
	shift
	echo "+ $*"
	python3 - "$@" <<'PYTHON' >"$file"
import os, sys, time
start = time.monotonic()
pid = os.fork()
if pid == 0:
    null = os.open("/dev/null", os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(os.open("log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    os.execvp("/usr/bin/time", ["time", "-q", "-o", "peak", "-f", "%M"] + sys.argv[1:])
_, _, use = os.wait4(pid, 0)
wall = time.monotonic() - start
print("%.1f %s %.1f" % ((use.ru_utime + use.ru_stime) * 1e3, open("peak").read().split()[-1],
                        wall * 1e3))
PYTHON
}

row() {
	printf '%-28s %12s %12s %9s\n' "$@"
}

# compare TITLE FIELD PEER OURS
compare() {
	read -r -a peer <"$3"
	read -r -a ours <"$4"
	row "$1" "${peer[$2]}" "${ours[$2]}" \
		"$(awk -v a="${peer[$2]}" -v b="${ours[$2]}" 'BEGIN { printf "%.2f", b / a }')"
}

# A lot of stacks on every CPU; no short-lived processes, because their number would differ between the
# recordings and with it the bytes.
for _ in $(seq "$(nproc)"); do
	python3 -c 'while True: sum(i * i for i in range(1000))' &
done
sleep 0.5

for mode in fp dwarf; do
	cost perf.cost perf record -a -F 1999 --call-graph $mode -o perf.data sleep "$seconds"
	cp log perf.log
	cost cupel.cost "$CUPEL" record -a -F 1999 --call-graph $mode -o cupel.data \
		--duration "$seconds"
	row "$mode" perf cupel ratio
	compare "own CPU time, ms" 0 perf.cost cupel.cost
	compare "peak memory, KiB" 1 perf.cost cupel.cost
	for recorder in perf cupel; do
		count=$(perf script -f -i $recorder.data -F event -G 2>/dev/null | grep -c .)
		[ "$count" -gt 0 ] || echo "$recorder.data: perf script reads no sample"
		echo "$(($(stat -c %s $recorder.data) / (count + !count))) $count" >$recorder.size
	done
	compare "bytes per sample" 0 perf.size cupel.size
	compare "samples" 1 perf.size cupel.size
	echo "reported loss: perf: $(grep -o 'lost [0-9.]*%' perf.log || echo none)," \
		"cupel: $(grep -o '[0-9,]* lost' log | head -1)"
done
# shellcheck disable=SC2046 # several words
kill $(jobs -p)
wait 2>/dev/null

echo "start and end: wall ms of true, best of 10"
best() {
	for _ in $(seq 10); do
		cost one "$@" >/dev/null
		cut -d' ' -f3 one
	done | sort -n | head -1
}
row "" alone perf cupel
row true "$(best true)" "$(best perf record -o perf.data true)" \
	"$(best "$CUPEL" record -o cupel.data true)"

echo "1,000 programs one after the other: wall ms, best of 5 in turns"
cat >storm.sh <<'SH'
i=0; while [ $i -lt 1000 ]; do /bin/true; i=$((i + 1)); done
SH
rm -f -- *.storm
for _ in 1 2 3 4 5; do
	for recorder in alone perf cupel; do
		case $recorder in
		alone) cost one sh storm.sh ;;
		perf) cost one perf record -o perf.data sh storm.sh ;;
		cupel) cost one "$CUPEL" record -o cupel.data sh storm.sh ;;
		esac >/dev/null
		cut -d' ' -f3 one >>$recorder.storm
	done
done
row storm "$(sort -n alone.storm | head -1)" "$(sort -n perf.storm | head -1)" "$(sort -n cupel.storm | head -1)"

echo "cost of the default rate"
python3 - "$CUPEL" "$seconds" <<'PYTHON'
import json, os, resource, statistics, subprocess, sys, time
cupel, seconds = sys.argv[1], float(sys.argv[2])
work = [sys.executable, "-c", """
import resource
for i in range(150): sum(i * i for i in range(100000))
use = resource.getrusage(resource.RUSAGE_SELF)
print(use.ru_utime + use.ru_stime)"""]

def used():
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    return use.ru_utime + use.ru_stime

def program(words):
    before = used()
    own = float(subprocess.run(words + work, capture_output=True, check=True).stdout)
    return own, used() - before - own

def ends(words): # CPU time of a recorder of nothing
    before = used()
    subprocess.run(words + ["true"], check=True)
    return used() - before

recording = [cupel, "record", "-q", "-N", "-o", "cupel.data", "--"]
start_and_end = min(ends(recording) for _ in range(5))
work_more, recorder = [], []
for turn in range(16): # either is the first one of every other pair
    pair = {}
    for recorded in ((0, 1), (1, 0))[turn % 2]:
        pair[recorded] = program(recording if recorded else [])
    work_more.append(pair[1][0] / pair[0][0] - 1)
    recorder.append((pair[1][1] - pair[0][1] - start_and_end) / pair[1][0])
print("of the program, %%: %.2f more for the work (median of 16 pairs; half of them from %.2f to %.2f), "
      "%.2f by the recorder, without the %.0f ms of its start and end" %
      ((100 * statistics.median(work_more),) + tuple(100 * q for q in statistics.quantiles(work_more)[::2]) +
       (100 * statistics.median(recorder), 1e3 * start_and_end)))

switch = "/proc/sys/kernel/bpf_stats_enabled"
try:
    old = open(switch).read()
    open(switch, "w").write("1")
except OSError as error:
    sys.exit("of the machine: not measured: %s" % error)
def programs():
    return json.loads(subprocess.run(["bpftool", "-j", "prog", "show"], capture_output=True).stdout)

before = {p["id"] for p in programs()}
spin = [subprocess.Popen([sys.executable, "-c", "while True: sum(i * i for i in range(1000))"])
        for _ in range(os.cpu_count())]
try:
    record = subprocess.Popen([cupel, "record", "-q", "-a", "-o", "cupel.data", "--duration", "%ds" % (seconds + 4)])
    def look():
        use = open("/proc/%d/stat" % record.pid).read().rsplit(")", 1)[1].split()
        mine = [p for p in programs() if p["id"] not in before]
        return (time.monotonic(), (int(use[11]) + int(use[12])) / os.sysconf("SC_CLK_TCK"),
                sum(p.get("run_time_ns", 0) for p in mine) / 1e9, sum(p.get("run_cnt", 0) for p in mine))
    time.sleep(2)
    first = look()
    time.sleep(seconds)
    last = look()
    record.wait()
    wall, cpu, bpf, runs = (b - a for a, b in zip(first, last))
    machine = wall * os.cpu_count()
    print("of the machine, %%: %.3f by BPF programs (%d runs), %.3f by the recorder" %
          (100 * bpf / machine, runs, 100 * cpu / machine))
finally:
    for s in spin: s.kill()
    open(switch, "w").write(old)
PYTHON

# sampled_and_ran MS COUNT: seconds in samples, seconds on a CPU, of the same tasks
sampled_and_ran() {
	"$CUPEL" sched record -q -m 16M -o switches.data -- \
		"$CUPEL" record -q -F 1777 -o short.data -- ./short_tasks "$1" "$2" 0.7 >/dev/null 2>&1
	"$CUPEL" collapse short.data 2>/dev/null |
		awk '/^short_tasks/ { sum += $NF } END { printf "%.4f ", sum / 1e9 }'
	"$CUPEL" sched timehist -s -i switches.data | awk '/^ *short_tasks\[/ {
		for (i = 2; i <= NF; i++)
			if ($i ~ /^[0-9]+\.[0-9]+$/) { sum += $i; break }
	} END { printf "%.4f\n", sum / 1e3 }'
}

echo "short tasks: time in samples, beside time on a CPU by switch records, 10 runs of each length"
cc -O2 -o short_tasks "$bench/../test/live/short_tasks.c" || exit 1
for ms in 0.1 0.3 0.8; do
	for _ in $(seq 10); do
		sampled_and_ran $ms "$(awk -v ms=$ms 'BEGIN { n = int(1200 / ms); print n > 4000 ? 4000 : n }')"
	done >"short-$ms"
	part=$(awk '{ sampled += $1; ran += $2 } END { printf "%.4f", ran ? sampled / ran : 0 }' "short-$ms")
	least "tasks of $ms ms: time in samples, of their time on a CPU" "$part" "" 0.97
	goal "tasks of $ms ms: the same, at most" "$part" "" 1.03
done
exit "$missed"
