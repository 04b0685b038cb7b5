# SPDX-License-Identifier: GPL-2.0-or-later
# Commands and options of perf, supported or not, and unknown ones.

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	PYTHONPATH=$BATS_TEST_DIRNAME/../live python3 - <<'PY'
from perf_data_bytes import *
w = Writer()
records = [w.comm(10, 10, "sh", True), w.mmap(10, 0x1000, 0x3000, "/bin/sh"),
           w.sample(10, 0x1010, [USER_CHAIN, 0x1010])]
open("perf.data", "wb").write(w.file(records))
open("pipe.data", "wb").write(w.pipe(records))
PY
}

@test "an unsupported command of perf is an error that names a replacement" {
	for word in kvm; do
		run "$CUPEL" "$word" -x
		[ "$status" -eq 2 ]
		[[ $output == *"$word: this command of perf is not built yet"*"hint: "* ]]
	done
	[[ $("$CUPEL" inject -s -i perf.data -o out.data 2>&1) == *"cupel record -e off-cpu"* ]]
	run "$CUPEL" nonsense
	[ "$status" -eq 2 ]
	[[ $output == *"unknown command 'nonsense'"*"see: cupel help"* ]]
}

@test "an unknown subcommand is an error that names the parent's help" {
	run "$CUPEL" sched foo
	[ "$status" -eq 2 ]
	[[ $output == *"see: cupel sched --help"* ]]
}

@test "every reader takes its input as an argument, as -i, and from a pipe" {
	for command in report script evlist buildid-list collapse heatmap 'convert --format folded'; do
		"$CUPEL" $command perf.data >word
		"$CUPEL" $command -i perf.data >option
		cmp word option
		[ -s word ]
	done
	for command in report script evlist heatmap 'sched latency' 'sched map' timechart; do
		run "$CUPEL" $command -i perf.data perf.data
		[ "$status" -eq 2 ]
		[[ $output == *"expected one input"* ]]
	done
	for command in 'sched latency' 'sched map' 'sched timehist' timechart; do
		run "$CUPEL" $command perf.data
		[ "$status" -eq 1 ]
		[[ $output == *"perf.data: no context switches"* ]]
	done
}

@test "errors about inputs name folders, empty names and other formats" {
	run "$CUPEL" report -i "$BATS_TEST_TMPDIR"
	[ "$status" -eq 1 ]
	[[ $output == *": a directory, and not one that perf record wrote"* ]]
	for command in 'report -o' 'record -o' 'flamegraph -o' 'report -i'; do
		run "$CUPEL" $command ''
		[ "$status" -eq 2 ]
		[[ $output == *"the file name is empty"* ]]
	done
	run "$CUPEL" flamegraph -o x.png perf.data
	[ "$status" -eq 2 ]
	[[ $output == *"x.png: pictures are .svg or .html files"* ]]
	[ ! -e x.png ]
	"$CUPEL" flamegraph --format svg -o x.png perf.data
	[ -s x.png ]
}

@test "Ctrl-C ends reading from a pipe and shows the part that was read" {
	python3 - "$CUPEL" <<'PY'
import os, signal, subprocess, sys, time

def obey_interrupts(): # the test may run with the signal ignored
    signal.signal(signal.SIGINT, signal.SIG_DFL)

def interrupted(times):
    end, begin = os.pipe()
    child = subprocess.Popen([sys.argv[1], "report", "-g", "none"], stdin=end,
                             stdout=subprocess.PIPE, preexec_fn=obey_interrupts)
    os.close(end)
    os.write(begin, open("pipe.data", "rb").read())
    status = open(f"/proc/{child.pid}/status")
    for _ in range(6000):  # until it waits for more
        status.seek(0)
        text = status.read()
        blocked = int(text.split("SigBlk:")[1].split()[0], 16)
        if blocked & 2 and "S (sleeping)" in text:
            break
        time.sleep(0.01)
    time.sleep(0.1)
    for _ in range(times):
        child.send_signal(signal.SIGINT)
        time.sleep(0.1)
    out = child.communicate(timeout=60)[0].decode()
    os.close(begin)
    return child.returncode, out

code, out = interrupted(1)
assert code == 0 and "100.00%" in out, (code, out)
code, out = interrupted(2)
assert code == -signal.SIGINT, (code, out)
PY
}

@test "timechart record runs sched record" {
	run "$CUPEL" timechart record --help
	[ "$status" -eq 0 ]
	[[ $output == "usage: cupel timechart record"* ]]
}

@test "timechart record: perf's short options work" {
	cd "$BATS_TEST_TMPDIR"
	"$CUPEL" timechart record -q -P -T -o x.data true || skip "cannot record here"
	run "$CUPEL" evlist -v -i x.data
	[[ $output != *"PHYS_ADDR"* ]]
}

@test "script and report accept --unwind-style; kallsyms names another tool" {
	seed=$BATS_TEST_DIRNAME/../fuzz/seeds/sched/plain
	"$CUPEL" script --unwind-style=libdw -i "$seed" >out
	"$CUPEL" report --unwind-style=libdw -i "$seed" >out
	run "$CUPEL" kallsyms schedule
	[ "$status" -eq 2 ]
	[[ $output == *"/proc/kallsyms"* ]]
}
