/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftrace's text (see trace_text.h). Formats: Documentation/trace/ftrace.rst, trace-cmd-report(1).
 */
#include "format/ftrace/trace_text.h"

#include <stdlib.h>
#include <string.h>

#include "format/format.h"

#define SNIFF_LINES 50

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static struct ftrace_text trimmed(const char *from, const char *to)
{
	while (from < to && *from == ' ')
		from++;
	while (from < to && to[-1] == ' ')
		to--;
	return (struct ftrace_text){ from, (size_t)(to - from) };
}

bool trace_text_next(struct ftrace_text *text, struct ftrace_text *ret)
{
	const char *end = text->len ? memchr(text->data, '\n', text->len) : NULL;
	size_t len = end ? (size_t)(end - text->data) : text->len;

	if (!text->len)
		return false;
	*ret = (struct ftrace_text){ text->data, len };
	text->data += len + (end != NULL);
	text->len -= len + (end != NULL);
	return true;
}

bool trace_text_is(const uint8_t *head, size_t len)
{
	static const char tracer[] = "# tracer: ", cpus[] = "cpus=";
	struct ftrace_text text = { (const char *)head, len }, next;
	struct ftrace_line line;
	size_t known = 0, other = 0;
	bool heading = (len > sizeof(tracer) && memcmp(head, tracer, sizeof(tracer) - 1) == 0) ||
		       (len > sizeof(cpus) && memcmp(head, cpus, sizeof(cpus) - 1) == 0);

	for (size_t i = 0; i < SNIFF_LINES && trace_text_next(&text, &next); i++) {
		if (memchr(next.data, '\0', next.len))
			return false;
		ftrace_line_parse(next.data, next.len, &line);
		if (line.kind == FTRACE_LINE_OTHER)
			other += next.len && next.data[0] != '#';
		else
			known++;
	}
	/* the heading is a line of another kind */
	return known && (heading ? other <= known + 1 : known > 1 && !other);
}

static int sniff(const uint8_t *head, size_t len)
{
	return trace_text_is(head, len) ? 2 : 0;
}

/* session/recording.h makes perf.data of it. */
const struct format_ops format_trace_text = {
	.name = "trace-text",
	.help = "text of ftrace and of trace-cmd report",
	.sniff = sniff,
	.events = true,
};

/* Where " name=" begins, from `at` on; NULL = nowhere. */
static const char *find_name(const char *at, const char *end)
{
	for (; at < end; at++) {
		const char *word = at;

		if (!is_word(*at) || (*at >= '0' && *at <= '9'))
			continue;
		while (word < end && is_word(*word))
			word++;
		if (word < end && *word == '=' && (word + 1 == end || word[1] != '='))
			return at;
		while (word < end && *word != ' ')
			word++;
		at = word;
	}
	return NULL;
}

static size_t read_named(struct ftrace_text text, struct trace_text_field *ret)
{
	const char *end = text.data + text.len, *at = text.len ? find_name(text.data, end) : NULL;
	size_t count = 0;

	while (at && count < TRACE_TEXT_FIELDS) {
		const char *equals = memchr(at, '=', (size_t)(end - at)), *space, *next = NULL;
		struct ftrace_text value;

		space = memchr(equals, ' ', (size_t)(end - equals));
		if (space)
			next = find_name(space, end);
		value = trimmed(equals + 1, next ? next : end);
		if (value.len > 3 && memcmp(value.data + value.len - 3, "==>", 3) == 0)
			value = trimmed(value.data, value.data + value.len - 3);
		ret[count].name = (struct ftrace_text){ at, (size_t)(equals - at) };
		ret[count++].value = value;
		at = next;
	}
	return count;
}

static void add(struct trace_text_field *ret, const char *name, const char *from, const char *to)
{
	ret->name = (struct ftrace_text){ name, strlen(name) };
	ret->value = trimmed(from, to);
}

/* "a b:12 [120]" with the names of three fields; returns what is behind, NULL: it is none. */
static const char *read_thread(struct ftrace_text text, const char *const names[3],
			       struct trace_text_field ret[3])
{
	const char *end = text.data + text.len, *colon, *close;
	const char *open = text.len ? memchr(text.data, '[', text.len) : NULL;

	colon = open ? memrchr(text.data, ':', (size_t)(open - text.data)) : NULL;
	close = open ? memchr(open, ']', (size_t)(end - open)) : NULL;
	if (!colon || !close)
		return NULL;
	add(&ret[0], names[0], text.data, colon);
	add(&ret[1], names[1], colon + 1, open);
	add(&ret[2], names[2], open + 1, close);
	return close + 1;
}

