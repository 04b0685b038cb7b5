#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A fleet's store in a ClickHouse server of this test's own: the same recordings there and in a
# folder give the same answers, also in the page; sums are equal through the roll-up and when only that is left; while
# the server is killed batches wait in files, and nothing is lost or counted twice; a user who may
# only read cannot write; a wrong password is refused; over TLS it is the server that the certificate names.
set -u
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
: "${CUPEL:?path of the cupel binary}"
binary=$(PATH=$PATH:/usr/sbin command -v clickhouse-server) || {
	echo "clickhouse-server is not installed"
	exit 77
}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
server=
agent=
serve=
front=
cleanup() {
	[ -z "$front" ] || kill -9 "$front" 2>/dev/null
	[ -z "$serve" ] || kill -9 "$serve" 2>/dev/null
	[ -z "$agent" ] || kill -9 "$agent" 2>/dev/null
	[ -z "$server" ] || kill -9 "$server" 2>/dev/null
	wait 2>/dev/null
	rm -rf "$work"
}
trap cleanup EXIT
cd "$work" || exit 1
failed=0
fail() {
	echo "$*"
	failed=1
}
unset CUPEL_CLICKHOUSE_PASSWORD
export no_proxy=127.0.0.1,localhost
read -r port tcp < <(python3 -c 'import socket
s = [socket.socket() for i in range(2)]
for one in s:
    one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in s))')
cat >config.xml <<E
<yandex>
<logger><level>error</level><log>$work/log</log><errorlog>$work/errors</errorlog></logger>
<listen_host>127.0.0.1</listen_host><http_port>$port</http_port><tcp_port>$tcp</tcp_port>
<path>$work/data/</path><tmp_path>$work/tmp/</tmp_path><mark_cache_size>16777216</mark_cache_size>
<users_config>$work/users.xml</users_config><default_profile>default</default_profile>
<default_database>default</default_database>
</yandex>
E
user() {
	echo "<$1><password>$2</password><networks><ip>127.0.0.1</ip></networks>"
	echo "<profile>$3</profile><quota>default</quota></$1>"
}
cat >users.xml <<E
<yandex>
<profiles><default/><look><readonly>2</readonly></look></profiles>
<users>$(user default all default)$(user reader look look)</users>
<quotas><default/></quotas>
</yandex>
E
# sql STATEMENT
sql() {
	python3 - "$port" "$1" 2>/dev/null <<'PY'
import sys, urllib.request
url = "http://127.0.0.1:%s/?user=default&password=all" % sys.argv[1]
print(urllib.request.urlopen(url, data=sys.argv[2].encode()).read().decode(), end="")
PY
}
answers() {
	sql 'SELECT 1' >/dev/null
}
start() {
	"$binary" --config-file="$work/config.xml" >server.log 2>&1 &
	server=$!
	if ! wait_for answers; then
		echo "the server does not start: $(head -n 3 server.log)"
		exit 77
	fi
}
start
all=clickhouse://default:all@127.0.0.1:$port

# Three recordings of known weight.
for i in 1 2 3; do
	{
		for n in 1 2 3 4 5 6 7 8 9; do
			echo "one;main;f$n;g $((n * i))"
			echo "two;main;f$((n % 3));h $((n + i))"
		done
	} >"part$i.folded"
	"$CUPEL" push --store "$all/week" --label "host=h$i" "part$i.folded" >/dev/null 2>push.log ||
		fail "push: $(cat push.log)"
	"$CUPEL" push --store folder --label "host=h$i" "part$i.folded" >/dev/null 2>push.log ||
		fail "push: $(cat push.log)"
done
# same WORDS...: of a query
same() {
	"$CUPEL" query --store "$all/week" "$@" >of.server 2>server.err
	"$CUPEL" query --store folder "$@" >of.folder 2>folder.err
	sort of.server >one
	sort of.folder >two
	cmp -s one two && [ -s two ] ||
		fail "query $*: differs: $(diff one two | head -n 5) $(cat server.err)"
}
same collapse
same --from -8d collapse
same '{host="h1"}' collapse
same '{host!="h1"}' --from -8d collapse
same '{host=~"h[12]"}' --from -8d series
same --from -8d series
"$CUPEL" query --store "$all/week" --from -8d collapse 2>/dev/null | grep -v '^#' | sort >before
sum=$(awk '{ sum += $NF } END { print sum }' before)
[ "$sum" = $((45 * 6 + 45 * 3 + 9 * 6)) ] || fail "the sum of the weights is $sum"

