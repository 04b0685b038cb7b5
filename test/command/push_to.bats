#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel push --to: what Pyroscope, Parca, Coroot and collectors of OTLP are sent, read by another
# reader, and by cupel serve.
bats_require_minimum_version 1.5.0

KINDS="pyroscope parca coroot otlp"

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export TZ=UTC
	for i in 1 2 3; do
		printf 'app 5/6 [000] 170000010%s.5: 1000 cpu-clock: \n\t20 leaf%s+0x1 (/bin/a)\n' $i $((i / 2))
		printf '\t10 main+0x1 (/bin/a)\n\n'
	done >timed
	printf 'app 5/6 [000] 1700000105.5: 77 offcpu-time: \n\t20 wait+0x1 (/bin/a)\n\n' >>timed
}

teardown() {
	[ -z "${server:-}" ] || kill "$server"
	[ -z "${receiver:-}" ] || kill "$receiver"
}

# Sets port; requests are kept in got/.
start_catcher() {
	mkdir got
	exec 7< <(exec python3 "$CUPEL_TOP/test/command/push_to.py" serve got 3>&-)
	server=$!
	read -r port <&7
}

shown() {
	python3 "$CUPEL_TOP/test/command/push_to.py" show got/"$1".json
}

@test "each protocol has the samples, labels, times and tokens" {
	start_catcher
	export CUPEL_PUSH_TOKEN=secret
	for kind in $KINDS; do
		"$CUPEL" push -q --to "$kind:http://127.0.0.1:$port/" -l service='a b' -l host=h timed
	done
	shown 0 >pyroscope
	shown 1 >parca
	shown 2 >coroot
	shown 3 >otlp
	grep -qx "path /push.v1.PusherService/Push" pyroscope
	grep -qx "path /api/profiles/writeraw" parca
	grep -qx "path /v1/profiles" coroot
	grep -qx "path /v1development/profiles" otlp
	for kind in pyroscope parca; do
		grep -qx "label service_name a b" $kind
		grep -qx "label host_name h" $kind
		grep -qx "label __name__ process_cpu" $kind
		grep -qx "types samples/count cpu-clock/nanoseconds offcpu-time/count" $kind
		grep -qx "time 1700000101" $kind
		grep -qx "sample main;leaf0 1 1000 0" $kind
		grep -qx "sample main;leaf1 2 2000 0" $kind
		grep -qx "sample wait 1 0 77" $kind
		grep -qx "header Authorization Bearer secret" $kind
	done
	grep -qx "label service.name a b" coroot
	grep -qx "types ebpf:cpu:nanoseconds/nanoseconds" coroot
	grep -qx "sample main;leaf1 2000" coroot
	[ "$(grep -c sample coroot)" -eq 2 ]
	grep -qx "header X-API-Key secret" coroot
	grep -qx "header Authorization None" coroot
	grep -qx "label service.name a b" otlp
	grep -qx "header Content-Type application/x-protobuf" otlp
	grep -qx "type samples count cpu-clock 1000" otlp
	grep -qx "sample main;leaf0 1 1700000101 thread.name=app process.pid=5 thread.id=6" otlp
	[ "$(grep -c "sample main;leaf1 1 170000010[23] " otlp)" -eq 2 ]
	grep -q "sample wait 77 1700000105 " otlp
}

@test "OTLP as JSON is the same as protobuf" {
	start_catcher
	exec 6< <(exec "$CUPEL" serve --store received --listen 127.0.0.1:0 2>&1 3>&-)
	receiver=$!
	while read -r line <&6 && [[ $line != *"http://127.0.0.1:"* ]]; do :; done
	url=http://$(grep -o '127.0.0.1:[0-9]*' <<<"$line" | head -n 1)
	"$CUPEL" push -q --store own -l service=web timed --at now
	"$CUPEL" push -q --to "otlp:http://127.0.0.1:$port" -l service=json 'store:own[-1h,now]'
	run python3 "$CUPEL_TOP/test/command/push_to.py" json got/0.json "$url/v1development/profiles"
	echo "$output"
	[ "$output" = "200 application/json {}" ]
	"$CUPEL" query --store received --from -2h service=json collapse --no-comm \
		--event-filter cpu-clock >json
	printf 'main;leaf0 1000\nmain;leaf1 2000\n' | diff - json
	"$CUPEL" query --store received --from -2h service=json collapse --no-comm \
		--event-filter offcpu-time >json
	printf 'wait 77\n' | diff - json
	[[ $("$CUPEL" query --store received --from -2h 'service=json,event!="offcpu-time"' series) == *" 3  {"* ]]
}

