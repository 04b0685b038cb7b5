/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel push: puts recordings and other profiles into a store, or sends them to a server of another
 * system. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/http_client.h"
#include "command/command.h"
#include "command/load_options.h"
#include "command/option/option.h"
#include "format/input.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/recording.h"
#include "session/store/profile_send.h"
#include "session/store/store_input.h"
#include "store/label_set.h"
#include "store/store.h"
#include "store/time_text.h"

#define SECOND_NS  ((uint64_t)1000000000)
#define TOKEN_NAME "CUPEL_PUSH_TOKEN"
#define UNIX_NS	   ((uint64_t)1000000000 * SECOND_NS) /* later times are since 1970: it is 2001 */
#define AHEAD_NS   (3600 * SECOND_NS)		      /* later than now: a clock was wrong */

struct push_options {
	struct input_options input;
	struct option_list labels;
	const char *store, *to, *at, *event;
	bool quiet;
};

#define OWN(field) OPT(push_options, field)

static const struct option_def push_rows[] = {
	{ "Store", 0, OPT_GROUP, NULL, 0, NULL },
	{ "store", 0, OPT_STR, "PLACE", OWN(store),
	  "folder of the store (default /var/lib/cupel), clickhouse://HOST/DATABASE, or "
	  "https://HOST[:PORT] of cupel serve" },
	{ "to", 0, OPT_STR, "KIND:URL", OWN(to),
	  "send to a server instead, such as pyroscope:http://host:4040: " SEND_KINDS
	  "; CUPEL_PUSH_TOKEN of the environment is its token" },
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
	for (size_t i = 0; i < options->labels.count; i++) {
		if (strncmp(options->labels.item[i], "comm=", 5) == 0)
			return err_usage(err,
					 "%s: the name of the samples' own thread is this label",
					 options->labels.item[i]);
		if (label_set_put_text(ret, options->labels.item[i], err))
			return err->code;
	}
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
	if (!last && profile->meta.first_ns)
		last = profile->meta.last_ns;
	else if (!last && profile->meta.last_ns >= UNIX_NS &&
		 profile->meta.last_ns < now + AHEAD_NS)
		at = profile->meta.last_ns; /* of pprof: of all samples */
	if (!at)
		at = now; /* of a pipe */
	if (options->at && time_text_parse(options->at, now, &at, err))
		return err->code;
	*ret = !options->at && last >= UNIX_NS ? 0 : (int64_t)(at - last);
	return 0;
}

/* Where to: one of them. */
struct place {
	struct store *store;
	struct http_client *client;
	struct send_target target;
};

static int store_it(const struct push_options *options, const struct place *place, const char *path,
		    const struct store_batch *batch, struct err *err)
{
	int code = store_append(place->store, batch, err);

	if (!code)
		code = store_sync(place->store, err);
	if (!code && !options->quiet)
		(void)fprintf(stderr, "[ cupel: stored %llu samples of %s ]\n",
			      (unsigned long long)profile_sample_count(batch->profile), path);
	return code;
}

static int send_it(const struct push_options *options, const struct place *place, const char *path,
		   const struct store_batch *batch, struct err *err)
{
	const struct send_options how = { batch->labels, batch->clock_ns, getenv(TOKEN_NAME),
					  place->client };
	struct profile *profile = (struct profile *)(uintptr_t)batch->profile; /* ours */
	uint64_t count = profile_sample_count(profile);
	struct send_result result = { 0 };
	int code;

	if (!*label_set_get(batch->labels, "service"))
		return err_usage(err, "%s: the server needs a service: --label service=NAME", path);
	code = profile_send(&place->target, profile, &how, &result, err);
	if (!code && *result.warning)
		command_warn("%s: the server says: %s", path, result.warning);
	if (!code && result.left_out)
		command_warn("%s: %llu samples of other events than time on the CPU were not sent",
			     path, (unsigned long long)result.left_out);
	if (!code && !options->quiet)
		(void)fprintf(stderr, "[ cupel: sent %llu samples of %s ]\n",
			      (unsigned long long)(count - result.left_out), path);
	return code;
}

static int push_one(const struct push_options *options, const struct place *place, const char *path,
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
	if (place->client && !send_target_keeps_time(&place->target))
		load.keep = 0;
	code = recording_load(recording, &load, &profile, err);
	if (!code) {
		input_warn_missing(path, profile);
		batch.profile = profile;
		code = make_labels(options, profile, &labels, err);
	}
	if (!code)
		code = find_clock(options, recording, profile, &batch.clock_ns, err);
	if (!code)
		code = place->client ? send_it(options, place, path, &batch, err)
				     : store_it(options, place, path, &batch, err);
	label_set_done(&labels);
	profile_free(profile);
	recording_close(recording);
	return code;
}

static int push_all(const struct push_options *options, const struct place *place,
		    const struct option_words *files, struct err *err)
{
	int code = 0;

	for (int i = 0; i < files->argc && !code; i++)
		code = push_one(options, place, files->argv[i], err);
	return code;
}

static int send_all(const struct push_options *options, const struct option_words *files,
		    struct err *err)
{
	struct place place = { 0 };
	int code = send_target_parse(options->to, &place.target, err);

	if (!code)
		code = http_client_new(&place.client, err);
	if (!code)
		code = push_all(options, &place, files, err);
	http_client_free(place.client);
	return code;
}

static int store_all(const struct push_options *options, const struct option_words *files,
		     struct err *err)
{
	static const struct store_limits none;
	struct store_options where = { options->store ? options->store : STORE_DEFAULT, true };
	struct place place = { 0 };
	int code = store_open(&where, &place.store, err);

	if (code)
		return code;
	code = push_all(options, &place, files, err);
	if (!code)
		code = store_maintain(place.store, &none, clock_ns(CLOCK_REALTIME), err);
	store_close(place.store);
	return code;
}

static int push_run(void *poptions, int argc, char **argv, struct err *err)
{
	const struct push_options *options = poptions;
	const struct option_words files = { argc, argv };

	if (!argc)
		return command_usage(err, "missing FILE");
	if (options->to && options->store)
		return command_usage(err, "--to and --store cannot be combined");
	return (options->to ? send_all : store_all)(options, &files, err) ? -1 : EXIT_STATUS_OK;
}

static void push_done(void *options)
{
	input_options_done(&((struct push_options *)options)->input);
}

const struct command cmd_push = {
	.name = "push",
	.args = "[options] FILE...",
	.summary = "put profiles into a store, or send them to a server",
	.options = push_rows,
	.options_size = sizeof(struct push_options),
	.defaults = push_defaults,
	.run = push_run,
	.done = push_done,
};
