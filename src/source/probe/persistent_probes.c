/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Persistent probes of tracefs (see persistent_probes.h). */
#include "source/probe/persistent_probes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "source/event_spec/tracepoint.h"

#define MAX_BYTES (16u << 20)

/* The next word; NULL = none. */
static char *take_word(char **at)
{
	char *word = *at + strspn(*at, " "), *end = word + strcspn(word, " ");

	if (end == word)
		return NULL;
	*at = end + (*end != '\0');
	*end = '\0';
	return word;
}

/* "p:GROUP/EVENT", "r16:GROUP/EVENT" */
static bool parse_head(char *word, struct persistent_probe *probe)
{
	char *colon = strchr(word, ':'), *slash = colon ? strchr(colon, '/') : NULL;

	if ((word[0] != 'p' && word[0] != 'r') || !slash || slash == colon + 1 || !slash[1])
		return false;
	*slash = '\0';
	probe->returns = word[0] == 'r';
	probe->group = colon + 1;
	probe->event = slash + 1;
	return true;
}

/* "/path:0x12ab", "/path:0x12ab(0x40)" */
static bool parse_file_place(char *word, struct persistent_probe *probe)
{
	char *colon = strrchr(word, ':'), *end;

	if (!colon || colon == word)
		return false;
	*colon = '\0';
	probe->file = word;
	errno = 0;
	probe->offset = strtoull(colon + 1, &end, 0);
	return !errno && end != colon + 1 && (!*end || *end == '(');
}

/* "size=%di buf=+0(%si):string" → " size buf", in place */
static const char *names_of(char *arguments, char *room)
{
	char *word, *at = room;

	while ((word = take_word(&arguments))) {
		size_t len = strcspn(word, "=");

		*at++ = ' ';
		memmove(at, word, len);
		at += len;
	}
	*at = '\0';
	return room;
}

static bool parse_line(char *line, char *room, bool of_kernel, struct persistent_probe *ret)
{
	struct persistent_probe probe = { 0 };
	char *head, *place;

	if (!text_is_tidy(line, strlen(line)))
		return false;
	head = take_word(&line);
	place = take_word(&line);
	if (!head || !place || !parse_head(head, &probe))
		return false;
	if (of_kernel)
		probe.place = place;
	else if (!parse_file_place(place, &probe))
		return false;
	probe.names = names_of(line, room);
	*ret = probe;
	return true;
}

void persistent_probes_parse(const char *text, size_t len, bool of_kernel,
			     struct persistent_probes *ret)
{
	/* The names of arguments, each with a blank before it, are not longer than the line. */
	char *copy = mem_alloc(2 * len + 2), *room = copy + len + 1, *next;

	memcpy(copy, text, len);
	copy[len] = '\0';
	vec_push(&ret->text, copy);
	for (char *line = copy; line; line = next) {
		struct persistent_probe probe;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!parse_line(line, room, of_kernel, &probe))
			continue;
		vec_push(&ret->item, probe);
		room += strlen(room) + 1;
	}
}

static const char *file_of(bool of_kernel)
{
	return of_kernel ? "kprobe_events" : "uprobe_events";
}

static int read_file(const char *tracefs, bool of_kernel, struct persistent_probes *ret,
		     struct err *err)
{
	struct buf path = { 0 }, text = { .limit = MAX_BYTES };
	struct err failed = { 0 };
	int code;

	(void)buf_printf(&path, "%s/%s", tracefs, file_of(of_kernel));
	code = fd_read_file(path.data, &text, &failed);
	if (!code && text.len)
		persistent_probes_parse(text.data, text.len, of_kernel, ret);
	else if (code == -ENOENT) /* a kernel without such probes */
		code = 0;
	if (code) {
		(void)err_set(err, code, "%s", failed.msg);
		(void)err_hint(err, "the probes of the kernel may be read by root");
	}
	buf_done(&text);
	buf_done(&path);
	return code;
}

int persistent_probes_read(const char *root, struct persistent_probes *ret, struct err *err)
{
	struct persistent_probes all = { 0 };
	struct arena arena = { 0 };
	const char *tracefs;
	int code = tracefs_find(root, &arena, &tracefs, err);

	if (!code)
		code = read_file(tracefs, false, &all, err);
	if (!code)
		code = read_file(tracefs, true, &all, err);
	arena_done(&arena);
	if (code)
		persistent_probes_done(&all);
	else
		*ret = all;
	return code;
}

static int fail_to_remove(const struct persistent_probe *probe, int code, struct err *err)
{
	(void)err_set(err, code, "%s:%s cannot be removed: %s", probe->group, probe->event,
		      strerror(-code));
	if (code == -EBUSY)
		return err_hint(err,
				"a program uses it, or it is enabled in tracefs: end that first");
	return err_hint(err, "probes of the kernel are removed by root");
}

int persistent_probe_remove(const char *root, const struct persistent_probe *probe, struct err *err)
{
	struct buf path = { 0 }, text = { 0 };
	struct arena arena = { 0 };
	const char *tracefs;
	int code = tracefs_find(root, &arena, &tracefs, err);

	if (!code) {
		AUTO_CLOSE int fd = -1;

		(void)buf_printf(&path, "%s/%s", tracefs, file_of(!probe->file));
		(void)buf_printf(&text, "-:%s/%s\n", probe->group, probe->event);
		fd = open(path.data, O_WRONLY | O_APPEND | O_CLOEXEC);
		code = fd < 0 ? -errno : fd_write_all(fd, text.data, text.len);
		if (code)
			code = fail_to_remove(probe, code, err);
	}
	buf_done(&text);
	buf_done(&path);
	arena_done(&arena);
	return code;
}

void persistent_probes_done(struct persistent_probes *probes)
{
	for (size_t i = 0; i < probes->text.count; i++)
		free(probes->text.item[i]);
	vec_done(&probes->text);
	vec_done(&probes->item);
}
