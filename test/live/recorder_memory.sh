#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Large data of programs (perf maps, symbol tables, mappings with long paths, debug information) does not
# make the recorder and its children larger than --max-memory; a message names missing data.
set -eu
if [ "$(id -u)" != 0 ] || ! command -v python3 >/dev/null || ! command -v cc >/dev/null; then
	echo "needs root, python3 and cc"
	exit 77
fi
work=$(mktemp -d)
map=
trap 'rm -rf "$work" $map' EXIT
cd "$work"
failed=0

fail() {
	echo "FAIL: $*"
	failed=1
}

cat >peak.py <<'P'
import resource, subprocess, sys
status = subprocess.run(sys.argv[2:]).returncode
with open(sys.argv[1], "w") as out:
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, file=out)
sys.exit(status)
P
cat >jit.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
/* Runs code made at run time, which the first line of a perf map names, before as many others. */
int main(int argc, char **argv)
{
	/* mov $50000000,%ecx; 1: dec %ecx; jnz 1b; ret */
	static const unsigned char code[] = { 0xb9, 0x80, 0xf0, 0xfa, 0x02, 0xff, 0xc9, 0x75, 0xfc, 0xc3 };
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long lines = argc > 1 ? atol(argv[1]) : 0;
	char path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	puts(path);
	map = fopen(path, "w");
	fprintf(map, "%lx 1000 first_line\n", (unsigned long)page);
	for (long i = 1; i < lines; i++)
		fprintf(map, "%lx 1 a\n", i);
	fclose(map);
	memcpy(page, code, sizeof(code));
	for (int i = 0; i < 10; i++)
		((void (*)(void))page)();
	return 0;
}
C
cat >maps.c <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
/* Maps so many files with long paths as code, one after the other. */
int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 0;
	char name[256];

	for (int i = 0; i < 12; i++) {
		memset(name, 'd', 200);
		name[200] = 0;
		if (mkdir(name, 0700) || chdir(name))
			return 1;
	}
	for (long i = 0; i < count; i++) {
		void *page;
		int fd;

		snprintf(name, sizeof(name), "f%ld", i);
		fd = open(name, O_RDWR | O_CREAT, 0700);
		if (fd < 0 || ftruncate(fd, 4096))
			return 1;
		page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		if (page == MAP_FAILED)
			return 1;
		munmap(page, 4096);
		close(fd);
		unlink(name);
	}
	return 0;
}
C
cat >sparse.py <<'P'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
shoff, = struct.unpack_from("<Q", data, 0x28)
size, count = struct.unpack_from("<HH", data, 0x3a)
end = (len(data) + 4095) & ~4095
for at in range(shoff, shoff + size * count, size):
    if struct.unpack_from("<I", data, at + 4)[0] == 2: # SHT_SYMTAB
        struct.pack_into("<QQ", data, at + 24, end, 3 << 30)
with open(sys.argv[2], "wb") as out:
    out.write(data)
    out.truncate(end + (3 << 30))
P
cc -O1 -o jit jit.c
cc -O1 -o maps maps.c

# below MB RECORD-OPTIONS...: nothing takes more
below() {
	most=$1
	shift
	python3 peak.py peak timeout -k 1 -s KILL 120 "$CUPEL" record -o a.data "$@" >out 2>said ||
		fail "$*: $(cat said)"
	[ "$(cat peak)" -le "$most" ] || fail "$*: $(cat peak) MB"
	echo "$*: $(cat peak) MB"
}

# 29 million lines at 256 MB are as 7 million at 64; perf maps belong to no sandbox of ours.
[ "$(uname -m)" != x86_64 ] || {
	below 128 --max-memory 64M -- ./jit 7000000
	map=$(head -n 1 out)
	"$CUPEL" report --stdio -i a.data 2>/dev/null | grep -q first_line || fail "the first line's name is lost"
}
python3 sparse.py jit hole
chmod +x hole
below 128 --max-memory 64M -- ./hole 1
map="$map $(head -n 1 out)"
below 160 --max-memory 48M -- ./maps 20000
grep -q 'mappings of code were not followed.*48 MB.*--max-memory' said || fail "not said: $(cat said)"
[ "$(grep -c 'were not followed' said)" = 1 ] || fail "said more than once"
"$CUPEL" report --stdio -i a.data 2>/dev/null | grep -q maps || fail "maps: the recording has no samples"

# Symbol tables come before source lines; with less memory there are no names. The unit that is hit
# has 60000 other functions, each with a line and a long name.
case $(uname -m) in
x86_64) loop='movl $200000000, %ecx\n1:\n\tdecl %ecx\n\tjnz 1b\n\txorl %eax, %eax' ;;
*) loop='mov w0, #0x8000000\n1:\n\tsubs w0, w0, #1\n\tb.ne 1b' ;;
esac
{
	printf '\t.text\n\t.globl main\n\t.type main, %%function\nmain:\n\t%b\n\tret\n\t.size main, .-main\n' "$loop"
	seq 60000 | sed 's/.*/\t.type long_function_name_&, %function\nlong_function_name_&:\n\tret\n\t.size long_function_name_&, 4/'
	printf '\t.section .note.GNU-stack,"",%%progbits\n'
} >many.s
cc -g -o many many.s
# Names are asked for only of samples; the process that unwinds them may need more than 2 MB, too, and
# on a busy machine it may have all of them then.
for _ in 1 2 3 4 5; do
	below 128 --max-memory 2M -- ./many
	grep -q 'source lines and inlined functions are not kept.* 2 MB\|names of functions are not kept.* 2 MB' said && break
done
grep -q 'names of functions are not kept.* 2 MB\|source lines.* are not kept.* 2 MB' said || fail "2 MB: $(cat said)"
exit $failed