@test "cupel serve receives the same, and a part of a store can be sent" {
	exec 7< <(exec "$CUPEL" serve --store received --listen 127.0.0.1:0 2>&1 3>&-)
	server=$!
	while read -r line <&7 && [[ $line != *"http://127.0.0.1:"* ]]; do :; done
	port=$(grep -o '127.0.0.1:[0-9]*' <<<"$line" | head -n 1 | cut -d: -f2)
	"$CUPEL" push -q --store own -l service=web timed --at now
	for kind in $KINDS; do
		run "$CUPEL" push --to "$kind:http://127.0.0.1:$port" -l service=$kind \
			'store:own{service="web"}[-1h,now]'
		[ "$status" -eq 0 ]
		"$CUPEL" query --store received --from -2h "service=$kind" collapse --no-comm \
			--event-filter "$([ $kind = coroot ] && echo ebpf:cpu:nanoseconds || echo cpu-clock)" >$kind
		printf 'main;leaf0 1000\nmain;leaf1 2000\n' | diff - $kind
	done
	[[ $("$CUPEL" query --store received --from -2h series) == *'service="otlp"'* ]]
	for kind in $KINDS; do # counts as well as weights
		[[ $("$CUPEL" query --store received --from -2h "service=$kind,event!=\"offcpu-time\"" series) == *" 3  {"* ]]
	done
	printf 'main;leaf0 100\nmain;leaf1 23\n' >folded
	for kind in pyroscope parca otlp; do
		"$CUPEL" push -q --to "$kind:http://127.0.0.1:$port" -l service=f$kind folded
		[[ $("$CUPEL" query --store received --from -2h "service=f$kind" series) == *" 123  {"* ]]
	done
	run "$CUPEL" push --to "coroot:http://127.0.0.1:$port" -l service=x 'store:own[-1h,now]'
	[[ $output == *"1 samples of other events than time on the CPU were not sent"* ]]
}

@test "mistakes and refusals are named" {
	run "$CUPEL" push --to graphite:http://h timed
	[ "$status" -eq 2 ]
	[[ $output == *"pyroscope, parca, coroot or otlp"* ]]
	run "$CUPEL" push --to otlp:h:80 timed
	[ "$status" -eq 2 ]
	run "$CUPEL" push --to otlp:http://127.0.0.1:1 --store x timed
	[ "$status" -eq 2 ]
	run "$CUPEL" push --to otlp:http://127.0.0.1:1 timed
	[ "$status" -eq 2 ]
	[[ $output == *"--label service=NAME"* ]]
	run "$CUPEL" push --to otlp:http://127.0.0.1:1 -l service=a timed
	[ "$status" -eq 1 ]
	[[ $output == *"http://127.0.0.1:1: "* ]]
	start_catcher
	run "$CUPEL" push --to "parca:http://127.0.0.1:$port/refuses" -l service=a timed
	[ "$status" -eq 1 ]
	[[ $output == *"answered with status 401"* ]]
	run "$CUPEL" push --to "otlp:http://127.0.0.1:$port/part" -l service=a timed
	[ "$status" -eq 1 ]
	[[ $output == *"the server rejected 3 profiles: full"* && $output != *"sent"* ]]
	run "$CUPEL" push --to "otlp:http://127.0.0.1:$port/warns" -l service=a timed
	[ "$status" -eq 0 ]
	[[ $output == *"the server says: slow"* ]]
	run "$CUPEL" push --store x -l event=a timed
	[ "$status" -eq 2 ]
	[[ $output == *"event=a: the samples' own event is this label"* ]]
	[ ! -e x ]
}
