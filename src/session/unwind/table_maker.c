/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The child that makes tables, and its two questions: is the file there, and its table. What comes
 * back is checked like a file of the cache. */
#include "session/unwind/table_maker.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/fork_server.h"
#include "base/memory_limit.h"
#include "base/sandbox.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "proc/module_file.h"
#include "proc/vdso_image.h"
#include "session/unwind/table_store.h"
#include "unwind/compact/compact.h"
#include "unwind/table.h"

#define MOST_MS	   30000 /* for one table */
#define MOST_BYTES ((uint64_t)256 << 20)

struct question {
	struct module module; /* its pointers mean nothing; the path follows */
	uint64_t path_bytes;
};

struct found {
	bool is_there, unfiltered;
	struct build_id key;
};

struct made {
	uint64_t bytes; /* of the table, which follows */
	uint64_t build_ns;
};

static struct elf_file *open_module(const struct module *module)
{
	struct err ignored = { 0 }; /* symbolization reports missing files */
	struct elf_file *elf;
	int code;

	if (module->kind == MODULE_VDSO)
		code = vdso_image_open(&elf, &ignored);
	else
		code = module_file_open_mapped(module, &elf, &ignored);
	return code ? NULL : elf;
}

static struct compact *build(struct elf_file *elf, bool drafted, uint64_t *ret_ns)
{
	uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	struct unwind_table *table = unwind_table_of_elf(elf);
	struct compact *compact = drafted ? NULL : compact_build_draft(table);

	if (!compact)
		compact = compact_build(table);
	unwind_table_close(table);
	*ret_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
	return compact;
}

/* The child. */

static bool take(int socket, void *data, size_t len)
{
	return fd_read_full(socket, data, len) == (ssize_t)len;
}

/* *drafted: a table follows the draft, if it is wanted. */
static bool answer_table(int socket, struct elf_file *elf, const struct build_id *key,
			 bool *drafted)
{
	struct buf file = { .limit = MOST_BYTES };
	struct made made;
	struct compact *compact = build(elf, *drafted, &made.build_ns);
	bool fine;

	*drafted = compact->flags & COMPACT_DRAFT;
	compact_file_write(compact, key, &file);
	made.bytes = file.len;
	fine = !fd_write_all(socket, &made, sizeof(made)) &&
	       !fd_write_all(socket, file.data, file.len);
	compact_free(compact);
	buf_done(&file);
	return fine;
}

static bool answer(int socket, bool unfiltered)
{
	struct found found = { .unfiltered = unfiltered };
	struct question question;
	struct elf_file *elf;
	char path[PATH_MAX];
	bool fine, drafted = false;
	char wanted;

	if (!take(socket, &question, sizeof(question)) || question.path_bytes >= sizeof(path) ||
	    !take(socket, path, question.path_bytes))
		return false;
	path[question.path_bytes] = '\0';
	question.module.path = question.module.name = path;
	elf = open_module(&question.module);
	found.is_there = elf != NULL;
	if (elf)
		table_store_key(elf, &found.key);
	fine = !fd_write_all(socket, &found, sizeof(found));
	while (fine && elf) {
		fine = take(socket, &wanted, 1) &&
		       (!wanted || answer_table(socket, elf, &found.key, &drafted));
		if (!wanted || !drafted)
			break;
	}
	elf_file_close(elf);
	return fine;
}

static void make_tables(int socket)
{
	struct err ignored = { 0 };
	bool unfiltered;

	(void)prctl(PR_SET_NAME, "cupel-tables");
	memory_limit_child();
	(void)setrlimit(RLIMIT_CORE, &(struct rlimit){ 0 });
	unfiltered = MEMORY_LIMIT_METERED && sandbox_enter(&ignored);
	while (answer(socket, unfiltered))
		;
}

/* The parent. */

static bool start(struct table_maker *maker)
{
	if (maker->socket < 0)
		maker->socket = fork_server_start(maker->server, make_tables, &maker->pid);
	return maker->socket >= 0;
}

void table_maker_close(struct table_maker *maker)
{
	elf_file_close(take_pointer(&maker->elf));
	if (maker->socket < 0)
		return;
	(void)close(take_fd(&maker->socket));
	(void)fork_server_end(maker->server, maker->pid);
}

static bool give(struct table_maker *maker, const void *data, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n =
			send(maker->socket, (const char *)data + done, len - done, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static bool receive(struct table_maker *maker, void *data, size_t len)
{
	struct pollfd wait = { .fd = maker->socket, .events = POLLIN };

	for (size_t done = 0; done < len;) {
		ssize_t n;

		if (poll(&wait, 1, MOST_MS) <= 0)
			return false; /* signals are blocked here: the time is over */
		n = read(maker->socket, (char *)data + done, len - done);
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

bool table_maker_open(struct table_maker *maker, const struct module *module,
		      struct build_id *ret_key, bool *failed)
{
	struct question question = { .module = *module, .path_bytes = strlen(module->path) };
	struct found found = { 0 };

	*failed = maker->drafted = false;
	if (!maker->server) {
		maker->elf = open_module(module);
		if (maker->elf)
			table_store_key(maker->elf, ret_key);
		return maker->elf != NULL;
	}
	if (!start(maker) || !give(maker, &question, sizeof(question)) ||
	    !give(maker, module->path, question.path_bytes) ||
	    !receive(maker, &found, sizeof(found))) {
		*failed = true;
		table_maker_close(maker);
		return false;
	}
	maker->unfiltered |= found.unfiltered;
	*ret_key = found.key;
	if (ret_key->len > BUILD_ID_MAX)
		ret_key->len = 0;
	return found.is_there;
}

struct compact *table_maker_build(struct table_maker *maker, const struct build_id *key,
				  uint64_t *ret_ns)
{
	const char wanted = 1;
	struct compact *ret = NULL;
	struct made made = { 0 };
	struct err ignored;
	char *file = NULL;

	if (maker->elf) {
		ret = build(maker->elf, maker->drafted, ret_ns);
		maker->drafted = ret->flags & COMPACT_DRAFT;
		if (!maker->drafted)
			elf_file_close(take_pointer(&maker->elf));
		return ret;
	}
	if (give(maker, &wanted, 1) && receive(maker, &made, sizeof(made)) &&
	    made.bytes <= MOST_BYTES) {
		file = mem_alloc(made.bytes + 1);
		if (receive(maker, file, made.bytes) &&
		    compact_file_parse(file, made.bytes, key, &ret, &ignored))
			ret = NULL;
	}
	free(file);
	*ret_ns = made.build_ns;
	if (!ret)
		table_maker_close(maker);
	return ret;
}

void table_maker_skip(struct table_maker *maker)
{
	const char wanted = 0;

	if (maker->elf)
		elf_file_close(take_pointer(&maker->elf));
	else if (maker->socket >= 0 && !give(maker, &wanted, 1))
		table_maker_close(maker);
}
