#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# in turn: stock perf aborts while other processes load BPF programs
# cupel and perf share the cache of binaries: each lists and uses the entries of the other. Other files
# and links out of the cache stay. perf's own test of the cache passes for the common options.
set -eu
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
for need in gcc perf readelf; do
	if ! command -v "$need" >/dev/null; then
		echo "needs $need"
		exit 77
	fi
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HOME="$scratch/home"
unset PERF_BUILDID_DIR
mkdir "$HOME"
cd "$scratch"
printf '%s\n' 'static volatile long sum;' \
	'__attribute__((noinline)) void kept_function(void) { for (long i = 0; i < 300000000; i++) sum += i; }' \
	'int main(void) { kept_function(); return 0; }' >work.c
gcc -O1 -g -Wl,--build-id=sha1 -o program work.c
gcc -O1 -Wl,--build-id=md5 -o other work.c
cache() { "$CUPEL" buildid-cache "$@"; }
id_of() { readelf -n "$1" | awk '/Build ID/ { print $3 }'; }
id=$(id_of program)
link=.debug/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-)

# entries of cupel in perf
cache -a program,other
[ -h "$HOME/$link" ]
cmp "$HOME/$link/elf" program
[ -x "$HOME/$link/elf" ]
perf buildid-cache -l >perf.list
cache -l >our.list
cmp perf.list our.list
[ "$(wc -l <our.list)" = 2 ]
perf record -q -N -e cpu-clock -F 500 -g -o perf.data -- ./program
mv program away
perf report -i perf.data --stdio 2>/dev/null | grep -q kept_function
"$CUPEL" report -i perf.data --stdio | grep -q kept_function
cache -P
[ ! -s our.list ] || [ -z "$(cache -l)" ]
[ -z "$(perf buildid-cache -l)" ]
if perf report -i perf.data --stdio 2>/dev/null | grep -q kept_function; then
	echo "names of a program that is gone: the test proves nothing"
	exit 1
fi
mv away program

# entries of perf in cupel
perf buildid-cache -a program
cache -l >our.list
perf buildid-cache -l | cmp - our.list
cache -M perf.data >missing
perf buildid-cache -M perf.data 2>/dev/null | sort >perf.missing
sort missing | cmp - perf.missing
! grep -q "$id" missing
cache -v -r program 2>said
grep -qx "Removing $id program: Ok" said
[ -z "$(perf buildid-cache -l)" ]
[ -z "$(find "$HOME/.debug" -type f -o -type l)" ]
cache -M perf.data | grep -q "$id"

# an update replaces only existing entries; a purge removes all builds
cache -a program
gcc -O1 -DNEW -g -Wl,--build-id=sha1 -Wl,-z,max-page-size=65536 -o program work.c
[ "$(id_of program)" != "$id" ]
cache -u program
[ "$(cache -l | wc -l)" = 2 ]
cache -p "$PWD/program"
[ -z "$(cache -l)" ]

# another folder, in both programs
"$CUPEL" --buildid-dir "$scratch/else" buildid-cache -a program
perf --buildid-dir "$scratch/else" buildid-cache -l | grep -q "$(id_of program)"
[ -z "$(cache -l)" ]

# other files stay; links out of the cache are not followed
mkdir -p elsewhere
echo precious >elsewhere/elf
cache -a program
id=$(id_of program)
folder="$HOME/.debug$PWD/program/$id"
echo note >"$folder/note"
! cache -r program 2>said
grep -q 'not empty' said
[ "$(cat "$folder/note")" = note ]
rm -r "$HOME/.debug"
mkdir -p "$HOME/.debug/.build-id/aa" "$HOME/.debug/x"
ln -s ../../../../elsewhere "$HOME/.debug/.build-id/aa/bbcc"
ln -s ../../x/aabbdd "$HOME/.debug/.build-id/aa/bbdd"
ln -s "$PWD/elsewhere" "$HOME/.debug/x/aabbdd"
cache -l 2>/dev/null | cmp - /dev/null
cache -P || true
[ "$(cat elsewhere/elf)" = precious ]
[ -h "$HOME/.debug/.build-id/aa/bbcc" ]
[ -h "$HOME/.debug/x/aabbdd" ]
! cache -k /proc/kcore 2>said
grep -q 'kcore' said
! cache -a /etc/hostname 2>said
[ "$(wc -l <said)" = 1 ]

# in the mount namespace of another process
mkdir -p root/bin
cp program root/bin/inside
if [ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null; then
	unshare --mount sh -c 'mount --bind root/bin /mnt && exec sleep 60' &
	sleeper=$!
	until [ -e /proc/$sleeper/root/mnt/inside ]; do
		kill -0 $sleeper
		sleep 0.05
	done
	cache --target-ns $sleeper -a /mnt/inside
	kill $sleeper
	cache -l | grep -q ' /mnt/inside$'
fi
echo "one cache: $(wc -l <perf.missing) binaries of a recording missed by both"
