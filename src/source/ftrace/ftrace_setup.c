/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of an instance of ftrace (see ftrace_setup.h). */
#include "source/ftrace/ftrace_setup.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/suggest.h"
#include "source/ftrace/ftrace_instance.h"
#include "source/id_list.h"

#define FUNCTIONS_LIMIT ((size_t)64 << 20)

/* What the words of --graph-opts and --func-opts do. */
static const struct option_row {
	const char *word;
	bool graph; /* else of the tracer function */
	enum ftrace_option option;
	const char *file, *value;
} option_rows[] = {
	{ "call-graph", false, FTRACE_CALL_GRAPH, "options/func_stack_trace", "1" },
	{ "irq-info", false, FTRACE_IRQ_INFO, "options/irq-info", "1" },
	{ "nosleep-time", true, FTRACE_NO_SLEEP_TIME, "options/sleep-time", "0" },
	{ "noirqs", true, FTRACE_NO_IRQS, "options/funcgraph-irqs", "0" },
	{ "verbose", true, FTRACE_VERBOSE, "options/funcgraph-proc", "1" },
	{ "verbose", true, FTRACE_VERBOSE, "options/funcgraph-abstime", "1" },
	{ "verbose", true, FTRACE_VERBOSE, "options/latency-format", "1" },
	{ "tail", true, FTRACE_TAIL, "options/funcgraph-tail", "1" },
	{ "args", true, FTRACE_ARGS, "options/funcgraph-args", "1" },
	{ "retval", true, FTRACE_RETVAL, "options/funcgraph-retval", "1" },
	{ "retval-hex", true, FTRACE_RETVAL_HEX, "options/funcgraph-retval-hex", "1" },
	{ "retaddr", true, FTRACE_RETADDR, "options/funcgraph-retaddr", "1" },
	{ NULL, true, FTRACE_GRAPH_FIELDS, "options/funcgraph-proc", "1" },
	{ NULL, true, FTRACE_GRAPH_FIELDS, "options/funcgraph-abstime", "1" },
};

#define OPTION_ROWS (sizeof(option_rows) / sizeof(*option_rows))

static int bad_option(const char *word, size_t len, bool graph, struct err *err)
{
	char words[256] = "";

	for (size_t i = 0; i < OPTION_ROWS; i++)
		if (option_rows[i].word && option_rows[i].graph == graph &&
		    (!i || option_rows[i].option != option_rows[i - 1].option))
			(void)snprintf(words + strlen(words), sizeof(words) - strlen(words), "%s%s",
				       *words ? ", " : "", option_rows[i].word);
	return err_usage(err, "option '%.*s': expected %s%s", (int)len, word, words,
			 graph ? ", thresh=USEC or depth=N" : "");
}

static bool take_number(const char *word, size_t len, const char *name, uint64_t *ret)
{
	size_t name_len = strlen(name);
	char *end;

	if (len <= name_len || strncmp(word, name, name_len) != 0 || word[name_len] < '0' ||
	    word[name_len] > '9')
		return false;
	*ret = strtoull(word + name_len, &end, 10);
	return end == word + len;
}

static int parse_options(struct ftrace_setup *setup, const char *text, bool graph, struct err *err)
{
	for (; *text; text += *text == ',') {
		size_t len = strcspn(text, ",");
		bool found = graph && (take_number(text, len, "thresh=", &setup->min_us) ||
				       take_number(text, len, "depth=", &setup->depth));

		for (size_t i = 0; i < OPTION_ROWS && !found; i++) {
			const struct option_row *row = &option_rows[i];

			found = row->word && row->graph == graph && strlen(row->word) == len &&
				strncmp(row->word, text, len) == 0;
			if (found)
				setup->options |= row->option;
		}
		if (!found)
			return bad_option(text, len, graph, err);
		text += len;
	}
	return 0;
}

int ftrace_parse_graph_options(struct ftrace_setup *setup, const char *text, struct err *err)
{
	return parse_options(setup, text, true, err);
}

int ftrace_parse_function_options(struct ftrace_setup *setup, const char *text, struct err *err)
{
	return parse_options(setup, text, false, err);
}

