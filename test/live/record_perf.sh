#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Stock perf reads the files of `cupel record` in every mode, with the same number of samples as in the
# summary and the names of the program's functions. A perf that records at the same time comes to no harm.
set -eu
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
command -v perf >/dev/null || {
	echo "needs perf"
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0

# A program with children that works in user space and in the kernel for 0.1 s and more.
cat >load <<'SCRIPT'
#!/bin/sh
i=0
while [ $i -lt 8 ]; do i=$((i + 1)); /bin/true; done
dd if=/dev/zero of=/dev/null bs=1M count=400 2>/dev/null
awk 'BEGIN { for (i = 0; i < 1500000; i++) x += i; print x }'
SCRIPT
chmod +x load

fail() {
	echo "FAIL: $*"
	failed=1
}

# The number of samples in the summary of cupel.
told() {
	sed -n 's/^\[ cupel: wrote .*: \([0-9,]*\) samples*, 0 lost \]$/\1/p' summary | tr -d ,
}

# The number of samples that perf counts in a file, over all events.
counted() {
	perf script --no-inline -f -i "$1" -F event 2>script.err | grep -c . || true
}

# check NAME OPTION…: records c.data and compares the counts.
check() {
	name=$1
	shift
	rm -f c.data
	if ! "$CUPEL" record -o c.data "$@" -- ./load >out 2>summary; then
		fail "$name: $(cat summary)"
		return
	fi
	n=$(told)
	m=$(counted c.data)
	[ "${n:-nothing}" = "$m" ] ||
		fail "$name: expected ${n:-nothing}, perf counts $m; $(cat summary script.err)"
}

# Enough samples, in the right program.
check default
[ "$(told)" -gt 20 ] || fail "default: only $(told) samples"
perf report --no-inline -f -i c.data --stdio -g none --no-children --sort comm 2>/dev/null >shown
grep -q 'awk' shown || fail "default: perf shows no awk"
perf report --no-inline -f -i c.data --stdio -g none --no-children --sort dso,sym 2>/dev/null >shown
grep -Eq '\[k\] [a-z_]+' shown || fail "default: no kernel function is named"
perf buildid-list -f -i c.data 2>/dev/null >shown
grep -q 'awk' shown || fail "default: no build id of awk"
grep -q 'kernel.kallsyms' shown || fail "default: no build id of the kernel"
perf evlist -f -v -i c.data 2>/dev/null >shown
grep -q 'sample_freq }: 999' shown || fail "default: not 999 Hz"

check none --call-graph none
check dwarf --call-graph dwarf
check dwarf-size --call-graph dwarf,4096
check period -c 100000
check fast -F 20000
check small-rings -F 4000 -m 16
check two-events -e cpu-clock -e page-faults
check group -e '{cpu-clock,task-clock}'
check all-user --all-user
check all-kernel --all-kernel
check user-callchains --user
check kernel-callchains --kernel-callchains
check no-inherit -i
check per-thread --per-thread
check clock -k mono
check data -d -W --phys-data
check registers --user-regs --intr-regs=ip,sp
check raw -R -T --sample-cpu
check stat -s
check namespaces --namespaces --switch-events
check no-time --no-timestamp
check tail --tail-synthesize
check overwrite --overwrite
check delay -D 5
check no-synth --synth no
check identifier --sample-identifier
check max-stack --max-stack 5
check term -e cpu-clock/freq=500/
check cpu -C 0
check zstd -z
[ "$(perf report -f -i c.data --header-only 2>/dev/null | grep -c Zstd)" = 1 ] ||
	fail "zstd: missing in the header"

if [ -r /sys/kernel/tracing/events/sched ]; then
	check tracepoint -e sched:sched_process_exec
	perf script --no-inline -f -i c.data -F comm,event,trace 2>/dev/null | grep -q 'filename=/bin/true' ||
		fail "tracepoint: perf shows no fields"
	check filter -e sched:sched_process_exec --filter 'pid == 1'
	[ "$(told)" = 0 ] || fail "filter: let something through"
	check glob -e 'sched:sched_process_*' -e cpu-clock
fi

# Loss: a small ring buffer at a high rate, and a recorder that is stopped for a while.
rm -f out
"$CUPEL" record -m 1 -F 20000 --budget none -o c.data -- sh -c 'until [ -e enough ]; do ./load; done' >out 2>summary &
recorder=$!
has_printed() {
	[ "$(wc -l <out)" -ge "$1" ] || ! kill -0 $recorder 2>/dev/null
}
wait_for has_printed 1
kill -STOP $recorder
wait_for has_printed $(($(wc -l <out) + 12)) # more than the last moment, which is not in the stream
touch enough
kill -CONT $recorder
wait $recorder
lost=$(sed -n 's/^\[ cupel: wrote .*, \([0-9,]*\) lost \]$/\1/p' summary | tr -d ,)
[ "${lost:-0}" -gt 0 ] || fail "no loss reported: $(cat summary)"
grep -q '^\[ cupel: CPU [0-9]*: [0-9,]* lost, throttled' summary || fail "loss: not reported per CPU"
shown=$(perf script --no-inline -D -f -i c.data 2>/dev/null |
	sed -nE 's/.*PERF_RECORD_LOST(_SAMPLES)?: .*lost( samples )?:([0-9]+)$/\3/p' | awk '{ sum += $1 } END { print sum + 0 }')
[ "$shown" = "$lost" ] || fail "loss: cupel reports $lost, perf $shown"

# Pipe mode: the program's stdout goes to stderr, the data to stdout.
"$CUPEL" record -o - -- ./load 2>summary >piped
perf script --no-inline -i - -F event -G <piped 2>/dev/null | grep -c . >count || true
[ "$(told)" = "$(cat count)" ] || fail "pipe: cupel reports $(told), perf counts $(cat count)"
"$CUPEL" record -o - -q -- ./load 2>/dev/null | perf report --no-inline -i - --stdio -g none 2>/dev/null |
	grep -q 'awk' || fail "pipe: perf report shows no awk"

# A perf that records at the same time: the kernel must not mark its mappings as having build ids, which
# perf 6.1 then copies from what is something else. Ours have them all the same.
marked() { # perf itself may not survive that
	perl -0777 -ne '$n = 0;
		($at, $len) = (unpack("Q<", substr($_, 40, 8)), unpack("Q<", substr($_, 48, 8)));
		for ($end = $at + $len; $at + 8 <= $end; $at += $size) {
			($type, $misc, $size) = unpack("L<S<S<", substr($_, $at, 8));
			$n++ if $type == 10 && $misc & 0x4000;
			last if $size < 8;
		}
		print $n;' "$1"
}
perf record -q -B -o theirs.data -- ./load >out 2>said
if [ "$(marked theirs.data)" != 0 ]; then
	echo "not tested: a perf beside: another session asks for build ids"
else
	for option in -B -N; do
		"$CUPEL" record -q -a -o c.data -- perf record -q $option -o theirs.data -- ./load >out 2>said ||
			fail "perf beside: status $?: $(tail -n 3 said)"
		[ "$(marked theirs.data)" = 0 ] || fail "perf beside: a build id that it did not ask for"
	done
fi
perf buildid-list -f -i c.data 2>/dev/null | grep -q ' .*awk' || fail "perf beside: we have no build id"
for option in '' --no-buildid-mmap; do
	"$CUPEL" record -q $option -o c.data -- ./load >out 2>said
	perf script -f -i c.data --show-mmap-events 2>/dev/null | grep 'MMAP2.*awk' >events
	[ "$(grep -c 'MMAP2.*<' events)" -gt 0 ] || [ "$option" ] || fail "no build ids in the records"
	! grep -q 'MMAP2.*<' events || [ -z "$option" ] || fail "$option: build ids in the records"
	perf buildid-list -f -i c.data 2>/dev/null | grep -q ' .*awk' || fail "$option: no build id of awk"
done

# The whole machine: running programs have names, too.
sleep 100 &
sleeper=$!
wait_for is_program $sleeper sleep
"$CUPEL" record -a -o c.data -- ./load >out 2>summary
kill $sleeper
[ "$(told)" = "$(counted c.data)" ] || fail "-a: cupel reports $(told), perf counts $(counted c.data)"
perf script --no-inline -f -i c.data --show-mmap-events --show-task-events 2>/dev/null >events
grep -q "PERF_RECORD_COMM: sleep:$sleeper/$sleeper" events || fail "-a: the sleeper has no name"
grep -q "$sleeper/$sleeper.*bin/sleep" events || fail "-a: the sleeper has no map"

exit $failed
