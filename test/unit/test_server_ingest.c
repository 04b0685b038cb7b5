/* SPDX-License-Identifier: GPL-2.0-or-later */
/* server/ingest, server/writer, format/otlp: what is sent arrives whole, with its labels and times;
 * damage, forms and limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "store_samples.h"

#include "base/buf.h"
#include "format/format.h"
#include "format/otlp/otlp_json.h"
#include "format/otlp/otlp_read.h"
#include "format/otlp/otlp_tables.h"
#include "server/ingest.h"
#include "server/ingest_kinds.h"
#include "server/message.h"
#include "server/multipart.h"
#include "server/reply.h"
#include "server/unpack_body.h"
#include "server/writer.h"
#include "store/label_set.h"

#define NOW_NS ((uint64_t)1764000000 * SECOND_NS)

/* A store that adds up. */
static struct {
	uint64_t weight, batches, first_ns;
	char labels[512];
} sum;

static int add_up(struct store *store, const struct store_batch *batch, struct err *err)
{
	struct buf text = { 0 };

	(void)store;
	(void)err;
	for (size_t i = 0; i < batch->profile->events.count; i++)
		sum.weight += batch->profile->events.item[i].weight;
	sum.batches++;
	sum.first_ns = batch->profile->samples.item[0].time_ns + (uint64_t)batch->clock_ns;
	label_set_text(batch->labels, &text);
	(void)snprintf(sum.labels, sizeof(sum.labels), "%s", text.data);
	buf_done(&text);
	return 0;
}

static int no_sync(struct store *store, struct err *err)
{
	(void)store;
	(void)err;
	return 0;
}

static const struct store_ops counting = { .append = add_up, .sync = no_sync };

struct sent {
	const char *target, *type, *encoding;
	const void *body;
	size_t len;
};

static unsigned send_as(const struct sent *sent, uint32_t uid)
{
	struct store store = { &counting };
	struct reply reply = { 0 };
	struct ingest ingest = { .target = sent->target,
				 .type = sent->type ? sent->type : "",
				 .encoding = sent->encoding ? sent->encoding : "",
				 .body = { sent->body, sent->len },
				 .unpacked_max = 1 << 20,
				 .store = &store,
				 .uid = uid,
				 .now_ns = NOW_NS };
	unsigned status;

	memset(&sum, 0, sizeof(sum));
	ingest_run(&ingest, &reply);
	status = reply.status;
	reply_done(&reply);
	return status;
}

static unsigned send_text(const char *target, const char *type, const char *text)
{
	return send_as(&(struct sent){ target, type, NULL, text, strlen(text) }, STORE_EVERYBODY);
}

static void test_ingest__folded_with_labels_and_time(void **state)
{
	(void)state;
	assert_int_equal(send_text("/ingest?name=app%7Ba=1,b=x%20y%7D&until=1763999990", "",
				   "a;b 12\na;c 30\n"),
			 200);
	assert_int_equal(sum.weight, 42);
	assert_int_equal(sum.first_ns, NOW_NS - 10 * SECOND_NS);
	assert_string_equal(sum.labels, "{a=\"1\", b=\"x y\", service=\"app\"}");
	/* clocks that are wrong do not count */
	assert_int_equal(send_text("/ingest?name=app&until=1", "", "a;b 12\n"), 200);
	assert_int_equal(sum.first_ns, NOW_NS);
	assert_int_equal(
		send_text("/v1/profiles?service.name=s&host.name=h&container.id=c", "", "a;b 12\n"),
		200);
	assert_string_equal(sum.labels, "{container=\"c\", host=\"h\", service=\"s\"}");
}

static void test_ingest__users_send_what_is_theirs(void **state)
{
	const char text[] = "a;b 12\n";

	(void)state;
	assert_int_equal(
		send_as(&(struct sent){ "/v1/profiles?uid=0", NULL, NULL, text, strlen(text) },
			1000),
		200);
	assert_string_equal(sum.labels, "{uid=\"1000\"}");
}

static void test_ingest__forms(void **state)
{
	static const char form[] =
		"--xx\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\nno 1"
		"\r\n--xx\r\nContent-Disposition: form-data; filename=\"name\"; "
		"name=\"profile\"\r\n\r\na;b 7\n\r\n--xx--\r\n";
	char boundary[MULTIPART_BOUNDARY_MAX];
	struct body_bytes found;

	(void)state;
	assert_int_equal(send_text("/ingest?name=x", "multipart/form-data; boundary=xx", form),
			 200);
	assert_int_equal(sum.weight, 7);
	assert_int_equal(send_text("/ingest?name=x", "multipart/form-data; boundary=yy", form),
			 400);
	assert_true(multipart_boundary("multipart/form-data; boundary=\"a b\"", boundary));
	assert_string_equal(boundary, "a b");
	assert_false(multipart_boundary("multipart/form-data", boundary));
	assert_false(multipart_find((struct body_bytes){ (const uint8_t *)form, sizeof(form) - 1 },
				    "xx", "nothing", &found));
}

