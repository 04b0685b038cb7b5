/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Page faults of processes and of what they fork. snapshot() and stop() deliver an EVENT_READ for
 * each process, whose one value is the count since the start. Of struct source_options it reads
 * pids and program. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "event/event.h"
#include "source/id_list.h"
#include "source/source.h"

extern const struct source_ops source_page_faults;

struct page_faults {
	struct source source; /* first */
	struct id_list pid;
	VEC(int) fd; /* by process */
};

static struct page_faults *self_of(struct source *source)
{
	return (struct page_faults *)source;
}

static void page_faults_close(struct source *source)
{
	struct page_faults *self = self_of(source);

	for (size_t i = 0; i < self->fd.count; i++)
		fd_close(&self->fd.item[i]);
	vec_done(&self->fd);
	vec_done(&self->pid);
	free(self);
}

static int open_counters(struct page_faults *self, const struct source_options *options,
			 struct err *err)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_PAGE_FAULTS,
					.disabled = 1,
					.inherit = 1,
					.exclude_kernel = 1 };
	int code = id_list_parse(options->pids, "process", &self->pid, err);

	if (!code && options->program)
		vec_push(&self->pid, options->program);
	for (size_t i = 0; !code && i < self->pid.count; i++) {
		int fd = (int)syscall(SYS_perf_event_open, &attr, self->pid.item[i], -1, -1,
				      PERF_FLAG_FD_CLOEXEC);

		if (fd < 0)
			code = err_errno(err, "counting page faults of process %d",
					 self->pid.item[i]);
		else
			vec_push(&self->fd, fd);
	}
	return code;
}

static int page_faults_open(struct source **ret, const struct source_options *options,
			    struct err *err)
{
	struct page_faults *self = mem_zalloc(sizeof(*self));
	int code = open_counters(self, options, err);

	self->source = (struct source){ .ops = &source_page_faults, .fd = -1 };
	if (code)
		page_faults_close(&self->source);
	else
		*ret = &self->source;
	return code;
}

static int page_faults_start(struct source *source, struct err *err)
{
	struct page_faults *self = self_of(source);

	for (size_t i = 0; i < self->fd.count; i++)
		if (ioctl(self->fd.item[i], PERF_EVENT_IOC_ENABLE, 0))
			return err_errno(err, "counting page faults");
	return 0;
}

static int page_faults_snapshot(struct source *source, struct sink *sink, struct err *err)
{
	struct page_faults *self = self_of(source);
	int code = 0;

	for (size_t i = 0; !code && i < self->fd.count; i++) {
		const uint32_t pid = (uint32_t)self->pid.item[i];
		uint64_t count;
		const struct event event = { .type = EVENT_READ,
					     .pid = pid,
					     .tid = pid,
					     .cpu = UINT32_MAX,
					     .read = { &count, sizeof(count) } };

		if (read(self->fd.item[i], &count, sizeof(count)) != (ssize_t)sizeof(count))
			return err_errno(err, "reading page faults");
		code = sink->event(sink, &event, err);
	}
	return code;
}

const struct source_ops source_page_faults = {
	.name = "page_faults",
	.help = "page faults of processes, counted",
	.open = page_faults_open,
	.start = page_faults_start,
	.snapshot = page_faults_snapshot,
	.stop = page_faults_snapshot,
	.close = page_faults_close,
};
