#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel heap -p on programs that many use, several times each, while they work: what they answer stays
# the same. Those that are not here are listed as not tested.
set -u
: "${CUPEL:?path of the cupel binary}"
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null; rm -rf "$work"' EXIT
chmod 777 "$work"
cd "$work" || exit 1
"$CUPEL" heap -o /dev/null -- true 2>log || {
	echo "allocations cannot be watched here: $(head -n 1 log)"
	exit 77
}
[ "$(id -u)" = 0 ] || {
	echo "attaching needs root here"
	exit 77
}
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

# watch NAME PID: two short looks
watch() {
	for _ in 1 2; do
		"$CUPEL" heap -p "$2" -d 200ms --json -o watched.json 2>log || fail "$1: $(cat log)"
	done
	grep -q '"allocated": { "value": [1-9]' watched.json || echo "$1: allocated nothing meanwhile"
}
# look NAME OUTPUT PROGRAM…: one that prints "ready", works until the file "end" is there, and prints OUTPUT
look() {
	name=$1 output=$2
	shift 2
	command -v "$1" >/dev/null || {
		echo "not tested: $name: no $1 here"
		return
	}
	rm -f end
	: >out
	"$@" >out 2>errors &
	pid=$!
	wait_for grep -q ready out || fail "$name: $(cat errors)"
	watch "$name" $pid
	touch end
	wait $pid || fail "$name: status $?: $(tail -n 3 errors)"
	pid=
	[ "$(tail -n 1 out)" = "$output" ] || fail "$name: $(tail -n 3 out errors)"
}

cat >work.py <<'PY'
import json, os, threading
wrong = [0] * 4
def work(i):
	while not os.path.exists("end"):
		d = json.loads(json.dumps({"a": [str(x) * 50 for x in range(200)]}))
		wrong[i] += d["a"] != [str(x) * 50 for x in range(200)]
threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
print("ready", flush=True)
for t in threads: t.start()
for t in threads: t.join()
print("wrong", sum(wrong))
PY
cat >work.js <<'JS'
const fs = require("fs");
let wrong = 0;
function work() {
	const all = [];
	for (let i = 0; i < 1000; i++) all.push(Buffer.alloc(1000, i % 256));
	for (let i = 0; i < 1000; i++) wrong += all[i][999] !== i % 256;
	if (fs.existsSync("end")) console.log("wrong", wrong);
	else setImmediate(work);
}
console.log("ready");
work();
JS
cat >Work.java <<'JAVA'
import java.util.zip.*;
public class Work {
	public static void main(String[] args) throws Exception {
		int wrong = 0;
		System.out.println("ready");
		while (!new java.io.File("end").exists()) {
			Deflater to = new Deflater();
			Inflater from = new Inflater();
			byte[] packed = new byte[2000], back = new byte[1000];
			to.setInput(new byte[1000]);
			to.finish();
			from.setInput(packed, 0, to.deflate(packed));
			wrong += from.inflate(back) == 1000 ? 0 : 1;
			to.end();
			from.end();
		}
		System.out.println("wrong " + wrong);
	}
}
JAVA
cat >work.pl <<'PL'
$| = 1;
print "ready\n";
my $wrong = 0;
until (-e "end") {
	my %h = map { $_ => "x" x ($_ % 300) } 1 .. 500;
	$wrong++ if length($h{299}) != 299;
}
print "wrong $wrong\n";
PL
cat >work.rb <<'RB'
$stdout.sync = true
puts "ready"
wrong = 0
until File.exist?("end")
  a = (1..500).map { |i| "x" * (i % 300) }
  wrong += 1 if a[298].size != 299
end
puts "wrong #{wrong}"
RB
look python "wrong 0" python3 work.py
look node "wrong 0" node work.js
look perl "wrong 0" perl work.pl
look ruby "wrong 0" ruby work.rb
if command -v javac >/dev/null && javac Work.java 2>log; then
	look java "wrong 0" java -XX:+UseSerialGC -Xmx64m Work
else
	echo "not tested: java: no javac here"
fi

# ask NAME ANSWER QUESTION…: the same answer before, while and after the process in $pid is watched
ask() {
	name=$1 answer=$2
	shift 2
	wait_for answers "$answer" "$@" || fail "$name: no answer: $("$@" 2>&1 | head -n 2)"
	(while [ ! -e asked ]; do "$@" 2>&1; done) >asked_meanwhile &
	asker=$!
	watch "$name" "$pid"
	touch asked
	wait $asker
	rm asked
	[ "$(sort -u asked_meanwhile)" = "$answer" ] || fail "$name: $(sort asked_meanwhile | uniq -c | head -n 3)"
	answers "$answer" "$@" || fail "$name: no answer afterwards"
	kill "$pid"
	wait "$pid" 2>/dev/null
	pid=
}
answers() {
	expected=$1
	shift
	[ "$("$@" 2>/dev/null)" = "$expected" ]
}
port=$((20000 + $$ % 20000))
if command -v sqlite3 >/dev/null; then
	mkfifo to
	sqlite3 work.db <to >out 2>errors &
	pid=$!
	exec 7>to
	echo 'create table t(a, b); select "ready";' >&7
	wait_for grep -q ready out
	watch sqlite3 $pid
	echo 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000) insert into t select i, hex(i) from n; select count(*), max(b) from t;' >&7
	wait_for grep -q '5000' out
	watch sqlite3 $pid
	exec 7>&-
	wait $pid || fail "sqlite3: $(cat errors)"
	pid=
	[ "$(tail -n 1 out)" = "5000|393939" ] || fail "sqlite3: $(cat out errors)"
else
	echo "not tested: sqlite3: not installed"
fi
if command -v redis-server >/dev/null && command -v redis-cli >/dev/null; then
	redis-server --port $port --save '' >out 2>&1 &
	pid=$!
	ask redis value sh -c "redis-cli -p $port set key value >/dev/null && redis-cli -p $port get key"
else
	echo "not tested: redis: no redis-server here"
fi
if command -v nginx >/dev/null && command -v curl >/dev/null; then
	echo answer >index.html
	echo "events {} daemon off; master_process off; pid $work/nginx.pid; error_log stderr;
		http { access_log off; server { listen $port; root $work; } }" >nginx.conf
	nginx -c "$work/nginx.conf" >out 2>errors &
	pid=$!
	ask nginx answer curl -s "http://127.0.0.1:$port/index.html"
else
	echo "not tested: nginx: nginx or curl is not here"
fi
postgres=$(command -v postgres || find /usr/lib/postgresql -name postgres -type f 2>/dev/null | head -n 1)
if [ -n "$postgres" ] && id nobody >/dev/null 2>&1 && command -v psql >/dev/null; then
	tools=$(dirname "$(readlink -f "$postgres")")
	mkdir db && chown 65534 db
	if setpriv --reuid=65534 --clear-groups "$tools/initdb" -D "$work/db" -A trust -U postgres >log 2>&1; then
		setpriv --reuid=65534 --clear-groups "$postgres" -D "$work/db" -p $port -k "$work/db" >out 2>&1 &
		pid=$!
		ask postgres 4999950000 psql -h "$work/db" -p $port -U postgres -Atc 'select sum(i) from generate_series(1, 99999) i'
	else
		echo "not tested: postgres: initdb: $(tail -n 1 log)"
	fi
else
	echo "not tested: postgres: not installed"
fi
exit $failed
