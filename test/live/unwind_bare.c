/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Built without unwind tables and frame pointers by unwind_bare.sh: recursion, a jump table, a
 * callback of the C library, frames of unknown and of large size, calls that do not return. */
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone))

static volatile unsigned sink;

NOINLINE static void work(unsigned count)
{
	for (unsigned i = 0; i < count * 100; i++)
		sink = sink * 3 + i;
}

NOINLINE static unsigned busy(unsigned count)
{
	work(count);
	return sink + count;
}

NOINLINE static unsigned plain(unsigned depth)
{
	volatile char local[21];

	local[depth % sizeof(local)] = (char)depth;
	if (depth == 1)
		return busy(40) + 1;
	return plain(depth - 1) + (unsigned)local[depth % sizeof(local)];
}

NOINLINE static void fail(const char *why)
{
	fprintf(stderr, "%s\n", why);
	exit(3);
}

NOINLINE static unsigned switched(unsigned which, const char *text)
{
	unsigned length = (unsigned)strlen(text);

	switch (which) {
	case 0:
		return busy(40) + length;
	case 1:
		return busy(41) * length;
	case 2:
		return busy(42) ^ length;
	case 3:
		return busy(43) % (length + 1);
	case 4:
		return busy(44) + busy(45) * length;
	case 5:
		return busy(46) - length;
	case 6:
		return length - busy(47);
	case 7:
		return length & busy(48);
	default:
		fail("no such case");
		return 0;
	}
}

NOINLINE static int compare(const void *a, const void *b)
{
	const unsigned *x = a, *y = b;

	return (int)(busy(1) & 0) + (*x > *y) - (*x < *y);
}

NOINLINE static unsigned sorted(unsigned seed)
{
	unsigned word[100];

	for (unsigned i = 0; i < 100; i++)
		word[i] = seed = seed * 1103515245 + 12345;
	qsort(word, 100, sizeof(*word), compare);
	return word[50];
}

NOINLINE static unsigned dynamic(unsigned bytes)
{
	volatile char *local = alloca(bytes);

	local[bytes - 1] = 1;
	return busy(80) + (unsigned)local[bytes - 1];
}

NOINLINE static unsigned large(unsigned bytes)
{
	volatile char local[16000];

	for (unsigned i = 0; i < sizeof(local);
	     i += 1024) /* pages that were never used cannot be read */
		local[i] = 1;
	local[bytes] = 1;
	return busy(80) + (unsigned)local[bytes];
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1, sum = 0;

	for (unsigned i = 0; i < rounds; i++) {
		sum += plain(1 + i % 20) + switched(i % 8, argv[0]) + dynamic(20 + i % 300);
		sum += large(i % 16000);
		if (i % 4 == 0)
			sum += sorted(i);
	}
	printf("%u\n", sum);
	return 0;
}
