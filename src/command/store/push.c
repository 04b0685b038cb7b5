/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel push: puts recordings and other profiles into a store. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "command/command.h"
#include "command/load_options.h"
#include "command/option/option.h"
#include "format/input.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/recording.h"
#include "session/store/store_input.h"
#include "store/label_set.h"
#include "store/store.h"
#include "store/time_text.h"

#define SECOND_NS ((uint64_t)1000000000)
#define UNIX_NS	  ((uint64_t)1000000000 * SECOND_NS) /* later times are since 1970: it is 2001 */

struct push_options {
	struct input_options input;
	struct option_list labels;
	const char *store, *at, *event;
	bool quiet;
};

#define OWN(field) OPT(push_options, field)

static const struct option_def push_rows[] = {
	{ "Store", 0, OPT_GROUP, NULL, 0, NULL },
	{ "store", 0, OPT_STR, "PLACE", OWN(store),
	  "folder of the store (default /var/lib/cupel)" },
	{ "label", 'l', OPT_LIST, "NAME=VALUE", OWN(labels), "a label of all samples" },
	{ "at", 0, OPT_STR, "TIME", OWN(at),
	  "when the last sample was taken (default: as the file says, else when it was last "
	  "changed): now, -2h, \"2026-11-24 14:30\", @SECONDS" },
	{ "event", 'e', OPT_STR, "EVENT", OWN(event), "only this event" },
	{ "quiet", 'q', OPT_FLAG, NULL, OWN(quiet), "do not report what was stored" },
	{ "profile", 0, OPT_INCLUDE, NULL, OWN(input), NULL, NULL, profile_option_rows },
	{ 0 },
};

static void push_defaults(void *options)
{
	input_options_defaults(&((struct push_options *)options)->input);
}

static const char *last_word(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What the profile itself says, unless the user did. */
static int make_labels(const struct push_options *options, const struct profile *profile,
		       struct label_set *ret, struct err *err)
{
	const char *command = profile->meta.words.count
				      ? profile_string(profile, profile->meta.words.item[0])
				      : "";

	(void)label_set_put(ret, "host", profile_string(profile, profile->meta.hostname));
	if (strcmp(last_word(command), "cupel") != 0 && strcmp(last_word(command), "perf") != 0)
		(void)label_set_put(ret, "service", last_word(command));
	for (size_t i = 0; i < options->labels.count; i++)
		if (label_set_put_text(ret, options->labels.item[i], err))
			return err->code;
	return 0;
}

/* What makes the samples' times Unix time. */
static int find_clock(const struct push_options *options, struct recording *recording,
		      const struct profile *profile, int64_t *ret, struct err *err)
{
	uint64_t last = 0, at = input_modified_s(recording_input(recording)) * SECOND_NS;
	uint64_t now = clock_ns(CLOCK_REALTIME);

	for (size_t i = 0; i < profile->samples.count; i++)
		if (profile->samples.item[i].time_ns > last)
			last = profile->samples.item[i].time_ns;
	if (!at)
		at = now; /* of a pipe */
	if (options->at && time_text_parse(options->at, now, &at, err))
		return err->code;
	*ret = !options->at && last >= UNIX_NS ? 0 : (int64_t)(at - last);
	return 0;
}

static int push_one(const struct push_options *options, struct store *store, const char *path,
		    struct err *err)
{
	struct load_options load = { .keep = PROFILE_KEEP_TIME, .detail = RESOLVE_ADDRESSES };
	struct recording *recording;
	struct label_set labels = { 0 };
	struct profile *profile = NULL;
	struct store_batch batch = { .labels = &labels };
	int code = recording_open(path, &recording, err);

	if (code)
		return code;
	input_options_apply(&options->input, &load);
	load.event = options->event;
	load.symbol.lines = false; /* inlined functions bring theirs */
	code = recording_load(recording, &load, &profile, err);
	if (!code) {
		input_warn_missing(path, profile);
		batch.profile = profile;
		code = make_labels(options, profile, &labels, err);
	}
	if (!code)
		code = find_clock(options, recording, profile, &batch.clock_ns, err);
	if (!code)
		code = store_append(store, &batch, err);
	if (!code)
		code = store_sync(store, err);
	if (!code && !options->quiet)
		(void)fprintf(stderr, "[ cupel: stored %llu samples of %s ]\n",
			      (unsigned long long)profile_sample_count(profile), path);
	label_set_done(&labels);
	profile_free(profile);
	recording_close(recording);
	return code;
}

static int push_run(void *poptions, int argc, char **argv, struct err *err)
{
	static const struct store_limits none;
	struct push_options *options = poptions;
	struct store_options where = { options->store ? options->store : STORE_DEFAULT, true };
	struct store *store;
	int code;

	if (!argc)
		return command_usage(err, "missing FILE");
	code = store_open(&where, &store, err);
	if (code)
		return -1;
	for (int i = 0; i < argc && !code; i++)
		code = push_one(options, store, argv[i], err);
	if (!code)
		code = store_maintain(store, &none, clock_ns(CLOCK_REALTIME), err);
	store_close(store);
	return code ? -1 : EXIT_STATUS_OK;
}

static void push_done(void *options)
{
	input_options_done(&((struct push_options *)options)->input);
}

const struct command cmd_push = {
	.name = "push",
	.args = "[options] FILE...",
	.summary = "put recordings and other profiles into a store",
	.options = push_rows,
	.options_size = sizeof(struct push_options),
	.defaults = push_defaults,
	.run = push_run,
	.done = push_done,
};
