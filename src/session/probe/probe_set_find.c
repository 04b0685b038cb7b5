/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe_set_add() in the sandbox (see probe_set.h): what it finds comes back as plain values. */
#include <errno.h>

#include "base/confined.h"
#include "base/err.h"
#include "base/packing.h"
#include "session/probe/probe_set.h"
#include "source/probe/probe_choice_pack.h"

struct request {
	const char *const *text;
	size_t count;
	const struct probe_set_options *options;
};

static int find(void *context, struct buf *ret, struct err *err)
{
	const struct request *request = context;
	struct probe_set set = { 0 };
	uint64_t others;
	int code = 0;

	for (size_t i = 0; !code && i < request->count; i++)
		code = probe_set_add(&set, request->text[i], request->options, err);
	others = set.others;
	if (!code) {
		pack_put(ret, &others, sizeof(others));
		pack_put_string(ret, set.placed.data);
		pack_put_string(ret, set.notes.data);
		probe_choice_pack(&set.choice, ret);
	}
	probe_set_done(&set);
	return code;
}

static void unpack(struct unpack *from, struct probe_set *set)
{
	uint64_t others;

	unpack_take(from, &others, sizeof(others));
	set->others = others;
	(void)buf_puts(&set->placed, unpack_string(from, false, &set->arena));
	(void)buf_puts(&set->notes, unpack_string(from, false, &set->arena));
	text_tidy_lines(set->placed.data, set->placed.len);
	text_tidy_lines(set->notes.data, set->notes.len);
	probe_choice_unpack(from, SIZE_MAX, &set->arena, &set->choice);
}

int probe_set_find(struct probe_set *set, const char *const *text, size_t count,
		   const struct probe_set_options *options, struct err *err)
{
	struct request request = { text, count, options };
	struct buf bytes = { 0 };
	struct unpack from = { 0 };
	int code = confined_call("cupel-reader", find, &request, &bytes, err);

	if (!code) {
		from.data = (const uint8_t *)bytes.data;
		from.len = bytes.len;
		unpack(&from, set);
		if (!unpack_end(&from))
			code = err_set(err, -EINVAL,
				       "the process that reads binaries sent no places");
	}
	buf_done(&bytes);
	return code;
}
