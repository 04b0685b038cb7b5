#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# in turn: stock perf aborts while other processes load BPF programs
# Reports, flame graphs, scripts and other outputs of an archive are the same on another machine: in a
# root without the program, its libraries, debug files, /proc and perf maps. Recordings of cupel and of
# perf, with frame pointers, copied stacks and generated code.
set -eu
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
for need in g++ perf chroot tar zstd bzip2; do
	if ! command -v "$need" >/dev/null; then
		echo "needs $need"
		exit 77
	fi
done
if [ "$(id -u)" != 0 ]; then
	echo "needs root for chroot"
	exit 77
fi
target=$(cd "$(dirname "$CUPEL")" && pwd)/test/live/jit_target
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HOME="$scratch"
cd "$scratch"

cat >work.cc <<'END'
#include <cstdio>
#include <string>
#include <vector>

static volatile long sum;
namespace work
{
template <typename T> struct box {
	std::vector<T> items;
	__attribute__((always_inline)) void add(T x)
	{
		for (int i = 0; i < 1000; i++)
			sum += i * x;
	}
	__attribute__((noinline)) void spin(long n)
	{
		for (long i = 0; i < n; i++)
			add((T)i);
	}
};
__attribute__((noinline)) void strings(long n)
{
	for (long i = 0; i < n; i++) {
		std::string s(100 + i % 100, 'x');
		s += std::to_string(i);
		sum += (long)s.size();
	}
}
}
int main()
{
	work::box<int> box;
	char line[4096];

	for (int round = 0; round < 15; round++) {
		box.spin(10000);
		work::strings(100000);
		FILE *f = fopen("/proc/self/maps", "r");
		while (fgets(line, sizeof(line), f))
			sum += line[0];
		fclose(f);
	}
	return 0;
}
END
g++ -O1 -g -fno-omit-frame-pointer -o program work.cc
timeout -k 1 -s KILL 60 "$CUPEL" record -q -o cupel.data -- ./program
timeout -k 1 -s KILL 60 "$CUPEL" record -q -N -o nameless.data -- ./program
perf record -q -e cpu-clock -F 500 -g -o fp.data -- ./program
perf record -q -e cpu-clock -F 200 --call-graph dwarf -o dwarf.data -- ./program
perf record -q -e cpu-clock -F 500 -g -o - -- ./program >pipe.data 2>/dev/null
if command -v node >/dev/null; then
	perf record -q -e cpu-clock -F 500 -g -o jit.data -- node --perf-basic-prof -e '
		function hotNumbers(n) { let s = 0; for (let i = 0; i < n; i++) s += i % 7; return s }
		let t = 0; const end = Date.now() + 700
		while (Date.now() < end) t += hotNumbers(1e5)' >/dev/null
fi

# the other machine: cupel with copies of its libraries at other paths
mkdir -p root/c root/tmp
cp "$CUPEL" root/c/cupel
ldd "$CUPEL" | awk '/=> \// { print $3 } /^\t\// { print $1 }' | while read -r library; do
	cp "$library" root/c/
done
cp work.cc root/ # flame graph pages contain sources, archives do not
mkdir -p "root$scratch" && cp work.cc "root$scratch/"
elsewhere() { # ARGS
	chroot root /c/ld-linux-x86-64.so.2 --library-path /c /c/cupel "$@"
}
[ -e root/c/ld-linux-x86-64.so.2 ] || {
	echo "needs x86-64"
	exit 77
}

same() { # WHAT RECORDING ARGS...: the recording here and the archive there give the same output
	what=$1 recording=$2
	shift 2
	"$CUPEL" "$@" -i "$recording" >here.out 2>here.err
	elsewhere "$@" -i "/in.tar.gz" >there.out 2>there.err
	sed -i "s|/in.tar.gz|$recording|g" there.out
	[ -s here.out ]
	cmp here.out there.out || {
		echo "$recording: $what differs"
		diff here.out there.out | head -20
		cat there.err
		exit 1
	}
}

for kind in cupel nameless fp dwarf pipe jit; do
	[ -e $kind.data ] || continue
	"$CUPEL" archive $kind.data 2>said
	cp $kind.data.cupel.tar.gz root/in.tar.gz
	# a check of the test: without the archive, names are missing there
	cp $kind.data root/bare.data
	if [ $kind != cupel ] && elsewhere report --stdio -i /bare.data 2>&1 |
		grep -q 'work::strings'; then
		echo "$kind: the other machine has the program's names by itself"
		exit 1
	fi
	same report $kind.data report --stdio --no-children
	same tree $kind.data report --stdio -s comm,dso,sym
	same lines $kind.data report --stdio --no-children -g none -s sym,srcline
	same script $kind.data script
	same "script with lines" $kind.data script -F +srcline
	same "script without inlined" $kind.data script --no-inline
	same folded $kind.data collapse
	same header $kind.data report --header-only
	same events $kind.data evlist -v
	same json $kind.data convert --format speedscope
	"$CUPEL" flamegraph -o here.svg $kind.data 2>/dev/null
	elsewhere flamegraph -o /there.svg /in.tar.gz 2>/dev/null
	sed "s|/in.tar.gz|$kind.data|g" root/there.svg | cmp - here.svg
	grep -q "$(if [ $kind = jit ]; then echo hotNumbers; else echo work::strings; fi)" here.svg
done
rm -f /tmp/perf-*.map.archive-test

