/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pprof: the wire format, and a profile written and read back. */
#include <string.h>
#include <zlib.h>

#include "format/format.h"
#include "format/gzip.h"
#include "format/pprof/pprof.h"
#include "format/pprof/pprof_wire.h"
#include "json_text.h"

static void test_wire__fields(void **state)
{
	static const uint8_t bytes[] = { 0x08, 0x96, 0x01, 0x12, 0x02, 'h', 'i', 0x1d, 1, 0, 0, 0 };
	struct wire wire = { bytes, bytes + sizeof(bytes), false };
	struct wire_field field;

	(void)state;
	assert_true(wire_next(&wire, &field));
	assert_int_equal(field.number, 1);
	assert_int_equal(field.value, 150);
	assert_true(wire_next(&wire, &field));
	assert_true(field.is_bytes);
	assert_int_equal(field.bytes.end - field.bytes.at, 2);
	assert_true(wire_next(&wire, &field));
	assert_int_equal(field.value, 1);
	assert_false(wire_next(&wire, &field));
	assert_false(wire.bad);
}

static void test_wire__lengths_past_the_end_are_bad(void **state)
{
	static const uint8_t bytes[][3] = { { 0x12, 0x09, 'h' },
					    { 0x08, 0x80, 0x80 },
					    { 0x0b, 0, 0 } };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct wire wire = { bytes[i], bytes[i] + 3, false };
		struct wire_field field;

		assert_false(wire_next(&wire, &field));
		assert_true(wire.bad);
	}
}

static void unpack(struct buf *packed, struct buf *ret)
{
	z_stream z = { .next_in = (Bytef *)packed->data, .avail_in = (uInt)packed->len };
	char out[65536];

	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	z.next_out = (Bytef *)out;
	z.avail_out = sizeof(out);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	(void)buf_append(ret, out, sizeof(out) - z.avail_out);
	(void)inflateEnd(&z);
}

static void test_pprof__round_trip(void **state)
{
	struct format_write_options all = { 0 };
	struct profile *profile = profile_new(0);
	struct input *input = input_memory(round_trip_text, strlen(round_trip_text));
	struct buf packed = { 0 }, bytes = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(format_read(&format_perf_script, input, NULL, profile, &err), 0);
	assert_int_equal(format_pprof.write(profile, &all, &packed, &err), 0);
	input_close(input);
	profile_free(profile);
	unpack(&packed, &bytes);
	assert_int_equal(pprof_sniff((const uint8_t *)bytes.data, bytes.len), 2);
	for (int i = 0; i < 2; i++) {
		profile = profile_new(0);
		input = input_memory(bytes.data, bytes.len);
		assert_int_equal(format_read(&format_pprof, input, NULL, profile, &err), 0);
		input_close(input);
		assert_int_equal(profile->meta.unknown_records, 0);
		assert_stacks(profile, i ? "cpu-clock" : "cycles",
			      i ? "c-3/4;[b] 9\n" : "a_b-1/2;main_[k];leaf:f.c:12;deep_[i] 7\n");
	}
	buf_done(&packed);
	buf_done(&bytes);
}

