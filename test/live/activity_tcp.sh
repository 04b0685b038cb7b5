#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tcplife, tcpconnect, tcpaccept, tcptop, tcpdrop and tcpretrans on connections over the loopback that
# carry a known number of bytes: each is shown, with its process, its ports and its bytes.
set -u
: "${CUPEL:?path of the cupel binary}"
program=$(cd "$(dirname "$0")" && pwd)/activity_tcp.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$CUPEL" tcplife -- true >probe.txt 2>log || {
	echo "activity cannot be watched here: $(head -n 1 log)"
	exit 77
}
failed=0
fail() {
	echo "FAIL: $*"
	cat out.txt
	failed=1
}
watch() {
	"$CUPEL" "$@" -- python3 "$program" >out.txt 2>log || fail "$*: $(cat log)"
	read -r four six <ports.txt
}
# lines COUNT REGEX
lines() {
	got=$(grep -cE "$2" out.txt)
	[ "$got" = "$1" ] || fail "$got lines instead of $1 match $2"
}

watch tcplife -T -w
lines 1 "^[0-9:]+ +[0-9]+ +python3 +4 +127.0.0.1 +[1-9][0-9]* +127.0.0.1 +$four +100 +2 +[0-9.]+\$"
lines 1 "^[0-9:]+ +[0-9]+ +python3 +4 +127.0.0.1 +$four +127.0.0.1 +[1-9][0-9]* +2 +100 +[0-9.]+\$"
[ "$six" = 0 ] || lines 1 "python3 +6 +::1 +[0-9]+ +::1 +$six +100 +2 "
watch tcplife --json
python3 - "$four" <<'PY' || fail "tcplife --json"
import json, sys
rows = [json.loads(line) for line in open("out.txt")]
rows = [r for r in rows if r["remote_port"] == int(sys.argv[1]) and r["sent_bytes"]]
assert len(rows) == 1, rows  # SYN and FIN count as a byte each
assert 0 <= rows[0]["sent_bytes"] - 102400 <= 2 and 0 <= rows[0]["received_bytes"] - 2048 <= 2, rows
PY
watch tcplife -4
lines 0 '::1'
watch tcplife -s
lines 1 '^PID,COMM,LADDR,LPORT,RADDR,RPORT,TX_KB,RX_KB,MS$'
watch tcplife -D 1
lines 0 python3
watch tcpconnect
lines 1 '^PID +COMM +IP +SADDR +DADDR +DPORT$'
lines 2 "^[0-9]+ +python3 +4 +127.0.0.1 +127.0.0.1 +$four *\$"
[ "$six" = 0 ] || lines 2 "^[0-9]+ +python3 +6 +::1 +::1 +$six *\$"
watch tcpconnect -L -U -t -4
lines 2 "^[0-9.]+ +0 +[0-9]+ +python3 +4 +127.0.0.1 +[1-9][0-9]* +127.0.0.1 +$four *\$"
watch tcpconnect -c
lines 1 '^LADDR +RADDR +RPORT +CONNECTS *$'
lines 1 "^127.0.0.1 +127.0.0.1 +$four +2 *\$" # one of them is refused
[ "$six" = 0 ] || lines 1 "^::1 +::1 +$six +2 *\$"
watch tcpaccept
lines 1 '^PID +COMM +IP +RADDR +RPORT +LADDR +LPORT$'
lines 1 "^[0-9]+ +python3 +4 +127.0.0.1 +[1-9][0-9]* +127.0.0.1 +$four *\$"
watch tcptop --json 600
if grep -q sock_send_length log; then
	echo "not tested: tcptop: $(grep sock_send_length log)"
else
	python3 - "$four" <<'PY' || fail "tcptop"
import json, sys
port = ":" + sys.argv[1]
rows = json.loads(open("out.txt").readline())["rows"]
server = [r for r in rows if r["local"].endswith(port)]
client = [r for r in rows if r["remote"].endswith(port)]
total = lambda rows: (sum(r["sent_bytes"] for r in rows), sum(r["received_bytes"] for r in rows))
assert total(client) == (102400, 2048) and total(server) == (2048, 102400), rows
PY
	watch tcptop -S -r 1 600
	lines 1 '^[0-9]+ '
fi
# A packet to a port where nothing listens is dropped. The kernel says so since Linux 5.17.
watch tcpdrop
lines 1 '^TIME +PID +IP +SADDR:SPORT +> DADDR:DPORT +STATE'
grep -qE "^[0-9:]+ +[0-9]+ +4 +127.0.0.1:[0-9]+ +> 127.0.0.1:$four .*\(SYN\)" out.txt ||
	fail "no dropped packet to port $four"
watch tcpretrans -s
lines 1 '^TIME +PID +IP +LADDR:LPORT +T> RADDR:RPORT +STATE +SEQ$'
# The queue of the listener is full after the first: the others' SYN is sent again after a second.
cat >full.py <<'PY'
import socket
import time

listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(0)
print(listener.getsockname()[1], flush=True, file=open("port.txt", "w"))
clients = [socket.socket() for _ in range(4)]
for client in clients:
    client.setblocking(False)
    client.connect_ex(listener.getsockname())
time.sleep(1.4)
PY
"$CUPEL" tcpretrans -c -- python3 full.py >out.txt 2>log || fail "tcpretrans -c: $(cat log)"
lines 1 '^LADDR:LPORT +RADDR:RPORT +RETRANSMITS$'
grep -qE "^127.0.0.1:[0-9]+ +<-> 127.0.0.1:$(cat port.txt) +[1-9] *\$" out.txt ||
	fail "no SYN was sent again"
# A server of names answers, over IPv4 and with an alias, and its client connects to what it said.
cat >names.py <<'PY'
import socket
import threading

QUESTION = b"\x03www\x07example\x03org\0\0\x01\0\x01"
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.7.7.7", 53))


def answer():
    asked, client = server.recvfrom(512)
    server.sendto(asked[:2] + b"\x81\x80\0\x01\0\x02\0\0\0\0" + QUESTION +
                  b"\xc0\x0c\0\x05\0\x01\0\0\0\x3c\0\x02\xc0\x10"
                  b"\xc0\x10\0\x01\0\x01\0\0\0\x3c\0\x04\x7f\x07\x07\x08", client)


threading.Thread(target=answer, daemon=True).start()
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.settimeout(20)
client.sendto(b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0" + QUESTION, server.getsockname())
client.recv(512)
for address in "127.7.7.8", "127.7.7.9", "127.0.0.1":
    socket.socket().connect_ex((address, 9))
PY
if python3 names.py 2>log; then
	"$CUPEL" tcpconnect -d -- python3 names.py >out.txt 2>log || fail "tcpconnect -d: $(cat log)"
	lines 1 '^PID +COMM +IP +SADDR +DADDR +DPORT +QUERY$'
	lines 1 '127\.7\.7\.8 +9 +www\.example\.org( \([0-9.]+ms\))?$'
	lines 1 '127\.7\.7\.9 +9 +No DNS Query$'
	lines 1 ' 127\.0\.0\.1 +9 +localhost$'
	"$CUPEL" tcpconnect -d --json -- python3 names.py >out.txt 2>log || fail "tcpconnect -d --json: $(cat log)"
	lines 1 '"remote_address":"127.7.7.8","remote_port":9,"query":"www.example.org"}'
	lines 1 '"remote_address":"127.7.7.9","remote_port":9,"query":null}'
else
	echo "not tested: names of DNS: $(tail -n 1 log)"
fi
exit $failed
