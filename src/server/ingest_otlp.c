/* SPDX-License-Identifier: GPL-2.0-or-later */
/* POST /v1development/profiles: OTLP. Labels are the attributes of the resource, but for those that
 * may hold secrets. */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/err.h"
#include "format/otlp/otlp_json.h"
#include "format/otlp/otlp_read.h"
#include "server/ingest_kinds.h"
#include "server/reply.h"
#include "store/label_set.h"

#define AGE_NS	 ((uint64_t)30 * 86400 * 1000000000u)
#define AHEAD_NS ((uint64_t)3600 * 1000000000u)

static bool is_secret(const char *name)
{
	return strncmp(name, "process.command_", 16) == 0 ||
	       strncmp(name, "process.environment", 19) == 0;
}

static int take(void *context, const struct profile *profile,
		const struct otlp_attribute *attributes, size_t count, struct err *err)
{
	struct ingest *ingest = context;
	struct label_set labels = { 0 };
	int code;

	for (size_t i = 0; i < count; i++)
		if (!is_secret(attributes[i].name) && *attributes[i].value)
			ingest_label(&labels, attributes[i].name, attributes[i].value);
	code = ingest_profile(ingest, profile, &labels, ingest->now_ns, err);
	label_set_done(&labels);
	return code;
}

int ingest_otlp(struct ingest *ingest, const struct request *request, struct reply *reply,
		struct err *err)
{
	const struct otlp_options options = {
		.now_ns = ingest->now_ns,
		.first_ns = ingest->now_ns > AGE_NS ? ingest->now_ns - AGE_NS : 0,
		.last_ns = ingest->now_ns + AHEAD_NS,
		.take = take,
		.context = ingest,
	};
	struct buf wire = { 0 };
	int code;

	(void)request;
	if (strncasecmp(ingest->type, "application/json", 16) != 0) {
		reply->type = REPLY_PROTOBUF; /* an empty message */
		return otlp_read(ingest->body.at, ingest->body.len, &options, err);
	}
	code = otlp_json_to_wire((const char *)ingest->body.at, ingest->body.len, &wire, err);
	if (!code)
		code = otlp_read((const uint8_t *)wire.data, wire.len, &options, err);
	buf_done(&wire);
	if (!code) {
		reply->type = REPLY_JSON;
		(void)buf_puts(&reply->body, "{}\n");
	}
	return code;
}