# code of a just-in-time compiler, from its jitdump
perf record -q -e cpu-clock -F 199 -k mono -o dump.data "$target" dump 1
"$CUPEL" archive dump.data 2>said
grep -q ' [1-9][0-9]* files about generated code' said
cp dump.data.cupel.tar.gz root/in.tar.gz
cp "$(ldconfig -p | awk '/libcapstone.so.4 / { print $NF; exit }')" root/c/
same "generated code" dump.data annotate --stdio -s 'generated spin'

# a folder with a file for each recording thread, which becomes one
if perf record -q --threads -e cpu-clock -F 500 -g -o threads.data -- ./program 2>/dev/null &&
	[ -d threads.data ]; then
	"$CUPEL" archive threads.data 2>said
	cp threads.data.cupel.tar.gz root/in.tar.gz
	same "report of a folder" threads.data report --stdio --no-children
	same "script of a folder" threads.data script
	"$CUPEL" inject -i threads.data -o one.data
	"$CUPEL" report -i threads.data --stdio >here.out
	"$CUPEL" report -i one.data --stdio | sed 's/one.data/threads.data/' | cmp - here.out
	perf script -i threads.data -F comm,tid,time,ip,sym 2>/dev/null | sort >here.out
	perf script -i one.data -F comm,tid,time,ip,sym 2>/dev/null | sort | cmp - here.out
fi

# compressions, a pipe, and extraction by tar
cp root/in.tar.gz first.tar.gz
"$CUPEL" archive -o a.tar.zst cupel.data 2>/dev/null
"$CUPEL" archive -o a.tar cupel.data 2>/dev/null
"$CUPEL" archive -o - cupel.data 2>/dev/null >piped
"$CUPEL" report --stdio -i cupel.data >here.out
for archive in a.tar.zst a.tar piped; do
	"$CUPEL" report --stdio -i $archive | cmp - here.out
	"$CUPEL" report --stdio -i - <$archive | cmp - here.out
done
mkdir plain
tar xf a.tar.zst -C plain
cmp plain/perf.data cupel.data

# whole binaries, at the paths where perf looks for them
"$CUPEL" archive --binaries -o full.tar.gz cupel.data 2>said
grep -q ' [1-9][0-9]* binaries' said
mkdir debug
tar xf full.tar.gz -C debug
id=$("$CUPEL" buildid-list -i program)
cmp "debug/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-)/elf" program
cp full.tar.gz root/in.tar.gz
same "report of all" cupel.data report --stdio

# unpacked for perf, which then has the names; archives of cupel and of perf archive
export PERF_BUILDID_DIR="$scratch/cache"
mv program away
"$CUPEL" archive --unpack -o unpacked.data full.tar.gz 2>/dev/null
cmp unpacked.data cupel.data
perf --buildid-dir "$scratch/cache" report -i nameless.data --stdio 2>/dev/null |
	grep -q work::strings
if "$CUPEL" archive --unpack -o unpacked.data full.tar.gz 2>error; then
	echo "a recording was replaced"
	exit 1
fi
rm -rf cache
unset PERF_BUILDID_DIR
mv away program
perf --buildid-dir "$scratch/theirs" buildid-cache -a program
PERF_BUILDID_DIR="$scratch/theirs" perf --buildid-dir "$scratch/theirs" archive fp.data >/dev/null 2>&1 # it has one
tar tf fp.data.tar.bz2 | grep -q /elf
mv program away
"$CUPEL" --buildid-dir "$scratch/cache" archive --unpack fp.data.tar.bz2
perf --buildid-dir "$scratch/cache" report -i fp.data --stdio 2>/dev/null | grep -q work::strings
"$CUPEL" --buildid-dir "$scratch/cache" report -i fp.data --stdio | grep -q work::strings
mv away program
rm -rf cache
# an archive in an archive, as by perf archive --all
mkdir all
mv fp.data.tar.bz2 all/perf.symbols.tar.bz2
cp fp.data all/perf.data
tar cjf perf.all.tar.bz2 -C all perf.data perf.symbols.tar.bz2
"$CUPEL" --buildid-dir "$scratch/cache" archive --unpack -o all.data perf.all.tar.bz2 2>/dev/null
cmp all.data fp.data
"$CUPEL" --buildid-dir "$scratch/cache" buildid-cache -l | grep -q /program
rm -rf cache

# hostile archives: a one-line error, status 1, no output, little memory
mkdir hostile
cd hostile
ln -s /etc/passwd perf.data
tar cf ../link.tar perf.data
rm perf.data
head -c 100000000 /dev/zero >perf.data
tar czf ../bomb.tar.gz perf.data
tar c perf.data | zstd -q -19 >../bomb.tar.zst
echo text >perf.data
tar cf ../up.tar --transform 's|^|../../|' perf.data 2>/dev/null
cd ..
head -c 1000 a.tar >cut.tar
head -c 3000 a.tar.zst >cut.tar.zst
for archive in link.tar bomb.tar.gz bomb.tar.zst up.tar cut.tar cut.tar.zst; do
	status=0
	"$CUPEL" report --stdio -i $archive >out 2>error || status=$?
	if [ $status != 1 ] || [ "$(grep -c '^cupel: report: ' error)" != 1 ]; then
		echo "$archive: status $status"
		cat error
		exit 1
	fi
done
[ ! -e ../perf.data ]
echo "the same elsewhere: $(for f in *.cupel.tar.gz; do printf '%s %s bytes; ' "$f" "$(stat -c %s "$f")"; done)"