static void test_ingest__series_as_json(void **state)
{
	(void)state;
	/* base64 of "a;b 5\n" */
	assert_int_equal(
		send_text("/push.v1.PusherService/Push", "application/json",
			  "{\"series\":[{\"labels\":[{\"name\":\"service_name\",\"value\":"
			  "\"p\"},{\"name\":\"__secret__\",\"value\":\"x\"}],\"samples\":"
			  "[{\"rawProfile\":\"YTtiIDUK\"},{\"rawProfile\":\"YTtiIDUK\"}]}]}"),
		200);
	assert_int_equal(sum.weight, 10);
	assert_string_equal(sum.labels, "{service=\"p\"}");
	assert_int_equal(
		send_text("/api/profiles/writeraw", "application/json",
			  "{\"series\":[{\"labels\":{\"labels\":[{\"name\":\"job\",\"value\":"
			  "\"p\"}]},\"samples\":[{\"raw_profile\":\"YTtiIDUK\"}]}]}"),
		200);
	assert_string_equal(sum.labels, "{job=\"p\"}");
	assert_int_equal(send_text("/push.v1.PusherService/Push", "application/json",
				   "{\"series\":[{\"samples\":[{\"rawProfile\":\"YTtiIDUK\"}"),
			 400); /* all of it or nothing */
	assert_int_equal(sum.batches, 0);
	assert_int_equal(send_text("/push.v1.PusherService/Push", "application/json",
				   "{\"series\":[{\"samples\":[{\"rawProfile\":\"*\"}]}]}"),
			 400);
}

static void put_bytes(struct buf *out, unsigned field, const struct buf *bytes)
{
	(void)buf_put_varint(out, field << 3 | 2);
	(void)buf_put_varint(out, bytes->len);
	(void)buf_append(out, bytes->data ? bytes->data : "", bytes->len);
}

static void put_text(struct buf *out, unsigned field, const char *text)
{
	struct buf bytes = { .data = (char *)(uintptr_t)text, .len = strlen(text) };

	put_bytes(out, field, &bytes);
}

static void put_number(struct buf *out, unsigned field, uint64_t value)
{
	(void)buf_put_varint(out, field << 3);
	(void)buf_put_varint(out, value);
}

/* Closes `inner` into a field of `out`. */
static void nest(struct buf *out, unsigned field, struct buf *inner)
{
	put_bytes(out, field, inner);
	buf_clear(inner);
}

static void put_dictionary(struct buf *out)
{
	static const char *const strings[] = {
		"",	 "main", "f",		"inlined",     "/bin/app",	    "samples",
		"count", "cpu",	 "nanoseconds", "thread.name", "profile.frame.type"
	};
	struct buf all = { 0 }, one = { 0 }, inner = { 0 };

	for (size_t i = 0; i < 2; i++) { /* a mapping that is none, and the program */
		if (i)
			put_number(&one, 4, 4);
		nest(&all, 1, &one);
	}
	for (unsigned i = 0; i < 3; i++) { /* no location, main, f with inlined */
		if (i) {
			put_number(&one, 1, 1);
			put_number(&one, 2, 0x1000 * i);
		}
		if (i == 2) {
			put_number(&inner, 1, 3);
			nest(&one, 3, &inner);
		}
		if (i) {
			put_number(&inner, 1, i);
			put_number(&inner, 2, 10 * i);
			nest(&one, 3, &inner);
		}
		nest(&all, 2, &one);
	}
	for (unsigned i = 0; i < 4; i++) { /* functions */
		put_number(&one, 1, i);
		nest(&all, 3, &one);
	}
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		put_text(&all, 5, strings[i]);
	nest(&all, 6, &one); /* no attribute */
	put_number(&one, 1, 9);
	put_text(&inner, 1, "worker");
	nest(&one, 2, &inner);
	nest(&all, 6, &one); /* thread.name */
	nest(&all, 7, &one); /* no stack */
	put_number(&one, 1, 2);
	put_number(&one, 1, 1);
	nest(&all, 7, &one); /* leaf first: f, main */
	nest(out, 2, &all);
	buf_done(&all);
	buf_done(&one);
	buf_done(&inner);
}