static int apply_options(struct ftrace_instance *instance, const struct ftrace_setup *setup,
			 struct err *err)
{
	int code = 0;

	for (size_t i = 0; i < OPTION_ROWS && !code; i++) {
		const struct option_row *row = &option_rows[i];

		if (!(setup->options & row->option) ||
		    (!row->word && strcmp(setup->tracer, "function_graph") != 0))
			continue;
		code = ftrace_write(instance, row->file, row->value, err);
		if (code == -ENOENT)
			(void)err_set(err, -EOPNOTSUPP,
				      "%s: this kernel's tracer %s does not have this option",
				      row->word, setup->tracer ? setup->tracer : "nop");
	}
	return code;
}

static int write_number(struct ftrace_instance *instance, const char *file, uint64_t number,
			struct err *err)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
	return ftrace_write(instance, file, text, err);
}

/* Adds names near to one that the kernel did not take. */
static void suggest_functions(const struct ftrace_instance *instance, const char *name,
			      struct err *err)
{
	struct buf all = { .limit = FUNCTIONS_LIMIT };
	struct suggest suggest = { .word = name };
	struct err ignored = { 0 };
	char words[256];

	if (strpbrk(name, "*?[:") ||
	    ftrace_read(instance, "available_filter_functions", &all, &ignored) || !all.len) {
		(void)err_hint(err, "see: cupel ftrace -F '%s'", name);
		buf_done(&all);
		return;
	}
	for (char *line = all.data, *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		line[strcspn(line, " ")] = '\0';
		suggest_offer(&suggest, line);
	}
	if (suggest.count)
		(void)err_hint(err, "did you mean %s?",
			       suggest_text(&suggest, words, sizeof(words)));
	else
		(void)err_hint(err, "the names are listed by: cupel ftrace -F");
	buf_done(&all);
}

static int refuse_tracer(const char *tracer, int code, struct err *err)
{
	(void)err_set(err, code, "%s: the kernel refuses this tracer: %s", tracer, strerror(-code));
	return err_hint(err, "events work: cupel ftrace -e 'sched:*'");
}

static int write_functions(struct ftrace_instance *instance, const char *file,
			   const struct ftrace_words *words, struct err *err)
{
	char name[256] = "";
	int code;

	if (!words->count)
		return 0;
	code = ftrace_write_lines(instance, file, words->item, words->count, err);
	if (code == -EPERM || code == -EACCES)
		return refuse_tracer("function", code, err);
	if (code == -EINVAL) {
		(void)sscanf(err->msg, "%*[^']'%255[^']", name);
		(void)err_set(err, -EINVAL, "no function '%s' that can be traced", name);
		suggest_functions(instance, name, err);
	}
	return code;
}

static int apply_functions(struct ftrace_instance *instance, const struct ftrace_setup *setup,
			   struct err *err)
{
	int code = write_functions(instance, "set_ftrace_filter", &setup->functions, err);

	if (!code)
		code = write_functions(instance, "set_ftrace_notrace", &setup->no_functions, err);
	if (!code)
		code = write_functions(instance, "set_graph_function", &setup->graph, err);
	if (!code)
		code = write_functions(instance, "set_graph_notrace", &setup->no_graph, err);
	if (!code && setup->depth)
		code = write_number(instance, "max_graph_depth", setup->depth, err);
	if (!code && setup->min_us)
		code = write_number(instance, "tracing_thresh", setup->min_us, err);
	return code;
}

/* The kernel goes by threads. */
static void add_threads(int pid, struct id_list *ret)
{
	char path[64];
	DIR *folder;

	(void)snprintf(path, sizeof(path), "/proc/%d/task", pid);
	folder = opendir(path);
	for (const struct dirent *entry; folder && (entry = readdir(folder));)
		if (entry->d_name[0] != '.')
			vec_push(ret, (int)strtol(entry->d_name, NULL, 10));
	if (folder)
		(void)closedir(folder);
}

