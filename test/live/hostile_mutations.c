/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Damages files at random: cuts them at every size, flips bits, overwrites words with edge-case
 * numbers, moves pieces. A fuzz target, linked in, reads each result. The same arguments give the
 * same damage. Usage: hostile_mutations SECONDS ROUNDS FILE… */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static double now_s(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* splitmix64 */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static void damage_once(uint8_t *data, size_t len, uint64_t *state)
{
	static const uint64_t awkward[] = { 0,		1,	    7,		8,
					    0x7f,	0xff,	    0xfff8,	0xffff,
					    0x10000,	0x7fffffff, 0x80000000, UINT32_MAX,
					    1ull << 40, INT64_MAX,  1ull << 63, UINT64_MAX };
	uint64_t r = next_random(state), value = awkward[r >> 60];
	size_t at = (size_t)(next_random(state) % len);
	size_t width = (size_t)1 << (r >> 8) % 4, left = len - at;

	switch (r % 4) {
	case 0:
		data[at] ^= (uint8_t)(1u << (r >> 8) % 8);
		break;
	case 1: /* fields lie at multiples of their width */
		at -= at % width;
		if (width <= len - at)
			memcpy(data + at, &value, width);
		break;
	case 2:
		memmove(data + next_random(state) % (at + 1), data + at, left < 64 ? left : 64);
		break;
	default:
		data[at] = (uint8_t)(r >> 16);
		break;
	}
}

static int run_file(const char *path, double deadline_s, unsigned rounds)
{
	struct buf file = { .limit = 64 << 20 };
	struct err err = { 0 };
	uint64_t state = 0;
	uint8_t *copy;
	unsigned done = 0;
	size_t cuts = 0;

	if (fd_read_file(path, &file, &err)) {
		(void)fprintf(stderr, "%s\n", err.msg);
		return 1;
	}
	copy = mem_alloc(file.len);
	for (; done < rounds && file.len && now_s() < deadline_s; done++) {
		uint64_t times = 1 + next_random(&state) % 4;

		memcpy(copy, file.data, file.len);
		while (times--)
			damage_once(copy, file.len, &state);
		(void)LLVMFuzzerTestOneInput(copy, file.len); /* always 0 by convention */
	}
	for (; cuts < file.len && now_s() < deadline_s; cuts++)
		(void)LLVMFuzzerTestOneInput((uint8_t *)file.data, cuts);
	(void)printf("%s: %u of %u mutations, cut at %zu of %zu sizes\n", path, done, rounds, cuts,
		     file.len);
	free(copy);
	buf_done(&file);
	return 0;
}

int main(int argc, char **argv)
{
	double start_s = now_s(), share_s;
	unsigned rounds;

	if (argc < 4)
		return 2;
	share_s = strtod(argv[1], NULL) / (argc - 3);
	rounds = (unsigned)strtoul(argv[2], NULL, 10);
	for (int i = 3; i < argc; i++)
		if (run_file(argv[i], start_s + share_s * (i - 2), rounds))
			return 1;
	return 0;
}
