/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel buildid-cache: perf's cache of binaries by build id (proc/binary_cache.h). */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/confined.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/packing.h"
#include "base/vec.h"
#include "command/command.h"
#include "command/load_options.h"
#include "command/option/accepted.h"
#include "command/option/option.h"
#include "proc/binary_cache.h"
#include "proc/elf_file.h"
#include "session/build_ids.h"
#include "session/recording.h"
#include "symbol/elf/debug_file.h"
#include "symbol/elf/debuginfod.h"

#define MOST_MISSING_BYTES ((size_t)64 << 20)

struct cache_options {
	struct option_list add, remove, purge, update;
	const char *missing;
	bool list, purge_all, debuginfod;
	unsigned verbose;
	uint64_t target_ns; /* PID; 0 = this namespace */
};

static int set_servers(void *field, const char *value, bool negated, struct err *err)
{
	*(bool *)field = !negated;
	if (value && value[0] && setenv("DEBUGINFOD_URLS", value, true))
		return err_errno(err, "DEBUGINFOD_URLS");
	return 0;
}

static const struct option_def cache_rows[] = {
	{ "add", 'a', OPT_LIST, "FILES", OPT(cache_options, add),
	  "add binaries, with their debug files; names separated by commas" },
	{ "remove", 'r', OPT_LIST, "FILES", OPT(cache_options, remove),
	  "remove what the cache has of the build ids of these files" },
	{ "purge", 'p', OPT_LIST, "FILES", OPT(cache_options, purge),
	  "remove all builds of these files" },
	{ "purge-all", 'P', OPT_FLAG, NULL, OPT(cache_options, purge_all), "remove all" },
	{ "missing", 'M', OPT_STR, "FILE", OPT(cache_options, missing),
	  "list the binaries of a recording that are not in the cache" },
	{ "update", 'u', OPT_LIST, "FILES", OPT(cache_options, update),
	  "replace what the cache has of the build ids of these files" },
	{ "list", 'l', OPT_FLAG, NULL, OPT(cache_options, list), "list the cache" },
	{ "target-ns", 0, OPT_UINT, "PID", OPT(cache_options, target_ns),
	  "files are those that this process sees" },
	{ "debuginfod", 0, OPT_CALL, "[=URLS]", OPT(cache_options, debuginfod),
	  "ask debuginfod servers for debug files of what is added (default DEBUGINFOD_URLS)",
	  set_servers },
	{ "verbose", 'v', OPT_COUNT, NULL, OPT(cache_options, verbose), "say what is done" },
	{ .type = OPT_INCLUDE, .include = trust_option_rows },
	{ .type = OPT_INCLUDE, .include = accepted_reader_rows },
	{ .type = OPT_INCLUDE, .include = refused_buildid_cache_rows },
	{ 0 },
};

struct cache_run {
	const struct cache_options *options;
	struct binary_cache *cache;
	struct debuginfod_session *servers; /* NULL until needed */
	struct buf out;
};

static void say(const struct cache_run *run, const char *what, const char *id, const char *path)
{
	if (run->options->verbose)
		(void)fprintf(stderr, "%s %s %s: Ok\n", what, id, path);
}

/* A binary to add or remove. */
struct binary {
	char path[PATH_MAX + 64]; /* as this process opens it */
	size_t root_len;	  /* bytes of it that are the target's root */
	char name[PATH_MAX];	  /* absolute, as the target sees it */
	struct build_id build_id;
	char id[2 * BUILD_ID_MAX + 1]; /* the same in letters */
	char debug[2 * PATH_MAX];      /* its debug file; "" = none is wanted or there */
	bool with_debug;
};

/* In the child (base/confined.h). */
static int examine(void *context, struct buf *ret, struct err *err)
{
	const struct binary *binary = context;
	struct elf_file *elf, *debug = NULL;
	struct err ignored = { 0 };
	int code = elf_file_open(binary->path, &elf, err);

	if (code)
		return code;
	elf->root_len = binary->root_len;
	if (elf->build_id.len < 2) {
		elf_file_close(elf);
		return err_set(err, -ENODATA, "%s: no build id", binary->path + binary->root_len);
	}
	if (binary->with_debug)
		(void)debug_file_open(elf, NULL, &debug, &ignored);
	pack_put(ret, &elf->build_id, sizeof(elf->build_id));
	pack_put_string(ret, debug ? debug->path : "");
	elf_file_close(debug);
	elf_file_close(elf);
	return 0;
}

static int take_examined(struct binary *binary, const struct buf *bytes, struct err *err)
{
	struct unpack from = { .data = (const uint8_t *)bytes->data, .len = bytes->len };
	struct arena arena = { 0 };
	const char *debug;
	bool good;

	unpack_take(&from, &binary->build_id, sizeof(binary->build_id));
	debug = unpack_string(&from, false, &arena);
	good = unpack_end(&from) && binary->build_id.len >= 2 &&
	       binary->build_id.len <= BUILD_ID_MAX && strlen(debug) < sizeof(binary->debug);
	if (good) {
		build_id_hex(&binary->build_id, binary->id);
		(void)snprintf(binary->debug, sizeof(binary->debug), "%s", debug);
	}
	arena_done(&arena);
	return good ? 0 : err_set(err, -EINVAL, "%s: no answer about it", binary->name);
}

