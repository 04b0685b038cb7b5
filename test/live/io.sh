#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel io on a program with known requests: direct ones on a loop device, with the bytes of
# /proc/diskstats; buffered ones, an fsync and pages written back later on ext4; waits for a pipe and a
# connection of a tenth of a second. The layers of each request add up to its length, and bytes equal
# /proc/PID/io. Flame graph and heat map are well-formed. Nothing stays in the kernel after SIGKILL.
set -u
: "${CUPEL:?path of the cupel binary}"
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
[ "$(id -u)" = 0 ] || { echo "needs root for a loop device"; exit 77; }
python=$(python3 -c 'import sys; print(sys.executable)') # it may be found through a script
program=$(cd "$(dirname "$0")" && pwd)/io.py
work=$(mktemp -d -p "${TMPDIR:-/var/tmp}")
device=
mounted=
group=
clean() {
	[ -z "$group" ] || rmdir "$group"
	[ -z "$mounted" ] || umount "$work/mounted"
	for loop in $device $mounted; do
		losetup -d "$loop"
	done
	rm -rf "$work"
}
trap clean EXIT
cd "$work" || exit 1
"$CUPEL" io -o probe.txt -- true 2>log || {
	echo "I/O cannot be watched here: $(head -n 1 log)"
	exit 77
}
truncate -s 16M image
truncate -s 64M system
mkdir mounted
device=$(losetup -f --show image 2>log) || { echo "no loop device here: $(cat log)"; exit 77; }
if mkfs.ext4 -q system 2>log && mounted=$(losetup -f --show system) && mount "$mounted" mounted 2>log; then
	folder=$work/mounted
else
	[ -z "$mounted" ] || losetup -d "$mounted"
	mounted=
	folder=$work
	echo "not tested: write-back on ext4: it cannot be mounted here: $(head -n 1 log)"
fi
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}
disk_stats() {
	awk -v disk="${device##*/}" '$3 == disk { print $4, $6, $8, $10 }' /proc/diskstats
}

disk_stats >before.txt
"$CUPEL" io --json -o out.json --slower 50ms --flamegraph flame.svg --weight bytes --heatmap map.svg \
	-- "$python" "$program" "$device" "$folder" 2>log || fail "cupel io: $(cat log)"
disk_stats >after.txt
python3 - "$device" "$folder" "${mounted:+yes}" <<'PY' || fail "$(head -c 3000 out.json)"
import json, sys
device, folder, mounted = sys.argv[1:]
out = json.load(open("out.json"))
# In a chroot the path outside comes before it.
outside = "".join({f["file"][: -len(device)] for f in out["files"] if f["file"].endswith(device)})
files = {f["file"].removeprefix(outside): f for f in out["files"]}
before, after = ([int(x) for x in open(name).read().split()] for name in ("before.txt", "after.txt"))
reads, sectors_read, writes, sectors_written = (b - a for a, b in zip(before, after))

# Layers add up.
for table in ("files", "processes", "disks", "operations", "stacks", "slow"):
    for row in out[table]:
        layers = sum(row["layers_ns"].values())
        assert abs(layers - row["time_ns"]) <= row["time_ns"] * 0.01, (table, row)

# Direct requests, as the disk counted them.
loop = files[device]
assert loop["disk_requests"] == reads + writes == 100, (loop, reads, writes)
assert loop["disk_read_bytes"] == sectors_read * 512 == 60 * 4096
assert loop["disk_written_bytes"] == sectors_written * 512 == 40 * 65536
assert loop["layers_ns"]["device"] > 0 and loop["requests"] >= 100
assert 39 <= loop["sequential"] <= 60, loop["sequential"]

