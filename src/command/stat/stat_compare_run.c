/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two programs in turns, and which is better (see stat_compare_run.h). */
#include "command/stat/stat_compare_run.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "command/command.h"
#include "command/stat/stat_options.h"
#include "command/stat/stat_output.h"
#include "session/stat/stat_compare.h"
#include "view/stat/stat_comparison.h"

#define SHELL_CHARACTERS "\"'`$&|;<>(){}[]*?#~=%\\\n"

/* Words of a command line; through the shell only what needs it, as that takes time. */
static char **split(struct arena *arena, const char *text)
{
	size_t room = strlen(text) / 2 + 4, count = 0;
	char **words = arena_array(arena, char *, room);

	if (strpbrk(text, SHELL_CHARACTERS)) {
		words[0] = arena_strdup(arena, "sh");
		words[1] = arena_strdup(arena, "-c");
		words[2] = arena_strdup(arena, text);
		return words;
	}
	for (text += strspn(text, " \t"); *text; text += strspn(text, " \t")) {
		size_t len = strcspn(text, " \t");

		words[count++] = arena_strndup(arena, text, len);
		text += len;
	}
	return words;
}

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *value, size_t count)
{
	double *sorted = mem_alloc((count + 1) * sizeof(*sorted)), middle = 0;

	memcpy(sorted, value, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_double);
	if (count)
		middle = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
	free(sorted);
	return middle;
}

/* The gate is the time, or the events that were asked for. */
static struct stat_compared *compare_all(const struct stat_compare_result *result,
					 const struct stat_command_options *o)
{
	struct stat_compared *row = mem_zalloc((result->figure.count + 1) * sizeof(*row));
	bool chosen = o->stat.source.selector.count > 0;

	for (size_t i = 0; i < result->figure.count; i++) {
		const struct stat_figure *figure = &result->figure.item[i];

		if (!result->pairs) { /* interrupted */
			row[i] = (struct stat_compared){ .name = figure->name,
							 .unit = figure->unit,
							 .missing = figure->missing,
							 .unmeasured = true,
							 .ratio = { NAN, NAN, NAN,
								    RATIO_UNDECIDED } };
			continue;
		}
		row[i] = (struct stat_compared){
			.name = figure->name,
			.unit = figure->unit,
			.missing = figure->missing,
			.gate = !figure->missing && (chosen ? figure->event : i == 0),
			.median = { median(figure->run[0], result->pairs),
				    median(figure->run[1], result->pairs) },
			.ratio = paired_ratio(figure->run[0], figure->run[1], result->pairs,
					      o->margin_percent / 100),
		};
	}
	return row;
}

static int gate_status(const struct stat_comparison *comparison)
{
	int status = EXIT_STATUS_OK;
	bool gated = false;

	for (size_t i = 0; i < comparison->rows; i++) {
		const struct stat_compared *row = &comparison->row[i];

		gated = gated || row->gate;
		if (row->gate && row->ratio.verdict == RATIO_MORE)
			return STAT_COMPARE_WORSE;
		if (row->gate && row->ratio.verdict == RATIO_UNDECIDED)
			status = STAT_COMPARE_UNDECIDED;
	}
	return gated ? status : STAT_COMPARE_UNDECIDED;
}

static int print(const struct stat_command_options *o, const struct stat_comparison *comparison,
		 const char *notes, struct err *err)
{
	struct stat_output output;
	struct buf out = { 0 };
	int code = stat_output_open(&output, o, err);

	if (o->json)
		stat_comparison_json(comparison, &out);
	else if (o->separator)
		stat_comparison_csv(comparison, o->separator, &out);
	else
		stat_comparison_text(comparison, &out);
	if (!o->json && !o->separator)
		stat_output_put_notes(&output, notes, &out);
	if (!code)
		code = stat_output_write(&output, &out, err);
	stat_output_close(&output);
	buf_done(&out);
	return code;
}

/* What the programs print would be printed twenty times over. */
static int silence(struct err *err)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int code = fd < 0 || dup2(fd, STDOUT_FILENO) < 0 ? err_errno(err, "/dev/null") : 0;

	fd_close(&fd);
	return code;
}

int stat_compare_run(const struct stat_command_options *o, const char *second, struct err *err)
{
	struct stat_compare_result result = { .pairs = 0 };
	struct stat_comparison comparison;
	struct stat_compared *row = NULL;
	struct arena arena = { 0 };
	char **words[2];
	int code;

	if (!second)
		return command_usage(err, "--compare: expected two programs, each as one word: "
					  "--compare 'A' 'B'");
	words[0] = split(&arena, o->compare);
	words[1] = split(&arena, second);
	if (!words[0][0] || !words[1][0]) {
		arena_done(&arena);
		return command_usage(err, "--compare: a program is empty");
	}
	code = silence(err);
	if (!code)
		code = session_compare(&o->stat, words, &result, err);
	if (!code) {
		row = compare_all(&result, o);
		comparison = (struct stat_comparison){ .command = { o->compare, second },
						       .row = row,
						       .rows = result.figure.count,
						       .pairs = result.pairs };
		code = o->quiet ? 0 : print(o, &comparison, result.notes, err);
	}
	if (code)
		code = -1;
	else if (result.interrupted) /* no gate may pass */
		code = 128 + result.interrupted;
	else
		code = gate_status(&comparison);
	free(row);
	stat_compare_result_done(&result);
	arena_done(&arena);
	return code;
}