/* The file as the target sees it, and its build id. */
static int find(const struct cache_run *run, const char *path, bool with_debug, struct binary *ret,
		struct err *err)
{
	struct buf bytes = { .limit = 4 * PATH_MAX };
	uint64_t pid = run->options->target_ns;
	int code;

	memset(ret, 0, sizeof(*ret));
	ret->with_debug = with_debug;
	if (pid && path[0] != '/')
		return err_set(err, -EINVAL, "%s: --target-ns needs absolute paths", path);
	if (!pid && !realpath(path, ret->name))
		return err_errno(err, "%s", path);
	if (pid) {
		(void)snprintf(ret->name, sizeof(ret->name), "%s", path);
		ret->root_len = (size_t)snprintf(ret->path, sizeof(ret->path), "/proc/%llu/root",
						 (unsigned long long)pid);
	}
	(void)snprintf(ret->path + ret->root_len, sizeof(ret->path) - ret->root_len, "%s",
		       ret->name);
	code = confined_call("cupel-reader", examine, ret, &bytes, err);
	code = code ? code : take_examined(ret, &bytes, err);
	buf_done(&bytes);
	return code;
}

/* The bytes of a file, which are not looked at. */
static int add_part(struct cache_run *run, const struct binary *binary, const char *name,
		    const char *path, struct err *err)
{
	struct binary_cache_file file = { .id = binary->id, .path = binary->name, .name = name };
	struct file_map map;
	int code = file_map_open(path, &map, err);

	if (code)
		return code;
	file.data = map.data;
	file.len = map.len;
	code = binary_cache_add(run->cache, &file, err);
	file_map_close(&map);
	return code;
}

/* From servers: without the sandbox, as everything with --debuginfod. */
static int add_downloaded(struct cache_run *run, const struct binary *binary, struct err *err)
{
	struct err failed = { 0 };
	struct elf_file *debug;
	int code;

	if (!run->servers)
		run->servers = debuginfod_session_new(0);
	if (debuginfod_session_open(run->servers, &binary->build_id, &debug, &failed)) {
		command_warn("%s: no debug file: %s", binary->path, failed.msg);
		return 0;
	}
	code = add_part(run, binary, "debug", debug->path, err);
	elf_file_close(debug);
	return code;
}

static int add_files(struct cache_run *run, const struct binary *binary, struct err *err)
{
	int code = add_part(run, binary, "elf", binary->path, err);

	if (!code && binary->debug[0])
		return add_part(run, binary, "debug", binary->debug, err);
	return code || !run->options->debuginfod ? code : add_downloaded(run, binary, err);
}

static int add(struct cache_run *run, const char *path, struct err *err)
{
	struct binary binary;
	int code = find(run, path, true, &binary, err);

	if (code)
		return code;
	if (!binary_cache_has(run->cache, binary.id))
		code = add_files(run, &binary, err);
	if (!code)
		say(run, "Adding", binary.id, path);
	return code;
}

static int remove_one(struct cache_run *run, const char *path, struct err *err)
{
	struct binary binary;
	int code = find(run, path, false, &binary, err);

	if (code)
		return code;
	if (!binary_cache_has(run->cache, binary.id))
		return err_set(err, -ENOENT, "%s: not in the cache", path);
	code = binary_cache_remove(run->cache, binary.id, err);
	if (!code)
		say(run, "Removing", binary.id, path);
	return code;
}

static int update(struct cache_run *run, const char *path, struct err *err)
{
	struct binary binary;
	int code = find(run, path, true, &binary, err);

	if (code)
		return code;
	if (binary_cache_has(run->cache, binary.id))
		code = binary_cache_remove(run->cache, binary.id, err);
	if (!code)
		code = add_files(run, &binary, err);
	if (!code)
		say(run, "Updating", binary.id, path);
	return code;
}

struct purged {
	const char *id, *path;
};

/* The files to purge, collected first: the cache is not changed while it is listed. */
struct purging {
	struct arena arena;
	const char *path; /* NULL = all */
	VEC(struct purged) files;
};

static int collect(void *context, const struct binary_cache_entry *entry)
{
	struct purging *purging = context;

	if (!purging->path || strcmp(purging->path, entry->path) == 0)
		vec_push(&purging->files,
			 ((struct purged){ arena_strdup(&purging->arena, entry->id),
					   arena_strdup(&purging->arena, entry->path) }));
	return 0;
}

/* The file itself may be gone. */
static int purge(struct cache_run *run, const char *path, struct err *err)
{
	struct purging purging = { 0 };
	char name[PATH_MAX];
	int code = 0;

	if (path)
		purging.path = path[0] == '[' || !realpath(path, name) ? path : name;
	(void)binary_cache_list(run->cache, collect, &purging);
	for (size_t i = 0; i < purging.files.count && !code; i++) {
		const struct purged *file = &purging.files.item[i];

		code = binary_cache_remove(run->cache, file->id, err);
		if (!code)
			say(run, "Removing", file->id, file->path);
	}
	if (!code && path && !purging.files.count)
		code = err_set(err, -ENOENT, "%s: not in the cache", path);
	vec_done(&purging.files);
	arena_done(&purging.arena);
	return code;
}