# Buffered ones: 5 times 64 reads hit the page cache, and find the end.
buffered = files[folder + "/buffered"]
assert buffered["cache_hits"] == 325, buffered["cache_hits"]
assert buffered["bytes"] >= (64 + 5 * 64) * 16384
operations = {o["operation"]: o for o in out["operations"]}
assert operations["fsync"]["requests"] >= 2 and operations["fsync"]["disk_written_bytes"] >= 0
if mounted:
    back = operations["write-back"]
    assert back["bytes"] >= 1048576 and back["layers_ns"]["device"] > 0, back
    # The kernel may write some of it earlier, when others have written much.
    synced = operations["fsync"]["disk_written_bytes"]
    assert synced > 0 and synced + back["bytes"] >= 2 * 1048576, (operations["fsync"], back)

# Waits.
slow = out["slow"]
pipes = [s for s in slow if s["file"].startswith("pipe:") and s["layers_ns"]["pipe"] > 100e6]
assert [s["operation"] for s in pipes] == ["read"], slow
nets = [s for s in slow if s["file"].startswith("tcp 127.0.0.1:") and s["layers_ns"]["network"] > 100e6]
assert [s["operation"] for s in nets if s["operation"] != "accept"] == ["read"], slow
assert any(f["function"] == "<module>@io.py" for f in pipes[0]["stack"]), pipes[0]["stack"]

# Bytes, as the kernel counted them until the program asked. It also counts what it reads itself of
# programs that begin to run, and not what sockets receive.
counted = dict(line.split(": ") for line in open("counted.txt").read().splitlines())
read = operations["read"]["bytes"] - 5000
written = operations["write"]["bytes"] - 5000
text = sum(len(line) for line in open("counted.txt"))
assert abs(read - int(counted["rchar"])) <= text * 2 + 4096, (read, counted)
assert abs(written - int(counted["wchar"])) <= text * 2, (written, counted)
PY
python3 -c 'import xml.dom.minidom as m; m.parse("flame.svg"); m.parse("map.svg")' || fail "pictures"
grep -q "buffered\]" flame.svg || fail "no file in the flame graph"

"$CUPEL" io -- "$python" "$program" "$device" "$folder" >out.txt 2>log || fail "text: $(cat log)"
for heading in "Where the time went" "^Bottleneck: " "^By file" "^By process" "^By disk" "^By stack"; do
	grep -q "$heading" out.txt || fail "text without: $heading"
done

# Requests of io_uring, one by one.
ring=$(dirname "$CUPEL")/test/live/io_ring
"$ring" image
case $? in
0)
	"$CUPEL" io --json -o ring.json --slower 50ms -- "$ring" image 2>log || fail "io_uring: $(cat log)"
	if grep -q io_uring_submit_req log; then
		echo "not tested: requests of io_uring: this kernel does not tell of them"
	else
		python3 - "$work/image" <<'PY' || fail "io_uring: $(head -c 3000 ring.json)"
import json, sys
out = json.load(open("ring.json"))
(ring,) = [o for o in out["operations"] if o["operation"] == "io_uring request"]
assert ring["requests"] == 21 and ring["bytes"] == 20 * 4096 + 1 and ring["errors"] == 0, ring
assert ring["punted"] >= 5, ring
assert ring["layers_ns"]["in flight"] == ring["time_ns"] >= 80e6, ring
stacks = [s for s in out["stacks"] if s["operation"] == "io_uring request"]
assert any(f["function"] == "main" for s in stacks for f in s["stack"]), stacks
(late,) = [s for s in out["slow"] if s["operation"] == "io_uring request"]
assert late["file"].startswith("pipe:") and late["time_ns"] >= 80e6, late
assert any(f["file"].endswith(sys.argv[1]) and f["requests"] >= 20 for f in out["files"]), out["files"]
PY
	fi ;;
77) echo "not tested: requests of io_uring: there is none here" ;;
*) fail "the program for io_uring" ;;
esac

# Requests of io_submit, one by one.
"$(dirname "$CUPEL")/test/live/io_aio" image
case $? in
0)
	"$CUPEL" io --json -o aio.json -- "$(dirname "$CUPEL")/test/live/io_aio" "$device" 2>log ||
		fail "io_submit: $(cat log)"
	python3 - "$device" <<'PY' || fail "io_submit: $(head -c 3000 aio.json)"
