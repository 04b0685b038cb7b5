#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Levels of privileges that can be set up on this machine: for each one `cupel doctor` predicts the
# result of recording. test/guest/privileges.sh tests the levels of perf_event_paranoid.
set -u
if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
	echo "needs root and setpriv"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 777 "$work"
cp "$CUPEL" "$work/cupel"
# shellcheck source=test/guest/ladder
. "$(dirname "$0")/../guest/ladder"
cd "$work" || exit 1
CUPEL=./cupel
export HOME="$work" XDG_CACHE_HOME=

as_user() {
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

with() {
	capabilities=$1
	shift
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps "$capabilities" \
		--ambient-caps "$capabilities" "$@"
}

bare_root() {
	setpriv --bounding-set=-all --inh-caps=-all "$@"
}

in_user_namespace() {
	unshare --user --map-root-user --pid --fork --mount-proc "$@"
}

in_pid_namespace() {
	unshare --pid --fork --mount-proc "$@"
}

without_tracefs() {
	# shellcheck disable=SC2016 # the inner shell expands it
	unshare --mount sh -c 'mount -t tmpfs none /sys/kernel/tracing && exec "$@"' sh "$@"
}

rung "root" env
rung "CAP_PERFMON and CAP_BPF" with +perfmon,+bpf
rung "CAP_PERFMON" with +perfmon
rung "an ordinary user" as_user
rung "root without capabilities" bare_root
if in_pid_namespace true 2>/dev/null; then
	rung "a PID namespace" in_pid_namespace
else
	echo "not tested: a PID namespace: it cannot be made here"
fi
if unshare --user --map-root-user true 2>/dev/null; then
	rung "a user and a PID namespace" in_user_namespace
else
	echo "not tested: user namespaces: they are off here"
fi
if unshare --mount true 2>/dev/null; then
	rung "no tracefs" without_tracefs
else
	echo "not tested: no tracefs: there are no mount namespaces here"
fi
# What follows chosen processes in the kernel says so there, and does not count nothing.
if in_pid_namespace true 2>/dev/null; then
	for words in 'trace -- true' 'trace -s -- true' 'trace -p 1' 'funccount c:malloc -- true' 'wall -- true' \
		'funclatency c:malloc -- true' 'stackcount c:malloc -- true' 'stat -e probe:c:malloc -- true' \
		'argdist -C p:c:malloc():int:arg1 -- true' 'opensnoop -- true' 'syscount -p 1'; do
		# shellcheck disable=SC2086 # words
		in_pid_namespace timeout 20 ./cupel $words >out 2>&1
		[ $? -eq 1 ] && grep -q 'in a PID namespace$' out && continue
		echo "FAIL: $words: $(cat out)"
		ladder_failed=1
	done
	in_pid_namespace ./cupel trace -s -a -o sums -- true 2>out && grep -q ' calls, ' sums || {
		echo "FAIL: all threads: $(cat out sums)"
		ladder_failed=1
	}
fi
exit $ladder_failed
