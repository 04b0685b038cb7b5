/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See heap_maps_watch.h. */
#include "session/heap/heap_maps_watch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "event/event.h"
#include "proc/maps_line.h"
#include "profile/heap/heap_maps.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/record/recording_options.h"
#include "source/event_spec/tracepoint.h"

#define MAPS_BYTES ((size_t)64 << 20)

/* In the order of enum heap_maps_value. */
static const struct load_values values[] = {
	{ "syscalls:sys_enter_mmap", { "addr", "len", "prot", "flags" } },
	{ "syscalls:sys_exit_mmap", { "ret" } },
	{ "syscalls:sys_enter_munmap", { "addr", "len" } },
	{ "syscalls:sys_exit_munmap", { "ret" } },
	{ "syscalls:sys_enter_mremap", { "addr", "old_len", "new_len" } },
	{ "syscalls:sys_exit_mremap", { "ret" } },
	{ "syscalls:sys_enter_mprotect", { "start", "len", "prot" } },
	{ "syscalls:sys_exit_mprotect", { "ret" } },
	{ "syscalls:sys_enter_brk", { "brk" } },
	{ "syscalls:sys_exit_brk", { "ret" } },
	{ "syscalls:sys_exit_execve", { "ret" } },
	{ NULL, { NULL } },
};

void heap_maps_load(struct load_options *load)
{
	load->keep = PROFILE_KEEP_TIME | PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_VALUES;
	load->values = values;
	load->heap = NULL;
}

int heap_maps_select(struct recording_options *options, struct err *err)
{
	struct arena arena = { 0 };
	const char *tracefs;
	uint64_t id;
	int code = tracefs_find("", &arena, &tracefs, err);

	for (size_t i = 0; !code && values[i].event; i++) {
		code = tracepoint_id(tracefs, "syscalls", strchr(values[i].event, ':') + 1, &id,
				     err);
		vec_push(&options->source.selector,
			 ((struct record_selector){ .text = values[i].event }));
	}
	arena_done(&arena);
	options->source.period = 1;
	options->source.raw = true;
	options->source.user_callchains = true;
	options->source.call_graph.given = true;
	return code ? err_hint(err, "--maps takes a kernel with tracepoints of system calls "
				    "(CONFIG_FTRACE_SYSCALLS)")
		    : 0;
}

uint64_t heap_maps_break(uint32_t pid)
{
	struct buf text = { .limit = MAPS_BYTES };
	struct err ignored = { 0 };
	struct event_mmap mapping;
	uint64_t ret = 0;
	char path[32], *line, *rest;

	(void)snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	if (!fd_read_file(path, &text, &ignored) && text.data)
		for (line = strtok_r(text.data, "\n", &rest); line;
		     line = strtok_r(NULL, "\n", &rest))
			if (maps_line_parse(line, &mapping) && strcmp(mapping.path, "[heap]") == 0)
				ret = mapping.start + mapping.len;
	buf_done(&text);
	return ret;
}

void heap_maps_finish(struct profile *profile, uint32_t pid, uint64_t brk, struct heap_summary *ret)
{
	const struct heap_maps_input input = { .pid = pid,
					       .brk = brk,
					       .page_bytes = (uint64_t)sysconf(_SC_PAGESIZE) };

	heap_maps_sum_up(profile, &input, ret);
}
