#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks are whole from the first sample on whatever a process has been through: thousands of short
# programs, forks without exec, vfork, libraries that come and go, code over other code, a deleted binary, a
# mount namespace and root of its own, thousands of mappings, 900 frames; Go, and V8 and HotSpot where they keep
# frame pointers.
# Runtimes that are not installed are left out.
#
# Environment: CALL_GRAPH (auto), the mode that is tested; KEEP, a folder where recordings stay
set -u
tools=$(dirname "$CUPEL")/test/live
life=$tools/unwind_life
mode=${CALL_GRAPH:-auto}
if [ "$(id -u)" -ne 0 ]; then
	echo "needs root"
	exit 77
fi
work=$(mktemp -d)
children=
# shellcheck disable=SC2086 # a list of words
trap '[ -z "$children" ] || kill $children 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

# The process that becomes "$@" says its number, by which runtimes name their maps.
record_mapped() {
	# shellcheck disable=SC2016 # the inner shell expands it
	record -- sh -c 'echo $$ >pid; exec "$@"' sh "$@"
}

record() {
	"$CUPEL" record -q -F 999 --call-graph "$mode" -o x.data "$@" >log 2>&1
}

# count KEY: a number of json
count() {
	sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p" json | head -n 1
}

# expect NAME PERCENT FRAMES: in x.data, so many of the user stacks are complete, and so many of
# those at work have these frames, outermost first (a regular expression of folded stacks)
expect() {
	[ -z "${KEEP:-}" ] || cp x.data "$KEEP/$1.data"
	"$CUPEL" report --json -i x.data 2>>log | head -c 4000 | tr '\n' ' ' |
		sed 's/"stacks"/\n&/; s/"symbols"/\n&/' | grep '^"stacks"' >json
	"$CUPEL" collapse x.data >folded 2>>log
	grep -E ';work(;| )|spin' folded >at_work
	grep -E "$3" at_work >with_frames
	share=$(awk '
		FNR == NR { all += $NF; next }
		{ with += $NF }
		END { printf "%.1f", all ? 100 * with / all : 100 }' at_work with_frames)
	total=$(count total)
	complete=$(count complete)
	echo "$1: $complete of $total stacks complete, $share % of those at work have the frames;" \
		"$(sed 's/.*"stopped": *//; s/},.*/}/' json)"
	if [ "$total" -lt 10 ] || [ $((complete * 100)) -lt $((total * $2)) ] ||
		[ "${share%.*}" -lt "$2" ]; then
		failed=1
		echo "$1: FAILED"
		tail -n 3 log
		grep -vE "$3" at_work | head -n 3 | cut -c 1-300
		grep -v ';_start;' folded | sort -t ' ' -k 2 | head -n 3 | cut -c 1-300
	fi
}

# shellcheck disable=SC2016 # the inner shell expands it
record -F 20000 -- sh -c 'i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i + 1)); done'
expect exec 97 .
for what in mixed fork vfork signal maps deep absent; do
	record -- "$life" $what
	case $what in
	mixed) expect $what 99 ';_start;.*;main;mixed;(roomy;framed;){1,20}busy;work' ;;
	fork | vfork | signal) expect $what 97 ";_start;.*;main;.*${what}s;.*busy;work" ;;
	maps) expect $what 97 ';_start;.*;maps;busy;work' ;;
	deep) expect $what 90 ';main;(descend;){900}' ;;
	absent) expect $what 80 ';deep_thread;(descend;){900}' ;; # pages go every 50 ms
	esac
done
record -- "$life" libraries "$tools/libunwind_plugin_64.so" "$tools/libunwind_plugin_1024.so"
expect libraries 99 ';libraries;plugin_enter;busy;work'
"$CUPEL" report --stats -i x.data 2>/dev/null | grep -E 'took the place|handed up as'
record -- "$life" replaced "$tools/libunwind_plugin_64.so" "$tools/libunwind_plugin_1024.so"
expect replaced 97 ';replaced;plugin_enter;busy;work'

# The same, with a recorder that does not get to hear of it for a while: the kernel half knows by
# itself, where the kernel tells of changed mappings.
"$CUPEL" record -q -F 999 --call-graph "$mode" -o x.data -- "$life" replaced \
	"$tools/libunwind_plugin_64.so" "$tools/libunwind_plugin_1024.so" >log 2>&1 &
children=$!
for _ in 1 2 3; do
	sleep 0.2
	kill -STOP $children
	sleep 0.1
	kill -CONT $children