# The page over the server: the same answers as over the folder, and what is posted gets there.
# serves STORE: starts it, its address is in $page
serves() {
	"$CUPEL" serve --store "$1" --tokens "$work/tokens" --listen 127.0.0.1:0 2>serve.log &
	serve=$!
	wait_for grep -q 'listening on http' serve.log || fail "serve does not start: $(cat serve.log)"
	page=$(grep -o 'http://[0-9.:]*' serve.log | head -n 1)
}
# ask PATH [BODY [TOKEN]]: status and answer
ask() {
	python3 - "$page$1" "${2:-}" "${3:-}" <<'PY'
import sys, urllib.error, urllib.request
headers = {"Authorization": "Bearer " + sys.argv[3]} if sys.argv[3] else {}
try:
    answer = urllib.request.urlopen(urllib.request.Request(
        sys.argv[1], data=sys.argv[2].encode() or None, headers=headers))
    print(answer.status, answer.read().decode())
except urllib.error.HTTPError as refusal:
    print(refusal.code, refusal.read().decode())
PY
}
now=$(date +%s)
range="from=@$((now / 3600 * 3600 - 7200))&to=@$((now / 3600 * 3600 + 7200))"
for place in "$all/week" folder; do
	serves "$place"
	for question in "api/labels?$range" "api/timeline?$range&by=host&step=3600" \
		"api/functions?$range&selector=host%3Dh1" "export?$range&format=folded"; do
		ask "/$question" | sed 's/\("first_ns\|"total\)":[0-9]*//' | tr '\n,' ',\n' | sort
	done >"served.${place##*/}"
	kill "$serve"
	wait "$serve" 2>/dev/null
	serve=
done
cmp -s served.week served.folder || fail "the pages differ: $(diff served.week served.folder | head -n 6)"
serves "$all/posted"
[[ $(ask "/ingest?name=s" "app;main;f 42") == "200 "* ]] || fail "serve takes nothing: $(cat serve.log)"
[[ $(ask "/flame?from=-1h&selector=service%3Ds") == "200 "* ]] || fail "serve does not show what it took"
[ "$(sql "SELECT sum(weight) FROM posted.samples WHERE service = 's'")" = 42 ] ||
	fail "what was posted is not there"
# A token reaches its tenant's database, and is needed once it is sent.
"$CUPEL" serve token add --tokens "$work/tokens" --right admin --tenant b one >token 2>/dev/null
[[ $(ask "/ingest?name=s" "app;main;f 7" "$(cat token)") == "200 "* ]] || fail "a tenant's profile is refused"
[ "$(sql "SELECT sum(weight) FROM posted_b.samples")" = 7 ] || fail "the tenant has no database of its own"
[ "$(sql "SELECT sum(weight) FROM posted.samples")" = 42 ] || fail "a tenant reaches the store"
[[ $(ask "/ingest?name=s" "app;main;f 7" cupel_wrong) == "401 "* ]] || fail "a wrong token is taken"
kill "$serve"
wait "$serve" 2>/dev/null
serve=
"$CUPEL" watch --store "$all/week" --from -2h --to @$((now + 3600)) >watched 2>&1 && grep -q '^# 0 changes in 1 services' watched ||
	fail "watch: $(cat watched)"

# Hours have the same sums, when the finer rows are gone.
sql 'TRUNCATE TABLE week.samples' >/dev/null
"$CUPEL" query --store "$all/week" --from -8d collapse 2>/dev/null | grep -v '^#' | sort >after
cmp -s before after || fail "hours are not the sum: $(diff before after | head -n 5)"

# Rights.
export CUPEL_CLICKHOUSE_PASSWORD=look
if "$CUPEL" push --store "clickhouse://reader@127.0.0.1:$port/week" part1.folded >log 2>&1; then
	fail "a reader could write"
fi
"$CUPEL" query --store "clickhouse://reader@127.0.0.1:$port/week" --from -8d collapse 2>log |
	grep -v '^#' | sort | cmp -s - before || fail "a reader cannot read: $(cat log)"
unset CUPEL_CLICKHOUSE_PASSWORD
if "$CUPEL" query --store "clickhouse://default:wrong@127.0.0.1:$port/week" series >log 2>&1; then
	fail "a wrong password was taken"
fi
if grep -q 'default:wrong' log; then
	fail "the password is in the message: $(cat log)"
fi
if "$CUPEL" query --store "$all/nothing" series >log 2>&1; then
	fail "a database that is not there was read"
fi
if "$CUPEL" push --store clickhouse://127.0.0.1:1/x part1.folded >log 2>&1; then
	fail "a push without a server was done"
