/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples as system calls, faults and events (see trace_samples.h). The fields of the tracepoints
 * are those of events/raw_syscalls and events/syscalls in tracefs. */
#include "session/trace/trace_samples.h"

#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "event/desc.h"
#include "event/event.h"
#include "event/syscall.h"
#include "format/trace/trace_print.h"
#include "proc/module.h"
#include "proc/proc.h"
#include "session/replay.h"
#include "session/trace/trace_maps.h"
#include "session/trace/trace_stack.h"
#include "source/syscall/syscall_table.h"

enum sample_kind {
	SAMPLE_OTHER,
	SAMPLE_ENTER,
	SAMPLE_EXIT,
	SAMPLE_FAULT,
	SAMPLE_BEGIN, /* of a call: for its stack only */
};

/* Of one event of the recording. */
struct sample_plan {
	bool made;
	enum sample_kind kind;
	const char *name;
	struct trace_field number, result;
	uint32_t args; /* offset of the first one; all have 8 bytes */
};

struct open_call {
	uint64_t start_ns, arg[SYSCALL_ARGS];
	uint32_t call; /* SYSCALL_NONE = not in a call */
	uint32_t pid;
	struct trace_stack *stack; /* owned; NULL = not wanted */
};

struct trace_samples {
	struct replay_handler handler; /* first */
	const struct trace_samples_options *options;
	const struct perf_data *data;
	struct trace_print *print; /* made when first needed */
	VEC(struct sample_plan) plan;
	struct map by_tid; /* index + 1 in open */
	VEC(struct open_call) open;
	struct trace_maps maps;
	struct buf text;
};

