/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OTLP as JSON → protobuf (see otlp_json.h). Names and numbers of fields: profiles.proto and
 * common.proto of opentelemetry-proto 1.10. */
#include "format/otlp/otlp_json.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "format/pprof/pprof_wire.h"

enum kind { NUMBER, FIXED, BOOL, TEXT, MESSAGE };

struct message;

struct field {
	const char *name;
	uint8_t number;
	uint8_t kind; /* enum kind */
	bool repeated;
	const struct message *message;
};

/* Ends with a field without a name. */
struct message {
	struct field field[8];
	const char *old; /* a name that only older releases have */
};

static const struct message value = { { { "stringValue", 1, TEXT },
					{ "boolValue", 2, BOOL },
					{ "intValue", 3, NUMBER },
					{ "stringValueStrindex", 8, NUMBER } } };
static const struct message pair = {
	{ { "key", 1, TEXT }, { "value", 2, MESSAGE, false, &value }, { "keyStrindex", 3, NUMBER } }
};
static const struct message resource = { { { "attributes", 1, MESSAGE, true, &pair } } };
static const struct message value_type = { { { "typeStrindex", 1, NUMBER },
					     { "unitStrindex", 2, NUMBER } } };
static const struct message sample = { { { "stackIndex", 1, NUMBER },
					 { "attributeIndices", 2, NUMBER, true },
					 { "values", 4, NUMBER, true },
					 { "timestampsUnixNano", 5, FIXED, true } },
				       "locationsStartIndex" };
static const struct message profile = { { { "sampleType", 1, MESSAGE, false, &value_type },
					  { "samples", 2, MESSAGE, true, &sample },
					  { "timeUnixNano", 3, FIXED },
					  { "durationNano", 4, NUMBER },
					  { "periodType", 5, MESSAGE, false, &value_type },
					  { "period", 6, NUMBER } },
					"sample" };
static const struct message scope = { { { "profiles", 2, MESSAGE, true, &profile } } };
static const struct message resource_profiles = { { { "resource", 1, MESSAGE, false, &resource },
						    { "scopeProfiles", 2, MESSAGE, true,
						      &scope } } };
static const struct message mapping = { { { "memoryStart", 1, NUMBER },
					  { "memoryLimit", 2, NUMBER },
					  { "fileOffset", 3, NUMBER },
					  { "filenameStrindex", 4, NUMBER },
					  { "attributeIndices", 5, NUMBER, true } } };
static const struct message line = { { { "functionIndex", 1, NUMBER }, { "line", 2, NUMBER } } };
static const struct message location = { { { "mappingIndex", 1, NUMBER },
					   { "address", 2, NUMBER },
					   { "lines", 3, MESSAGE, true, &line },
					   { "attributeIndices", 4, NUMBER, true } } };
static const struct message function = { { { "nameStrindex", 1, NUMBER },
					   { "systemNameStrindex", 2, NUMBER },
					   { "filenameStrindex", 3, NUMBER },
					   { "startLine", 4, NUMBER } } };
static const struct message attribute = { { { "keyStrindex", 1, NUMBER },
					    { "value", 2, MESSAGE, false, &value },
					    { "unitStrindex", 3, NUMBER } } };
static const struct message stack = { { { "locationIndices", 1, NUMBER, true } } };
static const struct message dictionary = { { { "mappingTable", 1, MESSAGE, true, &mapping },
					     { "locationTable", 2, MESSAGE, true, &location },
					     { "functionTable", 3, MESSAGE, true, &function },
					     { "stringTable", 5, TEXT, true },
					     { "attributeTable", 6, MESSAGE, true, &attribute },
					     { "stackTable", 7, MESSAGE, true, &stack } } };
static const struct message request = { { { "resourceProfiles", 1, MESSAGE, true,
					    &resource_profiles },
					  { "dictionary", 2, MESSAGE, false, &dictionary } } };

struct encoder {
	const struct json *json;
	struct buf text; /* scratch */
	size_t limit;	 /* more than the message can need */
	struct err *err;
};

static int wrong(struct encoder *e, const struct field *field, const char *expected)
{
	return err_set(e->err, -EINVAL, "%s: expected %s", field->name, expected);
}

/* A whole number of 64 bits, signed or not, as a number or a string. */
static int take_number(struct encoder *e, const struct field *field, json_id id, uint64_t *ret)
{
	enum json_type type = json_type(e->json, id);
	double real;
	char *end;

	if (type != JSON_NUMBER && type != JSON_STRING)
		return wrong(e, field, "a number");
	buf_clear(&e->text);
	json_put(e->json, id, &e->text);
	if (!e->text.len || strlen(e->text.data) != e->text.len)
		return wrong(e, field, "a number");
	errno = 0;
	*ret = e->text.data[0] == '-' ? (uint64_t)strtoll(e->text.data, &end, 10)
				      : strtoull(e->text.data, &end, 10);
	if (!errno && !*end)
		return 0;
	real = strtod(e->text.data, &end); /* 1e9 */
	if (*end || !(real >= 0 && real < 0x1p64) || real != floor(real))
		return wrong(e, field, "a whole number of 64 bits");
	*ret = (uint64_t)real;
	return 0;
}

