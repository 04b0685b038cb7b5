/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scheduling delays as text and JSON (see sched_latency.h). */
#include "view/sched/sched_latency.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "profile/sched/sched_delay.h"

#define NAME_WIDTH 24
#define BAR_WIDTH  40

static void put_rule(struct buf *ret, size_t width)
{
	(void)buf_putc(ret, ' ');
	(void)buf_pad(ret, '-', width);
	(void)buf_putc(ret, '\n');
}

static double ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

/* Microseconds are cut, not rounded, as times are everywhere. */
static void put_moment(struct buf *ret, uint64_t ns)
{
	(void)buf_printf(ret, "%6" PRIu64 ".%06" PRIu64 " s", ns / 1000000000, ns / 1000 % 1000000);
}

static void put_row(const struct sched_delay_row *row, struct buf *ret)
{
	size_t start = ret->len;

	if (row->merged > 1)
		(void)buf_printf(ret, "  %s:(%zu) ", row->task->comm, row->merged);
	else
		(void)buf_printf(ret, "  %s:%" PRIu32 " ", row->task->comm, row->task->tid);
	if (ret->len - start < NAME_WIDTH)
		(void)buf_pad(ret, ' ', NAME_WIDTH - (ret->len - start));
	(void)buf_printf(ret, "|%11.3f ms |%9" PRIu64 " | avg:%8.3f ms | max:%8.3f ms | max start:",
			 ms(row->runtime_ns), row->count, ms(row->total_ns / row->count),
			 ms(row->max_ns));
	put_moment(ret, row->max_start_ns);
	(void)buf_puts(ret, " | max end:");
	put_moment(ret, row->max_end_ns);
	(void)buf_putc(ret, '\n');
}

/* "4.0 us", in the unit that fits. */
static void put_bound(struct buf *ret, unsigned power)
{
	static const char *const unit[] = { "ns", "us", "ms", "s " };
	double value = (double)((uint64_t)1 << power);
	size_t scale = 0;

	for (; value >= 1000 && scale < 3; scale++)
		value /= 1000;
	(void)buf_printf(ret, "%5.*f %s", value < 10 && scale ? 1 : 0, value, unit[scale]);
}

static void put_histogram(const struct sched_delays *delays, struct buf *ret)
{
	size_t first = SCHED_DELAY_BUCKETS, last = 0;
	uint64_t most = 0;

	for (size_t i = 0; i < SCHED_DELAY_BUCKETS; i++) {
		if (!delays->histogram[i])
			continue;
		first = first < i ? first : i;
		last = i;
		most = most > delays->histogram[i] ? most : delays->histogram[i];
	}
	(void)buf_puts(ret, "\n  Delay                  |    Count |  Share |\n");
	for (size_t i = first; i <= last; i++) {
		uint64_t count = delays->histogram[i];

		(void)buf_puts(ret, "  ");
		if (i)
			put_bound(ret, (unsigned)i);
		else
			(void)buf_puts(ret, "    0 ns");
		(void)buf_puts(ret, " - ");
		put_bound(ret, (unsigned)i + 1);
		(void)buf_printf(ret, "    |%9" PRIu64 " | %5.1f%% |", count,
				 100.0 * (double)count / (double)delays->count);
		if (count * BAR_WIDTH >= most)
			(void)buf_putc(ret, ' ');
		(void)buf_pad(ret, '#', (size_t)(count * BAR_WIDTH / most));
		(void)buf_putc(ret, '\n');
	}
}

void sched_faults_text(const struct sched_faults *faults, struct buf *ret)
{
	if (faults->lost)
		(void)buf_printf(ret,
				 "  INFO: %.3f%% lost events (%" PRIu64 " out of %" PRIu64
				 ", in %" PRIu64 " chunks)\n",
				 100.0 * (double)faults->lost /
					 (double)(faults->events + faults->lost),
				 faults->lost, faults->events + faults->lost, faults->lost_at);
	if (faults->mismatched)
		(void)buf_printf(ret,
				 "  INFO: %.3f%% context switch bugs (%" PRIu64 " out of %" PRIu64
				 ")%s\n",
				 100.0 * (double)faults->mismatched / (double)faults->switches,
				 faults->mismatched, faults->switches,
				 faults->lost ? " (due to lost events?)" : "");
	if (faults->malformed)
		(void)buf_printf(ret,
				 "  INFO: %" PRIu64 " samples lack the fields they should have\n",
				 faults->malformed);
}

void sched_latency_table(const struct sched_delays *delays, const struct sched_faults *faults,
			 const struct sched_latency_options *options, struct buf *ret)
{
	(void)buf_putc(ret, '\n');
	put_rule(ret, 139);
	(void)buf_puts(ret, "  Task                  |   Runtime ms  |  Count   | Avg delay ms    "
			    "| Max delay ms    | Max delay start           "
			    "| Max delay end          |\n");
	put_rule(ret, 139);
	for (size_t i = 0; i < delays->row.count; i++)
		put_row(&delays->row.item[i], ret);
	put_rule(ret, 113);
	(void)buf_printf(ret, "  TOTAL:                |%11.3f ms |%9" PRIu64 " |\n",
			 ms(delays->runtime_ns), delays->count);
	put_rule(ret, 51);
	if (options->histogram && delays->count)
		put_histogram(delays, ret);
	sched_faults_text(faults, ret);
	(void)buf_putc(ret, '\n');
}

static void put_json_row(const struct sched_delay_row *row, struct buf *ret)
{
	(void)buf_puts(ret, "{\"command\":");
	(void)buf_put_json(ret, row->task->comm);
	if (row->merged == 1)
		(void)buf_printf(ret, ",\"tid\":%" PRIu32, row->task->tid);
	(void)buf_printf(ret,
			 ",\"threads\":%zu,\"runtime_ns\":%" PRIu64 ",\"count\":%" PRIu64
			 ",\"delay_ns\":%" PRIu64 ",\"max_delay_ns\":%" PRIu64
			 ",\"max_start_ns\":%" PRIu64 ",\"max_end_ns\":%" PRIu64 "}",
			 row->merged, row->runtime_ns, row->count, row->total_ns, row->max_ns,
			 row->max_start_ns, row->max_end_ns);
}

static void put_json_histogram(const struct sched_delays *delays, struct buf *ret)
{
	const char *comma = "";

	for (size_t i = 0; i < SCHED_DELAY_BUCKETS; i++) {
		if (!delays->histogram[i])
			continue;
		(void)buf_printf(ret, "%s{\"from_ns\":%" PRIu64 ",\"count\":%" PRIu64 "}", comma,
				 i ? (uint64_t)1 << i : 0, delays->histogram[i]);
		comma = ",";
	}
}

void sched_latency_json(const struct sched_delays *delays, const struct sched_faults *faults,
			struct buf *ret)
{
	(void)buf_puts(ret, "{\"cupel\":1,\"rows\":[");
	for (size_t i = 0; i < delays->row.count; i++) {
		(void)buf_puts(ret, i ? "," : "");
		put_json_row(&delays->row.item[i], ret);
	}
	(void)buf_printf(ret,
			 "],\"total\":{\"runtime_ns\":%" PRIu64 ",\"count\":%" PRIu64
			 "},\"histogram\":[",
			 delays->runtime_ns, delays->count);
	put_json_histogram(delays, ret);
	(void)buf_printf(ret,
			 "],\"faults\":{\"lost\":%" PRIu64 ",\"mismatched\":%" PRIu64
			 ",\"malformed\":%" PRIu64 "}}\n",
			 faults->lost, faults->mismatched, faults->malformed);
}
