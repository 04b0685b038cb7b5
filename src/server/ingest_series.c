/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Series of pprof profiles with labels, as Pyroscope's PusherService.Push and Parca's WriteRaw take
 * them, as protocol buffers or JSON:
 *
 *     { series: [{ labels: [{ name, value }], samples: [{ rawProfile }] }] }
 *
 * Parca has one level more around its labels. Formats: api/push/v1/push.proto of Pyroscope,
 * proto/parca/profilestore/v1alpha1/profilestore.proto of Parca. */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "format/pprof/pprof_wire.h"
#include "server/ingest_kinds.h"
#include "server/reply.h"
#include "store/label_set.h"

/* How the two differ. */
struct shape {
	uint32_t series; /* the field's number */
	bool wrapped;	 /* labels are in a message of their own */
};

#define NAME_MAX_BYTES 4096

static void put_text(const struct wire *from, struct buf *ret)
{
	size_t len = (size_t)(from->end - from->at);

	buf_clear(ret);
	(void)buf_append(ret, from->at, len < NAME_MAX_BYTES ? len : NAME_MAX_BYTES);
}

static void read_label(struct wire message, struct label_set *labels)
{
	struct buf name = { 0 }, value = { 0 };
	struct wire_field field;

	while (wire_next(&message, &field))
		if (field.is_bytes && (field.number == 1 || field.number == 2))
			put_text(&field.bytes, field.number == 1 ? &name : &value);
	if (name.len && value.len)
		ingest_label(labels, name.data, value.data);
	buf_done(&name);
	buf_done(&value);
}

static void read_labels(struct wire series, bool wrapped, struct label_set *labels)
{
	struct wire_field field, inner;

	while (wire_next(&series, &field)) {
		if (field.number != 1 || !field.is_bytes)
			continue;
		if (!wrapped)
			read_label(field.bytes, labels);
		while (wrapped && wire_next(&field.bytes, &inner))
			if (inner.number == 1 && inner.is_bytes)
				read_label(inner.bytes, labels);
	}
}

static int read_sample(struct ingest *ingest, struct wire sample, const struct label_set *labels,
		       struct err *err)
{
	struct wire_field field;
	int code = 0;

	while (!code && wire_next(&sample, &field)) {
		struct body_bytes raw = { field.bytes.at,
					  (size_t)(field.bytes.end - field.bytes.at) };

		if (field.number == 1 && field.is_bytes)
			code = ingest_bytes(ingest, raw, labels, 0, err);
	}
	return code;
}

static int read_series(struct ingest *ingest, struct wire series, bool wrapped, struct err *err)
{
	struct label_set labels = { 0 };
	struct wire_field field;
	int code = 0;

	read_labels(series, wrapped, &labels);
	while (!code && wire_next(&series, &field))
		if (field.number == 2 && field.is_bytes)
			code = read_sample(ingest, field.bytes, &labels, err);
	label_set_done(&labels);
	return code;
}

static int read_message(struct ingest *ingest, const struct shape *shape, struct err *err)
{
	struct wire wire = { ingest->body.at, ingest->body.at + ingest->body.len, false };
	struct wire_field field;
	int code = 0;

	while (!code && wire_next(&wire, &field))
		if (field.number == shape->series && field.is_bytes)
			code = read_series(ingest, field.bytes, shape->wrapped, err);
	return !code && wire.bad ? err_set(err, -EBADMSG, "the message is damaged") : code;
}

static void json_label(const struct json *json, json_id label, struct label_set *labels)
{
	struct buf name = { .limit = NAME_MAX_BYTES }, value = { .limit = NAME_MAX_BYTES };

	json_put(json, json_get(json, label, "name"), &name);
	json_put(json, json_get(json, label, "value"), &value);
	if (name.len && value.len)
		ingest_label(labels, name.data, value.data);
	buf_done(&name);
	buf_done(&value);
}

static int json_sample(struct ingest *ingest, const struct json *json, json_id sample,
		       const struct label_set *labels, struct err *err)
{
	struct buf text = { .limit = ingest->body.len + 1 },
		   bytes = { .limit = ingest->body.len + 1 };
	json_id raw = json_get(json, sample, "rawProfile");
	int code = 0;

	if (raw == JSON_NONE)
		raw = json_get(json, sample, "raw_profile");
	json_put(json, raw, &text);
	if (!text.len || !base64_decode(text.data, text.len, &bytes) || !bytes.len)
		code = err_set(err, -EBADMSG, "rawProfile: expected base64");
	if (!code)
		code = ingest_bytes(ingest,
				    (struct body_bytes){ (const uint8_t *)bytes.data, bytes.len },
				    labels, 0, err);
	buf_done(&text);
	buf_done(&bytes);
	return code;
}

static int json_series(struct ingest *ingest, const struct json *json, json_id series, bool wrapped,
		       struct err *err)
{
	json_id list = json_get(json, series, "labels"),
		samples = json_get(json, series, "samples");
	struct label_set labels = { 0 };
	int code = 0;

	if (wrapped)
		list = json_get(json, list, "labels");
	for (json_id at = json_first(json, list); at != JSON_NONE; at = json_next(json, list, at))
		json_label(json, at, &labels);
	for (json_id at = json_first(json, samples); at != JSON_NONE && !code;
	     at = json_next(json, samples, at))
		code = json_sample(ingest, json, at, &labels, err);
	label_set_done(&labels);
	return code;
}

static int read_json(struct ingest *ingest, const struct shape *shape, struct err *err)
{
	struct json json;
	json_id all;
	int code = json_parse((const char *)ingest->body.at, ingest->body.len, &json, err);

	if (code)
		return code;
	if (json.truncated)
		code = err_set(err, -EBADMSG, "the JSON text ends early");
	all = json_get(&json, JSON_ROOT, "series");
	for (json_id at = json_first(&json, all); at != JSON_NONE && !code;
	     at = json_next(&json, all, at))
		code = json_series(ingest, &json, at, shape->wrapped, err);
	json_done(&json);
	return code;
}

/* The reply is an empty message of the same kind. */
static int read_any(struct ingest *ingest, const struct shape *shape, struct reply *reply,
		    struct err *err)
{
	bool json = strncasecmp(ingest->type, "application/json", 16) == 0;

	reply->type = json ? REPLY_JSON : REPLY_CONNECT;
	if (json)
		(void)buf_puts(&reply->body, "{}");
	return json ? read_json(ingest, shape, err) : read_message(ingest, shape, err);
}

int ingest_push(struct ingest *ingest, const struct request *request, struct reply *reply,
		struct err *err)
{
	(void)request;
	return read_any(ingest, &(struct shape){ .series = 1 }, reply, err);
}

int ingest_parca(struct ingest *ingest, const struct request *request, struct reply *reply,
		 struct err *err)
{
	(void)request;
	return read_any(ingest, &(struct shape){ .series = 2, .wrapped = true }, reply, err);
}
