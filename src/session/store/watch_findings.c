/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Findings as text and JSON (see watch_findings.h). */
#include "session/store/watch_findings.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/map.h"
#include "event/kind.h"
#include "profile/statistics.h"
#include "session/store/store_changes.h"
#include "store/store.h"

#define SECOND_NS   ((uint64_t)1000000000)
#define LEVEL	    0.95
#define MOST_LINK   STORE_DAY_NS /* of a side that is linked to */
#define SAME_CHANGE 6		 /* a finding's time may move by so many columns */
#define NOTES_MAX   8

static void put_time(uint64_t time_ns, struct buf *out)
{
	time_t seconds = (time_t)(time_ns / SECOND_NS);
	char text[32];
	struct tm tm = { 0 };

	(void)localtime_r(&seconds, &tm);
	(void)strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	(void)buf_puts(out, text);
}

/* "3.12%", with the digits that a share needs. */
static void put_share(double share, struct buf *out)
{
	(void)buf_printf(out,
			 share < 0.001	? "%.4f%%"
			 : share < 0.01 ? "%.3f%%"
					: "%.2f%%",
			 100 * share);
}

static double margin(const struct store_change *change)
{
	return change->error * student_critical(1 - LEVEL, change->df);
}

/* Equal parts of both sides at the change. */
static void shown_parts(const struct store_change *change, uint64_t before[2], uint64_t after[2])
{
	uint64_t first = change->before_ns[1] - change->before_ns[0];
	uint64_t second = change->after_ns[1] - change->after_ns[0];
	uint64_t length = first < second ? first : second;

	length = length < MOST_LINK ? length : MOST_LINK;
	before[0] = length == MOST_LINK ? change->before_ns[1] - length : change->before_ns[0];
	before[1] = before[0] + length;
	after[0] = change->after_ns[0];
	after[1] = after[0] + length;
}

/* As one word of a shell. */
static void put_quoted(const char *text, struct buf *out)
{
	(void)buf_putc(out, '\'');
	for (; *text; text++)
		if (*text == '\'')
			(void)buf_puts(out, "'\\''");
		else
			(void)buf_putc(out, *text);
	(void)buf_putc(out, '\'');
}

static void put_command(const struct store_change *change, const struct watch_options *options,
			struct buf *out)
{
	uint64_t before[2], after[2];

	shown_parts(change, before, after);
	(void)buf_puts(out, "cupel query ");
	if (options->location) {
		(void)buf_puts(out, "--store ");
		put_quoted(options->location, out);
		(void)buf_putc(out, ' ');
	}
	put_quoted(change->selector, out);
	(void)buf_printf(out,
			 " --from @%" PRIu64 " --to @%" PRIu64 " --before-from @%" PRIu64
			 " --before-to @%" PRIu64 " diff -e ",
			 after[0] / SECOND_NS, after[1] / SECOND_NS, before[0] / SECOND_NS,
			 before[1] / SECOND_NS);
	put_quoted(change->event, out);
}

/* For an address. */
static void put_escaped(const char *text, struct buf *out)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') || strchr("-_.~", c);

		(void)buf_printf(out, plain ? "%c" : "%%%02X", c);
	}
}

/* The page with both parts and their comparison. ORDER: keys as in server/page/page_state.js. */
static void put_link(const struct store_change *change, const struct watch_options *options,
		     struct buf *out)
{
	uint64_t before[2], after[2];
	size_t len = strlen(options->page);

	shown_parts(change, before, after);
	(void)buf_printf(out,
			 "%s%s#from=%%40%" PRIu64 "&to=%%40%" PRIu64 "&selector=", options->page,
			 len && options->page[len - 1] == '/' ? "" : "/", before[0] / SECOND_NS,
			 after[1] / SECOND_NS);
	put_escaped(change->selector, out);
	(void)buf_puts(out, "&event=");
	put_escaped(change->event, out);
	(void)buf_printf(
		out, "&a=%" PRIu64 "%%2C%" PRIu64 "&b=%" PRIu64 "%%2C%" PRIu64 "&base=b&view=diff",
		after[0] / SECOND_NS, after[1] / SECOND_NS, before[0] / SECOND_NS,
		before[1] / SECOND_NS);
}

