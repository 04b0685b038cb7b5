#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sanitizers: yes
# cupel agent --serve: what the agent samples is on the page; the server ends with the agent, also
# after SIGKILL; an address that cannot be listened on is an error before anything is sampled.
set -u
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
agent=
cleanup() {
	[ -z "$agent" ] || kill -9 "$agent" 2>/dev/null
	wait 2>/dev/null
	rm -rf "$work"
}
trap cleanup EXIT
cd "$work" || exit 1
command -v python3 >/dev/null || {
	echo "needs python3"
	exit 77
}
if ! "$CUPEL" record -q -a -o probe.data -- true 2>log; then
	echo "the machine cannot be sampled here: $(head -n 1 log)"
	exit 77
fi
failed=0
fail() {
	echo "$*"
	failed=1
}

# get TARGET: the answer of the server
get() {
	python3 - "$1" <<'PY'
import http.client, socket, sys
class Unix(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect("socket")
connection = Unix("localhost")
connection.request("GET", sys.argv[1])
print(connection.getresponse().read().decode())
PY
}
begin() {
	"$CUPEL" agent --store store --serve="$work/socket" --interval 0.5 --budget none --memory 0 \
		2>>agent.log &
	agent=$!
	wait_for test -S socket || exit 1
}
has_samples() {
	get '/api/timeline?by=event' 2>/dev/null | grep -q '"cpu-clock"'
}
server_of() {
	pgrep -P "$agent" -x cupel-serve
}

begin
wait_for has_samples || fail "the page has no samples: $(tail -n 3 agent.log)"
get '/flame?event=cpu-clock' | grep -q 'flame-data' || fail "no flame graph"
server=$(server_of)
kill -TERM "$agent"
wait "$agent" || fail "the agent ends with $?"
[ ! -e "/proc/$server" ] || fail "the server is left after SIGTERM"
[ ! -e socket ] || fail "its socket is left"

begin
server=$(server_of)
kill -KILL "$agent"
wait "$agent" 2>/dev/null
agent=
is_gone() {
	[ ! -e "/proc/$server" ]
}
wait_for is_gone || fail "the server is left after SIGKILL"

if "$CUPEL" agent --store other --serve=0.0.0.0:0 2>log; then
	fail "it listens to other machines without TLS"
fi
grep -q -- '--tls-cert' log || fail "$(cat log)"
[ ! -d other ] || fail "it sampled before it knew that"
exit $failed