static bool begins_with(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

static bool plan_call(struct trace_samples *samples, const struct event_desc *desc,
		      struct sample_plan *plan)
{
	bool raw = begins_with(desc->name, "raw_syscalls:");
	bool enters = begins_with(desc->name, "raw_syscalls:sys_enter") ||
		      begins_with(desc->name, "syscalls:sys_enter_");
	struct trace_field args = { 0 };

	if (!enters && !begins_with(desc->name, "raw_syscalls:sys_exit") &&
	    !begins_with(desc->name, "syscalls:sys_exit_"))
		return false;
	if (!trace_print_field(samples->print, desc, raw ? "id" : "__syscall_nr", &plan->number) &&
	    !trace_print_field(samples->print, desc, "nr", &plan->number))
		return false;
	plan->kind = enters ? SAMPLE_ENTER : SAMPLE_EXIT;
	if (!enters)
		return trace_print_field(samples->print, desc, "ret", &plan->result);
	/* Those of syscalls:* follow the number. */
	plan->args = (plan->number.offset + plan->number.size + 7) & ~7u;
	if (raw && trace_print_field(samples->print, desc, "args", &args))
		plan->args = args.offset;
	return true;
}

static void plan_event(struct trace_samples *samples, const struct event_desc *desc,
		       struct sample_plan *plan)
{
	bool software = desc->attr.type == PERF_TYPE_SOFTWARE;

	plan->made = true;
	plan->name = desc->name;
	if (!software && !samples->print)
		samples->print = trace_print_new(samples->data);
	if (!software && samples->options->line && plan_call(samples, desc, plan))
		return;
	if (samples->options->begin && strcmp(desc->name, "raw_syscalls:sys_enter") == 0) {
		plan->kind = SAMPLE_BEGIN;
		return;
	}
	plan->kind = SAMPLE_OTHER;
	if (!software)
		return;
	if (desc->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MAJ)
		plan->name = "majfault";
	else if (desc->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MIN)
		plan->name = "minfault";
	else if (desc->attr.config == PERF_COUNT_SW_PAGE_FAULTS)
		plan->name = "pagefault";
	else
		return;
	plan->kind = SAMPLE_FAULT;
}

static const struct sample_plan *plan_of(struct trace_samples *samples,
					 const struct event_desc *desc)
{
	struct sample_plan *plan;

	while (samples->plan.count <= desc->index)
		vec_push(&samples->plan, (struct sample_plan){ 0 });
	plan = &samples->plan.item[desc->index];
	if (!plan->made)
		plan_event(samples, desc, plan);
	return plan;
}

static struct open_call *call_of(struct trace_samples *samples, uint32_t tid)
{
	bool added;
	uint64_t *index = map_add(&samples->by_tid, tid, &added);

	if (added) {
		vec_push(&samples->open, (struct open_call){ .call = SYSCALL_NONE });
		*index = samples->open.count;
	}
	return &samples->open.item[*index - 1];
}

/* The tracepoints have the number only, so the call is that of the program's kind. */
static uint32_t call_number(const struct trace_samples *samples, const struct event *event,
			    int64_t number)
{
	uint32_t call = (uint32_t)number & ~SYSCALL_COMPAT_BIT;

	return trace_maps_is_compat(&samples->maps, event->pid) ? call | SYSCALL_COMPAT_BIT : call;
}

static struct trace_stack *stack_of(const struct trace_samples *samples,
				    const struct replay_sample *sample)
{
	return samples->options->stacks ? trace_stack_new(sample, samples->options->max_stack)
					: NULL;
}

static void begin_call(struct trace_samples *samples, const struct sample_plan *plan,
		       const struct replay_sample *sample, int64_t number)
{
	const struct event *event = sample->event;
	const struct trace_payload payload = { event->sample.raw, event->sample.raw_len };
	struct open_call *open = call_of(samples, event->tid);

	open->start_ns = event->time_ns;
	open->call = call_number(samples, event, number);
	open->pid = event->pid;
	trace_stack_free(open->stack);
	open->stack = stack_of(samples, sample);
	memset(open->arg, 0, sizeof(open->arg));
	for (size_t i = 0; i < SYSCALL_ARGS; i++) {
		const struct trace_field field = { .offset = plan->args + (uint32_t)i * 8,
						   .size = 8,
						   .swapped = plan->number.swapped };
		int64_t value;

		if (field.offset + 8 <= payload.len && trace_field_number(&field, payload, &value))
			open->arg[i] = (uint64_t)value;
	}
}

static int give_line(struct trace_samples *samples, const struct open_call *open,
		     const struct thread *thread, struct syscall_line *line, struct err *err)
{
	line->start_ns = open->start_ns;
	line->call = open->call;
	line->tid = thread->tid;
	line->tgid = thread->pid;
	memcpy(line->arg, open->arg, sizeof(line->arg));
	memset(line->copied, 0xff, sizeof(line->copied));
	memcpy(line->comm, thread->comm, strnlen(thread->comm, sizeof(line->comm)));
	if (samples->options->stack)
		samples->options->stack(samples->options->context, open->stack);
	return samples->options->line(samples->options->context, line, err);
}

/* A 32-bit program ends the call that began in a 64-bit one, with its own number. */
static bool runs_program(uint32_t call)
{
	const char *name = call == SYSCALL_NONE ? NULL : syscall_name(call);

	return name && begins_with(name, "exec");
}

static int end_call(struct trace_samples *samples, const struct sample_plan *plan,
		    const struct replay_sample *sample, int64_t number, struct err *err)
{
	const struct event *event = sample->event;
	const struct trace_payload payload = { event->sample.raw, event->sample.raw_len };
	struct open_call *open = call_of(samples, event->tid), ended = *open;
	struct syscall_line line = { 0 };
	uint32_t call;

	/* The return from a signal handler restores registers, and so forgets its own number. */
	if (number == -1 && ended.call != SYSCALL_NONE)
		number = ended.call;
	open->call = SYSCALL_NONE;
	if (!trace_field_number(&plan->result, payload, &line.result))
		return 0;
	call = call_number(samples, event, number);
	if (ended.call != call && !(runs_program(ended.call) && runs_program(call))) {
		/* It began before the recording, or in the parent. */
		ended = (struct open_call){ .start_ns = event->time_ns, .call = call };
		line.headless = 1;
	}
	line.ns = event->time_ns > ended.start_ns ? event->time_ns - ended.start_ns : 0;
	return give_line(samples, &ended, sample->thread, &line, err);
}

static int on_call(struct trace_samples *samples, const struct sample_plan *plan,
		   const struct replay_sample *sample, struct err *err)
{
	const struct event *event = sample->event;
	const struct trace_payload payload = { event->sample.raw, event->sample.raw_len };
	int64_t number;

	if (!payload.bytes || !trace_field_number(&plan->number, payload, &number))
		return 0;
	if (plan->kind == SAMPLE_EXIT)
		return end_call(samples, plan, sample, number, err);
	begin_call(samples, plan, sample, number);
	return 0;
}

/* "[main+0x12]" */
static void put_place(const struct replay_frame *frame, struct buf *out)
{
	const struct symbol *symbol = frame->symbol;
	const char *name = symbol ? symbol->frame[symbol->count - 1].name : NULL;

	if (name)
		(void)buf_printf(out, "[%s+0x%" PRIx64 "]", name, frame->offset - symbol->start);
	else if (frame->module && frame->module->kind != MODULE_UNKNOWN)
		(void)buf_printf(out, "[%s+0x%" PRIx64 "]", frame->module->path, frame->offset);
	else
		(void)buf_printf(out, "[0x%" PRIx64 "]", frame->pc);
}

/* "/usr/lib/libc.so.6@0x1000 (r)": mapping, offset in the file, and what it permits. Other mappings
 * than of files have the address behind their name. */
static void put_target(const struct trace_samples *samples, const struct event *event,
		       struct buf *out)
{
	uint64_t address = event->sample.addr;
	const struct trace_mapping *mapping = trace_maps_find(&samples->maps, event->pid, address);
	const char *path;

	if (!mapping) {
		(void)buf_printf(out, "0x%" PRIx64, address);
		return;
	}
	path = trace_maps_path(&samples->maps, mapping);
	if (path[0] == '/' && path[1] != '/')
		address += mapping->pgoff - mapping->start;
	(void)buf_puts(out, path);
	(void)buf_printf(out, "@0x%" PRIx64, address);
	(void)buf_printf(out, " (%s%s%s)", mapping->prot & PROT_READ ? "r" : "",
			 mapping->prot & PROT_WRITE ? "w" : "",
			 mapping->prot & PROT_EXEC ? "x" : "");
}

static int give_event(struct trace_samples *samples, const struct sample_plan *plan,
		      const struct replay_sample *sample, struct err *err)
{
	const struct event *event = sample->event;
	struct trace_stack *stack = stack_of(samples, sample);
	struct trace_event found = { .time_ns = event->time_ns,
				     .pid = sample->thread->pid,
				     .tid = sample->thread->tid,
				     .comm = sample->thread->comm,
				     .name = plan->name,
				     .stack = stack };
	int code;

	buf_clear(&samples->text);
	if (plan->kind == SAMPLE_FAULT) {
		put_place(&sample->ip, &samples->text);
		(void)buf_puts(&samples->text, " => ");
		put_target(samples, event, &samples->text);
	} else {
		(void)buf_putc(&samples->text, '(');
		if (samples->print)
			(void)trace_print_event(samples->print, event, &samples->text);
		(void)buf_putc(&samples->text, ')');
	}
	text_tidy(samples->text.data, samples->text.len);
	found.text = samples->text.data;
	code = samples->options->event(samples->options->context, &found, err);
	trace_stack_free(stack);
	return code;
}

static int on_sample(struct replay_handler *handler, const struct replay_sample *sample,
		     struct err *err)
{
	struct trace_samples *samples = (struct trace_samples *)handler;
	const struct event *event = sample->event;
	const struct sample_plan *plan;

	if (!event->desc)
		return 0;
	plan = plan_of(samples, event->desc);
	if (plan->kind == SAMPLE_ENTER || plan->kind == SAMPLE_EXIT)
		return on_call(samples, plan, sample, err);
	if (plan->kind != SAMPLE_BEGIN)
		return give_event(samples, plan, sample, err);
	samples->options->begin(samples->options->context, event->tid, event->time_ns,
				stack_of(samples, sample));
	return 0;
}

static bool never_returns(uint32_t call)
{
	const char *name = syscall_name(call);

	return name && (strcmp(name, "exit") == 0 || strcmp(name, "exit_group") == 0);
}

static int on_other(struct replay_handler *handler, const struct event *event,
		    const struct thread *thread, struct err *err)
{
	struct trace_samples *samples = (struct trace_samples *)handler;
	struct syscall_line line = { .returns_never = 1 };
	struct open_call *open, ended;

	trace_maps_apply(&samples->maps, event);
	if (event->type != EVENT_EXIT || !samples->options->line || !thread)
		return 0;
	open = call_of(samples, event->tid);
	ended = *open;
	open->call = SYSCALL_NONE;
	return never_returns(ended.call) ? give_line(samples, &ended, thread, &line, err) : 0;
}

struct trace_samples *trace_samples_new(const struct trace_samples_options *options,
					const struct perf_data *data)
{
	struct trace_samples *samples = mem_zalloc(sizeof(*samples));

	samples->handler = (struct replay_handler){ .sample = on_sample, .other = on_other };
	samples->options = options;
	samples->data = data;
	trace_maps_init(&samples->maps);
	return samples;
}

void trace_samples_free(struct trace_samples *samples)
{
	if (!samples)
		return;
	trace_print_free(samples->print);
	vec_done(&samples->plan);
	for (size_t i = 0; i < samples->open.count; i++)
		trace_stack_free(samples->open.item[i].stack);
	vec_done(&samples->open);
	map_done(&samples->by_tid);
	trace_maps_done(&samples->maps);
	buf_done(&samples->text);
	free(samples);
}

struct replay_handler *trace_samples_handler(struct trace_samples *samples)
{
	return &samples->handler;
}