/* The cost in absolute terms: seconds of a CPU in a second are CPUs. Unknown for what was not
 * judged. */
static void put_rates(const struct store_change *change, struct buf *out)
{
	bool time = strcmp(change->unit, "ns") == 0;
	bool cpu = time && event_kind_of_name(change->event) == EVENT_KIND_CPU_TIME;
	double scale = time ? SECOND_NS : 1;

	if (!(change->rate[0] + change->rate[1] > 0))
		return;
	(void)buf_printf(out, ", %.3g -> %.3g %s%s", change->rate[0] / scale,
			 change->rate[1] / scale,
			 cpu		 ? "CPUs"
			 : time		 ? "s"
			 : *change->unit ? change->unit
					 : "events",
			 cpu ? "" : " a second");
}

static void put_change(const struct store_change *change, struct buf *out)
{
	double delta = change->after - change->before;

	(void)buf_printf(out, "%s: %s: ", *change->service ? change->service : "-",
			 change->function);
	put_share(change->before, out);
	(void)buf_puts(out, " -> ");
	put_share(change->after, out);
	(void)buf_printf(out, " of %s (%+.3f points, \xc2\xb1 %.3f", change->event, 100 * delta,
			 100 * margin(change));
	if (change->before > margin(change))
		(void)buf_printf(out, ", x %.2f", change->after / change->before);
	(void)buf_puts(out, ") at ");
	put_time(change->time_ns, out);
	put_rates(change, out);
	if (change->fate != CHANGE_FOUND)
		(void)buf_printf(out, " [%s%s%s]", change_fate_text(change->fate),
				 change->cause ? ": " : "", change->cause ? change->cause : "");
	(void)buf_putc(out, '\n');
}

static void put_details(const struct store_change *change, const struct watch_options *options,
			struct buf *out)
{
	if (!change->notes.count)
		(void)buf_puts(out, "    no new build, version or mark near that time\n");
	for (size_t i = 0; i < change->notes.count && i < NOTES_MAX; i++) {
		(void)buf_puts(out, "    ");
		put_time(change->notes.item[i].time_ns, out);
		(void)buf_printf(out, "  %s\n", change->notes.item[i].text);
	}
	if (change->notes.count > NOTES_MAX)
		(void)buf_printf(out, "    and %zu more\n", change->notes.count - NOTES_MAX);
	(void)buf_puts(out, "    ");
	put_command(change, options, out);
	(void)buf_putc(out, '\n');
	if (options->page) {
		(void)buf_puts(out, "    ");
		put_link(change, options, out);
		(void)buf_putc(out, '\n');
	}
}

static bool is_told(const struct store_changes *changes, const struct watch_options *options,
		    const bool *told, size_t number)
{
	return (options->all || changes->item.item[number].fate == CHANGE_FOUND) &&
	       (!told || told[number]);
}

static void put_summary(const struct store_changes *changes, struct buf *out)
{
	const char *between = "# not shown: ";

	for (size_t i = 0; i < CHANGE_FATE_COUNT; i++) {
		if (i == CHANGE_FOUND || !changes->fate[i])
			continue;
		(void)buf_printf(out, "%s%zu %s", between, changes->fate[i],
				 change_fate_text((enum change_fate)i));
		between = "; ";
	}
	if (between[0] == ';')
		(void)buf_putc(out, '\n');
	if (changes->short_services)
		(void)buf_printf(out, "# %zu services have too few columns to tell\n",
				 changes->short_services);
	if (changes->dropped)
		(void)buf_printf(out, "# %zu columns were left out for their few samples\n",
				 changes->dropped);
	if (changes->damaged)
		(void)buf_printf(out, "# %" PRIu64 " blocks of the store cannot be read\n",
				 changes->damaged);
}