/* values: the field of the sample that has them. */
static void put_request(struct buf *out, unsigned values)
{
	struct buf profile = { 0 }, one = { 0 }, scope = { 0 }, resource = { 0 }, all = { 0 };
	uint64_t time = NOW_NS - 5 * SECOND_NS;

	put_number(&one, 1, 5);
	put_number(&one, 2, 6);
	nest(&profile, 1, &one); /* samples, count */
	put_number(&one, 1, 7);
	put_number(&one, 2, 8);
	nest(&profile, 5, &one); /* each period of cpu time */
	put_number(&profile, 6, 50000000);
	(void)buf_putc(&profile, 3 << 3 | 1);
	(void)buf_append(&profile, &time, sizeof(time));
	put_number(&one, 1, 1);
	if (values == 4)
		put_number(&one, 2, 1);
	(void)buf_putc(&scope, 3);
	put_bytes(&one, values, &scope); /* packed: 3 samples */
	buf_clear(&scope);
	nest(&profile, 2, &one);
	nest(&scope, 2, &profile);
	put_text(&one, 1, "service.name");
	put_text(&profile, 1, "otel");
	nest(&one, 2, &profile);
	nest(&resource, 1, &one);
	put_text(&one, 1, "process.command_line");
	put_text(&profile, 1, "--password=x");
	nest(&one, 2, &profile);
	nest(&resource, 1, &one);
	nest(&all, 1, &resource);
	nest(&all, 2, &scope);
	nest(out, 1, &all);
	buf_done(&profile);
	buf_done(&one);
	buf_done(&scope);
	buf_done(&resource);
	buf_done(&all);
}

static int look_at(void *context, const struct profile *profile,
		   const struct otlp_attribute *attributes, size_t count, struct err *err)
{
	struct buf *out = context;

	assert_int_equal(count, 2);
	assert_string_equal(attributes[0].name, "service.name");
	return format_folded.write(profile, &(struct format_write_options){ 0 }, out, err);
}

static void test_otlp__stacks_times_and_attributes(void **state)
{
	struct buf message = { 0 }, folded = { 0 };
	const struct otlp_options options = { NOW_NS, 0, NOW_NS, look_at, &folded };
	struct err err = { 0 };

	(void)state;
	put_request(&message, 4);
	put_dictionary(&message);
	assert_int_equal(otlp_read((const uint8_t *)message.data, message.len, &options, &err), 0);
	assert_string_equal(folded.data, "worker;main;f;inlined_[i] 150000000\n");
	assert_int_equal(
		send_as(&(struct sent){ "/v1development/profiles", "application/x-protobuf", NULL,
					message.data, message.len },
			STORE_EVERYBODY),
		200);
	assert_int_equal(sum.weight, 150000000);
	assert_int_equal(sum.first_ns, NOW_NS - 5 * SECOND_NS);
	assert_string_equal(sum.labels, "{service=\"otel\"}");
	/* every part of it alone is damage, or less */
	for (size_t len = 0; len < message.len; len++)
		(void)send_as(
			&(struct sent){ "/v1development/profiles", NULL, NULL, message.data, len },
			STORE_EVERYBODY);
	buf_done(&message);
	buf_done(&folded);
}

/* What put_request() and put_dictionary() write. */
static const char otlp_json[] =
	"{\"resourceProfiles\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\","
	"\"value\":{\"stringValue\":\"otel\"}},{\"key\":\"process.command_line\",\"value\":"
	"{\"stringValue\":\"--password=x\"}}]},\"scopeProfiles\":[{\"profiles\":[{"
	"\"sampleType\":{\"typeStrindex\":5,\"unitStrindex\":6},\"periodType\":{"
	"\"typeStrindex\":7,\"unitStrindex\":8},\"period\":\"50000000\",\"timeUnixNano\":"
	"\"1763999995000000000\",\"unknown\":[{}],\"samples\":[{\"stackIndex\":1,"
	"\"attributeIndices\":[1],\"values\":[\"3\"]}]}]}]}],\"dictionary\":{"
	"\"mappingTable\":[{},{\"filenameStrindex\":4}],\"locationTable\":[{},{\"mappingIndex\":"
	"1,\"address\":\"4096\",\"lines\":[{\"functionIndex\":1,\"line\":\"10\"}]},{"
	"\"mappingIndex\":1,\"address\":8192,\"lines\":[{\"functionIndex\":3},{"
	"\"functionIndex\":2,\"line\":20}]}],\"functionTable\":[{},{\"nameStrindex\":1},{"
	"\"nameStrindex\":2},{\"nameStrindex\":3}],\"stringTable\":[\"\",\"main\",\"f\","
	"\"inlined\",\"/bin/app\",\"samples\",\"count\",\"cpu\",\"nanoseconds\","
	"\"thread.name\"],\"attributeTable\":[{},{\"keyStrindex\":9,\"value\":{\"stringValue\":"
	"\"worker\"}}],\"stackTable\":[{},{\"locationIndices\":[2,1]}]}}";