static int find_threads(const struct ftrace_setup *setup, struct id_list *ret, struct err *err)
{
	struct id_list pids = { 0 };
	int code = id_list_parse(setup->pids, "process", &pids, err);

	if (!code)
		code = id_list_parse(setup->tids, "thread", ret, err);
	for (size_t i = 0; !code && i < pids.count; i++)
		add_threads(pids.item[i], ret);
	if (setup->program)
		vec_push(ret, setup->program);
	vec_done(&pids);
	return code;
}

static int write_threads(struct ftrace_instance *instance, const struct id_list *threads,
			 const char *file, struct err *err)
{
	const char **line = mem_alloc(threads->count * sizeof(*line));
	char(*text)[16] = mem_alloc(threads->count * sizeof(*text));
	int code;

	for (size_t i = 0; i < threads->count; i++) {
		(void)snprintf(text[i], sizeof(text[i]), "%d", threads->item[i]);
		line[i] = text[i];
	}
	code = ftrace_write_lines(instance, file, line, threads->count, err);
	free(line);
	free(text);
	return code;
}

static int apply_threads(struct ftrace_instance *instance, const struct ftrace_setup *setup,
			 struct err *err)
{
	struct id_list threads = { 0 };
	int code = find_threads(setup, &threads, err);

	if (!code && threads.count && setup->tracer && ftrace_has(instance, "set_ftrace_pid")) {
		code = write_threads(instance, &threads, "set_ftrace_pid", err);
		if (code == -EPERM)
			code = refuse_tracer(setup->tracer, code, err);
	}
	if (!code && threads.count && setup->event_count)
		code = write_threads(instance, &threads, "set_event_pid", err);
	/* The kernel has one option for threads and processes that begin later. */
	if (!code && threads.count && !setup->no_inherit && setup->tracer &&
	    ftrace_has(instance, "options/function-fork"))
		code = ftrace_write(instance, "options/function-fork", "1", err);
	if (!code && threads.count && !setup->no_inherit && setup->event_count)
		code = ftrace_write(instance, "options/event-fork", "1", err);
	vec_done(&threads);
	return code;
}

/* A mask in words of 32 bits, the highest first. */
static int apply_cpus(struct ftrace_instance *instance, const char *cpus, struct err *err)
{
	struct id_list list = { 0 };
	struct buf mask = { 0 };
	uint32_t *word;
	size_t words = 1;
	int code;

	if (!cpus)
		return 0;
	if (cpu_list_parse(cpus, &list) || !list.count) {
		vec_done(&list);
		return err_usage(err, "-C %s: not a list of CPUs", cpus);
	}
	for (size_t i = 0; i < list.count; i++)
		if ((size_t)list.item[i] / 32 >= words)
			words = (size_t)list.item[i] / 32 + 1;
	word = mem_zalloc(words * sizeof(*word));
	for (size_t i = 0; i < list.count; i++)
		word[list.item[i] / 32] |= 1u << list.item[i] % 32;
	for (size_t i = words; i--;)
		(void)buf_printf(&mask, "%s%08x", mask.len ? "," : "", word[i]);
	code = ftrace_write(instance, "tracing_cpumask", mask.data, err);
	free(word);
	buf_done(&mask);
	vec_done(&list);
	return code;
}

int ftrace_apply(struct ftrace_instance *instance, const struct ftrace_setup *setup,
		 struct err *err)
{
	int code = ftrace_write(instance, "tracing_on", "0", err);

	if (!code && setup->buffer_bytes)
		code = write_number(instance, "buffer_size_kb", (setup->buffer_bytes + 1023) / 1024,
				    err);
	if (!code)
		code = apply_functions(instance, setup, err);
	if (!code)
		code = apply_threads(instance, setup, err);
	if (!code)
		code = apply_cpus(instance, setup->cpus, err);
	return code;
}

int ftrace_use_tracer(struct ftrace_instance *instance, const struct ftrace_setup *setup,
		      struct err *err)
{
	int code;

	if (!setup->tracer)
		return 0;
	code = ftrace_write(instance, "current_tracer", setup->tracer, err);
	if (code == -EPERM || code == -EACCES || code == -EBUSY)
		return refuse_tracer(setup->tracer, code, err);
	/* the options of some tracers appear with them */
	return code ? code : apply_options(instance, setup, err);
}