void watch_text(const struct store_changes *changes, const struct watch_options *options,
		const bool *told, struct buf *ret)
{
	size_t count = 0;

	for (size_t i = 0; i < changes->item.count; i++)
		count += is_told(changes, options, told, i) &&
			 changes->item.item[i].fate == CHANGE_FOUND;
	(void)buf_printf(ret, "# %zu change%s in %zu services, ", count, count == 1 ? "" : "s",
			 changes->services);
	put_time(changes->from_ns, ret);
	(void)buf_puts(ret, " to ");
	put_time(changes->to_ns, ret);
	(void)buf_printf(ret, " in steps of %" PRIu64 " s, %zu tests\n",
			 changes->step_ns / SECOND_NS, changes->tests);
	for (size_t i = 0; i < changes->item.count; i++) {
		if (!is_told(changes, options, told, i))
			continue;
		put_change(&changes->item.item[i], ret);
		if (changes->item.item[i].fate == CHANGE_FOUND)
			put_details(&changes->item.item[i], options, ret);
	}
	if (!options->all)
		put_summary(changes, ret);
}

static void put_string(const char *name, const char *text, struct buf *out)
{
	(void)buf_printf(out, ",\"%s\":", name);
	(void)buf_put_json(out, text);
}

static void put_notes(const struct store_change *change, struct buf *out)
{
	(void)buf_puts(out, ",\"notes\":[");
	for (size_t i = 0; i < change->notes.count; i++) {
		(void)buf_printf(out, "%s{\"time_ns\":%" PRIu64 ",\"text\":", i ? "," : "",
				 change->notes.item[i].time_ns);
		(void)buf_put_json(out, change->notes.item[i].text);
		(void)buf_putc(out, '}');
	}
	(void)buf_putc(out, ']');
}

static void put_object(const struct store_change *change, const struct watch_options *options,
		       struct buf *out)
{
	struct buf text = { 0 };

	(void)buf_puts(out, "{\"cupel\":1");
	put_string("service", change->service, out);
	put_string("function", change->function, out);
	put_string("event", change->event, out);
	(void)buf_printf(out, ",\"time_ns\":%" PRIu64 ",\"before\":%.8g,\"after\":%.8g",
			 change->time_ns, change->before, change->after);
	(void)buf_printf(out, ",\"after_scaled\":%.8g,\"margin_95\":%.8g,\"p\":%.4g,\"q\":%.4g",
			 change->scaled, margin(change), change->p, change->q);
	if (change->rate[0] + change->rate[1] > 0)
		(void)buf_printf(out, ",\"rate_before\":%.8g,\"rate_after\":%.8g", change->rate[0],
				 change->rate[1]);
	put_string("unit", change->unit, out);
	put_string("direction", change->after > change->before ? "up" : "down", out);
	put_string("fate", change->fate == CHANGE_FOUND ? "found" : change_fate_text(change->fate),
		   out);
	if (change->cause)
		put_string("cause", change->cause, out);
	put_notes(change, out);
	put_command(change, options, &text);
	put_string("command", text.data, out);
	buf_clear(&text);
	if (options->page) {
		put_link(change, options, &text);
		put_string("link", text.data, out);
	}
	(void)buf_puts(out, "}\n");
	buf_done(&text);
}

void watch_json(const struct store_changes *changes, const struct watch_options *options,
		const bool *told, struct buf *ret)
{
	for (size_t i = 0; i < changes->item.count; i++)
		if (is_told(changes, options, told, i))
			put_object(&changes->item.item[i], options, ret);
}

static uint64_t key_of(const struct store_change *change)
{
	struct buf text = { 0 };
	uint64_t ret;

	(void)buf_printf(&text, "%s\n%s\n%s\n%d", change->service, change->event, change->function,
			 change->after > change->before);
	ret = hash_bytes(text.data, text.len);
	buf_done(&text);
	return ret;
}

bool watch_is_known(const struct store_changes *changes, const struct store_change *change,
		    const char *known)
{
	uint64_t key = key_of(change), near = SAME_CHANGE * changes->step_ns;

	while (known && *known) {
		char *end;
		uint64_t own = strtoull(known, &end, 16);
		uint64_t time_ns = strtoull(end, &end, 10);

		time_ns = time_ns < UINT64_MAX / SECOND_NS ? time_ns * SECOND_NS : 0;
		if (own == key && time_ns <= change->time_ns + near &&
		    change->time_ns <= time_ns + near)
			return true;
		known = strchr(known, '\n');
		known += known != NULL;
	}
	return false;
}

void watch_put_known(const struct store_change *change, struct buf *ret)
{
	(void)buf_printf(ret, "%016" PRIx64 " %" PRIu64 "\n", key_of(change),
			 change->time_ns / SECOND_NS);
}
