/* SPDX-License-Identifier: GPL-2.0-or-later */
/* POST /ingest as Pyroscope has it: the service and its labels in the parameter name, APP{A=B,C=D};
 * until is the end of the profile's time. And POST /v1/profiles as Coroot has it: labels are the
 * parameters. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "server/ingest_kinds.h"
#include "server/multipart.h"
#include "server/reply.h"
#include "server/request.h"
#include "store/label_set.h"

/* Values have no quotes there. */
static void parse_name(const char *name, struct label_set *labels)
{
	AUTO_FREE char *copy = mem_strdup(name);
	char *rest = strchr(copy, '{'), *end = strrchr(copy, '}');

	if (end)
		*end = '\0';
	if (rest)
		*rest++ = '\0';
	while (rest) {
		char *pair = strsep(&rest, ","), *value = strchr(pair, '=');

		if (!value)
			continue;
		*value++ = '\0';
		ingest_label(labels, pair + strspn(pair, " "), value);
	}
	ingest_label(labels, "service", copy);
}

/* Seconds, ms or ns since 1970: senders differ. 0 = it is not given. */
static int parse_moment(const char *text, uint64_t *ret, struct err *err)
{
	uint64_t value = 0;
	char *end = NULL;

	if (text && *text) {
		value = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
		if (!end || *end)
			return err_usage(err, "until: expected a time since 1970, not '%s'", text);
	}
	*ret = value < (uint64_t)1 << 34   ? value * 1000000000u
	       : value < (uint64_t)1 << 44 ? value * 1000000u
					   : value;
	return 0;
}

int ingest_pyroscope(struct ingest *ingest, const struct request *request, struct reply *reply,
		     struct err *err)
{
	static const char *const unread[] = { "jfr", "trie", "tree", "lines", "speedscope" };
	const char *name = request_get(request, "name"), *format = request_get(request, "format");
	struct body_bytes data = ingest->body;
	char boundary[MULTIPART_BOUNDARY_MAX];
	struct label_set labels = { 0 };
	uint64_t until = 0;
	int code;

	(void)reply;
	if (parse_moment(request_get(request, "until"), &until, err))
		return err->code;
	for (size_t i = 0; format && i < sizeof(unread) / sizeof(unread[0]); i++)
		if (strcmp(format, unread[i]) == 0)
			return err_set(err, -EPROTONOSUPPORT,
				       "format=%s is not understood: send pprof or folded",
				       unread[i]);
	if (multipart_boundary(ingest->type, boundary) &&
	    !multipart_find(ingest->body, boundary, "profile", &data))
		return err_set(err, -EINVAL, "the form has no field 'profile'");
	if (name)
		parse_name(name, &labels);
	code = ingest_bytes(ingest, data, &labels, until, err);
	label_set_done(&labels);
	return code;
}

int ingest_coroot(struct ingest *ingest, const struct request *request, struct reply *reply,
		  struct err *err)
{
	struct label_set labels = { 0 };
	int code;

	(void)reply;
	for (size_t i = 0; i < request->count; i++)
		ingest_label(&labels, request->parameter[i].name, request->parameter[i].value);
	code = ingest_bytes(ingest, ingest->body, &labels, 0, err);
	label_set_done(&labels);
	return code;
}