static size_t read_switch(struct ftrace_text text, struct trace_text_field *ret)
{
	static const char *const prev[] = { "prev_comm", "prev_pid", "prev_prio" };
	static const char *const next[] = { "next_comm", "next_pid", "next_prio" };
	const char *end = text.data + text.len;
	const char *arrow = text.len ? memmem(text.data, text.len, " ==> ", 5) : NULL;
	const char *state;

	if (!arrow)
		return 0;
	state = read_thread((struct ftrace_text){ text.data, (size_t)(arrow - text.data) }, prev,
			    ret);
	if (!state || !read_thread((struct ftrace_text){ arrow + 5, (size_t)(end - arrow - 5) },
				   next, ret + 4))
		return 0;
	add(&ret[3], "prev_state", state, arrow);
	return 7;
}

static size_t read_wakeup(struct ftrace_text text, struct trace_text_field *ret)
{
	static const char *const names[] = { "comm", "pid", "prio" };
	const char *end = text.data + text.len, *behind = read_thread(text, names, ret), *cpu;

	cpu = behind ? memmem(behind, (size_t)(end - behind), "CPU:", 4) : NULL;
	if (!cpu)
		return behind ? 3 : 0;
	cpu += 4;
	for (behind = cpu; behind < end && *behind >= '0' && *behind <= '9';)
		behind++;
	add(&ret[3], "target_cpu", cpu, behind);
	return 4;
}

size_t trace_text_fields(const struct ftrace_line *line,
			 struct trace_text_field ret[TRACE_TEXT_FIELDS])
{
	size_t count = 0;

	if (ftrace_line_is(line, "sched_switch"))
		count = read_switch(line->args, ret);
	else if (ftrace_line_is(line, "sched_wakeup") || ftrace_line_is(line, "sched_waking") ||
		 ftrace_line_is(line, "sched_wakeup_new"))
		count = read_wakeup(line->args, ret);
	return count ? count : read_named(line->args, ret);
}

/* "S", "R+": TASK_REPORT of the kernel's linux/sched.h. trace-cmd writes x and W for P and I. */
static bool read_state(struct ftrace_text text, int64_t *ret)
{
	static const char letters[] = "SDTtXZPI";

	*ret = 0;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];
		const char *letter = strchr(letters, c == 'x' ? 'P' : c == 'W' ? 'I' : c);

		if (letter && *letter)
			*ret |= 1 << (letter - letters);
		else if (c == '+')
			*ret |= 0x100;
		else if (!strchr("RKN|", c))
			return false;
	}
	return text.len != 0;
}

static bool is(struct ftrace_text text, const char *word)
{
	return text.len == strlen(word) && memcmp(text.data, word, text.len) == 0;
}

bool trace_text_number(const struct trace_text_field *field, int64_t *ret)
{
	struct ftrace_text value = field->value;
	bool hex = value.len > 2 && value.data[0] == '0' && (value.data[1] | 32) == 'x';
	size_t sign = value.len && value.data[0] == '-';
	char copy[24], *end;

	if (is(field->name, "prev_state") && value.len && strchr("RSDTtXZPIKWNx", value.data[0]))
		return read_state(value, ret);
	if (value.len <= sign || value.len >= sizeof(copy) || value.data[sign] < '0' ||
	    value.data[sign] > '9')
		return false;
	memcpy(copy, value.data, value.len);
	copy[value.len] = '\0';
	*ret = sign ? strtoll(copy, &end, 10) : (int64_t)strtoull(copy, &end, hex ? 16 : 10);
	return !*end;
}

const char *trace_text_system(const char *event)
{
	static const struct {
		const char *prefix, *system;
	} rows[] = {
		{ "sched_", "sched" },
		{ "sys_enter_", "syscalls" },
		{ "sys_exit_", "syscalls" },
		{ "sys_enter", "raw_syscalls" },
		{ "sys_exit", "raw_syscalls" },
		{ "irq_handler_", "irq" },
		{ "softirq_", "irq" },
		{ "tasklet_", "irq" },
		{ "timer_", "timer" },
		{ "hrtimer_", "timer" },
		{ "itimer_", "timer" },
		{ "block_", "block" },
		{ "workqueue_", "workqueue" },
		{ "signal_", "signal" },
		{ "cpu_idle", "power" },
		{ "cpu_frequency", "power" },
		{ "page_fault_", "exceptions" },
		{ "kmalloc", "kmem" },
		{ "kfree", "kmem" },
		{ "kmem_cache_", "kmem" },
		{ "mm_page_", "kmem" },
		{ "task_", "task" },
		{ "tcp_", "tcp" },
		{ "net_", "net" },
		{ "netif_", "net" },
		{ "lock_", "lock" },
		{ "contention_", "lock" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strncmp(event, rows[i].prefix, strlen(rows[i].prefix)) == 0)
			return rows[i].system;
	return "trace";
}
