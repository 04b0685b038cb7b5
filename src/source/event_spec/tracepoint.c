/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finding tracepoints in tracefs (see tracepoint.h). */
#include "source/event_spec/tracepoint.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/vec.h"
#include "source/event_spec/event_parse.h"
#include "source/event_spec/name_list.h"
#include "source/event_spec/tracefs_mount.h"

#define MAX_PROBES_BYTES (16u << 20) /* of uprobe_events */

static bool find_own(struct arena *arena, const char **ret)
{
	char path[64];
	int fd = tracefs_mount();

	if (fd < 0)
		return false;
	(void)snprintf(path, sizeof(path), TRACEFS_OWN "%d", fd);
	if (access(path, X_OK)) /* /proc is not mounted */
		return false;
	*ret = arena_strdup(arena, path);
	return true;
}

int tracefs_find(const char *root, struct arena *arena, const char **ret, struct err *err)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	bool denied = false;

	for (size_t i = 0; i < 2; i++) {
		char path[PATH_MAX];

		if (snprintf(path, sizeof(path), "%s%s/events", root, places[i]) >=
		    (int)sizeof(path))
			return err_set(err, -ENAMETOOLONG, "%s: name too long", root);
		if (access(path, R_OK | X_OK) == 0) {
			*ret = arena_strndup(arena, path, strlen(path) - strlen("/events"));
			return 0;
		}
		denied = denied || errno == EACCES || errno == EPERM;
	}
	if (denied) {
		err_set(err, -EACCES, "tracefs: permission denied");
		return err_hint(
			err,
			"run as root, or allow access with: sudo mount -o "
			"remount,mode=750,gid=$(id -g) /sys/kernel/tracing; see: cupel doctor");
	}
	if (!*root && find_own(arena, ret))
		return 0;
	err_set(err, -ENOENT, "tracefs is not mounted");
	return err_hint(err, "mount it with: sudo mount -t tracefs nodev /sys/kernel/tracing");
}

/* Names from the user become parts of paths. */
static bool plain_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/') && strlen(name) <= NAME_MAX;
}

int tracepoint_id(const char *tracefs, const char *system, const char *name, uint64_t *ret,
		  struct err *err)
{
	struct buf text = { .limit = 64 };
	char path[PATH_MAX], *end;
	unsigned long long id;
	int r;

	if (!plain_name(system) || !plain_name(name) ||
	    snprintf(path, sizeof(path), "%s/events/%s/%s/id", tracefs, system, name) >=
		    (int)sizeof(path))
		return err_set(err, -ENOENT, "%s:%s: no such tracepoint", system, name);
	r = fd_read_file(path, &text, err);
	if (r == 0) {
		errno = 0;
		id = strtoull(text.data ? text.data : "", &end, 10);
		if (errno || end == text.data || !text.data || (*end && *end != '\n'))
			r = err_set(err, -EINVAL, "%s: invalid number", path);
		else
			*ret = id;
	}
	buf_done(&text);
	return r;
}

/* There is no place in the kernel's code that BPF programs can be attached to by its name. */
static bool is_made(const char *tracefs, const struct event_spec *spec)
{
	struct buf text = { .limit = 64 << 10 };
	struct err ignored;
	char path[PATH_MAX];
	bool made;

	if (!plain_name(spec->system) || !plain_name(spec->tracepoint) ||
	    snprintf(path, sizeof(path), "%s/events/%s/%s/format", tracefs, spec->system,
		     spec->tracepoint) >= (int)sizeof(path))
		return false;
	made = !fd_read_file(path, &text, &ignored) && text.data &&
	       strstr(text.data, " __probe_"); /* the place: __probe_ip, __probe_func */
	buf_done(&text);
	return made;
}

static bool is_in_program(const char *tracefs, const struct event_spec *spec)
{
	struct buf text = { .limit = MAX_PROBES_BYTES }, words = { 0 };
	struct err ignored;
	char path[PATH_MAX];
	bool found;

	(void)snprintf(path, sizeof(path), "%s/uprobe_events", tracefs); /* cut: not found */
	(void)buf_printf(&words, ":%s/%s ", spec->system, spec->tracepoint);
	found = !fd_read_file(path, &text, &ignored) && text.data && strstr(text.data, words.data);
	buf_done(&text);
	buf_done(&words);
	return found;
}

