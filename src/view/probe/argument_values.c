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

/* Counts by slot, those of the lowest values first: of negative ones down from slot 63, then of the
 * others. */
struct slots {
	uint64_t count[2 * SLOTS], most;
	unsigned first, end; /* in use, with 0 in between */
};

static void sum_up(const struct argument_values *values, struct slots *ret)
{
	*ret = (struct slots){ .first = SLOTS, .end = SLOTS };
	for (size_t i = 0; i < values->rows; i++) {
		unsigned slot = values->row[i].slot % (2 * SLOTS);
		unsigned at = slot < SLOTS ? SLOTS + slot : 2 * SLOTS - 1 - slot;

		ret->count[at] += values->row[i].count;
		ret->most = ret->count[at] > ret->most ? ret->count[at] : ret->most;
		ret->first = at < ret->first ? at : ret->first;
		ret->end = at >= ret->end ? at + 1 : ret->end;
	}
}

/* The least and the greatest value of a slot. */
static void put_bound(unsigned at, bool greatest, struct buf *out)
{
	unsigned slot = at < SLOTS ? SLOTS - 1 - at : at - SLOTS;
	uint64_t low = slot || at < SLOTS ? UINT64_C(1) << slot : 0;
	uint64_t high = (UINT64_C(2) << slot) - 1; /* of slot 63: all bits */

	if (at >= SLOTS)
		(void)buf_put_u64(out, greatest ? high : low);
	else if (slot == SLOTS - 1)
		(void)buf_puts(out, "-9223372036854775808"); /* there is no lower one */
	else
		(void)buf_printf(out, "-%" PRIu64, greatest ? low : high);
}

static void put_row(const struct slots *slots, unsigned at, bool wide, struct buf *out)
{
	size_t width = wide ? STARS_WIDE : STARS;
	size_t stars = (size_t)((double)slots->count[at] * (double)width / (double)slots->most);
	struct buf low = { 0 }, high = { 0 };

	put_bound(at, false, &low);
	put_bound(at, true, &high);
	(void)buf_printf(
		out, wide ? "%20s -> %-20s : %-8" PRIu64 " |" : "%10s -> %-10s : %-8" PRIu64 " |",
		low.data, high.data, slots->count[at]);
	(void)buf_pad(out, '*', stars);
	(void)buf_pad(out, ' ', width - stars);
	(void)buf_puts(out, "|\n");
	buf_done(&low);
	buf_done(&high);
}

static void put_histogram(const struct argument_values *values, struct buf *ret)
{
	struct slots slots;
	bool wide;

	sum_up(values, &slots);
	wide = slots.end > SLOTS + NARROW || slots.first < SLOTS - NARROW;
	if (slots.most)
		(void)buf_printf(ret,
				 wide ? "               %-29s : count     distribution\n"
				      : "     %-19s : count     distribution\n",
				 values->expression);
	for (unsigned at = slots.first; at < slots.end; at++)
		put_row(&slots, at, wide, ret);
}

static void put_slots_json(const struct argument_values *values, struct buf *ret)
{
	struct slots slots;
	const char *comma = "";

	sum_up(values, &slots);
	for (unsigned at = slots.first; at < slots.end; at++) {
		if (!slots.count[at])
			continue;
		(void)buf_printf(ret, "%s{\"from\":", comma);
		put_bound(at, false, ret);
		(void)buf_puts(ret, ",\"to\":");
		put_bound(at, true, ret);
		(void)buf_printf(ret, ",\"count\":%" PRIu64 "}", slots.count[at]);
		comma = ",";
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
	const char *comma = "";

	(void)buf_puts(ret, "{\"label\":");
	(void)buf_put_json(ret, values->label);
	(void)buf_puts(ret, values->histogram ? ",\"histogram\":[" : ",\"values\":[");
	if (values->histogram)
		put_slots_json(values, ret);
	for (size_t i = values->histogram ? values->rows : sort(values); i < values->rows; i++) {
		(void)buf_printf(ret, "%s{\"value\":", comma);
		(void)buf_put_json(ret, values->row[i].text);
		(void)buf_printf(ret, ",\"count\":%" PRIu64 "}", values->row[i].count);
		comma = ",";
	}
	(void)buf_puts(ret, "]}");
}
