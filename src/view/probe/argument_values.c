/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints how often values occurred (see argument_values.h). */
#include "view/probe/argument_values.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define SLOTS	   64
#define NARROW	   32 /* slots that fit the narrow layout */
#define STARS	   40
#define STARS_WIDE 20

static int by_count(const void *a, const void *b)
{
	const struct argument_row *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	return strcmp(x->text, y->text);
}

/* The first row to print. */
static size_t sort(const struct argument_values *values)
{
	if (values->rows)
		qsort(values->row, values->rows, sizeof(*values->row), by_count);
	return values->top && values->rows > values->top ? values->rows - values->top : 0;
}

static void put_frequencies(const struct argument_values *values, struct buf *ret)
{
	(void)buf_printf(ret, "\t%-10s %s\n", "COUNT", "EVENT");
	for (size_t i = sort(values); i < values->rows; i++) {
		(void)buf_printf(ret, "\t%-10" PRIu64 " ", values->row[i].count);
		(void)buf_put_tidy(ret, values->row[i].text);
		(void)buf_putc(ret, '\n');
	}
}

static uint64_t low_of(unsigned slot)
{
	return slot ? UINT64_C(1) << slot : 0;
}

static uint64_t high_of(unsigned slot)
{
	return (UINT64_C(2) << slot) - 1; /* of slot 63: all bits */
}

/* Returns the slots up to the last one in use. */
static unsigned sum_up(const struct argument_values *values, uint64_t slot[SLOTS], uint64_t *most)
{
	unsigned used = 0;

	memset(slot, 0, SLOTS * sizeof(*slot));
	for (size_t i = 0; i < values->rows; i++)
		slot[values->row[i].slot % SLOTS] += values->row[i].count;
	*most = 0;
	for (unsigned i = 0; i < SLOTS; i++) {
		used = slot[i] ? i + 1 : used;
		*most = slot[i] > *most ? slot[i] : *most;
	}
	return used;
}

static void put_histogram(const struct argument_values *values, struct buf *ret)
{
	uint64_t slot[SLOTS], most;
	unsigned used = sum_up(values, slot, &most);
	bool wide = used > NARROW;
	size_t width = wide ? STARS_WIDE : STARS;

	if (used)
		(void)buf_printf(ret,
				 wide ? "               %-29s : count     distribution\n"
				      : "     %-19s : count     distribution\n",
				 values->expression);
	for (unsigned i = 0; i < used; i++) {
		size_t stars = (size_t)((double)slot[i] * (double)width / (double)most);

		(void)buf_printf(ret,
				 wide ? "%20" PRIu64 " -> %-20" PRIu64 " : %-8" PRIu64 " |"
				      : "%10" PRIu64 " -> %-10" PRIu64 " : %-8" PRIu64 " |",
				 low_of(i), high_of(i), slot[i]);
		(void)buf_pad(ret, '*', stars);
		(void)buf_pad(ret, ' ', width - stars);
		(void)buf_puts(ret, "|\n");
	}
}

void argument_values_text(const struct argument_values *values, struct buf *ret)
{
	(void)buf_put_tidy(ret, values->label);
	(void)buf_putc(ret, '\n');
	if (values->histogram)
		put_histogram(values, ret);
	else
		put_frequencies(values, ret);
}

void argument_values_json(const struct argument_values *values, struct buf *ret)
{
	uint64_t slot[SLOTS], most;
	unsigned used = values->histogram ? sum_up(values, slot, &most) : 0;
	const char *comma = "";

	(void)buf_puts(ret, "{\"label\":");
	(void)buf_put_json(ret, values->label);
	(void)buf_puts(ret, values->histogram ? ",\"histogram\":[" : ",\"values\":[");
	for (unsigned i = 0; i < used; i++) {
		if (!slot[i])
			continue;
		(void)buf_printf(
			ret, "%s{\"from\":%" PRIu64 ",\"to\":%" PRIu64 ",\"count\":%" PRIu64 "}",
			comma, low_of(i), high_of(i), slot[i]);
		comma = ",";
	}
	for (size_t i = values->histogram ? values->rows : sort(values); i < values->rows; i++) {
		(void)buf_printf(ret, "%s{\"value\":", comma);
		(void)buf_put_json(ret, values->row[i].text);
		(void)buf_printf(ret, ",\"count\":%" PRIu64 "}", values->row[i].count);
		comma = ",";
	}
	(void)buf_puts(ret, "]}");
}
