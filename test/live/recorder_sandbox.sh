#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A recorder of root reads other users' binaries in a sandbox: few capabilities, a filter of system
# calls, no descriptors. A binary with a large table does not increase the recorder's memory.
set -eu
if [ "$(id -u)" != 0 ] || ! command -v python3 >/dev/null || ! command -v objcopy >/dev/null ||
	! command -v cc >/dev/null; then
	echo "needs root, python3, objcopy and cc"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export XDG_CACHE_HOME="$work/cache"
mkdir cache
failed=0

fail() {
	echo "FAIL: $*"
	failed=1
}

cat >spin.c <<'C'
#include <time.h>
int main(void)
{
	struct timespec t;

	do {
		for (volatile int i = 0; i < 100000; i++)
			;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while (t.tv_sec < 2);
	return 0;
}
C
cc -o spin spin.c
timeout -k 1 -s KILL 60 "$CUPEL" record -o a.data -- ./spin >/dev/null 2>said &
recorder=$!
seen=0
while kill -0 $recorder 2>/dev/null; do
	for pid in $(pgrep -P "$recorder" -x cupel-tables) $(pgrep -x cupel-tables); do
		status=$(cat "/proc/$pid/status" 2>/dev/null) || continue
		case $status in *"Seccomp:	2"*) ;; *) continue ;; esac # not yet sandboxed
		seen=1
		# CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE, CAP_SYSLOG, CAP_CHECKPOINT_RESTORE at most
		caps=$(echo "$status" | sed -n 's/^CapEff:\t0*\(.*\)$/\1/p')
		[ $((0x${caps:-0} & ~0x10400080004)) = 0 ] || fail "capabilities: $caps"
		[ "$(find "/proc/$pid/fd" -type l 2>/dev/null | wc -l)" -le 4 ] ||
			fail "descriptors: $(ls -l "/proc/$pid/fd")"
	done
	[ $seen = 1 ] && break
	sleep 0.02
done
wait $recorder || fail "recording: $(cat said)"
[ $seen = 1 ] || fail "no process in a sandbox was seen"
"$CUPEL" report --json -i a.data 2>/dev/null | grep -q '"tables_built":[1-9]' || fail "no tables were made"

# 4 million entries in 6 to 9 MB
python3 - <<'P'
import struct
cie = struct.pack("<IBBBBB", 0xffffffff, 3, 0, 1, 0x78, 16) + bytes([0x0c, 7, 8, 0x90, 1])
cie += b"\0" * (-(len(cie) + 4) % 8)
code = bytes([0x41, 0x0e, 16, 0x42, 0x0e, 8, 0, 0])
with open("frames", "wb") as out:
    out.write(struct.pack("<I", len(cie)) + cie)
    for i in range(2000000):
        out.write(struct.pack("<IIQQ", 20 + len(code), 0, 0x10000000 + i * 16, 16) + code)
P
objcopy --add-section .debug_frame=frames --set-section-flags .debug_frame=debug,readonly \
	--compress-debug-sections=zlib spin large 2>/dev/null
(
	# shellcheck disable=SC3045 # dash has it
	ulimit -v 8000000
	timeout -k 1 -s KILL 60 "$CUPEL" record -v -o b.data -- ./large >/dev/null 2>said
) || fail "large table: $(cat said)"
mb=$(sed -n 's/.*own cost .* \([0-9]*\)\.[0-9]* MB;.*/\1/p' said)
[ "${mb:-9999}" -le 256 ] || fail "the recorder took $mb MB"
! pgrep -P "$recorder" >/dev/null 2>&1 || fail "processes are left"
exit $failed
