/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading a recording for its code (see browser_annotate.h). */
#include "command/browser/browser_annotate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "profile/profile.h"
#include "session/annotate/annotate.h"
#include "session/annotate/annotate_bounds.h"
#include "session/annotate/annotate_names.h"
#include "session/capture.h"
#include "session/load/load.h"
#include "session/recording.h"
#include "view/browser/browser.h"

struct browser_annotate {
	const char *path;
	struct load_options load;
	struct recording *recording;
	struct profile *profile; /* NULL until it is asked for */
	struct capture capture;
	struct annotate_index index;
	struct annotator *annotator;
};

struct browser_annotate *browser_annotate_new(const char *path, const struct load_options *load)
{
	struct browser_annotate *a = mem_zalloc(sizeof(*a));

	a->path = path;
	a->load = *load;
	a->load.detail = RESOLVE_ADDRESSES;
	a->load.merge_threads = a->load.ends_only = true;
	a->load.capture = &a->capture;
	/* asked for of few functions later */
	a->load.symbol.lines = a->load.symbol.inlines = false;
	return a;
}

static void forget(struct browser_annotate *a)
{
	capture_close(&a->capture);
	symbol_shared_free(a->load.symbol.shared);
	a->load.symbol.shared = NULL;
	recording_close(a->recording);
	a->recording = NULL;
}

static int read_recording(struct browser_annotate *a, struct err *err)
{
	struct annotate_options options = { .capture = &a->capture, .lines = true, .source = true };
	const struct annotate_names_options names = { .capture = &a->capture,
						      .symbol = &options.symbol };
	int code = recording_open(a->path, &a->recording, err);

	if (code)
		return code;
	a->load.symbol.shared = symbol_shared_new();
	code = recording_load(a->recording, &a->load, &a->profile, err);
	if (code) {
		a->profile = NULL;
		forget(a);
		return code;
	}
	options.symbol = a->load.symbol;
	if (a->capture.modules) /* other formats have names */
		annotate_bound_frames(a->profile, &names);
	annotate_index_find(a->profile, &a->index);
	a->annotator = annotator_new(&options);
	return 0;
}

int browser_annotate_build(struct browser_annotate *a, const struct browser_function *function,
			   struct annotation **ret, struct err *err)
{
	const char *name = function->name;
	char address[32];
	size_t found;

	if (!a->profile && read_recording(a, err))
		return err->code;
	if (*name)
		found = annotate_index_at(&a->index, name, function->module, function->start);
	else
		found = annotate_index_covering(&a->index, function->module, function->start);
	if (!*name) {
		(void)snprintf(address, sizeof(address), "0x%" PRIx64, function->start);
		name = address;
	}
	if (found == SIZE_MAX)
		return err_set(err, -ENOENT,
			       *function->name ? "%s: no samples in its own code"
					       : "%s: nothing says where its function begins",
			       name);
	if (annotator_build(a->annotator, &a->index, found, ret, err))
		return err_wrap(err, "%s", name);
	return 0;
}

void browser_annotate_free(struct browser_annotate *a)
{
	if (!a)
		return;
	if (a->profile) {
		annotator_free(a->annotator);
		annotate_index_done(&a->index);
		profile_free(a->profile);
		forget(a);
	}
	free(a);
}
