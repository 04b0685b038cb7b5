#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel serve: what its command line refuses, and a server that ends. Requests are those of
# test/live/serve.sh.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	printf 'app;main;f 30\n' >folded
	"$CUPEL" push -q --store store folded
}

@test "it listens, says where, and ends" {
	run "$CUPEL" serve --store store --listen 127.0.0.1:0 --listen "$PWD/socket" --duration 0.2
	[ "$status" -eq 0 ]
	[[ $output == *"listening on http://127.0.0.1:"* ]]
	[[ $output == *"listening on $PWD/socket"* ]]
	[ ! -e socket ]
}

@test "addresses of other machines need TLS and tokens" {
	run "$CUPEL" serve --store store --listen 0.0.0.0:0 --duration 0.2
	[ "$status" -eq 2 ]
	[[ $output == *"--tls-cert"* ]]
}

@test "invalid addresses and limits are usage errors" {
	for words in '--listen nowhere' '--listen 127.0.0.1:70000' '--connections 0' '--answers 0' \
		'--timeout 1ms' 'words'; do
		# shellcheck disable=SC2086 # words
		run "$CUPEL" serve --store store $words
		[ "$status" -eq 2 ]
	done
}

@test "a socket of another program, and a file, stay" {
	touch file
	run "$CUPEL" serve --store store --listen "$PWD/file" --duration 0.2
	[ "$status" -eq 1 ]
	[[ $output == *"is a file, not a socket"* ]]
	[ -e file ]
}

@test "a store that is missing is named" {
	run "$CUPEL" serve --store none/store --duration 0.2 --listen 127.0.0.1:0
	[ "$status" -eq 1 ]
	[[ $output == *"none: "* ]]
	touch file
	run "$CUPEL" serve --store file --duration 0.2 --listen 127.0.0.1:0
	[ "$status" -eq 1 ]
	[[ $output == *"file: not a folder"* ]]
	run "$CUPEL" serve --store new --duration 0.2 --listen 127.0.0.1:0
	[ "$status" -eq 0 ]
	[[ $output == *"new: there is no store; it is made when something is received"* ]]
}

@test "unknown parameters and times that are none are refused with a line" {
	exec 7< <(exec "$CUPEL" serve --store store --listen 127.0.0.1:0 2>&1 3>&-)
	server=$!
	while read -r line <&7 && [[ $line != *"http://127.0.0.1:"* ]]; do :; done
	port=$(grep -o '127.0.0.1:[0-9]*' <<<"$line" | head -n 1 | cut -d: -f2)
	run python3 - "$port" <<'END'
import sys, urllib.error, urllib.request
def ask(path, data=None):
    try:
        return 200, urllib.request.urlopen("http://127.0.0.1:%s/%s" % (sys.argv[1], path), data).read().decode()
    except urllib.error.HTTPError as e:
        return e.code, e.read().decode()
assert ask("api/labels?from=-1h")[0] == 200
assert ask("api/labels?form=-1h") == (400, "form: there is no such parameter\n"), ask("api/labels?form=-1h")
assert ask("api/labels?before_event=x")[0] == 400
for until in ("soon", "-5", "12x"):
    code, text = ask("ingest?name=a&until=" + until, b"app;main 3\n")
    assert code == 400 and text.startswith("until: expected a time since 1970"), (code, text)
assert ask("ingest?name=a&until=", b"app;main 3\n")[0] == 200
END
	kill $server
	echo "$output"
	[ "$status" -eq 0 ]
}
