#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# alone: it compares times with known values
# `cupel test` passes as root, skips tests without permission, and leaves no files.
set -u
if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
	echo "needs root and setpriv"
	exit 77
fi
work=$(mktemp -d /tmp/cupel-self-test.XXXXXX) # another user must have access
trap 'rm -rf "$work"' EXIT
chmod 777 "$work"
cp "$CUPEL" "$work/cupel"
cd "$work" || exit 1
export TMPDIR="$work" HOME="$work"
failed=0

fail() {
	echo "FAIL: $*: $(cat said)"
	failed=1
}

timeout -k 1 -s KILL 300 ./cupel test -v >said 2>&1 || fail "root"
grep -q '^8 passed, 0 failed, 0 not permitted or possible here$' said || fail "root: not all ran"
timeout -k 1 -s KILL 300 setpriv --reuid 65534 --regid 65534 --clear-groups ./cupel test >said 2>&1 ||
	fail "user"
grep -q 'not permitted here (cupel doctor: waits)' said || fail "user: waits are tested"
rm said
[ "$(ls)" = cupel ] || [ "$(ls -A)" = "$(printf '.cache\ncupel')" ] || fail "left behind: $(ls -A)"
exit $failed
