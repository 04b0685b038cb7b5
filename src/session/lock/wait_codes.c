/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The child and its answers (see wait_codes.h). */
#include "session/lock/wait_codes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/confined.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/map.h"
#include "base/memory_limit.h"
#include "base/vec.h"
#include "event/event.h"
#include "event/ledger_account.h"
#include "event/sink.h"
#include "proc/scan.h"
#include "session/capture.h"
#include "symbol/symbolizer.h"
#include "unwind/table.h"

#define LIMIT_BYTES ((uint64_t)16 << 20) /* as of an input of this size */
#define LIBRARY	    "libjvm.so"

struct wait_codes {
	struct confined child;
};

enum wait_verdict wait_code_verdict(const char *function)
{
	/* ObjectMonitor::wait() calls the functions that get the monitor back. */
	static const struct {
		const char *begin;
		enum wait_verdict verdict;
	} known[] = {
		{ "ObjectMonitor::enter", WAIT_CODE_LOCK },
		{ "ObjectMonitor::Enter", WAIT_CODE_LOCK },
		{ "ObjectMonitor::reenter", WAIT_CODE_LOCK },
		{ "ObjectMonitor::Reenter", WAIT_CODE_LOCK },
		{ "ObjectMonitor::", WAIT_CODE_OTHER },
		{ "Parker::park", WAIT_CODE_OTHER },
		{ "Monitor::wait", WAIT_CODE_OTHER },
		{ "Unsafe_Park", WAIT_CODE_OTHER },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strncmp(function, known[i].begin, strlen(known[i].begin)) == 0)
			return known[i].verdict;
	return WAIT_CODE_CALLER;
}

/* The child. */

struct opened {
	struct symbolizer *symbolizer;
	struct unwind_table *table;
};

struct finder {
	struct sink sink; /* first; of what processes have mapped */
	struct capture capture;
	struct map scanned;
	struct symbol_options options;
	VEC(struct opened) opened; /* by module */
};

static int take_event(struct sink *sink, const struct event *event, struct err *err)
{
	(void)err;
	proc_table_apply(((struct finder *)sink)->capture.procs, event);
	return 0;
}

/* When it is asked for first, the library is mapped. */
static const struct address_space *space_of(struct finder *finder, uint32_t pid)
{
	const struct scan_options options = { 0 };
	struct err gone = { 0 };
	bool added;

	(void)map_add(&finder->scanned, pid, &added);
	if (added)
		(void)scan_process((pid_t)pid, &options, &finder->sink, &gone);
	return proc_table_thread(finder->capture.procs, pid, pid)->process->space;
}

static bool has_library(const struct address_space *space)
{
	for (size_t i = 0; i < space->count; i++) {
		const char *path = space->item[i].module->path, *slash = strrchr(path, '/');

		if (strncmp(slash ? slash + 1 : path, LIBRARY, strlen(LIBRARY)) == 0)
			return true;
	}
	return false;
}

static struct opened *opened_of(struct finder *finder, const struct module *module)
{
	struct opened *opened;

	while (finder->opened.count <= module->id.v)
		vec_push(&finder->opened, (struct opened){ 0 });
	opened = &finder->opened.item[module->id.v];
	if (!opened->table) {
		opened->table = unwind_table_open(module, "");
		opened->symbolizer = symbolizer_open(module, &finder->options);
	}
	return opened;
}

static struct wait_code code_at(struct finder *finder, const struct ledger_code *question)
{
	const struct address_space *space = space_of(finder, question->tgid);
	const struct mapping *mapping = address_space_find(space, question->pc - 1);
	struct wait_code code = { .verdict = WAIT_CODE_OTHER };
	struct unwind_place place = { .returns = true };
	struct opened *opened;
	struct symbol symbol;

	if (!mapping)
		return code;
	opened = opened_of(finder, mapping->module);
	place.offset = question->pc - mapping->start + mapping->pgoff;
	code.rule = unwind_table_rule(opened->table, place);
	code.verdict = WAIT_CODE_CALLER;
	if (symbolizer_resolve(opened->symbolizer, place.offset - 1, &symbol) && symbol.count &&
	    symbol.frame[symbol.count - 1].name)
		code.verdict = wait_code_verdict(symbol.frame[symbol.count - 1].name);
	return code;
}

static void run(void *context, int socket)
{
	struct finder finder = { .sink.event = take_event };
	struct ledger_code question;

	(void)context;
	memory_limit_begin("the programs", 1);
	memory_limit_input(LIMIT_BYTES);
	capture_open(&finder.capture);
	finder.options = (struct symbol_options){ .demangle = true,
						  .symfs = "",
						  .shared = symbol_shared_new(),
						  .modules = finder.capture.modules };
	while (fd_read_full(socket, &question, sizeof(question)) == (ssize_t)sizeof(question)) {
		struct wait_code code = { .verdict = WAIT_CODE_OTHER };

		if (question.pc)
			code = code_at(&finder, &question);
		else if (has_library(space_of(&finder, question.tgid)))
			code.verdict = WAIT_CODE_CALLER;
		if (fd_write_all(socket, &code, sizeof(code)))
			break;
	}
}

/* The parent. */

int wait_codes_start(struct wait_codes **ret, struct err *err)
{
	const struct confined_options how = { .name = "cupel-reader", .keep = -1 };
	struct wait_codes *codes = mem_zalloc(sizeof(*codes));
	int code;

	codes->child = CONFINED_NONE;
	code = confined_start(&how, run, NULL, &codes->child, err);
	if (code)
		wait_codes_free(codes);
	else
		*ret = codes;
	return code;
}

void wait_codes_find(struct wait_codes *codes, const struct ledger_code *question,
		     struct wait_code *ret)
{
	struct wait_code code = { .verdict = WAIT_CODE_OTHER };
	int socket = codes->child.socket;

	if (socket >= 0 && (fd_write_all(socket, question, sizeof(*question)) ||
			    fd_read_full(socket, &code, sizeof(code)) != (ssize_t)sizeof(code) ||
			    code.verdict > WAIT_CODE_OTHER)) {
		confined_end(&codes->child);
		code = (struct wait_code){ .verdict = WAIT_CODE_OTHER };
	}
	*ret = code;
}

void wait_codes_free(struct wait_codes *codes)
{
	if (!codes)
		return;
	confined_end(&codes->child);
	free(codes);
}
