#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel watch: known changes of a month are found with what happened then, a month without a change
# is silent, and findings go to files and servers once.
bats_require_minimum_version 1.5.0

BEGIN=1789948800 # a midnight (UTC)
DAYS=24
CHANGE=$((BEGIN + DAYS * 2 / 3 * 86400 + 43200))

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	for case in quiet slower rename inlined new faster transient; do
		python3 "$CUPEL_TOP/test/command/watch_month.py" $case $BEGIN $DAYS 7 >$case.txt
		"$CUPEL" push -q --store store -l service=$case $case.txt
	done
	python3 "$CUPEL_TOP/test/command/watch_month.py" quiet $BEGIN $DAYS 8 |
		"$CUPEL" push -q --store store -l service=other -
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	cp -r "$BATS_FILE_TMPDIR/store" .
	export TZ=UTC
}

watch() {
	"$CUPEL" watch --store store --from @$BEGIN --to @$((BEGIN + DAYS * 86400)) "$@"
}

# fates SERVICE: "FUNCTION up|down FATE" of all its changes.
fates() {
	watch --all --json "service=$1" | python3 -c 'import json, sys
for line in sys.stdin:
    f = json.loads(line)
    print(f["function"], f["direction"], f["fate"])'
}

@test "what changed is found at its time, and nothing else" {
	run --separate-stderr watch --json
	[ "$status" -eq 0 ]
	printf '%s\n' "$output" >found
	python3 - "$CHANGE" found <<'END'
import json, sys
end, found = int(sys.argv[1]), [json.loads(line) for line in open(sys.argv[2])]
assert sorted((f["service"], f["function"], f["direction"]) for f in found) == [
    ("faster", "compress", "down"), ("new", "audit", "up"), ("slower", "parse", "up")], found
for f in found:
    assert abs(f["time_ns"] / 1e9 - end) <= 4 * 7200, f
    assert f["q"] < 0.05 and f["margin_95"] < abs(f["after"] - f["before"]), f
ratio = {f["service"]: f["after_scaled"] / f["before"] for f in found if f["before"] > 0.01}
assert 1.7 < ratio["slower"] < 2.3 and 0.4 < ratio["faster"] < 0.6, ratio
END
}

@test "a month without a change is silent" {
	for service in quiet other; do
		run --separate-stderr watch "service=$service" --fail
		[ "$status" -eq 0 ]
		[[ ${lines[0]} == "# 0 changes in 1 services, 2026-09-21 00:00:00 to 2026-10-15 00:00:00 "* ]]
		run --separate-stderr watch --json "service=$service"
		[ -z "$output" ]
	done
	run --separate-stderr watch "service=~\"slower|new\"" --fail
	[ "$status" -eq 1 ]
}

@test "callers, callees, the rest, and cost that moved are set apart" {
	fates slower >slower
	grep -qx "parse up found" slower
	grep -qx "scan up callers and callees of those found" slower
	grep -q "down only the rest of a whole" slower
	[ "$(grep -c found slower)" -le 3 ]
	fates rename >rename
	grep -q "checksum_v1 down cost that moved" rename
	grep -q "checksum_v2 up cost that moved" rename
	fates inlined >inlined
	grep -q "helper down cost that moved" inlined
	run ! grep -h " found$" rename inlined
	run ! grep -q " found$" <(fates transient)
	run --separate-stderr watch service=rename
	[[ $output == *"# not shown: "*"2 cost that moved between functions of one caller"* ]]
}

