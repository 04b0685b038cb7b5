/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel buildid-cache: perf's cache of binaries by build id (proc/binary_cache.h). */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
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

/* The file as the target sees it, and its absolute name there. */
static int open_target(const struct cache_run *run, const char *path, struct elf_file **ret,
		       char *ret_name, struct err *err)
{
	char inside[PATH_MAX + 64];
	uint64_t pid = run->options->target_ns;
	int code;

	if (pid && path[0] != '/')
		return err_set(err, -EINVAL, "%s: --target-ns needs absolute paths", path);
	if (!pid && !realpath(path, ret_name))
		return err_errno(err, "%s", path);
	if (pid)
		(void)snprintf(ret_name, PATH_MAX, "%s", path);
	(void)snprintf(inside, sizeof(inside), "/proc/%llu/root%s", (unsigned long long)pid, path);
	code = elf_file_open(pid ? inside : ret_name, ret, err);
	if (code)
		return code;
	(*ret)->root_len = pid ? strlen(inside) - strlen(path) : 0;
	if ((*ret)->build_id.len >= 2)
		return 0;
	elf_file_close(*ret);
	return err_set(err, -ENODATA, "%s: no build id", path);
}

static int add_part(struct cache_run *run, const struct elf_file *elf, const char *name,
		    struct binary_cache_file *file, struct err *err)
{
	file->name = name;
	file->data = elf->data;
	file->len = elf->len;
	return binary_cache_add(run->cache, file, err);
}

static struct elf_file *find_debug(struct cache_run *run, const struct elf_file *elf)
{
	struct elf_file *debug = NULL;
	struct err ignored = { 0 };

	if (!debug_file_open(elf, NULL, &debug, &ignored) || !run->options->debuginfod)
		return debug;
	if (!run->servers)
		run->servers = debuginfod_session_new(0);
	if (debuginfod_session_open(run->servers, &elf->build_id, &debug, &ignored))
		command_warn("%s: no debug file: %s", elf->path, ignored.msg);
	return debug;
}

static int add_elf(struct cache_run *run, const struct elf_file *elf, const char *path,
		   struct err *err)
{
	struct elf_file *debug = find_debug(run, elf);
	struct binary_cache_file file = { .path = path };
	char hex[2 * BUILD_ID_MAX + 1];
	int code;

	build_id_hex(&elf->build_id, hex);
	file.id = hex;
	code = add_part(run, elf, "elf", &file, err);
	if (!code && debug)
		code = add_part(run, debug, "debug", &file, err);
	elf_file_close(debug);
	return code;
}

static int add(struct cache_run *run, const char *path, struct err *err)
{
	char name[PATH_MAX], hex[2 * BUILD_ID_MAX + 1];
	struct elf_file *elf;
	int code = open_target(run, path, &elf, name, err);

	if (code)
		return code;
	build_id_hex(&elf->build_id, hex);
	if (!binary_cache_has(run->cache, hex))
		code = add_elf(run, elf, name, err);
	if (!code)
		say(run, "Adding", hex, path);
	elf_file_close(elf);
	return code;
}

static int remove_one(struct cache_run *run, const char *path, struct err *err)
{
	char name[PATH_MAX], hex[2 * BUILD_ID_MAX + 1];
	struct elf_file *elf;
	int code = open_target(run, path, &elf, name, err);

	if (code)
		return code;
	build_id_hex(&elf->build_id, hex);
	elf_file_close(elf);
	if (!binary_cache_has(run->cache, hex))
		return err_set(err, -ENOENT, "%s: not in the cache", path);
	code = binary_cache_remove(run->cache, hex, err);
	if (!code)
		say(run, "Removing", hex, path);
	return code;
}

static int update(struct cache_run *run, const char *path, struct err *err)
{
	char name[PATH_MAX], hex[2 * BUILD_ID_MAX + 1];
	struct elf_file *elf;
	int code = open_target(run, path, &elf, name, err);

	if (code)
		return code;
	build_id_hex(&elf->build_id, hex);
	if (binary_cache_has(run->cache, hex))
		code = binary_cache_remove(run->cache, hex, err);
	if (!code)
		code = add_elf(run, elf, name, err);
	if (!code)
		say(run, "Updating", hex, path);
	elf_file_close(elf);
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
	struct cache_run *run = context;
	char hex[2 * BUILD_ID_MAX + 1];

	build_id_hex(id, hex);
	if (id->len < 2 || (run->cache && binary_cache_has(run->cache, hex)))
		return 0;
	(void)buf_printf(&run->out, "%s ", hex);
	(void)buf_put_tidy(&run->out, path);
	return buf_putc(&run->out, '\n');
}

static int list_missing(struct cache_run *run, struct err *err)
{
	const struct build_id_visit visit = { put_missing, run };
	struct recording *recording;
	int code = recording_open(run->options->missing, &recording, err);

	if (code)
		return code;
	code = build_ids_of(recording, BUILD_IDS_LISTED, &visit, err);
	recording_close(recording);
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