static int put_entry(void *context, const struct binary_cache_entry *entry)
{
	struct cache_run *run = context;

	if (!entry->whole) {
		command_warn("%s %s: its file is missing or another one; remove it with -p",
			     entry->id, entry->path);
		return 0;
	}
	(void)buf_printf(&run->out, "%s ", entry->id);
	(void)buf_put_tidy(&run->out, entry->path);
	return buf_putc(&run->out, '\n');
}

static int put_missing(void *context, const struct build_id *id, const char *path)
{
	struct buf *ret = context;
	char hex[2 * BUILD_ID_MAX + 1];

	if (id->len < 2)
		return 0;
	build_id_hex(id, hex);
	pack_put_string(ret, hex);
	pack_put_string(ret, path);
	return 0;
}

/* In the child. */
static int read_missing(void *context, struct buf *ret, struct err *err)
{
	const struct build_id_visit visit = { put_missing, ret };
	struct recording *recording;
	int code = recording_open(context, &recording, err);

	if (code)
		return code;
	code = build_ids_of(recording, BUILD_IDS_LISTED, &visit, err);
	recording_close(recording);
	return code;
}

static int list_missing(struct cache_run *run, struct err *err)
{
	struct buf bytes = { .limit = MOST_MISSING_BYTES };
	struct arena arena = { 0 };
	struct unpack from = { 0 };
	int code = confined_call("cupel-reader", read_missing,
				 (void *)(uintptr_t)run->options->missing, &bytes, err);

	from.data = (const uint8_t *)bytes.data;
	from.len = code ? 0 : bytes.len;
	while (from.at < from.len && !from.damaged) {
		const char *id = unpack_string(&from, true, &arena);
		const char *path = unpack_string(&from, true, &arena);

		if (!run->cache || !binary_cache_has(run->cache, id))
			(void)buf_printf(&run->out, "%s %s\n", id, path);
	}
	if (from.damaged)
		code = err_set(err, -EINVAL, "%s: its list of binaries is too long",
			       run->options->missing);
	arena_done(&arena);
	buf_done(&bytes);
	return code;
}

/* Processes all files of all lists; a failure is reported and does not stop the others. */
static int each_file(struct cache_run *run, const struct option_list *list,
		     int (*act)(struct cache_run *run, const char *path, struct err *err))
{
	int failures = 0;

	for (size_t i = 0; i < list->count; i++) {
		AUTO_FREE char *words = mem_strdup(list->item[i]);
		char *rest = words, *word;

		while ((word = strsep(&rest, ","))) {
			struct err err = { 0 };

			if (!*word || !act(run, word, &err))
				continue;
			(void)err_wrap(&err, "buildid-cache");
			command_print_error(&err);
			failures++;
		}
	}
	return failures;
}

static int work(struct cache_run *run, int *failures, struct err *err)
{
	const struct cache_options *o = run->options;
	int code = 0;

	if (o->list && run->cache)
		(void)binary_cache_list(run->cache, put_entry, run);
	if (o->missing)
		code = list_missing(run, err);
	if (!run->cache && (o->remove.count || o->purge.count))
		return err_set(err, -ENOENT, "there is no cache");
	*failures += each_file(run, &o->add, add);
	*failures += each_file(run, &o->remove, remove_one);
	*failures += each_file(run, &o->purge, purge);
	*failures += each_file(run, &o->update, update);
	if (!code && o->purge_all && run->cache)
		code = purge(run, NULL, err);
	return code;
}

static int cache_run(void *options, int argc, char **argv, struct err *err)
{
	const struct cache_options *o = options;
	struct cache_run run = { .options = o };
	bool make = o->add.count || o->update.count;
	struct err none = { 0 };
	int code, failures = 0;

	if (argc)
		return command_usage(err, "unexpected argument '%s'", argv[0]);
	if (!make && !o->remove.count && !o->purge.count && !o->purge_all && !o->missing &&
	    !o->list)
		return command_usage(err, "nothing to do");
	code = binary_cache_open(make, &run.cache, &none);
	if (code && (code != -ENOENT || make)) {
		*err = none;
		return -1;
	}
	code = work(&run, &failures, err);
	code = command_end_output(code, NULL, &run.out, err);
	debuginfod_session_free(run.servers);
	binary_cache_close(run.cache);
	return code ? -1 : failures ? EXIT_STATUS_FAILED : EXIT_STATUS_OK;
}

const struct command cmd_buildid_cache = {
	.name = "buildid-cache",
	.args = "[options]",
	.summary = "keep binaries by build id, in perf's cache",
	.options = cache_rows,
	.options_size = sizeof(struct cache_options),
	.run = cache_run,
};
