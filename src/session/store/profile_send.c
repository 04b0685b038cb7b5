/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests to Pyroscope, Parca, Coroot and collectors of OTLP (see profile_send.h). */
#include "session/store/profile_send.h"

#include <errno.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/http_client.h"
#include "base/vec.h"
#include "format/format.h"
#include "format/otlp/otlp_read.h"
#include "format/otlp/otlp_write.h"
#include "profile/profile.h"
#include "store/label_set.h"

#define MOST_ANSWER ((size_t)64 << 10)
#define JSON_TYPE   "application/json"
#define COROOT_CPU  "ebpf:cpu:nanoseconds"

typedef int make_request(struct profile *profile, const struct send_options *options,
			 struct send_request *ret, struct err *err);

struct send_kind {
	const char *name;
	make_request *make;
	bool keeps_time;
	bool takes_key;	     /* X-API-Key instead of Authorization */
	bool tells_rejected; /* in its answer */
};

/* The other system's name for a label of a store. */
static const char *label_name(const char *name, bool dots)
{
	static const char *const same[][3] = {
		{ "service", "service_name", "service.name" },
		{ "host", "host_name", "host.name" },
		{ "container", "container_id", "container.id" },
		{ "version", "service_version", "service.version" },
	};

	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		if (strcmp(same[i][0], name) == 0)
			return same[i][1 + dots];
	return name;
}

static int make_pprof(const struct profile *profile, bool weights_only, struct buf *ret,
		      struct err *err)
{
	const struct format_write_options options = { .weights_only = weights_only };

	return format_pprof.write(profile, &options, ret, err);
}

static void put_pair(const char *name, const char *value, struct buf *out)
{
	(void)buf_puts(out, "{\"name\":");
	(void)buf_put_json(out, name);
	(void)buf_puts(out, ",\"value\":");
	(void)buf_put_json(out, value);
	(void)buf_putc(out, '}');
}

/* {"series":[{"labels":[…],"samples":[{"rawProfile":"…"}]}]}; Parca's labels are one level deeper
 * and its profiles have a name with an underscore. */
static int make_series(struct profile *profile, const struct send_options *options, bool parca,
		       struct send_request *ret, struct err *err)
{
	struct buf pprof = { 0 };
	int code = make_pprof(profile, false, &pprof, err);

	(void)buf_puts(ret->body, parca ? "{\"series\":[{\"labels\":{\"labels\":["
					: "{\"series\":[{\"labels\":[");
	put_pair("__name__", "process_cpu", ret->body);
	for (size_t i = 0; i < options->labels->labels.count; i++) {
		const struct label *label = &options->labels->labels.item[i];

		(void)buf_putc(ret->body, ',');
		put_pair(label_name(label->name, false), label->value, ret->body);
	}
	(void)buf_puts(ret->body, parca ? "]},\"samples\":[{\"raw_profile\":\""
					: "],\"samples\":[{\"rawProfile\":\"");
	base64_encode(pprof.data ? pprof.data : "", pprof.len, ret->body);
	(void)buf_puts(ret->body, "\"}]}]}");
	ret->type = JSON_TYPE;
	buf_done(&pprof);
	return code;
}

static int make_pyroscope(struct profile *profile, const struct send_options *options,
			  struct send_request *ret, struct err *err)
{
	(void)buf_puts(ret->url, "/push.v1.PusherService/Push");
	return make_series(profile, options, false, ret, err);
}

static int make_parca(struct profile *profile, const struct send_options *options,
		      struct send_request *ret, struct err *err)
{
	(void)buf_puts(ret->url, "/api/profiles/writeraw");
	return make_series(profile, options, true, ret, err);
}

static void put_escaped(const char *text, struct buf *out)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') || strchr("-_.~", c);

		(void)buf_printf(out, plain ? "%c" : "%%%02X", c);
	}
}

/* Coroot knows time on the CPU by one name, and no waits. */
static int make_coroot(struct profile *profile, const struct send_options *options,
		       struct send_request *ret, struct err *err)
{
	size_t kept = 0;
	uint16_t cpu = 0;

	while (cpu < profile->events.count && profile->events.item[cpu].kind != EVENT_KIND_CPU_TIME)
		cpu++;
	for (size_t i = 0; i < profile->samples.count; i++) {
		struct profile_sample *sample = &profile->samples.item[i];

		if (sample->event != cpu) {
			ret->left_out += sample->count;
			continue;
		}
		profile->samples.item[kept] = *sample;
		profile->samples.item[kept++].event = 0;
	}
	profile->samples.count = kept;
	if (!kept)
		return err_set(err, -ENODATA,
			       "there are no samples of time on the CPU, the only "
			       "ones that Coroot takes");
	profile->events.item[0] = profile->events.item[cpu];
	profile->events.count = 1;
	profile->events.item[0].name = strtab_puts(profile->strings, COROOT_CPU);
	(void)buf_puts(ret->url, "/v1/profiles?");
	for (size_t i = 0; i < options->labels->labels.count; i++) {
		const struct label *label = &options->labels->labels.item[i];

		(void)buf_puts(ret->url, i ? "&" : "");
		put_escaped(label_name(label->name, true), ret->url);
		(void)buf_putc(ret->url, '=');
		put_escaped(label->value, ret->url);
	}
	return make_pprof(profile, true, ret->body, err);
}

