/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles in JSON: any bytes, and what came of them written and read back. In pieces they are the
 * same. */
#include "../unit/json_pieces.h"
#include "base/json.h"
#include "format/json/json_read.h"
#include "round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Sum of the weights, number of samples, and what was left out. */
static uint64_t summary(const struct profile *profile)
{
	uint64_t sum = profile->meta.unknown_records * 31 + profile->samples.count;

	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *s = &profile->samples.item[i];

		sum = sum * 31 + s->weight + s->count + s->stack.v;
	}
	return sum;
}

static void in_pieces(const uint8_t *data, size_t size)
{
	struct json_pieces pieces = { .data = (const char *)data,
				      .len = size,
				      .piece = 1 + size % 999 };
	struct json_text text = json_pieces_text(&pieces, size & 1 ? 0 : 100000);
	struct profile *whole = profile_new(0), *parts = profile_new(0);
	struct err err = { 0 };
	struct json json;
	int failed = json_parse((const char *)data, size, &json, &err);

	if (!failed)
		failed = json_read_document(&json, whole, &err);
	if ((json_parse_pieces(&text, &json, &err) || json_read_document(&json, parts, &err)) !=
		    (failed != 0) ||
	    (!failed && summary(whole) != summary(parts)) || pieces.readers)
		abort();
	profile_free(whole);
	profile_free(parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	round_trip_bytes(format_find("json"), data, size);
	in_pieces(data, size);
	return 0;
}