import json, sys
out = json.load(open("aio.json"))
operations = {o["operation"]: o for o in out["operations"]}
aio = operations["io_submit request"]
assert aio["requests"] == 40 and aio["bytes"] == 40 * 4096 and aio["errors"] == 0, aio
assert aio["layers_ns"]["in flight"] == aio["time_ns"] > 0, aio
assert operations["disk request"]["disk_read_bytes"] == 40 * 4096, operations
assert any(f["file"].endswith(sys.argv[1]) and f["requests"] >= 40 for f in out["files"]), out["files"]
PY
	;;
*) echo "not tested: requests of io_submit: they cannot be made here" ;;
esac

# Page faults of a mapped file: 64 pages, far from each other.
cat >mapped.py <<'PY'
import mmap, os
fd = os.open("mapped", os.O_RDONLY)
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
pages = mmap.mmap(fd, 1 << 23, prot=mmap.PROT_READ)
pages.madvise(mmap.MADV_RANDOM)
print(sum(pages[i] for i in range(0, 1 << 23, 1 << 17)))
PY
dd if=/dev/urandom of=mapped bs=1M count=8 conv=fsync 2>/dev/null
"$CUPEL" io --json -o mapped.json -- "$python" mapped.py >sum.txt 2>log || fail "mapped: $(cat log)"
case $(stat -f -c %T .) in
tmpfs | overlayfs) echo "not tested: page faults of a file on a disk: the folder is on none" ;;
*)
	python3 - "$work/mapped" <<'PY' || fail "mapped: $(head -c 3000 mapped.json)"
import json, sys
out = json.load(open("mapped.json"))
(file,) = [f for f in out["files"] if f["file"].endswith(sys.argv[1])]
# A thread may go on before the kernel reports that its request is done.
assert 56 * 4096 <= file["disk_read_bytes"] == file["bytes"] <= 64 * 4096, file
faults = [s for s in out["stacks"] if s["operation"] == "mapped read"]
assert any(len(s["stack"]) > 3 for s in faults), faults
for stack in faults:
    assert abs(sum(stack["layers_ns"].values()) - stack["time_ns"]) <= stack["time_ns"] * 0.01, stack
PY
	;;
esac

# Copies by the kernel: from a file to a file, and to a pipe.
cat >copies.py <<'PY'
import os
source = os.open("source", os.O_CREAT | os.O_RDWR)
for _ in range(4):
    os.write(source, b"x" * 65536)
target = os.open("target", os.O_CREAT | os.O_WRONLY)
for i in range(4):
    assert os.sendfile(target, source, i * 65536, 65536) == 65536
if hasattr(os, "splice"):
    ends = os.pipe()
    for i in range(8):
        assert os.splice(source, ends[1], 4096, i * 4096) == 4096
        assert len(os.read(ends[0], 4096)) == 4096
PY
"$CUPEL" io --json --rows 0 -o copies.json -- "$python" copies.py 2>log || fail "copies: $(cat log)"
python3 - "$work/source" <<'PY' || fail "copies: $(head -c 3000 copies.json)"
import json, os, sys
out = json.load(open("copies.json"))
splices = 8 if hasattr(os, "splice") else 0
(copy,) = [o for o in out["operations"] if o["operation"] == "copy"]
assert (copy["requests"], copy["bytes"]) == (4 + splices, 4 * 65536 + splices * 4096), copy
(file,) = [f for f in out["files"] if f["file"].endswith(sys.argv[1])]
assert (file["requests"], file["bytes"]) == (9 + splices, 8 * 65536 + splices * 4096), file
PY

# A file that gets the inode of one that is gone has its own name, and its bytes.
cat >again.py <<'PY'
import os
def make(name, size):
    fd = os.open(name, os.O_CREAT | os.O_WRONLY)
    os.write(fd, b"x" * size)
    number = os.fstat(fd).st_ino
    os.close(fd)
    return number
