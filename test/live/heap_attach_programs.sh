#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel heap -p on programs that many use, several times each, while they work: what they answer stays
# the same. Those that are not here are listed as not tested.
set -u
# shellcheck source=test/live/heap_attach.bash
. "$(dirname "$0")/heap_attach.bash"

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
echo "$looks looks"
exit $failed