static int put_message(struct encoder *e, const struct message *message, json_id id,
		       struct buf *out);

/* A value that is not one of a packed list. */
static int put_one(struct encoder *e, const struct field *field, json_id id, struct buf *out)
{
	enum json_type type = json_type(e->json, id);
	struct buf inner = { .limit = e->limit };
	uint64_t number;

	switch ((enum kind)field->kind) {
	case MESSAGE:
		if (type != JSON_OBJECT)
			return wrong(e, field, "an object");
		if (!put_message(e, field->message, id, &inner))
			wire_put_bytes(out, field->number, inner.data ? inner.data : "", inner.len);
		buf_done(&inner);
		return e->err->code;
	case TEXT:
		if (type != JSON_STRING)
			return wrong(e, field, "a string");
		buf_clear(&e->text);
		json_put(e->json, id, &e->text);
		wire_put_bytes(out, field->number, e->text.data ? e->text.data : "", e->text.len);
		return 0;
	case BOOL:
		if (type != JSON_BOOL)
			return wrong(e, field, "true or false");
		buf_clear(&e->text);
		json_put(e->json, id, &e->text);
		wire_put_varint(out, (uint64_t)field->number << 3);
		wire_put_varint(out, e->text.len == 4); /* true */
		return 0;
	case FIXED:
	case NUMBER:
		break;
	}
	if (take_number(e, field, id, &number))
		return e->err->code;
	if (field->kind == FIXED) {
		wire_put_fixed(out, field->number, number);
	} else { /* also 0, which a value may be */
		wire_put_varint(out, (uint64_t)field->number << 3);
		wire_put_varint(out, number);
	}
	return 0;
}

static int put_packed(struct encoder *e, const struct field *field, json_id array, struct buf *out)
{
	struct buf list = { .limit = e->limit };
	uint64_t number;

	for (json_id id = json_first(e->json, array); id != JSON_NONE;
	     id = json_next(e->json, array, id)) {
		if (take_number(e, field, id, &number))
			break;
		if (field->kind == NUMBER)
			wire_put_varint(&list, number);
		for (int i = 0; field->kind == FIXED && i < 8; i++)
			(void)buf_putc(&list, (char)(number >> 8 * i));
	}
	if (!e->err->code && list.len)
		wire_put_bytes(out, field->number, list.data, list.len);
	buf_done(&list);
	return e->err->code;
}

static int put_field(struct encoder *e, const struct field *field, json_id id, struct buf *out)
{
	if (json_type(e->json, id) == JSON_NULL)
		return 0; /* is the same as nothing */
	if (!field->repeated)
		return put_one(e, field, id, out);
	if (json_type(e->json, id) != JSON_ARRAY)
		return wrong(e, field, "an array");
	if (field->kind == NUMBER || field->kind == FIXED)
		return put_packed(e, field, id, out);
	for (json_id item = json_first(e->json, id); item != JSON_NONE;
	     item = json_next(e->json, id, item))
		if (put_one(e, field, item, out))
			return e->err->code;
	return 0;
}

static int put_message(struct encoder *e, const struct message *message, json_id id,
		       struct buf *out)
{
	if (message->old && json_get(e->json, id, message->old) != JSON_NONE)
		return err_set(e->err, -EPROTONOSUPPORT,
			       "these profiles are of an opentelemetry-proto older than 1.10");
	for (const struct field *field = message->field; field->name; field++)
		if (put_field(e, field, json_get(e->json, id, field->name), out))
			return e->err->code;
	return 0;
}

int otlp_json_to_wire(const char *text, size_t len, struct buf *ret, struct err *err)
{
	/* "0," becomes 8 bytes of a time, "-1," 10 of a number */
	const size_t limit = len < SIZE_MAX / 8 - 4096 ? len * 8 + 4096 : SIZE_MAX;
	struct encoder e = { .text = { .limit = limit }, .limit = limit, .err = err };
	struct json json;

	if (json_parse(text, len, &json, err))
		return err->code;
	e.json = &json;
	ret->limit = limit;
	if (json.truncated)
		(void)err_set(err, -EBADMSG, "the JSON ends early");
	else if (json_type(&json, JSON_ROOT) != JSON_OBJECT)
		(void)err_set(err, -EBADMSG, "the JSON is no object");
	else
		(void)put_message(&e, &request, JSON_ROOT, ret);
	buf_done(&e.text);
	json_done(&json);
	return err->code;
}
