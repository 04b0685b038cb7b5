/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile with requests for I/O, for unit tests. */
#ifndef TEST_UNIT_IO_REQUESTS_H
#define TEST_UNIT_IO_REQUESTS_H

#include <stdint.h>
#include <string.h>

#include "base/vec.h"
#include "event/io_request.h"
#include "profile/profile.h"

static inline void add(struct profile *profile, const struct io_data *data)
{
	struct profile_sample sample = { .cpu = PROFILE_NO_CPU, .weight = data->sum.ns };
	uint64_t words[sizeof(*data) / 8];

	memcpy(words, data, sizeof(*data));
	sample.event = profile_event_of_kind(profile, "io", "ns", EVENT_KIND_IO);
	sample.thread = profile_thread(profile, data->key.pid, data->key.tid, "program");
	sample.stack = STACK_EMPTY;
	sample.addr = profile->values.count;
	vec_push(&profile->values, sizeof(*data) / 8);
	for (size_t i = 0; i < sizeof(words) / 8; i++)
		vec_push(&profile->values, words[i]);
	profile_add(profile, &sample);
}

static inline struct io_data request(uint8_t operation, uint64_t ns)
{
	struct io_data data = { .number = 1,
				.key = { .pid = 7,
					 .tid = 8,
					 .inode = 99,
					 .operation = operation,
					 .file_kind = IO_FILE_REGULAR },
				.sum = { .ns = ns, .count = 1, .max_ns = ns, .bytes = 4096 } };

	data.sum.layer_ns[IO_LAYER_DEVICE] = ns / 4 * 3;
	data.sum.layer_ns[IO_LAYER_RUNNING] = ns - ns / 4 * 3;
	data.sum.bucket[10] = 1;
	memcpy(data.names.text, "wal\0data\0", 9);
	data.names.len = 9;
	return data;
}

static inline struct profile *sample_profile(void)
{
	struct profile *profile =
		profile_new(PROFILE_KEEP_TIME | PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_VALUES);
	struct io_data data = request(IO_SYNC, 4000000);

	data.sum.requests = 2;
	data.sum.disk_written = 8192;
	data.sum.disk = 8 << 20 | 1;
	add(profile, &data);
	data = request(IO_READ, 1000000);
	add(profile, &data);
	data.names.len = 0; /* without a name */
	data.key.inode = 1234;
	add(profile, &data);
	data.names.len = UINT32_MAX; /* damaged */
	add(profile, &data);
	data = request(IO_SYNC, 4000000);
	data.end_ns = 5;
	add(profile, &data);
	return profile;
}

#endif