static int make_otlp(struct profile *profile, const struct send_options *options,
		     struct send_request *ret, struct err *err)
{
	VEC(struct otlp_attribute) attributes = { 0 };
	struct otlp_write_options write = { .clock_ns = options->clock_ns };

	(void)err;
	for (size_t i = 0; i < options->labels->labels.count; i++) {
		const struct label *label = &options->labels->labels.item[i];

		vec_push(&attributes,
			 ((struct otlp_attribute){ label_name(label->name, true), label->value }));
	}
	write.attributes = attributes.item;
	write.count = attributes.count;
	(void)buf_puts(ret->url, "/v1development/profiles");
	otlp_write(profile, &write, ret->body);
	ret->type = "application/x-protobuf";
	vec_done(&attributes);
	return 0;
}

static const struct send_kind kinds[] = {
	{ .name = "pyroscope", .make = make_pyroscope },
	{ .name = "parca", .make = make_parca },
	{ .name = "coroot", .make = make_coroot, .takes_key = true },
	{ .name = "otlp", .make = make_otlp, .keeps_time = true, .tells_rejected = true },
};

int send_target_parse(const char *text, struct send_target *ret, struct err *err)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t len = strlen(kinds[i].name);

		if (strncmp(text, kinds[i].name, len) != 0 || text[len] != ':')
			continue;
		text += len + 1;
		if (strncmp(text, "http://", 7) != 0 && strncmp(text, "https://", 8) != 0)
			break;
		*ret = (struct send_target){ &kinds[i], text };
		return 0;
	}
	return err_usage(err, "--to: expected KIND:URL, with %s, and http:// or https://",
			 SEND_KINDS);
}

bool send_target_keeps_time(const struct send_target *target)
{
	return target->kind->keeps_time;
}

int profile_send_make(const struct send_target *target, struct profile *profile,
		      const struct send_options *options, struct send_request *ret, struct err *err)
{
	size_t len = strlen(target->url);

	while (len && target->url[len - 1] == '/')
		len--;
	(void)buf_append(ret->url, target->url, len);
	if (!target->kind->keeps_time) /* pprof has the profile's own time only */
		profile->meta.first_ns += (uint64_t)options->clock_ns;
	return target->kind->make(profile, options, ret, err);
}

/* A server may take a part, and say so beside a good status. */
static int check_rejected(const struct buf *answer, struct send_result *ret, struct err *err)
{
	struct otlp_answer said;

	otlp_answer_read((const uint8_t *)(answer->data ? answer->data : ""), answer->len, &said);
	if (said.rejected)
		return err_set(err, -EREMOTEIO, "the server rejected %llu profiles%s%s",
			       (unsigned long long)said.rejected, *said.message ? ": " : "",
			       said.message);
	memcpy(ret->warning, said.message, sizeof(ret->warning));
	return 0;
}

static int post(const struct send_target *target, const struct send_request *made,
		const struct send_options *options, struct send_result *ret, struct err *err)
{
	struct http_request request = { .url = made->url->data,
					.token = target->kind->takes_key ? NULL : options->token,
					.key = target->kind->takes_key ? options->token : NULL,
					.content_type = made->type,
					.body = made->body->data,
					.body_len = made->body->len };
	struct buf answer = { .limit = MOST_ANSWER };
	int status = 0, code = http_client_post(options->client, &request, &answer, &status, err);

	if (code == -E2BIG) { /* a long answer is one */
		*err = (struct err){ 0 };
		code = 0;
	}
	if (!code && status && (status < 200 || status > 299))
		code = err_set(err, -EPROTO, "the server answered with status %d%s%.*s", status,
			       answer.len ? ": " : "", (int)(answer.len < 200 ? answer.len : 200),
			       answer.len ? answer.data : "");
	if (!code && target->kind->tells_rejected)
		code = check_rejected(&answer, ret, err);
	buf_done(&answer);
	return code ? err_wrap(err, "%s", target->url) : 0;
}

int profile_send(const struct send_target *target, struct profile *profile,
		 const struct send_options *options, struct send_result *ret, struct err *err)
{
	struct buf url = { 0 }, body = { 0 };
	struct send_request made = { .url = &url, .body = &body };
	int code = profile_send_make(target, profile, options, &made, err);

	*ret = (struct send_result){ .left_out = made.left_out };
	if (!code)
		code = post(target, &made, options, ret, err);
	buf_done(&url);
	buf_done(&body);
	return code;
}