static void test_otlp__json_is_the_same(void **state)
{
	struct buf message = { 0 }, folded = { 0 };
	const struct otlp_options options = { NOW_NS, 0, NOW_NS, look_at, &folded };
	const struct sent sent = { "/v1development/profiles", "application/json; charset=utf-8",
				   NULL, otlp_json, sizeof(otlp_json) - 1 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(otlp_json_to_wire(otlp_json, sent.len, &message, &err), 0);
	assert_int_equal(otlp_read((const uint8_t *)message.data, message.len, &options, &err), 0);
	assert_string_equal(folded.data, "worker;main;f;inlined_[i] 150000000\n");
	assert_int_equal(send_as(&sent, STORE_EVERYBODY), 200);
	assert_int_equal(sum.weight, 150000000);
	assert_int_equal(sum.first_ns, NOW_NS - 5 * SECOND_NS);
	assert_string_equal(sum.labels, "{service=\"otel\"}");
	/* all of it or nothing */
	for (size_t len = 0; len < sent.len; len++) {
		struct sent part = sent;

		part.len = len;
		assert_int_equal(send_as(&part, STORE_EVERYBODY), 400);
		assert_int_equal(sum.batches, 0);
	}
	buf_done(&message);
	buf_done(&folded);
}

/* A difference: what is less is an event of its own, not nothing. */
static void test_otlp__negative_values(void **state)
{
	struct buf folded = { 0 };
	const struct otlp_options options = { NOW_NS, 0, NOW_NS, look_at, &folded };
	const char *value = strstr(otlp_json, "\"3\"");
	struct buf text = { 0 }, message = { 0 };
	struct err err = { 0 };

	(void)state;
	(void)buf_printf(&text, "%.*s\"-3\"%s", (int)(value - otlp_json), otlp_json, value + 3);
	assert_int_equal(send_text("/v1development/profiles", "application/json", text.data), 200);
	assert_int_equal(sum.weight, 150000000);
	assert_int_equal(otlp_json_to_wire(text.data, text.len, &message, &err), 0);
	assert_int_equal(otlp_read((const uint8_t *)message.data, message.len, &options, &err), 0);
	assert_string_equal(folded.data, "worker;main;f;inlined_[i] 150000000\n");
	buf_done(&folded);
	buf_done(&text);
	buf_done(&message);
}

static void test_otlp__json_has_types(void **state)
{
	static const struct {
		const char *text;
		int code;
		const char *message;
	} cases[] = {
		{ "{}", 0, NULL },
		{ "[]", -EBADMSG, "no object" },
		{ "{\"dictionary\":null,\"resourceProfiles\":[]}", 0, NULL },
		{ "{\"dictionary\":[]}", -EINVAL, "dictionary: expected an object" },
		{ "{\"resourceProfiles\":{}}", -EINVAL, "resourceProfiles: expected an array" },
		{ "{\"dictionary\":{\"stringTable\":[1]}}", -EINVAL, "stringTable: " },
		{ "{\"dictionary\":{\"stackTable\":[{\"locationIndices\":[\"x\"]}]}}", -EINVAL,
		  "locationIndices: " },
		{ "{\"dictionary\":{\"locationTable\":[{\"address\":1e99}]}}", -EINVAL,
		  "address: " },
		{ "{\"dictionary\":{\"locationTable\":[{\"address\":1.5}]}}", -EINVAL,
		  "address: " },
		{ "{\"dictionary\":{\"locationTable\":[{\"address\":1e3}]}}", 0, NULL },
		{ "{\"dictionary\":{\"locationTable\":[{\"address\":\"-1\"}]}}", 0, NULL },
		{ "{\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":[{\"sample\":[]}]}]}]}",
		  -EPROTONOSUPPORT, "older than 1.10" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf message = { 0 };
		struct err err = { 0 };

		if (otlp_json_to_wire(cases[i].text, strlen(cases[i].text), &message, &err) !=
			    cases[i].code ||
		    (cases[i].message && !strstr(err.msg, cases[i].message)))
			fail_msg("%s: %s", cases[i].text, err.msg);
		buf_done(&message);
	}
}

static void test_otlp__older_releases_are_refused(void **state)
{
	struct buf message = { 0 };

	(void)state;
	put_request(&message, 2);
	put_dictionary(&message);
	assert_int_equal(send_as(&(struct sent){ "/v1development/profiles", NULL, NULL,
						 message.data, message.len },
				 STORE_EVERYBODY),
			 415);
	buf_done(&message);
}

static void test_ingest__refuses_what_is_no_profile(void **state)
{
	static const uint8_t damaged[] = { 0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8 };

	(void)state;
	assert_int_equal(send_text("/ingest", "", ""), 400);
	assert_int_equal(send_text("/ingest?format=jfr", "", "a 1\n"), 415);
	assert_int_equal(send_text("/ingest", "",
				   "\x7f"
				   "ELF"),
			 400);
	assert_int_equal(send_text("/nothing", "", "a 1\n"), 404);
	assert_int_equal(send_text("/ingest?%", "", "a 1\n"), 400);
	assert_int_equal(
		send_as(&(struct sent){ "/ingest", NULL, "br", "a 1\n", 4 }, STORE_EVERYBODY), 415);
	assert_int_equal(
		send_as(&(struct sent){ "/ingest", NULL, "gzip", damaged, sizeof(damaged) },
			STORE_EVERYBODY),
		400);
}

/* Two profiles; the request comes again with its number, as after the end of a process. */
static void test_ingest__a_request_is_stored_once(void **state)
{
	static const char twice[] =
		"{\"series\":[{\"labels\":[],\"samples\":[{\"rawProfile\":\"YTtiIDEyCg==\"}]},"
		"{\"labels\":[],\"samples\":[{\"rawProfile\":\"YTtiIDEyCg==\"}]}]}";
	char folder[64];

	(void)state;
	make_folder(folder);
	for (uint64_t i = 0; i < 4; i++) {
		struct reply reply = { 0 };
		struct ingest ingest = { .target = "/push.v1.PusherService/Push",
					 .type = "application/json",
					 .encoding = "",
					 .body = { (const uint8_t *)twice, sizeof(twice) - 1 },
					 .unpacked_max = 1 << 20,
					 .store = open_store(folder, true),
					 .uid = STORE_EVERYBODY,
					 .now_ns = NOW_NS,
					 .id = 1 + i / 2 };

		ingest_run(&ingest, &reply);
		assert_int_equal(reply.status, 200);
		reply_done(&reply);
		store_close(ingest.store);
		assert_int_equal(stored_weight(folder, 0, NOW_NS + DAY_NS, NULL), 24 * (1 + i / 2));
	}
	remove_folder(folder);
}

static void test_writer__stores_and_survives(void **state)
{
	const struct writer_limits limits = { (uint64_t)1 << 30, 60 * SECOND_NS, { 0 } };
	char folder[64];
	struct writer_request request = { .location = folder,
					  .target = "/ingest?name=x",
					  .type = "",
					  .encoding = "",
					  .uid = STORE_EVERYBODY,
					  .now_ns = NOW_NS,
					  .body = "a;b 3\n",
					  .len = 6 };
	struct writer *writer;
	struct err err = { 0 };

	(void)state;
	make_folder(folder);
	assert_int_equal(writer_open(&limits, &writer, &err), 0);
	for (int i = 0; i < 3; i++) {
		struct reply reply = { 0 };

		writer_send(writer, &request, &reply);
		assert_int_equal(reply.status, 200);
		reply_done(&reply);
		/* what was answered is there, while the process runs */
		assert_int_equal(stored_weight(folder, 0, NOW_NS + DAY_NS, NULL), 3 * (i + 1));
	}
	request.location = "/proc/nowhere";
	for (int i = 0; i < 2; i++) {
		struct reply reply = { 0 };

		writer_send(writer, &request, &reply);
		assert_true(reply.status >= 400);
		reply_done(&reply);
	}
	writer_close(writer);
	assert_int_equal(stored_weight(folder, 0, NOW_NS + DAY_NS, NULL), 9);
	remove_folder(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ingest__folded_with_labels_and_time),
		cmocka_unit_test(test_ingest__users_send_what_is_theirs),
		cmocka_unit_test(test_ingest__forms),
		cmocka_unit_test(test_ingest__series_as_json),
		cmocka_unit_test(test_otlp__stacks_times_and_attributes),
		cmocka_unit_test(test_otlp__json_is_the_same),
		cmocka_unit_test(test_otlp__json_has_types),
		cmocka_unit_test(test_otlp__negative_values),
		cmocka_unit_test(test_otlp__older_releases_are_refused),
		cmocka_unit_test(test_ingest__refuses_what_is_no_profile),
		cmocka_unit_test(test_ingest__a_request_is_stored_once),
		cmocka_unit_test(test_writer__stores_and_survives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