fi
# TLS.
if command -v openssl >/dev/null; then
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:secp384r1 -nodes -subj /CN=localhost \
		-addext subjectAltName=DNS:localhost -keyout key -out cert 2>/dev/null
	exec 7< <(exec python3 "$here/tls_front.py" cert key "$port")
	front=$!
	read -r secure <&7
	# over_tls HOST: a query
	over_tls() {
		"$CUPEL" query --store "clickhouse://default:all@$1:$secure/week?tls=yes" --from -8d collapse 2>log |
			grep -v '^#' | sort >over
	}
	over_tls localhost
	[ ! -s over ] && grep -qi certificate log || fail "an unknown certificate is taken: $(cat log)"
	export SSL_CERT_FILE=$work/cert
	over_tls 127.0.0.1
	[ ! -s over ] && grep -Eqi 'host ?name|subject name|does not match' log ||
		fail "another host's certificate is taken: $(cat log)"
	over_tls localhost
	cmp -s over before || fail "a query over TLS differs: $(cat log)"
	"$CUPEL" push --store "clickhouse://default:all@localhost:$secure/safe?tls=yes" part1.folded >log 2>&1 ||
		fail "a push over TLS: $(cat log)"
	[ "$(sql 'SELECT sum(weight) FROM safe.samples')" = 99 ] || fail "what was pushed over TLS is not there"
	if "$CUPEL" push --store "clickhouse://default:all@localhost:$port/safe?tls=yes" part1.folded >log 2>&1; then
		fail "TLS to a port without it"
	fi
	unset SSL_CERT_FILE
	kill "$front"
	front=
else
	echo "not tested: TLS: no openssl"
fi
for wrong in 'clickhouse://' 'clickhouse://h/a-b' 'clickhouse://h/a?x=y' 'clickhouse://h /a'; do
	"$CUPEL" query --store "$wrong" series >log 2>&1
	[ $? = 2 ] || fail "$wrong: $(cat log)"
done

# metric NAME: of the agent
metric() {
	python3 - "$1" <<'PY'
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect("socket")
s.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
answer = b""
while piece := s.recv(65536):
    answer += piece
for line in answer.decode().splitlines():
    if line.startswith("cupel_agent_" + sys.argv[1] + " "):
        print(int(float(line.split()[1])))
PY
}
stored_more() {
	[ "$(metric stored_samples_total 2>/dev/null || echo 0)" -gt "$1" ]
}
some_wait() {
	compgen -G 'spool/*.batch' >/dev/null
}
none_waits() {
	! some_wait
}
# The agent, while its server is killed twice.
if "$CUPEL" record -q -a -o probe.data -- true 2>log; then
	"$CUPEL" agent --to "$all/fleet" --spool "$work/spool" --interval 0.5 --budget none \
		--memory 0 --listen "$work/socket" 2>agent.log &
	agent=$!
	wait_for stored_more 0 || fail "the agent stores nothing: $(cat agent.log)"
	for _ in 1 2; do
		kill -9 "$server"
		wait "$server" 2>/dev/null
		wait_for some_wait || fail "nothing waits for the server: $(cat agent.log)"
		start
		wait_for none_waits || fail "batches stay in the spool: $(cat agent.log)"
	done
	stored=$(metric stored_samples_total)
	kill "$agent"
	wait "$agent"
	agent=
	none_waits || fail "batches stay in the spool at the end: $(ls spool)"
	if compgen -G 'spool/*.refused' >/dev/null; then
		fail "batches were refused: $(cat agent.log)"
	fi
	there=$(sql 'SELECT sum(count) FROM fleet.samples WHERE stack != 0')
	[ "${there:-0}" -ge "$stored" ] || fail "$there samples are there, of $stored"
	differ=$(sql 'SELECT sum(w) FROM (SELECT weight AS w FROM fleet.samples UNION ALL SELECT -weight AS w FROM fleet.samples_1h)')
	[ "$differ" = 0 ] || echo "not tested: the roll-up: the server was killed between a batch and its hours"
	twice=$(sql 'SELECT count() FROM (SELECT ts, series, stack, stop, batch, count() AS n FROM fleet.samples GROUP BY ts, series, stack, stop, batch HAVING n > 1)')
	[ "$twice" = 0 ] || fail "$twice rows are there twice"
	alone=$(sql 'SELECT count() FROM fleet.samples WHERE stack > 1 AND stack NOT IN (SELECT stack FROM fleet.stacks)')
	[ "$alone" = 0 ] || fail "$alone rows have no stack"

	# Upkeep: days that are too old keep their hours; hours that lack something are made anew.
	for days in 2 20; do
		"$CUPEL" push --store "$all/kept" --at "-${days}d" part1.folded >/dev/null 2>push.log ||
			fail "push: $(cat push.log)"
	done
	sql "ALTER TABLE kept.samples_1h DROP PARTITION '$(date -u -d '2 days ago' +%F)'" >/dev/null
	"$CUPEL" agent --store "$all/kept?upkeep=yes" --spool "$work/spool" --interval 0.5 --budget none \
		--keep-days 7 --duration 2 2>agent.log || fail "upkeep: $(cat agent.log)"
	[ "$(sql 'SELECT count() FROM kept.samples WHERE day < today() - 7')" = 0 ] ||
		fail "upkeep left an old day: $(cat agent.log)"
	for days in 2 20; do
		hours=$(sql "SELECT sum(weight) FROM kept.samples_1h WHERE day = toDate('$(date -u -d "$days days ago" +%F)')")
		[ "$hours" = 99 ] || fail "after upkeep the hours of $days days ago have $hours"
	done
else
	echo "not tested: the agent: the machine cannot be sampled here"
fi
exit $failed