@test "a function that costs as much as before is not blamed when another one changes" {
	for case in shrinks grows leaves steady; do
		for seed in 7 8; do
			python3 "$CUPEL_TOP/test/command/watch_month.py" $case $BEGIN $DAYS $seed |
				"$CUPEL" push -q --store pairs -l service=$case$seed -
		done
	done
	run --separate-stderr watch --store pairs --json
	[ "$status" -eq 0 ]
	printf '%s\n' "$output" >found
	python3 - "$CHANGE" found <<'END'
import json, sys
end, found = int(sys.argv[1]), [json.loads(line) for line in open(sys.argv[2])]
assert sorted((f["service"], f["function"], f["direction"]) for f in found) == [
    (case + seed, "b", way) for case, way in (("grows", "up"), ("leaves", "down"), ("shrinks", "down"))
    for seed in "78"], found
for f in found:
    ratio = f["rate_after"] / f["rate_before"]
    expected = {"grows": 3, "leaves": 9 / 22, "shrinks": 1 / 3}[f["service"][:-1]]
    assert 0.8 < ratio / expected < 1.25 and abs(f["time_ns"] / 1e9 - end) <= 4 * 7200, f
END
	run --separate-stderr watch --store pairs service=shrinks7
	[[ $output == *" CPUs"$'\n'* ]]
	watch --store pairs --all service=shrinks7 | grep -q "^shrinks7: a: .*only the rest of a whole"
}

@test "builds, versions and marks near the change are named, with commands and links" {
	python3 "$CUPEL_TOP/test/command/watch_month.py" slower $BEGIN $DAYS 9 |
		awk -v at="$CHANGE" '{ if ($1 == "app") old = $4 + 0 < at; print > (old ? "before" : "after") }'
	"$CUPEL" push -q --store store -l service=built -l build=aaaa before
	"$CUPEL" push -q --store store -l service=built -l build=bbbb -l version=2 after
	"$CUPEL" watch mark --store store --at @$((CHANGE - 60)) --for service=built deploy of 2
	"$CUPEL" watch mark --store store --at @$((CHANGE - 60)) --for '{service="x"}' not of this
	"$CUPEL" watch mark --store store --at @$((CHANGE - 600000)) long before
	[ "$(wc -l <store/marks)" -eq 3 ]
	run --separate-stderr watch service=built --page https://cupel.example/
	[ "$status" -eq 0 ]
	[[ $output == *"  build bbbb"* ]]
	[[ $output == *"  version 2 (first seen within the hour that began then)"* ]]
	[[ $output == *"11:59:00  deploy of 2"* ]]
	[[ $output != *"build aaaa"* && $output != *"not of this"* && $output != *"long before"* ]]
	[[ $output == *"    https://cupel.example/#from=%40"*"selector=%7Bservice%3D%22built%22"*"&base=b&view=diff"* ]]
	# the command that is printed shows the difference
	command=$(grep -o 'cupel query .*' <<<"$output" | head -n 1)
	eval "\"$CUPEL\" ${command#cupel }" >shown
	grep -q "parse$" shown
}

@test "a version is named by its own first sample, not by the hour of it" {
	cat >minutes.py <<-'END'
		import random, sys
		begin, change, end = (int(x) for x in sys.argv[1:])
		draw = random.Random(1)
		for minute in range(begin, end, 60):
		    for i in range(200):
		        slow = draw.random() < (0.5 if minute >= change else 0.25)
		        leaf = "hash" if slow else draw.choice(["parse", "render", "send"])
		        print("app 1/1 [000] %d.%06d: 52631578 cpu-clock: " % (minute + draw.randrange(60), i))
		        print("\t1000 %s+0x1 (/bin/app)\n\t1000 main+0x1 (/bin/app)\n" % leaf)
	END
	change=$((BEGIN + 9 * 3600))
	python3 minutes.py $((change - 3900)) $change $((change + 3600)) |
		awk -v at=$change '{ if ($1 == "app") part = $4 + 0 < at ? "a" : $4 + 0 < at + 2400 ? "b" : "c"; print > part }'
	while read -r service version part; do
		"$CUPEL" push -q --store minutes -l service="$service" -l version="$version" "$part"
	done <<-'END'
		soon 1 a
		soon 2 b
		soon 2 c
		late 1 a
		late 1 b
		late 2 c
	END
	for step in "" "--step 1m"; do
		# shellcheck disable=SC2086 # no word or two
		run --separate-stderr "$CUPEL" watch --store minutes --from @$((change - 3900)) --to @$((change + 3600)) $step
		[ "$status" -eq 0 ]
		[[ $output == *"late: hash: "*"no new build, version or mark near"*"soon: hash: "*"09:00:00  version 2"$'\n'* ]]
		[ "$(grep -c "version 2" <<<"$output")" -eq 1 ]
	done
}

