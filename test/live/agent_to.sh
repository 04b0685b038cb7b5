#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sanitizers: yes
# Samples for another machine's server: over TLS only to the host that the certificate names, with a
# token that may send; while the server or the agent is killed nothing is lost that was said to be
# stored.
set -u
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
: "${CUPEL:?path of the cupel binary}"
for program in openssl python3; do
	command -v "$program" >/dev/null || {
		echo "needs $program"
		exit 77
	}
done
work=$(mktemp -d)
agent=
serve=
cleanup() {
	[ -z "$agent" ] || kill -9 "$agent" 2>/dev/null
	[ -z "$serve" ] || kill -9 "$serve" 2>/dev/null
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
unset SSL_CERT_FILE CUPEL_PUSH_TOKEN
export no_proxy=localhost,127.0.0.1
for name in '' other.; do
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:secp384r1 -nodes -subj /CN=localhost \
		-addext subjectAltName=DNS:localhost -keyout "${name}key" -out "${name}cert" 2>/dev/null || exit 1
done
sends=$("$CUPEL" serve token add --store store --right ingest ci 2>/dev/null)
reads=$("$CUPEL" serve token add --store store anna 2>/dev/null)
port=$(python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
start() {
	"$CUPEL" serve --store store --listen "0.0.0.0:$port" --tls-cert cert --tls-key key 2>serve.log &
	serve=$!
	wait_for grep -q 'listening on' serve.log
}
if ! start; then
	grep -q 'a static program has no TLS' serve.log && echo "this program has no TLS" && exit 77
	echo "serve does not start: $(cat serve.log)"
	exit 1
fi
server=https://localhost:$port
echo 'app;main;f 42' >part.folded
# refused CAUSE WORDS...: the command with these words fails for that cause
refused() {
	local cause=$1
	shift
	if "$@" -q --label service=a part.folded >log 2>&1; then
		fail "taken: $*"
	fi
	grep -Eqi "$cause" log || fail "$*: not '$cause': $(cat log)"
}
refused certificate env "CUPEL_PUSH_TOKEN=$sends" "$CUPEL" push --store "$server"
export SSL_CERT_FILE=$work/other.cert
refused certificate env "CUPEL_PUSH_TOKEN=$sends" "$CUPEL" push --store "$server"
export SSL_CERT_FILE=$work/cert
refused 'host ?name|subject name|does not match' env "CUPEL_PUSH_TOKEN=$sends" "$CUPEL" push \
	--store "https://127.0.0.1:$port"
refused 'http://localhost' env "CUPEL_PUSH_TOKEN=$sends" "$CUPEL" push --store "http://localhost:$port"
refused 'HTTP 401: a token is needed' "$CUPEL" push --store "$server"
refused 'HTTP 401: the token is not known' env CUPEL_PUSH_TOKEN=cupel_x "$CUPEL" push --store "$server"
refused 'HTTP 403: this token has another right' env "CUPEL_PUSH_TOKEN=$reads" "$CUPEL" push --store "$server"
"$CUPEL" query --store "$server" series >log 2>&1 && fail "a server that takes samples was asked"
grep -q 'does not answer here' log || fail "$(cat log)"
export CUPEL_PUSH_TOKEN=$sends
"$CUPEL" push -q --store "$server" --label service=a part.folded 2>log || fail "push: $(cat log)"
[ "$("$CUPEL" query --store store --from -1h collapse 2>/dev/null)" = 'app;main;f 42' ] ||
	fail "the server does not have what was pushed"
wrong=$("$CUPEL" agent --to store 2>&1) && fail "--to of a folder"
[[ $wrong == *"expected https://HOST"* ]] || fail "--to of a folder: $wrong"

if ! "$CUPEL" record -q -a -o probe.data -- true 2>log; then
	echo "not tested: the agent: the machine cannot be sampled here: $(head -n 1 log)"
	exit "$failed"
fi
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
	compgen -G 'spool/*.cupel' >/dev/null
}
none_waits() {
	! some_wait
}
begin() {
	"$CUPEL" agent --to "$server" --spool spool --interval 0.3 --budget none --memory 0 \
		--listen "$work/socket" 2>>agent.log &
	agent=$!
	wait_for stored_more 0 || fail "the agent stores nothing: $(cat agent.log)"
}
begin
kill -9 "$serve"
wait "$serve" 2>/dev/null
wait_for some_wait || fail "nothing waits for the server: $(cat agent.log)"
stored=$(metric stored_samples_total)
kill -9 "$agent"
wait "$agent" 2>/dev/null
rm -f socket
begin
start
wait_for none_waits || fail "batches stay in the spool: $(cat agent.log)"
stored=$((stored + $(metric stored_samples_total)))
kill "$agent"
wait "$agent" || fail "the agent ends with $?: $(tail -n 1 agent.log)"
agent=
none_waits || fail "batches stay in the spool at the end"
kill "$serve"
wait "$serve"
serve=
there=$("$CUPEL" query --store store 'service!=a' series --json 2>/dev/null |
	python3 -c 'import json, sys
print(sum(json.loads(line)["samples"] for line in sys.stdin))')
[ "${there:-0}" -ge "$stored" ] || fail "$stored were said to be stored, ${there:-0} are there"
"$CUPEL" query --store store 'service!=a, event=offcpu-time' report --stdio 2>/dev/null | grep -q cupel ||
	fail "the report has no programs"
exit "$failed"
