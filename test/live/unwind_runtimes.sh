#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alone: stacks are complete only if unwind tables are built in time
# Stacks of runtimes are complete: Go with switched stacks, callbacks from C, and its compiler without
# unwind tables; V8 and HotSpot with frame pointers. Runtimes that are not installed are skipped.
#
# Environment: CALL_GRAPH (auto), the tested mode; KEEP, a folder for the recordings
# shellcheck source=test/live/unwind_life.bash
. "$(dirname "$0")/unwind_life.bash"

# The process that executes "$@" prints its pid, which is part of the names of perf maps.
record_mapped() {
	# shellcheck disable=SC2016 # the inner shell expands it
	record -- sh -c 'echo $$ >pid; exec "$@"' sh "$@"
}

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
	# switch.go: the garbage collector and C code run on thread stacks, and C calls back.
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
	# grow.go: stacks of goroutines grow; the runtime does that on the thread's stack.
	cat >grow.go <<'GO'
package main

import "time"

//go:noinline
func grow(n int) int {
	var room [64]int
	if n == 0 {
		return room[0]
	}
	room[n%64] = n
	return grow(n-1) + room[n%64]
}

func main() {
	for until := time.Now().Add(time.Second); time.Now().Before(until); {
		done := make(chan int)
		go func() { done <- grow(300) }()
		<-done
	}
}
GO
	export GO111MODULE=off GOFLAGS='' GOCACHE="$work/go-cache" CGO_ENABLED=1
	# The compiler: 11 MB of code without an unwind table.
	if record -- "$go" build -o spin spin.go && "$go" build -o switch switch.go 2>log; then
		expect go-build 97 .
		record -- ./spin
		expect go 97 ';runtime.goexit[^;]*;.*;main.spin'
		record -- ./switch # tables are made while it runs: then stacks of others are not told
		record -- ./switch
		expect go-switch 97 ';runtime.goexit[^;]*;.*main.spin;.*asmcgocall[^;]*;.*spin_in_c'
		"$go" build -o grow grow.go && record -- ./grow
		"$CUPEL" report --json -i x.data 2>>log | grep -o '"stacks":{[^}]*}[^}]*}' >grow.json
		grep -q '"switched":[1-9][0-9]' grow.json || {
			echo "go: stacks that end where the runtime left a goroutine are complete: $(cat grow.json)"
			failed=1
		}
		grep -q 'spin_in_c;.*;runtime.systemstack' folded || { echo "no stack switched"; failed=1; }
	else
		echo "go: cannot build: $(tail -n 1 log)"
	fi
else
	echo "not tested: go: not installed"
fi

if command -v node >/dev/null; then
	record_mapped node --perf-basic-prof --interpreted-frames-native-stack -e '
		function spin(n) { return n < 2 ? n : spin(n - 1) + spin(n - 2) } spin(40)'
	names='node::.*Builtins_JSEntry;.*spin'
	grep -aq Builtins_JSEntry "$(command -v node)" || names='node::.*spin' # Debian's has no names of builtins
	expect node 97 "$names"
	rm -f "/tmp/perf-$(cat pid).map"
else
	echo "not tested: node: not installed"
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
	echo "not tested: java: not installed"
fi
exit "$failed"
