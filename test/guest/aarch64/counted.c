/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Executes a known number of instructions: counted N [M] runs a loop of two instructions N million
 * times in inner(), which outer() calls, and M million times in other(). */
#include <stdlib.h>

static __attribute__((noinline)) void loop(unsigned long count)
{
	__asm__ volatile("1: subs %0, %0, #1\n"
			 "b.ne 1b"
			 : "+r"(count)
			 :
			 : "cc");
}

static __attribute__((noinline)) void inner(unsigned long count)
{
	loop(count);
	__asm__ volatile(""); /* no tail call */
}

static __attribute__((noinline)) void outer(unsigned long count)
{
	inner(count);
	__asm__ volatile("");
}

static __attribute__((noinline)) void other(unsigned long count)
{
	loop(count);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		unsigned long count = strtoul(argv[i], NULL, 10) * 1000000;

		if (count)
			(i == 1 ? outer : other)(count);
	}
	return 0;
}