first = make("gone", 1000)
os.unlink("gone")
print("same" if make("stays", 2345) == first else "another")
PY
"$CUPEL" io --json -o again.json -- "$python" again.py >number 2>log || fail "inodes: $(cat log)"
grep -q same number || echo "not tested: inodes of files that are gone: this file system gives new ones"
python3 - "$work" <<'PY' || fail "inodes: $(head -c 3000 again.json)"
import json, sys
files = json.load(open("again.json"))["files"]
for name, size in ("/gone", 1000), ("/stays", 2345):
    assert [f["bytes"] for f in files if f["file"].endswith(sys.argv[1] + name)] == [size], (name, files)
PY

# Processes that run already.
sh -c 'while :; do dd if='"$device"' of=/dev/null bs=64k count=20 iflag=direct 2>/dev/null; echo >>rounds; done' &
pid=$!
"$CUPEL" io -p "$pid" --json -o pid.json &
watching=$!
wait_for is_watching "$watching" || fail "-p does not watch"
rounds=$(wc -l <rounds)
has_read() { # the second round began while it watched
	[ "$(wc -l <rounds)" -ge $((rounds + 2)) ]
}
wait_for has_read || fail "dd does not get to run"
kill -INT "$watching"
wait "$watching" || fail "-p"
kill "$pid"
wait
python3 - <<'PY' || fail "-p: $(head -c 2000 pid.json)"
import json
out = json.load(open("pid.json"))
assert any(d["disk"].startswith("loop") and d["disk_read_bytes"] > 0 for d in out["disks"]), out["disks"]
PY

# A process that moves into a cgroup during the watch, and out of it: what it asks for in there.
for root in /sys/fs/cgroup /sys/fs/cgroup/unified; do
	[ "$(stat -f -c %T "$root" 2>/dev/null)" = cgroup2fs ] && break
done
if mkdir "$root/cupel-io-$$" 2>/dev/null; then
	group=$root/cupel-io-$$
	cat >moves.py <<'PY'
import os, sys
home, group = sys.argv[1:]
file = os.open("moves", os.O_CREAT | os.O_WRONLY)
def write(number):
    for _ in range(number):
        os.write(file, b"x" * 100)
def move(where):
    with open(where + "/cgroup.procs", "w") as procs:
        procs.write(str(os.getpid()))
write(30)
move(group)
write(100)
move(home)
write(50)
PY
	home=$root$(sed -n 's/^0:://p' /proc/self/cgroup)
	"$CUPEL" io --cgroup "$group" --rows 0 --json -o moves.json 2>log &
	watching=$!
	wait_for is_watching "$watching" || fail "--cgroup does not watch: $(cat log)"
	"$python" moves.py "$home" "$group" || fail "no process moves into the cgroup"
	kill -INT "$watching"
	wait "$watching" || fail "--cgroup: $(cat log)"
	python3 - "$work/moves" <<'PY' || fail "--cgroup: $(head -c 2000 moves.json)"
import json, sys
files = json.load(open("moves.json"))["files"]
moved = [(f["requests"], f["bytes"]) for f in files if f["file"].endswith(sys.argv[1])]
assert moved == [(100, 10000)], moved
PY
else
	echo "not tested: a cgroup: none of version 2 can be made here"
fi

if command -v bpftool >/dev/null; then
	"$CUPEL" io -a -o /dev/null &
	pid=$!
	wait_for is_watching "$pid" || fail "it does not watch"
	programs=$(cat /proc/$pid/fdinfo/* 2>/dev/null | sed -n 's/^prog_id:	//p' | sort -u)
	[ -n "$programs" ] || fail "its programs do not show"
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
	is_unloaded() {
		for id in $programs; do
			! bpftool prog show id "$id" >/dev/null 2>&1 || return 1
		done
	}
	wait_for is_unloaded || fail "programs stay after SIGKILL"
else
	echo "not tested: what stays after SIGKILL: there is no bpftool"
fi
exit $failed
