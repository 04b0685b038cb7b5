#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Code of the kernel and of its modules is read from /proc/kcore by root: instructions of the hottest
# functions with their samples. Users without the right to read it get an error with the reason.
# programs: setpriv
# modules: brd
# files: /usr/lib/*/libcapstone.so.4
cd /tmp || exit 1
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}
[ -r /proc/kcore ] || {
	echo "this kernel has no /proc/kcore"
	exit 77
}
# few samples hit the driver of a disk in memory
for reads in 3000 10000 30000 60000; do
	"$CUPEL" record -o k.data -F 999 -- sh -c "
		dd if=/dev/zero of=/dev/null bs=64k count=1000
		dd if=/dev/ram0 of=/dev/null bs=512 count=$reads iflag=direct" >log 2>&1 || {
		cat log
		exit 1
	}
	"$CUPEL" report -i k.data --stdio -g none --no-children --sort dso,symbol 2>/dev/null >rows
	grep -q brd rows && break
done

# annotate DSO: the hottest function of these has code with samples
annotate() {
	name=$(awk -v dso="$1" '$1 ~ /%$/ && $2 ~ dso && $3 == "[k]" { print $4; exit }' rows)
	[ -n "$name" ] || {
		fail "no samples in $1: $(head -n 20 rows)"
		return
	}
	"$CUPEL" annotate -i k.data -s "$name" --stdio >code 2>log || {
		fail "$name: $(cat log)"
		return
	}
	echo "$1: $name"
	head -n 12 code
	awk '$1 + 0 > 0 && $2 == ":" { hot = 1 } / (ret|jmp|iretq|ud2|call)/ { end = 1 }
		/\(bad\)/ { bad = 1 } END { exit !(hot && end && !bad) }' code ||
		fail "$name: $(cat code)"
}
annotate kernel.kallsyms
annotate brd
rmmod brd
"$CUPEL" annotate -i k.data -s "$name" --stdio >code 2>log && fail "the module is gone"
grep -q 'it is not loaded where it was' log || fail "no reason: $(cat log)"
insmod "/guest/$(grep -m 1 brd /guest/modules)" # for other tests
chmod 755 .
chmod 644 k.data
HOME=/
name=$(awk '$2 ~ /kernel.kallsyms/ && $3 == "[k]" { print $4; exit }' rows)
/usr/bin/setpriv --reuid 65534 --regid 65534 --clear-groups \
	"$CUPEL" annotate -i /tmp/k.data -s "$name" --stdio >code 2>log && fail "without root"
grep -q '/proc/kcore: Permission denied' log || fail "no word about root: $(cat log)"
exit "$failed"