/* Viewers know them by Go's names; fractions of blocks become whole ones. */
static void test_pprof__heap(void **state)
{
	static const char *const events[] = { "heap-alloc", "heap-count", "heap-live",
					      "heap-live-count" };
	struct profile *p = profile_new(0), *again = profile_new(0);
	struct profile_sample sample = { .stack = profile_stack_or_unknown(p, STACK_EMPTY),
					 .thread = profile_thread(p, 1, 1, "app") };
	struct buf packed = { 0 }, bytes = { 0 };
	struct err err = { 0 };
	struct input *input;
	size_t found = 0;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		enum event_kind kind = event_kind_of_name(events[i]);

		sample.event = profile_event(p, events[i], event_unit_name(event_kind_unit(kind)));
		(void)profile_event_scale(p, sample.event, i % 2 ? 1000 : 1);
		sample.weight = 1000 * (i + 1) + (i % 2 ? 600 : 0);
		profile_add(p, &sample);
	}
	profile_count(p);
	assert_int_equal(format_pprof.write(p, &(struct format_write_options){ 0 }, &packed, &err),
			 0);
	unpack(&packed, &bytes);
	input = input_memory(bytes.data, bytes.len);
	assert_int_equal(format_read(&format_pprof, input, NULL, again, &err), 0);
	for (size_t i = 0; i < again->events.count; i++) {
		const struct profile_event *event = &again->events.item[i];
		static const struct {
			const char *name;
			uint64_t weight;
		} wanted[] = { { "alloc_space", 1000 },
			       { "alloc_objects", 3 },
			       { "inuse_space", 3000 },
			       { "inuse_objects", 5 } };

		for (size_t j = 0; j < 4; j++)
			if (strcmp(profile_string(again, event->name), wanted[j].name) == 0) {
				assert_int_equal(event->weight, wanted[j].weight);
				found++;
			}
	}
	assert_int_equal(found, 4);
	input_close(input);
	buf_done(&packed);
	buf_done(&bytes);
	profile_free(again);
	profile_free(p);
}

/* A difference, as pprof -diff_base writes it: cpu -5, of f. */
static void test_pprof__negative_values(void **state)
{
	static const char bytes[] = "\x0a\x04\x08\x01\x10\x02"
				    "\x12\x0d\x08\x01\x10\xfb\xff\xff\xff\xff\xff\xff\xff\xff\x01"
				    "\x22\x06\x08\x01\x22\x02\x08\x01"
				    "\x2a\x04\x08\x01\x10\x03"
				    "\x32\x00\x32\x03"
				    "cpu\x32\x0b"
				    "nanoseconds\x32\x01"
				    "f";
	struct profile *profile = profile_new(0);
	struct input *input = input_memory(bytes, sizeof(bytes) - 1);
	struct err err = { 0 };

	(void)state;
	assert_int_equal(format_read(&format_pprof, input, NULL, profile, &err), 0);
	input_close(input);
	assert_int_equal(profile->meta.unknown_records, 0);
	assert_stacks(profile, "cpu (negative)", "f 5\n");
}

/* The same with counts: fewer samples are not 2^64 of them. */
static void test_pprof__negative_counts(void **state)
{
	static const char bytes[] = "\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x03\x10\x04"
				    "\x12\x18\x08\x01\x10\xfb\xff\xff\xff\xff\xff\xff\xff\xff\x01"
				    "\x10\xce\xff\xff\xff\xff\xff\xff\xff\xff\x01"
				    "\x22\x06\x08\x01\x22\x02\x08\x01"
				    "\x2a\x04\x08\x01\x10\x05"
				    "\x32\x00\x32\x07"
				    "samples\x32\x05"
				    "count\x32\x03"
				    "cpu\x32\x0b"
				    "nanoseconds\x32\x01"
				    "f";
	struct profile *profile = profile_new(0);
	struct input *input = input_memory(bytes, sizeof(bytes) - 1);
	struct err err = { 0 };

	(void)state;
	assert_int_equal(format_read(&format_pprof, input, NULL, profile, &err), 0);
	input_close(input);
	assert_int_equal(profile_sample_count(profile), 5);
	assert_stacks(profile, "cpu (negative)", "f 50\n");
}

static void test_gzip__large_and_empty(void **state)
{
	struct buf data = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(gzip_pack(&data, &err), 0);
	assert_true(data.len > 10);
	buf_clear(&data);
	(void)buf_pad(&data, 'x', 1 << 20);
	assert_int_equal(gzip_pack(&data, &err), 0);
	assert_true(data.len < 4096);
	buf_done(&data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wire__fields),
		cmocka_unit_test(test_wire__lengths_past_the_end_are_bad),
		cmocka_unit_test(test_pprof__round_trip),
		cmocka_unit_test(test_pprof__heap),
		cmocka_unit_test(test_pprof__negative_values),
		cmocka_unit_test(test_pprof__negative_counts),
		cmocka_unit_test(test_gzip__large_and_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