done
wait $children
children=
expect 'replaced unheard' 97 ';replaced;plugin_enter;busy;work'
met=$("$CUPEL" report --stats -i x.data | sed -n 's/^ *\([0-9]*\)  met a library.*/\1/p')
if [ "$mode" = auto ] && [ -d /sys/kernel/tracing/events/maple_tree/ma_write ] && [ "$met" -eq 0 ]; then
	echo "replaced unheard: FAILED: no stack met code that took the place of other code"
	failed=1
fi

# Started on one CPU, sampled on another.
if [ "$(nproc)" -gt 1 ] && taskset -c 0 true 2>/dev/null; then
	record -C 1 -- taskset -c 0 "$life" move 1
	expect 'other CPU' 97 .
	[ "$(grep -c ';main;.*busy;work' folded)" -gt 0 ] || { echo 'other CPU: FAILED'; failed=1; }
fi

cp "$life" gone
./gone spin &
children=$!
sleep 0.1
rm gone
record -p "$children" --duration 500ms
expect deleted 97 . # its names went with it

if unshare -m true 2>/dev/null; then
	mkdir root
	for library in "$life" $(ldd "$life" | grep -o '/[^ ]*'); do
		mkdir -p "root$(dirname "$library")"
		cp "$library" "root$library"
	done
	record -- unshare -m chroot root "$life" spin
	expect chroot 97 ';main;busy'
fi

go=$(command -v go || ls /usr/local/go/bin/go 2>/dev/null)
if [ -n "$go" ]; then
	cat >spin.go <<'GO'
package main

import "time"

var sink int

//go:noinline
func spin(until time.Time) {
	for time.Now().Before(until) {
		for i := 0; i < 100000; i++ {
			sink += i
		}
	}
}

func main() {
	until := time.Now().Add(time.Second)
	go spin(until)
	spin(until)
}
GO
	# switch.go: the collector and C run on stacks of threads, and C calls back.
	cat >switch.go <<'GO'
package main

// int call_back(int);
// static int spin_in_c(int n) { for (int i = 0; i < 50; i++) n += call_back(i); return n; }
import "C"
import "time"

//export call_back
func call_back(n C.int) C.int {
	kept := make([]*[64]int, 300+int(n))
	for i := range kept {
		kept[i] = new([64]int)
	}
	return n
}

//go:noinline
func spin(until time.Time) {
	for time.Now().Before(until) {
		C.spin_in_c(0)
	}
}

func main() {
	until := time.Now().Add(time.Second)
	done := make(chan bool)
	go func() { spin(until); done <- true }()
	spin(until)
	<-done
}
GO
	export GO111MODULE=off GOFLAGS='' GOCACHE="$work/go-cache" CGO_ENABLED=1
	# The compiler: 11 MB of code without any table.
	if record -- "$go" build -o spin spin.go && "$go" build -o switch switch.go 2>log; then
		expect go-build 97 .
		record -- ./spin
		expect go 97 ';runtime.goexit[^;]*;.*;main.spin'
		record -- ./switch # tables are made while it runs: then stacks of others are not told
		record -- ./switch
		expect go-switch 97 ';runtime.goexit[^;]*;.*main.spin;.*asmcgocall[^;]*;.*spin_in_c'
		grep -q 'spin_in_c;.*;runtime.systemstack' folded || { echo "no stack switched"; failed=1; }
	else
		echo "go: cannot build: $(tail -n 1 log)"
	fi
else
	echo "go: not installed"
fi

if command -v node >/dev/null; then
	record_mapped node --perf-basic-prof --interpreted-frames-native-stack -e '
		function spin(n) { return n < 2 ? n : spin(n - 1) + spin(n - 2) } spin(40)'
	expect node 97 'node::.*Builtins_JSEntry;.*spin'
	rm -f "/tmp/perf-$(cat pid).map"
else
	echo "node: not installed"
fi

if command -v java >/dev/null && command -v javac >/dev/null; then
	cat >Spin.java <<'JAVA'
public class Spin {
	static int spin(int n) { return n < 2 ? n : spin(n - 1) + spin(n - 2); }
	public static void main(String[] arguments) { System.exit(spin(43) & 1); }
}
JAVA
	javac Spin.java
	record_mapped java -XX:+PreserveFramePointer -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions \
		-XX:+DumpPerfMapAtExit -cp . Spin
	expect java 97 'start_thread;.*int Spin.spin.int.'
	rm -f "/tmp/perf-$(cat pid).map"
else
	echo "java: not installed"
fi
exit $failed
