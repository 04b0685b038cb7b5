/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Heat maps of latencies as pages on the timeline's axis (see latency_map.h). "latency-data" is
 * base64 of zlib of a JSON object: title, about, missing, thing, end and column (us), rows (their
 * names, shortest first), bounds (where rows begin, and the last one ends: in ns, or numbers),
 * times (whether they are ns), counts ([column, row, count], those that are not 0). */
#include <inttypes.h>

#include "base/buf.h"
#include "base/err.h"
#include "view/flame/flame_pack.h"
#include "view/flame/flame_page.h"
#include "view/latency/latency_map.h"

extern const char latency_map_js[], latency_map_js_sha256[];
extern const char timeline_css[], timeline_css_sha256[];

static void put_string(struct buf *out, const char *name, const char *text)
{
	(void)buf_printf(out, "\"%s\":", name);
	(void)buf_put_json(out, text ? text : "");
	(void)buf_putc(out, ',');
}

static void put_rows(const struct latency_map_options *options, uint32_t low, uint32_t high,
		     struct buf *out)
{
	struct buf name = { 0 };

	(void)buf_puts(out, "\"rows\":[");
	for (uint32_t row = low; row <= high; row++) {
		buf_clear(&name);
		latency_map_put_row(options, row, &name);
		(void)buf_puts(out, row > low ? "," : "");
		(void)buf_put_json(out, name.data);
	}
	(void)buf_puts(out, "],\"bounds\":[");
	for (uint32_t row = low; row <= high + 1; row++)
		(void)buf_printf(out, "%s%.17g", row > low ? "," : "",
				 latency_map_bound(options, row));
	(void)buf_printf(out, "],\"times\":%s,", options->unit_ns ? "true" : "false");
	buf_done(&name);
}

static void put_counts(const struct latency_map *map, uint32_t low, struct buf *out)
{
	const char *before = "\"counts\":[";

	for (size_t i = 0; i < map->count.count; i++) {
		if (!map->count.item[i])
			continue;
		(void)buf_printf(out, "%s[%zu,%zu,%" PRIu64 "]", before, i / LATENCY_MAP_ROWS,
				 i % LATENCY_MAP_ROWS - low, map->count.item[i]);
		before = ",";
	}
	(void)buf_puts(out, *before == ',' ? "]" : "\"counts\":[]");
}

/* about: the line below the title */
static void put_data(const struct latency_map *map, const struct latency_map_options *options,
		     struct buf *about, struct buf *out)
{
	size_t columns = map->count.count / LATENCY_MAP_ROWS;
	uint32_t low = LATENCY_MAP_ROWS, high = 0;
	uint64_t total = 0;

	for (size_t i = 0; i < map->count.count; i++) {
		uint32_t row = i % LATENCY_MAP_ROWS;

		total += map->count.item[i];
		if (!map->count.item[i])
			continue;
		low = row < low ? row : low;
		high = row > high ? row : high;
	}
	low = low > high ? 0 : low;
	(void)buf_printf(about, "%" PRIu64 " %s", total, options->thing);
	if (options->about && *options->about)
		(void)buf_printf(about, " \xc2\xb7 %s", options->about);
	(void)buf_putc(out, '{');
	put_string(out, "title", options->title);
	put_string(out, "about", about->data);
	put_string(out, "missing",
		   total ? options->missing : "Nothing was seen: watch longer, or more threads.");
	put_string(out, "thing", options->thing);
	(void)buf_printf(out, "\"column\":%.10g,\"end\":%.10g,", (double)map->column_ns / 1e3,
			 (double)(columns ? columns : 1) * (double)map->column_ns / 1e3);
	put_rows(options, low, high, out);
	put_counts(map, low, out);
	(void)buf_putc(out, '}');
}

int latency_map_html(const struct latency_map *map, const struct latency_map_options *options,
		     struct buf *ret, struct err *err)
{
	struct buf json = { 0 }, text = { 0 }, about = { 0 }, nothing = { 0 };
	int code;

	put_data(map, options, &about, &json);
	code = flame_pack_bytes(&nothing, &json, &text, err);
	if (!code) {
		struct flame_data data = { "latency-data", text.data };
		struct flame_page page = { .title = options->title,
					   .what = "latency heat map",
					   .about = about.data,
					   .script = FLAME_ASSET(latency_map_js),
					   .style = FLAME_ASSET(timeline_css),
					   .data = &data,
					   .data_count = 1 };

		flame_page_write(&page, ret);
	}
	buf_done(&json);
	buf_done(&text);
	buf_done(&about);
	return code;
}
