/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user's probe definitions (see probe_definitions.h). */
#include "session/probe/probe_definitions.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/suggest.h"
#include "base/user_cache.h"

#define STORE	  "probes"
#define MAX_BYTES (4u << 20)

static int by_name(const void *a, const void *b)
{
	const struct probe_definition_entry *x = a, *y = b;

	return strcmp(x->name, y->name);
}

bool probe_spec_is_of_kernel(const char *spec)
{
	return strncmp(spec, "kprobe:", 7) == 0;
}

const char *probe_spec_place(const char *spec)
{
	const char *file = strchr(spec, ':');
	const char *place = !file || probe_spec_is_of_kernel(spec) ? file : strchr(file + 1, ':');

	return place && place[1] ? place + 1 : NULL;
}

/* "GROUP:EVENT<tab>SPEC" */
static bool parse_line(char *line, struct probe_definition_entry *ret)
{
	char *tab = strchr(line, '\t'), *colon = strchr(line, ':');

	if (!tab || !colon || colon > tab || colon == line || colon + 1 == tab)
		return false;
	*tab = '\0';
	*ret = (struct probe_definition_entry){ line, tab + 1 };
	return probe_spec_place(ret->spec) && text_is_tidy(line, strlen(line)) &&
	       text_is_tidy(ret->spec, strlen(ret->spec));
}

static void drop_doubles(struct probe_definitions *all)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->item.count; i++)
		if (!kept || strcmp(all->item.item[kept - 1].name, all->item.item[i].name) != 0)
			all->item.item[kept++] = all->item.item[i];
	all->item.count = kept;
}

void probe_definitions_parse(const char *text, size_t len, struct probe_definitions *ret)
{
	struct probe_definitions all = { .text = mem_alloc(len + 1) };
	char *next;

	memcpy(all.text, text, len);
	all.text[len] = '\0';
	for (char *line = all.text; line && all.item.count < PROBE_DEFINITIONS_MAX; line = next) {
		struct probe_definition_entry entry;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (parse_line(line, &entry))
			vec_push(&all.item, entry);
	}
	if (all.item.count)
		qsort(all.item.item, all.item.count, sizeof(*all.item.item), by_name);
	drop_doubles(&all);
	*ret = all;
}

void probe_definitions_done(struct probe_definitions *definitions)
{
	vec_done(&definitions->item);
	free(definitions->text);
	*definitions = (struct probe_definitions){ 0 };
}

static int read_from(int folder, struct probe_definitions *ret, struct err *err)
{
	AUTO_CLOSE int fd = user_cache_get(folder, STORE);
	AUTO_FREE char *text = NULL;
	ssize_t len;

	if (fd < 0 && faccessat(folder, STORE, F_OK, 0)) {
		*ret = (struct probe_definitions){ 0 };
		return 0;
	}
	if (fd < 0)
		return err_set(err, -EACCES, STORE ": not a file that only this user may write");
	text = mem_alloc(MAX_BYTES);
	len = fd_read_full(fd, text, MAX_BYTES);
	if (len < 0)
		return err_set(err, (int)len, STORE ": %s", strerror((int)-len));
	if (len == MAX_BYTES)
		return err_set(err, -E2BIG, STORE ": too long");
	probe_definitions_parse(text, (size_t)len, ret);
	return 0;
}

static int fail(int code, struct err *err)
{
	return code ? err_wrap(err, "reading the probes that were defined") : 0;
}

int probe_definitions_read(struct probe_definitions *ret, struct err *err)
{
	AUTO_CLOSE int folder = user_config_open(false);

	if (folder < 0) {
		*ret = (struct probe_definitions){ 0 };
		return 0;
	}
	return fail(read_from(folder, ret, err), err);
}

static struct probe_definition_entry *find(struct probe_definitions *all, const char *name)
{
	for (size_t i = 0; i < all->item.count; i++)
		if (strcmp(all->item.item[i].name, name) == 0)
			return &all->item.item[i];
	return NULL;
}

static int refuse_unknown(const struct probe_definitions *all, const char *name, struct err *err)
{
	struct suggest nearest = { .word = name };
	char text[256];

	for (size_t i = 0; i < all->item.count; i++)
		suggest_offer(&nearest, all->item.item[i].name);
	(void)err_set(err, -ENOENT, "no probe %s is defined", name);
	if (nearest.count)
		return err_hint(err, "did you mean %s?",
				suggest_text(&nearest, text, sizeof(text)));
	return err_hint(err, "define it: cupel probe -x FILE FUNCTION; cupel probe -l lists "
			     "those that are");
}

int probe_definition_find(const char *group_and_name, char **ret_spec, struct err *err)
{
	const struct probe_definition_entry *found;
	struct probe_definitions all;
	int code = probe_definitions_read(&all, err);

	if (code)
		return code;
	found = find(&all, group_and_name);
	if (found)
		*ret_spec = mem_strdup(found->spec);
	else
		code = refuse_unknown(&all, group_and_name, err);
	probe_definitions_done(&all);
	return code;
}

