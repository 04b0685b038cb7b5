/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf script text: any bytes, whole and in two pieces; the result is folded and drawn. */
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/err.h"
#include "format/folded/folded.h"
#include "format/format.h"
#include "format/perf_script/perf_script_read.h"
#include "profile/profile.h"
#include "view/flame/flame_graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct profile *profile)
{
	struct fold_options fold = {
		.tid = true, .kernel = true, .addrs = true, .srcline = true, .all_events = true
	};
	struct flame_graph_options flame = { .minwidth = 0.1 };
	struct buf text = { .limit = 64 << 20 };
	struct err err = { 0 };

	(void)folded_write(profile, &fold, &text, &err);
	buf_clear(&text);
	(void)flame_graph_svg(profile, &flame, &text, NULL, &err);
	buf_done(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct profile *profile = profile_new(size & 1 ? PROFILE_MERGE_NAMES : 0);
	struct script_reader *reader = script_reader_new(profile);
	size_t used;

	(void)perf_script_sniff(data, size);
	used = script_reader_feed(reader, text, size / 2, false);
	used += script_reader_feed(reader, text + used, size - used, true);
	if (used != size)
		abort();
	script_reader_free(reader);
	use(profile);
	profile_free(profile);
	return 0;
}
