/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile that was read from anything: written in a format and read back it has its weights. */
#ifndef TEST_FUZZ_ROUND_TRIP_H
#define TEST_FUZZ_ROUND_TRIP_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "format/format.h"
#include "format/input.h"
#include "profile/profile.h"

/* Sum of the weights in thousandths; 0 when they are too large for the doubles of JSON. */
static inline uint64_t round_trip_weight(const struct profile *profile)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *s = &profile->samples.item[i];
		uint64_t scale = profile->events.item[s->event].scale;

		scale = scale ? scale : 1;
		if ((s->weight / scale) >> 40 || scale > 1000)
			return 0;
		sum += s->weight / scale * 1000 + s->weight % scale * 1000 / scale;
	}
	return sum >> 50 ? 0 : sum;
}

static inline void round_trip(const struct profile *profile, const char *name)
{
	const struct format_ops *format = format_find(name), *reader;
	struct format_write_options all = { 0 };
	struct profile *again = profile_new(0);
	struct buf out = { .limit = 256 << 20 };
	struct err err = { 0 };
	struct input *input;
	const uint8_t *head;
	size_t len;

	if (!format->write(profile, &all, &out, &err) && out.len) {
		char path[] = "/tmp/cupel-fuzz-XXXXXX";
		int fd = mkstemp(path);

		if (fd < 0 || write(fd, out.data, out.len) != (ssize_t)out.len)
			abort();
		close(fd);
		if (input_open(path, &input, &err) || input_peek(input, &head, &len, &err))
			abort();
		unlink(path);
		reader = format_sniff(head, len);
		if (round_trip_weight(profile) &&
		    (!reader || format_read(reader, input, NULL, again, &err) ||
		     round_trip_weight(again) != round_trip_weight(profile))) {
			(void)fprintf(stderr, "%s: %llu became %llu\n", name,
				      (unsigned long long)round_trip_weight(profile),
				      (unsigned long long)round_trip_weight(again));
			abort();
		}
		input_close(input);
	}
	buf_done(&out);
	profile_free(again);
}

/* Any bytes to a format's reader, and what came of them to the writers. */
static inline void round_trip_bytes(const struct format_ops *format, const uint8_t *data,
				    size_t size)
{
	static const char *const writers[] = { "pprof", "speedscope", "firefox", "chrome-trace" };
	struct profile *profile = profile_new(size & 1 ? PROFILE_KEEP_TIME : 0);
	struct input *input = input_memory(data, size);
	struct format_write_options all = { 0 };
	struct buf out = { .limit = 64 << 20 };
	struct err err = { 0 };

	(void)format->sniff(data, size);
	if (!format_read(format, input, NULL, profile, &err)) {
		for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++)
			round_trip(profile, writers[i]);
		(void)format_find("callgrind")->write(profile, &all, &out, &err);
	}
	buf_done(&out);
	input_close(input);
	profile_free(profile);
}

#endif
