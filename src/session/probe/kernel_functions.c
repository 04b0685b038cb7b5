/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See kernel_functions.h. */
#include "session/probe/kernel_functions.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/suggest.h"
#include "source/event_spec/tracepoint.h"
#include "source/probe/kernel_links.h"
#include "source/probe/probe_spec.h"

#define TEXT_LIMIT (256u << 20)
#define MAX_SHOWN  3 /* tracepoints of a glob */

/* What a function does that many ask for, as tracepoints see it. */
static const struct {
	const char *function, *tracepoint;
} nearest[] = {
	{ "vfs_read", "syscalls:sys_enter_read" },
	{ "vfs_write", "syscalls:sys_enter_write" },
	{ "vfs_readv", "syscalls:sys_enter_readv" },
	{ "vfs_writev", "syscalls:sys_enter_writev" },
	{ "vfs_open", "syscalls:sys_enter_openat" },
	{ "do_sys_openat2", "syscalls:sys_enter_openat" },
	{ "do_filp_open", "syscalls:sys_enter_openat" },
	{ "vfs_fsync", "syscalls:sys_enter_fsync" },
	{ "vfs_fsync_range", "syscalls:sys_enter_fsync" },
	{ "vfs_statx", "syscalls:sys_enter_newfstatat" },
	{ "vfs_unlink", "syscalls:sys_enter_unlinkat" },
	{ "vfs_rename", "syscalls:sys_enter_renameat2" },
	{ "vfs_mkdir", "syscalls:sys_enter_mkdirat" },
	{ "vfs_getattr", "syscalls:sys_enter_newfstatat" },
	{ "filp_close", "syscalls:sys_enter_close" },
	{ "do_futex", "syscalls:sys_enter_futex" },
	{ "do_nanosleep", "syscalls:sys_enter_clock_nanosleep" },
	{ "do_epoll_wait", "syscalls:sys_enter_epoll_wait" },
	{ "do_mmap", "syscalls:sys_enter_mmap" },
	{ "schedule", "sched:sched_switch" },
	{ "__schedule", "sched:sched_switch" },
	{ "finish_task_switch", "sched:sched_switch" },
	{ "try_to_wake_up", "sched:sched_waking" },
	{ "wake_up_new_task", "sched:sched_wakeup_new" },
	{ "kernel_clone", "sched:sched_process_fork" },
	{ "copy_process", "sched:sched_process_fork" },
	{ "do_execveat_common", "sched:sched_process_exec" },
	{ "bprm_execve", "sched:sched_process_exec" },
	{ "do_exit", "sched:sched_process_exit" },
	{ "do_send_sig_info", "signal:signal_generate" },
	{ "get_signal", "signal:signal_deliver" },
	{ "submit_bio", "block:block_bio_queue" },
	{ "submit_bio_noacct", "block:block_bio_queue" },
	{ "blk_mq_start_request", "block:block_rq_issue" },
	{ "blk_mq_end_request", "block:block_rq_complete" },
	{ "blk_account_io_done", "block:block_rq_complete" },
	{ "tcp_sendmsg", "syscalls:sys_enter_sendto" },
	{ "tcp_recvmsg", "syscalls:sys_enter_recvfrom" },
	{ "tcp_set_state", "sock:inet_sock_set_state" },
	{ "tcp_v4_connect", "sock:inet_sock_set_state" },
	{ "tcp_connect", "sock:inet_sock_set_state" },
	{ "tcp_retransmit_skb", "tcp:tcp_retransmit_skb" },
	{ "kfree_skb", "skb:kfree_skb" },
	{ "handle_mm_fault", "exceptions:page_fault_user" },
	{ "kmalloc", "kmem:kmalloc" },
	{ "__kmalloc", "kmem:kmalloc" },
	{ "kfree", "kmem:kfree" },
	{ "kmem_cache_alloc", "kmem:kmem_cache_alloc" },
	{ "__alloc_pages", "kmem:mm_page_alloc" },
	{ "oom_kill_process", "oom:mark_victim" },
	{ "shrink_node", "vmscan:mm_vmscan_lru_shrink_inactive" },
};

