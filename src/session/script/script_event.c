/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events that are not samples, as perf script --show-*-events prints them. */
#include <sys/mman.h>

#include "session/script/script_private.h"

bool script_wants_event(const struct script_options *options, const struct event *event)
{
	switch (event->type) {
	case EVENT_COMM:
	case EVENT_FORK:
	case EVENT_EXIT:
		return options->show_tasks;
	case EVENT_MMAP:
		return options->show_mmaps;
	case EVENT_SWITCH:
		return options->show_switches;
	case EVENT_LOST:
		return options->show_lost;
	case EVENT_NAMESPACES:
		return options->show_namespaces;
	case EVENT_ROUND:
		return options->show_rounds;
	case EVENT_CGROUP:
		return options->show_cgroups;
	case EVENT_KSYMBOL:
	case EVENT_BPF:
		return options->show_bpf;
	default:
		return false;
	}
}

/* A name at the end of a line. */
static void put_last(struct buf *out, const char *name)
{
	(void)buf_put_tidy(out, name);
	(void)buf_putc(out, '\n');
}

/* '#' forms print 0 without a prefix, as printf does. */
static void put_mmap(struct buf *out, const struct event *event)
{
	const struct event_mmap *m = &event->mmap;
	bool second = event->raw && event->raw->type == PERF_RECORD_MMAP2;

	(void)buf_printf(out, "PERF_RECORD_MMAP%s %d/%d: [%#llx(%#llx) @ %#llx", second ? "2" : "",
			 (int)event->pid, (int)event->tid, (unsigned long long)m->start,
			 (unsigned long long)m->len, (unsigned long long)m->pgoff);
	if (!second) {
		(void)buf_printf(out, "]: %c ",
				 event->misc & PERF_RECORD_MISC_MMAP_DATA ? 'r' : 'x');
		put_last(out, m->path);
		return;
	}
	if (m->build_id.len) {
		(void)buf_puts(out, " <");
		for (size_t i = 0; i < m->build_id.len; i++)
			(void)buf_printf(out, "%02x", m->build_id.bytes[i]);
		(void)buf_putc(out, '>');
	} else {
		(void)buf_printf(out, " %02x:%02x %llu %llu", m->maj, m->min,
				 (unsigned long long)m->ino, (unsigned long long)m->ino_generation);
	}
	(void)buf_printf(out, "]: %c%c%c%c ", m->prot & PROT_READ ? 'r' : '-',
			 m->prot & PROT_WRITE ? 'w' : '-', m->prot & PROT_EXEC ? 'x' : '-',
			 m->flags & MAP_SHARED ? 's' : 'p');
	put_last(out, m->path);
}

static void put_switch(struct buf *out, const struct event *event)
{
	const char *way = !event->sched.out	 ? "IN         "
			  : event->sched.preempt ? "OUT preempt"
						 : "OUT        ";

	if (!event->sched.cpu_wide) {
		(void)buf_printf(out, "PERF_RECORD_SWITCH %s\n", way);
		return;
	}
	(void)buf_printf(out, "PERF_RECORD_SWITCH_CPU_WIDE %s  %s pid/tid: %5d/%-5d\n", way,
			 event->sched.out ? "next" : "prev", (int)event->sched.other_pid,
			 (int)event->sched.other_tid);
}

/* Four to a line; order of the kernel's NS_* indexes in perf_event.h. */
static void put_namespaces(struct buf *out, const struct event *event)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	uint64_t count = event->namespaces.count;

	(void)buf_printf(out, "PERF_RECORD_NAMESPACES %d/%d - nr_namespaces: %llu\n\t\t[",
			 (int)event->pid, (int)event->tid, (unsigned long long)count);
	for (uint64_t i = 0; i < count; i++) {
		const struct perf_ns_link_info *item = &event->namespaces.item[i];
		const char *name = i < sizeof(names) / sizeof(names[0]) ? names[i] : "unknown";

		if (i && i % 4 == 0)
			(void)buf_puts(out, "\n\t\t ");
		(void)buf_printf(out, "%u/%s: %llu/%#llx%s", (unsigned)i, name,
				 (unsigned long long)item->dev, (unsigned long long)item->ino,
				 i + 1 < count ? ", " : "]\n");
	}
}

static void put_task(struct buf *out, const char *name, const struct event *event)
{
	(void)buf_printf(out, "PERF_RECORD_%s(%d:%d):(%d:%d)\n", name, (int)event->pid,
			 (int)event->tid, (int)event->task.ppid, (int)event->task.ptid);
}

void script_put_event(struct buf *out, const struct event *event)
{
	switch (event->type) {
	case EVENT_COMM:
		(void)buf_printf(out, "PERF_RECORD_COMM%s: ", event->comm.exec ? " exec" : "");
		(void)buf_put_tidy(out, event->comm.name);
		(void)buf_printf(out, ":%d/%d\n", (int)event->pid, (int)event->tid);
		break;
	case EVENT_FORK:
		put_task(out, "FORK", event);
		break;
	case EVENT_EXIT:
		put_task(out, "EXIT", event);
		break;
	case EVENT_MMAP:
		put_mmap(out, event);
		break;
	case EVENT_SWITCH:
		put_switch(out, event);
		break;
	case EVENT_LOST:
		(void)buf_printf(out, "PERF_RECORD_LOST lost %llu\n",
				 (unsigned long long)event->lost.count);
		break;
	case EVENT_NAMESPACES:
		put_namespaces(out, event);
		break;
	case EVENT_ROUND:
		(void)buf_puts(out, "PERF_RECORD_FINISHED_ROUND\n");
		break;
	case EVENT_CGROUP:
		(void)buf_printf(out, "PERF_RECORD_CGROUP cgroup: %llu ",
				 (unsigned long long)event->cgroup.id);
		put_last(out, event->cgroup.path);
		break;
	case EVENT_KSYMBOL:
		(void)buf_printf(
			out, "PERF_RECORD_KSYMBOL addr %llx len %u type %u flags 0x%x name ",
			(unsigned long long)event->ksymbol.addr, event->ksymbol.len,
			(unsigned)event->ksymbol.ksym_type, (unsigned)event->ksymbol.flags);
		put_last(out, event->ksymbol.name);
		break;
	case EVENT_BPF:
		(void)buf_printf(out, "PERF_RECORD_BPF_EVENT type %u, flags %u, id %u\n",
				 event->bpf.type, event->bpf.flags, event->bpf.id);
		break;
	default:
		break;
	}
}
