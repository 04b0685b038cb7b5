#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two thousand threads of a new and of a running program; the error when descriptors run out.
set -u
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
for tool in perf python3; do
	command -v $tool >/dev/null || {
		echo "needs $tool"
		exit 77
	}
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

fail() {
	echo "FAIL: $*"
	failed=1
}

cat >threads.py <<'EOF2'
import sys, threading, time
threading.stack_size(65536)
go = threading.Event()
count = int(sys.argv[1])
for _ in range(count):
    threading.Thread(target=go.wait, daemon=True).start()
print("ready", flush=True)
sum(i * i for i in range(300000))
end = time.time() + float(sys.argv[2])
while time.time() < end:
    sum(i * i for i in range(10000))
go.set()
EOF2

"$CUPEL" record -o c.data -- python3 threads.py 2000 0 >out 2>summary || fail "start: $(cat summary)"
grep -q ready out || fail "start: the program did not run"
grep -q ', 0 lost' summary || fail "start: $(cat summary)"

rm out # the next wait looks for a new "ready"
python3 threads.py 2000 20 >out &
pid=$!
while ! grep -qs ready out; do sleep 0.1; done
tasks=$(find /proc/$pid/task -maxdepth 1 | wc -l)
[ "$tasks" -gt 2000 ] || fail "only $tasks threads"

(
	ulimit -Sn 256
	"$CUPEL" record --duration 1 -p $pid -o c.data 2>summary
) || fail "attach with a low soft limit: $(cat summary)"
n=$(perf script --no-inline -f -i c.data -F event 2>/dev/null | grep -c .)
[ "$n" -gt 20 ] || fail "attach: $n samples; $(cat summary)"

(
	ulimit -n 256
	"$CUPEL" record --duration 1 -p $pid -o c.data 2>summary
	echo $? >status
)
if [ "$(cat status)" != 0 ]; then # else the test may raise the hard limit
	[ "$(cat status)" = 1 ] || fail "hard limit: status $(cat status)"
	grep -q 'too many threads: .* need [0-9]* file descriptors, the limit is 256' summary ||
		fail "hard limit: $(cat summary)"
fi
kill -0 $pid || fail "the program was harmed"
kill $pid
wait $pid 2>/dev/null
exit $failed