/* A system call's own function: __x64_sys_read, ksys_read. */
static const char *call_of(const char *function)
{
	static const char *const prefixes[] = { "__x64_sys_",	 "__ia32_sys_", "__arm64_sys_",
						"__se_sys_",	 "__do_sys_",	"ksys_",
						"__x64_compat_", "do_sys_",	"sys_" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (strncmp(function, prefixes[i], strlen(prefixes[i])) == 0)
			return function + strlen(prefixes[i]);
	return NULL;
}

void kernel_functions_put_tracepoints(const char *glob, struct buf *ret)
{
	const char *call = call_of(glob), *last = "";
	size_t shown = 0;

	for (size_t i = 0; i < sizeof(nearest) / sizeof(*nearest) && shown < MAX_SHOWN; i++) {
		if (fnmatch(glob, nearest[i].function, 0) != 0 ||
		    strcmp(last, nearest[i].tracepoint) == 0)
			continue;
		last = nearest[i].tracepoint;
		(void)buf_printf(ret, "%st:%s", shown++ ? ", " : "", last);
	}
	if (!shown && call && *call)
		(void)buf_printf(ret, "t:syscalls:sys_enter_%s", call);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort(struct kernel_functions *all)
{
	size_t kept = 0;

	if (all->item.count)
		qsort(all->item.item, all->item.count, sizeof(*all->item.item), by_text);
	for (size_t i = 0; i < all->item.count; i++)
		if (!kept || strcmp(all->item.item[kept - 1], all->item.item[i]) != 0)
			all->item.item[kept++] = all->item.item[i];
	all->item.count = kept;
}

int kernel_functions_match(char *text, const char *glob, struct arena *arena,
			   struct kernel_functions *ret, struct err *err)
{
	struct suggest suggest = { .word = glob };
	bool is_glob = probe_is_glob(glob);
	char names[256], *next;

	for (char *line = text; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		line[strcspn(line, " \t")] = '\0';
		if (strncmp(line, "__ftrace_invalid", 16) == 0)
			continue;
		if (is_glob ? fnmatch(glob, line, 0) == 0 : strcmp(glob, line) == 0)
			vec_push(&ret->item, arena_strdup(arena, line));
		else if (!is_glob)
			suggest_offer(&suggest, line);
	}
	sort(ret);
	if (ret->item.count)
		return 0;
	(void)err_set(err, -ENOENT, "the kernel has no function %s that can be probed", glob);
	if (suggest.count)
		return err_hint(err, "did you mean %s?",
				suggest_text(&suggest, names, sizeof(names)));
	return err_hint(err, "functions of programs have the file in front: c:%s", glob);
}

/* "ADDRESS TYPE NAME", of code only → the names. */
static void keep_names(struct buf *all)
{
	char *to = all->data;

	for (char *line = all->data, *next; line && *line; line = next) {
		char *type = strchr(line, ' ');

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!type || !strchr("tTwW", type[1]) || !type[1] || type[2] != ' ')
			continue;
		memmove(to, type + 3, strlen(type + 3));
		to += strlen(type + 3);
		*to++ = '\n';
	}
	if (to)
		*to = '\0';
}

/* Which functions can be traced is in tracefs, where the kernel has the function tracer. */
static int read_functions(struct buf *ret, struct err *err)
{
	struct arena arena = { 0 };
	struct buf path = { 0 };
	const char *tracefs;
	int code = tracefs_find("", &arena, &tracefs, err);

	if (!code) {
		struct err ignored = { 0 };

		(void)buf_printf(&path, "%s/available_filter_functions", tracefs);
		if (fd_read_file(path.data, ret, &ignored) || !ret->len) {
			buf_clear(ret);
			code = fd_read_file("/proc/kallsyms", ret, err);
			if (!code && ret->len)
				keep_names(ret);
		}
	}
	buf_done(&path);
	arena_done(&arena);
	return code;
}

static int refuse(const char *glob, struct err *err)
{
	struct buf points = { 0 };

	kernel_functions_put_tracepoints(glob, &points);
	(void)err_set(err, -EOPNOTSUPP,
		      "%s: this kernel has no probes in its functions (CONFIG_KPROBES, "
		      "CONFIG_FPROBE)",
		      glob);
	if (points.len)
		(void)err_hint(err, "its tracepoints tell nearly the same: %s", points.data);
	else
		(void)err_hint(err,
			       "name the file of a function (c:%s), or a tracepoint "
			       "(t:CATEGORY:EVENT; see cupel list)",
			       glob);
	buf_done(&points);
	return err->code;
}

int kernel_functions_find(const char *glob, struct arena *arena, struct kernel_functions *ret,
			  struct err *err)
{
	struct buf all = { .limit = TEXT_LIMIT };
	int code;

	if (!kernel_links_possible())
		return refuse(glob, err);
	code = read_functions(&all, err);
	if (!code)
		code = kernel_functions_match(all.data, glob, arena, ret, err);
	buf_done(&all);
	return code;
}

void kernel_functions_done(struct kernel_functions *functions)
{
	vec_done(&functions->item);
}
