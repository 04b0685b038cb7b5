#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What watching I/O costs: times of the same requests with and without cupel io, side by side, in turn, as
# medians of five; and how long cupel io takes to begin and to end, and its memory. Needs root for a loop
# device.
set -u
: "${CUPEL:?path of the cupel binary}"
rounds=${ROUNDS:-5}
work=$(mktemp -d -p "${TMPDIR:-/var/tmp}")
device=
trap '[ -z "$device" ] || losetup -d "$device"; rm -rf "$work"' EXIT
cd "$work" || exit 1
cat >requests.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int direct = strcmp(argv[1], "direct") == 0, count = atoi(argv[3]);
	int fd = open(argv[2], O_RDONLY | (direct ? O_DIRECT : 0));
	struct timespec from, to;
	void *page;

	if (argc < 4 || fd < 0 || posix_memalign(&page, 4096, 4096))
		return 1;
	for (int warm = 0; warm < 2; warm++) {
		clock_gettime(CLOCK_MONOTONIC, &from);
		for (int i = 0; i < count; i++)
			if (pread(fd, page, 4096, (off_t)(i * 37 % 1024) * 4096) != 4096)
				return 1;
		clock_gettime(CLOCK_MONOTONIC, &to);
	}
	fprintf(stderr, "%.1f\n", ((to.tv_sec - from.tv_sec) * 1e9 + to.tv_nsec - from.tv_nsec) / count);
	return 0;
}
C
${CC:-cc} -O2 -o requests requests.c || exit 1
head -c 8M /dev/urandom >file
device=$(losetup -f --show file 2>/dev/null)

median() {
	sort -n "$1" | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}

# side_by_side NAME COUNT WHAT FILE: ns for a request, alone and watched
side_by_side() {
	rm -f alone watched tool
	for _ in $(seq "$rounds"); do
		./requests "$3" "$4" "$2" 2>>alone
		"$CUPEL" io -o /dev/null -- ./requests "$3" "$4" "$2" 2>>watched
		"$CUPEL" biosnoop -- ./requests "$3" "$4" "$2" 2>>tool >/dev/null
	done
	awk -v name="$1" -v a="$(median alone)" -v b="$(median watched)" -v c="$(median tool)" 'BEGIN {
		printf "%-34s %9.0f ns alone %9.0f ns cupel io %5.2fx  biosnoop %5.2fx\n", name, a, b, b / a, c / a }'
}

side_by_side "4 KiB reads from the page cache" 200000 cached file
[ -z "$device" ] || side_by_side "4 KiB O_DIRECT reads, loop device" 20000 direct "$device"

rm -f begin
for _ in $(seq "$rounds"); do
	from=$(date +%s%N)
	"$CUPEL" io -o /dev/null -- true
	echo $((($(date +%s%N) - from) / 1000000)) >>begin
done
echo "cupel io -- true, begin to end: $(median begin) ms"
if command -v /usr/bin/time >/dev/null; then
	/usr/bin/time -f "largest memory: %M KiB" "$CUPEL" io -o /dev/null -- ./requests cached file 100000 2>&1 |
		grep memory
fi