/* The definition that the word at the beginning of a text names, as a whole event. */
static const struct probe_definition_entry *at_start(const struct probe_definitions *all,
						     const char *text)
{
	for (size_t i = 0; i < all->item.count; i++) {
		const char *name = all->item.item[i].name;
		size_t len = strlen(name);

		if (strncmp(text, name, len) == 0 && (!text[len] || strchr(",} \t", text[len])))
			return &all->item.item[i];
	}
	return NULL;
}

/* "GROUP:GLOB" with a whole group becomes the definitions that match. The length of that word; 0 if
 * there is none. */
static size_t expand_glob(const struct probe_definitions *all, const char *text,
			  struct arena *arena, struct buf *out)
{
	size_t len = strcspn(text, ",}{ \t/"), special = strcspn(text, "*?[");
	const char *colon = memchr(text, ':', len), *glob;
	size_t start = out->len;

	if (!colon || special >= len || text + special < colon ||
	    memchr(colon + 1, ':', (size_t)(text + len - colon - 1)))
		return 0;
	glob = arena_strndup(arena, text, len);
	for (size_t i = 0; i < all->item.count; i++)
		if (fnmatch(glob, all->item.item[i].name, 0) == 0)
			(void)buf_printf(out, "%s%s=%s", out->len > start ? "," : "",
					 all->item.item[i].name, all->item.item[i].spec);
	return out->len > start ? len : 0;
}

static const char *expand(const struct probe_definitions *all, const char *events,
			  struct arena *arena)
{
	struct buf text = { 0 };
	const char *ret = events;
	bool begins = true;

	for (const char *at = events; *at;) {
		const struct probe_definition_entry *found = begins ? at_start(all, at) : NULL;
		size_t globbed = begins && !found ? expand_glob(all, at, arena, &text) : 0;

		begins = strchr(",{ \t", *at) != NULL;
		if (globbed) {
			at += globbed;
			ret = NULL;
			continue;
		}
		if (!found) {
			(void)buf_putc(&text, *at++);
			continue;
		}
		(void)buf_printf(&text, "%s=%s", found->name, found->spec);
		at += strlen(found->name);
		ret = NULL;
	}
	if (!ret)
		ret = arena_strdup(arena, text.data);
	buf_done(&text);
	return ret;
}

const char *probe_definitions_expand(const char *events, struct arena *arena)
{
	struct probe_definitions all;
	struct err ignored = { 0 };
	const char *ret = events;

	if (!strchr(events, ':') || probe_definitions_read(&all, &ignored))
		return events;
	if (all.item.count)
		ret = expand(&all, events, arena);
	probe_definitions_done(&all);
	return ret;
}

static int write_to(int folder, const struct probe_definitions *all, struct err *err)
{
	struct buf text = { .limit = MAX_BYTES };
	int code = 0;

	for (size_t i = 0; !code && i < all->item.count; i++)
		code = buf_printf(&text, "%s\t%s\n", all->item.item[i].name,
				  all->item.item[i].spec);
	if (code)
		code = err_set(err, code, "too many probes are defined: remove some (-d)");
	else if (!user_cache_put(folder, STORE, text.data ? text.data : "", text.len))
		code = err_set(err, -EIO, "the file of probe definitions cannot be written: %s",
			       strerror(errno));
	buf_done(&text);
	return code;
}

/* Reads what is there while no other process changes it. */
static int begin_change(int *ret_folder, struct probe_definitions *ret, struct err *err)
{
	*ret_folder = user_config_open(true);
	if (*ret_folder < 0) {
		(void)err_set(err, -EACCES,
			      "there is no folder for definitions of probes: ~/.config/cupel");
		return err_hint(err, "name one that you may write: XDG_CONFIG_HOME=FOLDER");
	}
	if (flock(*ret_folder, LOCK_EX))
		return err_errno(err, "locking the folder of probe definitions");
	return fail(read_from(*ret_folder, ret, err), err);
}

int probe_definition_add(const char *group_and_name, const char *spec, struct err *err)
{
	const struct probe_definition_entry entry = { group_and_name, spec };
	struct probe_definitions all = { 0 };
	AUTO_CLOSE int folder = -1;
	int code = begin_change(&folder, &all, err);

	if (!code && find(&all, group_and_name)) {
		(void)err_set(err, -EEXIST, "%s: a probe of this name is defined", group_and_name);
		code = err_hint(err, "remove it with -d, or define another one beside it with -f");
	}
	if (!code && all.item.count >= PROBE_DEFINITIONS_MAX)
		code = err_set(err, -E2BIG, "too many probes are defined: remove some (-d)");
	if (!code) {
		vec_push(&all.item, entry);
		code = write_to(folder, &all, err);
	}
	probe_definitions_done(&all);
	return code;
}

int probe_definition_remove(const char *group_and_name, struct err *err)
{
	struct probe_definitions all = { 0 };
	struct probe_definition_entry *found;
	AUTO_CLOSE int folder = -1;
	int code = begin_change(&folder, &all, err);

	if (!code) {
		found = find(&all, group_and_name);
		if (found) {
			*found = all.item.item[--all.item.count];
			code = write_to(folder, &all, err);
		} else {
			code = refuse_unknown(&all, group_and_name, err);
		}
	}
	probe_definitions_done(&all);
	return code;
}
