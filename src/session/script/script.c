/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of perf script: which field comes after which, and which events get one at all (see
 * script.h). No printf on the way of a plain sample. */
#include "session/script/script.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "event/desc.h"
#include "format/perf_data/perf_data.h"
#include "format/trace/trace_print.h"
#include "proc/module.h"
#include "proc/proc.h"
#include "profile/redact.h"
#include "session/script/script_code.h"
#include "session/script/script_private.h"
#include "symbol/symbolizer.h"

#define F(id) SCRIPT_FIELD(id)
/* Frames that may wait for symbols: enough work for the time that the kernel takes to list its. */
#define FLUSH_PIECES ((size_t)1 << 17)
#define COMM_WIDTH   16
#define MISC_WIDTH   6
#define FLAGS_BLANK  "                        " /* what perf prints where there are none */

/* Digits of value, right-aligned in width; returns the end. */
static char *put_digits(char *at, uint64_t value, unsigned width, char pad)
{
	char digits[20];
	unsigned n = 0;

	do {
		digits[n++] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	for (unsigned i = n; i < width; i++)
		*at++ = pad;
	while (n)
		*at++ = digits[--n];
	return at;
}

/* Ids are signed where perf prints them: -1 is a sample without a thread. */
static char *put_id(char *at, uint32_t id, unsigned width)
{
	if (id > INT32_MAX)
		return at + snprintf(at, 16, "%*d", (int)width, (int)id);
	return put_digits(at, id, width, ' ');
}

static void put_blanks(struct buf *out, size_t count)
{
	static const char blanks[] = "                                ";

	for (; count >= sizeof(blanks); count -= sizeof(blanks) - 1)
		(void)buf_append(out, blanks, sizeof(blanks) - 1);
	(void)buf_append(out, blanks, count);
}

static void put_misc(struct buf *out, const struct script_head *head)
{
	char text[MISC_WIDTH + 1] = "";
	size_t n = 0;

	switch (head->misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
		text[n++] = 'K';
		break;
	case PERF_RECORD_MISC_USER:
		text[n++] = 'U';
		break;
	case PERF_RECORD_MISC_HYPERVISOR:
		text[n++] = 'H';
		break;
	case PERF_RECORD_MISC_GUEST_KERNEL:
		text[n++] = 'G';
		break;
	case PERF_RECORD_MISC_GUEST_USER:
		text[n++] = 'g';
		break;
	default:
		break;
	}
	if (head->type == EVENT_MMAP && (head->misc & PERF_RECORD_MISC_MMAP_DATA))
		text[n++] = 'M';
	if (head->type == EVENT_COMM && (head->misc & PERF_RECORD_MISC_COMM_EXEC))
		text[n++] = 'E';
	if (head->type == EVENT_SWITCH && (head->misc & PERF_RECORD_MISC_SWITCH_OUT)) {
		text[n++] = 'S';
		if (head->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)
			text[n++] = 'p';
	}
	(void)buf_append(out, text, n);
	put_blanks(out, MISC_WIDTH - n);
}

static void put_time_of_day(struct script *script, uint64_t time_ns)
{
	uint64_t wall_ns = script->tod_wall_ns + time_ns - script->tod_clock_ns;
	time_t wall = (time_t)(wall_ns / 1000000000);
	struct tm tm;
	char text[64];
	size_t len;

	if (!localtime_r(&wall, &tm))
		return;
	len = strftime(text, sizeof(text), "%F %H:%M:%S", &tm);
	(void)buf_printf(&script->out, "%.*s.%06u ", (int)len, text,
			 (unsigned)(wall_ns % 1000000000 / 1000));
}

static uint64_t shown_time(struct script *script, uint64_t time_ns)
{
	uint64_t previous = script->previous_ns;

	if (script->options->reltime) {
		if (!script->first_ns)
			script->first_ns = time_ns;
		return time_ns - script->first_ns;
	}
	if (!script->options->deltatime)
		return time_ns;
	script->previous_ns = time_ns;
	return previous ? time_ns - previous : 0;
}

static char *put_time(struct script *script, char *at, uint64_t time_ns)
{
	uint64_t shown = shown_time(script, time_ns);

	if (script->options->ns) {
		at = put_digits(at, shown / 1000000000, 5, ' ');
		*at++ = '.';
		at = put_digits(at, shown % 1000000000, 9, '0');
	} else {
		at = put_digits(at, shown / 1000000000, 5, ' ');
		*at++ = '.';
		at = put_digits(at, shown % 1000000000 / 1000, 6, '0');
	}
	*at++ = ':';
	*at++ = ' ';
	return at;
}

static void put_comm(struct script *script, uint64_t fields, const char *comm)
{
	size_t len;

	if (script->options->redaction) {
		buf_clear(&script->comm);
		redaction_put_comm(script->options->redaction, comm, &script->comm);
		comm = script->comm.data;
	}
	len = strlen(comm);
	/* With call chains the line begins with the name, so that tools can find it. */
	if (len < COMM_WIDTH && !(script->use_chain && (fields & F(IP))))
		put_blanks(&script->out, COMM_WIDTH - len);
	(void)buf_append(&script->out, comm, len);
	(void)buf_putc(&script->out, ' ');
}

void script_put_head(struct script *script, uint64_t fields, const struct script_head *head)
{
	char text[128], *at = text;

	if (fields & F(COMM))
		put_comm(script, fields, head->comm);
	if (fields & F(PID))
		at = put_id(at, head->pid, 5);
	if ((fields & F(PID)) && (fields & F(TID)))
		at += snprintf(at, 16, "/%-5d", (int)head->tid);
	else if (fields & F(TID))
		at = put_id(at, head->tid, 5);
	if (fields & (F(PID) | F(TID)))
		*at++ = ' ';
	if (fields & F(CPU)) {
		*at++ = '[';
		/* -1, of sums over several, is 32 bits without a sign. */
		at = (int)head->cpu < 0 ? at + snprintf(at, 16, "%03d", (int)head->cpu)
					: put_digits(at, head->cpu, 3, '0');
		*at++ = ']';
		*at++ = ' ';
	}
	if (fields & (F(MISC) | F(TOD))) {
		(void)buf_append(&script->out, text, (size_t)(at - text));
		at = text;
		if (fields & F(MISC))
			put_misc(&script->out, head);
		if ((fields & F(TOD)) && script->tod)
			put_time_of_day(script, head->time_ns);
	}
	if (fields & F(TIME))
		at = put_time(script, at, head->time_ns);
	(void)buf_append(&script->out, text, (size_t)(at - text));
}

/* Kernel functions that payloads point at ("%pS"). */
static const char *name_address(struct trace_resolver *resolver, uint64_t *address)
{
	struct script *script =
		(struct script *)((char *)resolver - offsetof(struct script, resolver));
	struct replay_frame frame;

	replay_resolve(script->sample, *address, &frame);
	if (!frame.symbol)
		return NULL;
	*address = frame.pc - (frame.offset - frame.symbol->start);
	return frame.symbol->frame[frame.symbol->count - 1].name;
}

static void put_trace(struct script *script, const struct replay_sample *sample)
{
	if (!script->trace) {
		script->trace = trace_print_new(script->data);
		script->resolver.name = name_address;
		trace_print_resolver(script->trace, &script->resolver);
	}
	script->sample = sample;
	(void)trace_print_event(script->trace, sample->event, &script->out);
}

/* The one weight, or the first of three that share the word. */
static uint64_t weight_of(const struct event *event)
{
	bool three = event->desc->attr.sample_type & PERF_SAMPLE_WEIGHT_STRUCT;

	return three ? event->sample.weight & UINT32_MAX : event->sample.weight;
}

/* Period, event and what comes before the place. */
static void put_event_part(struct script *script, uint64_t fields,
			   const struct replay_sample *sample)
{
	const struct event *event = sample->event;
	struct buf *out = &script->out;
	char text[32];

	if (fields & F(PERIOD)) {
		char *end = put_digits(text, event->sample.period, 10, ' ');

		*end++ = ' ';
		(void)buf_append(out, text, (size_t)(end - text));
	}
	if (fields & F(EVENT)) {
		size_t len = strlen(event->desc->name);

		/* a pipe may rename an event, or bring one, after its width was taken */
		put_blanks(out, script->name_width > len ? script->name_width - len : 0);
		(void)buf_append(out, event->desc->name, len);
		(void)buf_append(out, ": ", 2);
	}
	if (fields & F(FLAGS))
		(void)buf_puts(out, FLAGS_BLANK);
	if ((fields & F(TRACE)) && event->sample.raw)
		put_trace(script, sample);
	if (fields & F(ADDR))
		script_put_address(out, fields, sample);
	if (fields & F(DATA_SRC))
		script_put_data_src(script, event->sample.data_src);
	if (fields & F(WEIGHT))
		(void)buf_printf(out, "%16llu", (unsigned long long)weight_of(event));
	if (fields & F(INS_LAT))
		(void)buf_printf(out, "%16u", (unsigned)(event->sample.weight >> 32 & 0xffff));
	if (fields & F(RETIRE_LAT))
		(void)buf_printf(out, "%16u", (unsigned)(event->sample.weight >> 48));
}

/* As perf: nothing when the code cannot be read. */
static void put_instruction(struct script *script, uint64_t fields,
			    const struct replay_sample *sample)
{
	const uint8_t *bytes = NULL;
	size_t len;

	if (!script->code)
		script->code = script_code_new(&script->options->replay.symbol);
	len = script_code_at(script->code, &sample->ip, &bytes);
	if (fields & F(INSNLEN))
		(void)buf_printf(&script->out, " ilen: %zu", len);
	if (!(fields & F(INSN)) || !len)
		return;
	(void)buf_puts(&script->out, " insn:");
	for (size_t i = 0; i < len; i++)
		(void)buf_printf(&script->out, " %02x", bytes[i]);
}

/* What comes after the place. */
static void put_tail(struct script *script, uint64_t fields, const struct replay_sample *sample)
{
	const struct event_sample *s = &sample->event->sample;
	const char *arch = perf_data_header(script->data)->arch;
	struct buf *out = &script->out;
	char text[32];

	if (fields & F(IREGS))
		script_put_registers(out, arch, s->intr_abi, s->intr_mask, s->intr_regs);
	if (fields & F(UREGS))
		script_put_registers(out, arch, s->user_abi, s->user_mask, s->user_regs);
	if (fields & (F(BRSTACK) | F(BRSTACKSYM) | F(BRSTACKOFF)))
		script_put_branches(out, fields, sample);
	if ((fields & F(BPF_OUTPUT)) && s->raw &&
	    sample->event->desc->attr.config == PERF_COUNT_SW_BPF_OUTPUT)
		script_put_bpf_output(out, s);
	if (fields & (F(INSN) | F(INSNLEN)))
		put_instruction(script, fields, sample);
	if (fields & F(PHYS_ADDR))
		(void)buf_printf(out, "%16llx", (unsigned long long)s->phys_addr);
	if (fields & F(DATA_PAGE_SIZE))
		(void)buf_printf(out, " %s", script_page_size(s->data_page_size, text, 32));
	if (fields & F(CODE_PAGE_SIZE))
		(void)buf_printf(out, " %s", script_page_size(s->code_page_size, text, 32));
	if (fields & F(CGROUP))
		(void)buf_printf(out, " %llu", (unsigned long long)s->cgroup);
}

static bool wants_sample(const struct script *script, const struct replay_sample *sample)
{
	const struct script_options *o = script->options;
	const struct event *event = sample->event;
	const struct filter_subject subject = { .comm = sample->thread->comm,
						.pid = event->pid,
						.tid = event->tid,
						.cpu = event->cpu,
						.has_time = event->has_time,
						.time_ns = event->time_ns };
	struct replay_frame ip = sample->ip;
	const struct symbol *symbol;

	if (!filter_match(script->filter, &subject) ||
	    (o->filter.event && strcmp(o->filter.event, event->desc->name) != 0))
		return false;
	if (o->symbols)
		replay_name(sample->replay, &ip);
	symbol = ip.symbol;
	if (o->symbols && (!symbol || !symbol->frame[symbol->count - 1].name ||
			   !script_list_has(o->symbols, symbol->frame[symbol->count - 1].name)))
		return false;
	return !o->dsos || script_list_has(o->dsos, sample->ip.module->name) ||
	       script_list_has(o->dsos, sample->ip.module->path);
}

static int write_out(struct script *script, struct buf *text, struct err *err)
{
	struct redaction *redaction = script->options->redaction;

	if (redaction) {
		buf_clear(&script->redacted);
		(void)buf_putc(text, '\0');
		redaction_put_text(redaction, text->data, &script->redacted);
		text = &script->redacted;
	}
	return script->output->write(script->output, text, err);
}

static int flush(struct script *script, size_t least, struct err *err)
{
	struct buf *whole = &script->whole;
	size_t done = 0;
	int failed = 0;

	if (script->out.len < least && script->pieces.count < FLUSH_PIECES)
		return 0;
	if (!script->pieces.count)
		failed = write_out(script, &script->out, err);
	while (!failed && done < script->pieces.count) {
		done = script_join(script, done, whole);
		failed = write_out(script, whole, err);
		buf_clear(whole);
	}
	script->pieces.count = 0;
	buf_clear(&script->out);
	return failed;
}

/* A chain may be recorded and yet hold nothing but context markers; replay then falls back on the
 * sampled address, perf prints nothing. */
static bool chain_is_empty(const struct replay_sample *sample)
{
	const struct event_sample *s = &sample->event->sample;

	for (uint32_t i = 0; i < s->chain_len; i++)
		if (s->chain[i] < PERF_CONTEXT_MAX)
			return false;
	return !s->user_regs || !s->stack_len;
}

static void put_ip(struct script *script, uint64_t fields, const struct replay_sample *sample)
{
	struct replay_frame ip = sample->ip;

	replay_name(sample->replay, &ip);
	script_put_place(&script->out, fields, &ip);
}

static int on_sample(struct replay_handler *handler, const struct replay_sample *sample,
		     struct err *err)
{
	struct script *script = (struct script *)handler;
	const struct event *event = sample->event;
	uint64_t fields = script_fields_of(&script->fields, event->desc);
	const struct script_head head = { .comm = sample->thread->comm,
					  .pid = event->pid,
					  .tid = event->tid,
					  .cpu = event->cpu,
					  .time_ns = event->time_ns,
					  .misc = event->misc,
					  .type = event->type };

	script->replay = sample->replay;
	if (script->options->dump)
		script_put_dump(script, event, sample);
	if (!fields || script->options->no_samples || !wants_sample(script, sample))
		return flush(script, SCRIPT_FLUSH_BYTES, err);
	script_put_head(script, fields, &head);
	put_event_part(script, fields, sample);
	if (fields & F(IP)) {
		bool chain = script->use_chain && sample->has_chain;

		(void)buf_putc(&script->out, chain ? '\n' : ' ');
		if (chain && script->texts.fields != fields && flush(script, 1, err))
			return err->code;
		if (chain && !chain_is_empty(sample))
			script_put_chain(script, fields, sample);
		else if (!chain)
			put_ip(script, fields, sample);
	}
	put_tail(script, fields, sample);
	(void)buf_putc(&script->out, '\n');
	return flush(script, SCRIPT_FLUSH_BYTES, err);
}

/* The ids a record carries besides those it is about; perf prints these. */
static void recorded_ids(const struct event *event, uint32_t *pid, uint32_t *tid)
{
	const struct perf_record_plan *plan = event->desc ? &event->desc->plan : NULL;
	const uint64_t *trailer;
	size_t words;

	if (!plan || !plan->trailer_words || plan->trailer_tid < 0 || !event->raw)
		return;
	words = event->raw->size / sizeof(uint64_t);
	if (words <= plan->trailer_words)
		return;
	trailer = (const uint64_t *)event->raw + words - plan->trailer_words;
	memcpy(pid, &trailer[plan->trailer_tid], sizeof(*pid));
	memcpy(tid, (const uint8_t *)&trailer[plan->trailer_tid] + sizeof(*pid), sizeof(*tid));
}

/* What is known before the first event: the command and where it ran. */
static void learn_header(const struct script *script)
{
	const struct perf_data_header *header = perf_data_header(script->data);
	struct buf pseudonyms = { 0 };

	redaction_add_host(script->options->redaction, header->hostname);
	redaction_put_command(script->options->redaction, header->cmdline, header->cmdline_count,
			      &pseudonyms);
	buf_done(&pseudonyms);
}

/* Pseudonyms for the names in an event. */
static void redact_event(struct script *script, const struct event *event, struct event *ret)
{
	*ret = *event;
	if (event->type == EVENT_MMAP)
		redaction_add_path(script->options->redaction, event->mmap.path);
	if (event->type != EVENT_COMM)
		return;
	buf_clear(&script->comm);
	redaction_put_comm(script->options->redaction, event->comm.name, &script->comm);
	ret->comm.name = script->comm.data;
}

static int on_other(struct replay_handler *handler, const struct event *event,
		    const struct thread *thread, struct err *err)
{
	struct script *script = (struct script *)handler;
	struct script_head head = { .comm = thread->comm,
				    .pid = event->pid,
				    .tid = event->tid,
				    .cpu = event->cpu,
				    .time_ns = event->time_ns,
				    .misc = event->misc,
				    .type = event->type };
	struct event redacted = { 0 };
	const struct filter_subject subject = {
		.comm = head.comm, .pid = event->pid, .tid = event->tid, .cpu = event->cpu
	};

	if (script->options->redaction)
		redact_event(script, event, &redacted);
	/* Readers of a live recording see each round as it ends. */
	if (event->type == EVENT_ROUND && perf_data_header(script->data)->pipe &&
	    flush(script, 1, err))
		return err->code;
	if (script->options->dump)
		script_put_dump(script, event, NULL);
	if (!script_wants_event(script->options, event))
		return flush(script, SCRIPT_FLUSH_BYTES, err);
	if (event->desc && event->type != EVENT_ROUND && filter_match(script->filter, &subject)) {
		recorded_ids(event, &head.pid, &head.tid);
		script_put_head(script, script_fields_of(&script->fields, event->desc), &head);
		script_put_event(&script->out, redacted.desc ? &redacted : event);
	} else if (event->type == EVENT_ROUND) {
		script_put_event(&script->out, event);
	}
	return flush(script, SCRIPT_FLUSH_BYTES, err);
}

static int on_end(struct replay_handler *handler, struct err *err)
{
	struct script *script = (struct script *)handler;

	int code = flush(script, 1, err); /* which names what is left */

	if (script->replay)
		(void)replay_missing(script->replay, &script->output->missing);
	return code;
}

static void look_at_events(struct script *script)
{
	const struct event_set *set = perf_data_events(script->data);
	const uint8_t *clock;
	size_t len;

	for (size_t i = 0; i < set->desc.count; i++) {
		const struct event_desc *desc = set->desc.item[i];
		size_t width = strlen(desc->name);

		if (width > script->name_width)
			script->name_width = width;
		if (desc->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
			script->use_chain = !script->options->no_chain;
	}
	/* {u32 version, u32 clock, u64 wall time, u64 clock time}, both of the same moment */
	script->tod = perf_data_feature(script->data, PERF_FEATURE_CLOCK_DATA, &clock, &len) &&
		      len >= 24 && !perf_data_header(script->data)->swapped;
	if (script->tod) {
		memcpy(&script->tod_wall_ns, clock + 8, 8);
		memcpy(&script->tod_clock_ns, clock + 16, 8);
	}
}

static int prepare(struct script *script, struct err *err)
{
	const struct perf_data_header *header = perf_data_header(script->data);

	look_at_events(script);
	if (script_fields_check(&script->fields, perf_data_events(script->data), script->use_chain,
				err))
		return err->code;
	return filter_parse(&script->options->filter, header->first_ns, header->last_ns,
			    &script->filter, err);
}

int session_script(struct perf_data *data, const struct script_options *options,
		   struct script_output *output, struct err *err)
{
	struct script script = {
		.handler = { .sample = on_sample, .other = on_other, .end = on_end },
		.options = options,
		.fields = options->fields,
		.data = data,
		.output = output
	};
	int failed = prepare(&script, err);

	if (options->redaction) {
		learn_header(&script);
		for (unsigned kind = 0; kind < SCRIPT_KINDS; kind++)
			script.fields.kind[kind].fields |= SCRIPT_WHOLE_PATHS;
	}
	if (options->show_rounds)
		perf_data_unordered(data); /* else the rounds would all come first */
	if (!failed)
		failed = session_replay(data, &options->replay, &script.handler, err);
	trace_print_free(script.trace);
	filter_free(script.filter);
	script_code_free(script.code);
	script_texts_done(&script.texts);
	vec_done(&script.pieces);
	buf_done(&script.whole);
	buf_done(&script.redacted);
	buf_done(&script.comm);
	buf_done(&script.out);
	return failed;
}