@test "findings are posted, appended and remembered" {
	cat >server.py <<-'END'
		import http.server, sys
		class Handler(http.server.BaseHTTPRequestHandler):
		    def do_POST(self):
		        body = self.rfile.read(int(self.headers["Content-Length"]))
		        code = 500 if self.path == "/refuses" else 204
		        with open("posted" if code == 204 else "refused", "ab") as out:
		            out.write(self.headers["Authorization"].encode() + b" " + body)
		        self.send_response(code)
		        self.end_headers()
		    def log_message(self, *_):
		        pass
		server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
		print(server.server_port, flush=True)
		server.serve_forever()
	END
	exec 7< <(exec python3 server.py 3>&-)
	server=$!
	read -r port <&7
	export CUPEL_WATCH_TOKEN=secret
	told=(--state told --append findings "service=~\"slower|new\"")
	run --separate-stderr watch --post "http://127.0.0.1:$port/refuses" "${told[@]}"
	[ "$status" -eq 1 ]
	# shellcheck disable=SC2154 # run sets it
	[[ $stderr == *"answered with status 500"* ]]
	[ ! -e told ] && [ ! -e findings ]
	run --separate-stderr watch --post "http://127.0.0.1:$port/x" "${told[@]}"
	[ "$status" -eq 0 ]
	[ "$(wc -l <told)" -eq 2 ]
	[ "$(wc -l <findings)" -eq 2 ]
	python3 -c 'import json
token, body = open("posted").read().split(" ", 2)[1:]
body = json.loads(body)
assert token == "secret" and len(body["findings"]) == 2 and "slower: parse: " in body["text"], body'
	run --separate-stderr watch --post "http://127.0.0.1:$port/x" "${told[@]}"
	[ "$status" -eq 0 ]
	[[ ${lines[0]} == "# 0 changes"* ]]
	[ "$(wc -l <findings)" -eq 2 ]
	[ "$(wc -l <posted)" -eq 1 ]
	kill "$server"
}

@test "a service of the step that is not over is known" {
	printf 'main;work 30\n' | "$CUPEL" push -q --store young -l service=young -
	run --separate-stderr "$CUPEL" watch --store young service=young
	[ "$status" -eq 0 ]
	[[ $output == *"# 1 services have too few columns to tell"* ]]
}

@test "mistakes are named" {
	run "$CUPEL" watch --store store --from @$BEGIN --step 60 --to @$((BEGIN + 864000))
	[ "$status" -eq 2 ]
	[[ $output == *"--step: whole hours"* ]]
	run "$CUPEL" watch --store store 'service='
	[ "$status" -eq 2 ]
	run --separate-stderr watch -e nosuch
	[ "$status" -eq 1 ]
	[[ $stderr == *"no samples of event 'nosuch' in this time"* ]]
	run --separate-stderr watch service=nosuch
	[ "$status" -eq 1 ]
	[[ $stderr == *"no samples of that in this time"* ]]
	run "$CUPEL" watch --store store --persist 1
	[ "$status" -eq 2 ]
	run "$CUPEL" watch --store store --by 'a b'
	[ "$status" -eq 2 ]
	run "$CUPEL" watch mark --store store
	[ "$status" -eq 2 ]
	echo 'tomorrow x' >store/marks
	run watch
	[ "$status" -eq 2 ]
	[[ $output == *"store/marks:1: "* ]]
	run "$CUPEL" watch --store missing
	[ "$status" -eq 1 ]
}
