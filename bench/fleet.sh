#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A day of 100 made-up hosts (store_fleet.c), in a folder and in a ClickHouse server of this script's own:
# samples, weights and lost samples must be exact to the last one, also of the hours alone, although
# some batches come twice; the time of storing it and of the query of the day of one service.
# Exit status 1 if a goal is missed.
#
# Environment: CUPEL, a program in its build folder; BENCH_HOSTS (100); BENCH_BATCH (3600), seconds
# of a batch.
set -u
export LC_ALL=C no_proxy=127.0.0.1
bench=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || { kill -9 "$server" && wait "$server"; } 2>/dev/null; rm -rf "$work"' EXIT
missed=0
# shellcheck source=bench/timing.bash
. "$bench/timing.bash"
need python3 ninja
build=$(dirname "$CUPEL")
hosts=${BENCH_HOSTS:-100}
batch=${BENCH_BATCH:-3600}
ninja -C "$build" store_fleet >/dev/null || exit 1

# day WHERE LOCATION MOST: MOST seconds for the query
day() {
	local samples rows batches stored fine hours

	"$build/store_fleet" "$2" "$hosts" "$batch" >"$work/figures" || exit 1
	read -r samples rows batches stored fine hours <"$work/figures"
	echo "+ $1: $samples samples in $rows rows of 10 s and $batches batches are there, exactly"
	printf '%-58s %9s s\n' "storing them" "$stored"
	goal "query of 23 hours, one service" "$fine" s "$3"
	printf '%-58s %9s s\n' "the same when only hours are left" "$hours"
}

day "a folder" "$work/folder" 0.1
binary=$(PATH=$PATH:/usr/sbin command -v clickhouse-server) || {
	echo "not measured: clickhouse-server is not installed"
	exit "$missed"
}
read -r port tcp < <(python3 -c 'import socket
s = [socket.socket() for i in range(2)]
for one in s:
    one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in s))')
cat >"$work/config.xml" <<E
<yandex>
<logger><level>error</level><log>$work/log</log><errorlog>$work/errors</errorlog></logger>
<listen_host>127.0.0.1</listen_host><http_port>$port</http_port><tcp_port>$tcp</tcp_port>
<path>$work/data/</path><tmp_path>$work/tmp/</tmp_path><mark_cache_size>16777216</mark_cache_size>
<users_config>$work/users.xml</users_config><default_profile>default</default_profile>
<default_database>default</default_database>
</yandex>
E
cat >"$work/users.xml" <<E
<yandex><profiles><default/></profiles><quotas><default/></quotas><users><default><password></password>
<networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users></yandex>
E
"$binary" --config-file="$work/config.xml" >"$work/server.log" 2>&1 &
server=$!
listens() {
	(: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null
}
for _ in $(seq 600); do
	listens && break
	kill -0 "$server" 2>/dev/null || break
	sleep 0.1
done
if ! listens; then
	echo "bench: the server does not start: $(head -n 3 "$work/server.log")" >&2
	exit 1
fi
day "ClickHouse" "clickhouse://default@127.0.0.1:$port/fleet?upkeep=yes" 0.15
printf '%-58s %9s MB\n' "memory of the server" \
	"$(awk '/^VmHWM/ { printf "%.0f", $2 / 1000 }' "/proc/$server/status")"
exit "$missed"
