/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing perf script text (see perf_script_write.h), with the fields comm, pid, tid, cpu, time,
 * period, event, ip, sym, symoff, dso and srcline. */
#include "format/format.h"
#include "format/perf_script/perf_script_read.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "format/format.h"
#include "profile/profile.h"

#define NS_PER_S 1000000000u

static void put_id(struct buf *out, uint32_t id)
{
	(void)(id == PROFILE_NO_ID ? buf_puts(out, "-1") : buf_put_u64(out, id));
}

static void put_header(const struct profile *p, const struct profile_sample *s, struct buf *out)
{
	const struct profile_thread *thread = &p->threads.item[s->thread.v];
	const struct profile_event *event = &p->events.item[s->event];
	const char *comm = profile_string(p, thread->comm);

	(void)buf_printf(out, "%s ", *comm ? comm : "?");
	put_id(out, thread->pid);
	(void)buf_putc(out, '/');
	put_id(out, thread->tid);
	if (s->cpu != PROFILE_NO_CPU)
		(void)buf_printf(out, " [%03u]", s->cpu);
	(void)buf_printf(out, " %llu.%09llu: %llu %s", (unsigned long long)(s->time_ns / NS_PER_S),
			 (unsigned long long)(s->time_ns % NS_PER_S), (unsigned long long)s->weight,
			 profile_string(p, event->name));
	if (event->scale > 1) /* periods are whole numbers: text_event() reads this back */
		(void)buf_printf(out, "/%u", event->scale);
	(void)buf_puts(out, ": \n");
}

static void put_frame(const struct profile *p, const struct frame *frame, struct buf *out)
{
	const char *name = frame->function.v ? profile_string(p, frame->function) : "[unknown]";
	const char *module = frame->module ? profile_string(p, p->modules.item[frame->module].path)
					   : "[unknown]";
	uint64_t pc = frame->pc ? frame->pc : frame->offset;

	if (!pc && frame->kind == FRAME_KERNEL) /* readers tell the kernel by its half */
		pc = (uint64_t)1 << 63;
	(void)buf_printf(out, "\t%16llx %s", (unsigned long long)pc, name);
	if (frame->function.v && frame->symbol_start && frame->offset >= frame->symbol_start)
		(void)buf_printf(out, "+0x%llx",
				 (unsigned long long)(frame->offset - frame->symbol_start));
	(void)buf_printf(out, " (%s)\n", frame->inlined ? "inlined" : module);
	if (frame->file.v)
		(void)buf_printf(out, "  %s:%u\n", profile_string(p, frame->file), frame->line);
}

static void put_comment(const struct profile *p, const char *key, string_id value, struct buf *out)
{
	if (value.v)
		(void)buf_printf(out, "# %s : %s\n", key, profile_string(p, value));
}

static int perf_script_write(const struct profile *profile,
			     const struct format_write_options *options, struct buf *ret,
			     struct err *err)
{
	const struct profile_meta *meta = &profile->meta;

	(void)options; /* names stay as they are */
	(void)err;     /* the caller checks the buffer's limit */
	put_comment(profile, "hostname", meta->hostname, ret);
	put_comment(profile, "os release", meta->os_release, ret);
	put_comment(profile, "arch", meta->arch, ret);
	put_comment(profile, "cpudesc", meta->cpu_desc, ret);
	put_comment(profile, "cmdline", meta->command, ret);
	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *s = &profile->samples.item[i];

		if (!s->count || !s->weight) /* a period of 0 reads as none, which is 1 */
			continue;
		put_header(profile, s, ret);
		for (stack_id at = s->stack; at.v; at = profile->nodes.item[at.v].parent) {
			frame_id frame = profile->nodes.item[at.v].frame;

			put_frame(profile, &profile->frames.item[frame.v], ret);
		}
		(void)buf_putc(ret, '\n');
	}
	return 0;
}

const struct format_ops format_perf_script = {
	.name = "perf-script",
	.suffix = ".perf",
	.help = "perf script text",
	.sniff = perf_script_sniff,
	.read = perf_script_read,
	.write = perf_script_write,
	.waits = &format_perf_sched,
	.places = true,
	.keep = PROFILE_KEEP_TIME | PROFILE_KEEP_CPU,
};