void tracepoint_look(const char *tracefs, struct event_spec *spec)
{
	spec->made = is_made(tracefs, spec);
	if (!spec->made || !is_in_program(tracefs, spec))
		return;
	/* Nothing of the kernel is asked for, so users without privileges may have it. */
	spec->attr.exclude_kernel = spec->attr.exclude_hv = 1;
	spec->exclude_given = true;
}

static bool is_glob(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

int tracepoint_systems(const char *tracefs, struct arena *arena, struct name_list *list)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/events", tracefs) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	/* folders only: the others are files named enable, header_page, header_event */
	return name_list_folder(list, path, "*", "", arena);
}

static bool is_tracepoint(const char *tracefs, const char *system, const char *name)
{
	char path[PATH_MAX];

	return plain_name(name) &&
	       snprintf(path, sizeof(path), "%s/events/%s/%s/id", tracefs, system, name) <
		       (int)sizeof(path) &&
	       access(path, F_OK) == 0;
}

/* One system's tracepoints; a name without a glob is looked up directly. */
static void match_in_system(const char *tracefs, const char *system, const char *glob,
			    struct arena *arena, struct name_list *list)
{
	struct name_list all = { 0 };
	char path[PATH_MAX], prefix[NAME_MAX + 2];

	if (!plain_name(system))
		return;
	if (!is_glob(glob))
		vec_push(&all, glob);
	else if (snprintf(path, sizeof(path), "%s/events/%s", tracefs, system) < (int)sizeof(path))
		(void)name_list_folder(&all, path, glob, "", arena); /* no such system: none */
	(void)snprintf(prefix, sizeof(prefix), "%s:", system);	     /* fits: plain_name() */
	for (size_t i = 0; i < all.count; i++)
		if (is_tracepoint(tracefs, system, all.item[i])) {
			size_t size = strlen(prefix) + strlen(all.item[i]) + 1;
			char *name = arena_alloc(arena, size);

			(void)snprintf(name, size, "%s%s", prefix, all.item[i]);
			vec_push(list, name);
		}
	name_list_done(&all);
}

int tracepoint_match(const char *tracefs, const char *pattern, struct arena *arena,
		     struct name_list *list, struct err *err)
{
	struct name_list systems = { 0 };
	const char *colon = strchr(pattern, ':');
	const char *system;
	int r = 0;

	if (!colon)
		return err_usage(err, "invalid tracepoint '%s': expected SYSTEM:TRACEPOINT",
				 pattern);
	system = arena_strndup(arena, pattern, (size_t)(colon - pattern));
	if (!is_glob(system))
		vec_push(&systems, system);
	else
		r = tracepoint_systems(tracefs, arena, &systems);
	if (r)
		err_set(err, r, "%s/events: %s", tracefs, strerror(-r));
	for (size_t i = 0; i < systems.count; i++)
		if (fnmatch(system, systems.item[i], 0) == 0)
			match_in_system(tracefs, systems.item[i], colon + 1, arena, list);
	name_list_done(&systems);
	return r;
}

const char *tracepoint_of_id(const char *tracefs, uint64_t id, struct arena *arena)
{
	struct name_list names = { 0 };
	struct err ignored;
	const char *found = NULL;

	(void)tracepoint_match(tracefs, "*:*", arena, &names, &ignored); /* then: none */
	for (size_t i = 0; i < names.count && !found; i++) {
		const char *colon = strchr(names.item[i], ':');
		const char *system =
			arena_strndup(arena, names.item[i], (size_t)(colon - names.item[i]));
		uint64_t this_id;

		if (tracepoint_id(tracefs, system, colon + 1, &this_id, &ignored) == 0 &&
		    this_id == id)
			found = names.item[i];
	}
	name_list_done(&names);
	return found;
}
