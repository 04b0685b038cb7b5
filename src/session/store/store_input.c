/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inputs that are parts of a store (see store_input.h). */
#include "session/store/store_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/store/store_names.h"
#include "store/selector.h"
#include "store/store.h"
#include "store/time_text.h"

#define HOUR_NS ((uint64_t)3600 * 1000000000u)

bool store_input_is(const char *path)
{
	return path && strncmp(path, STORE_INPUT_PREFIX, strlen(STORE_INPUT_PREFIX)) == 0;
}

static char *copy(const char *text, size_t len)
{
	char *ret = mem_zalloc(len + 1);

	memcpy(ret, text, len);
	return ret;
}

/* "[from,to]", of which both may be empty. */
static int parse_range(const char *text, uint64_t now_ns, struct store_input *ret, struct err *err)
{
	size_t len = strlen(text);
	const char *comma = strchr(text, ',');
	char *from, *to;
	int code = 0;

	if (len < 3 || text[0] != '[' || text[len - 1] != ']' || !comma)
		return err_usage(err, "invalid range of time '%s': expected [FROM,TO]", text);
	from = copy(text + 1, (size_t)(comma - text - 1));
	to = copy(comma + 1, len - 2 - (size_t)(comma - text));
	if (*from)
		code = time_text_parse(from, now_ns, &ret->from_ns, err);
	if (!code && *to)
		code = time_text_parse(to, now_ns, &ret->to_ns, err);
	if (!code && !*from)
		ret->from_ns = ret->to_ns > HOUR_NS ? ret->to_ns - HOUR_NS : 0;
	free(from);
	free(to);
	return code;
}

int store_input_parse(const char *path, uint64_t now_ns, struct store_input *ret, struct err *err)
{
	const char *at = path + strlen(STORE_INPUT_PREFIX), *end = at + strcspn(at, "{[");
	struct store_input input = { .from_ns = now_ns > HOUR_NS ? now_ns - HOUR_NS : 0,
				     .to_ns = now_ns,
				     .viewer = STORE_EVERYBODY };
	int code = 0;

	input.location = end == at ? mem_strdup(STORE_DEFAULT) : copy(at, (size_t)(end - at));
	at = end;
	if (*at == '{') {
		size_t len = selector_len(at);
		char *text;

		end = at + (len ? len : strlen(at));
		text = copy(at, (size_t)(end - at));
		code = selector_parse(text, &input.selector, err);
		free(text);
		at = end;
	}
	if (!code && *at)
		code = parse_range(at, now_ns, &input, err);
	if (!code && input.from_ns >= input.to_ns)
		code = err_usage(err, "the time range is empty");
	if (code)
		store_input_done(&input);
	else
		*ret = input;
	return code;
}

void store_input_done(struct store_input *input)
{
	free(input->location);
	selector_free(input->selector);
	*input = (struct store_input){ 0 };
}

uint32_t store_viewer(void)
{
	return geteuid() ? (uint32_t)geteuid() : STORE_EVERYBODY;
}

int store_input_load(const struct store_input *input, const struct load_options *options,
		     struct profile *ret, struct err *err)
{
	const struct store_options where = { .location = input->location };
	const struct store_query query = { .selector = input->selector,
					   .from_ns = input->from_ns,
					   .to_ns = input->to_ns,
					   .event = options->event,
					   .keep = options->keep & PROFILE_KEEP_TIME,
					   .viewer = input->viewer };
	struct profile *raw;
	struct store *store;
	const char *damage;
	int code = store_open(&where, &store, err);

	if (code)
		return code;
	code = store_query(store, &query, &raw, err);
	store_close(store);
	if (code)
		return code;
	damage = profile_string(raw, raw->meta.damage);
	if (raw->samples.count)
		code = store_names_apply(input->location, raw, options, ret, err);
	else
		code = err_set(err, -ENODATA, "%s: no samples of that in this time%s%s",
			       input->location, *damage ? "; " : "", damage);
	profile_free(raw);
	return code;
}
