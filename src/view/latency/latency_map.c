/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Heat maps of latencies (see latency_map.h). Colours are by the logarithm of counts, so that the
 * few long ones are seen beside the many short ones. */
#include "view/latency/latency_map.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"

#define MAX_COLUMNS 86400u
#define MAX_DRAWN   400u /* more are put together */
#define WIDTH	    1000.0
#define ROW_HEIGHT  18
#define LEFT	    90
#define TOP	    62
#define BOTTOM	    40

/* What is drawn: columns put together, rows without the empty ones above and below. */
struct picture {
	const struct latency_map *map;
	const struct latency_map_options *options;
	struct buf *out;
	size_t columns, together; /* drawn; of the map in each of them */
	uint32_t low, high;	  /* rows */
	uint64_t most, total;
	double width; /* of a column */
};

void latency_map_add(struct latency_map *map, uint64_t time_ns, uint32_t row, uint64_t count)
{
	uint64_t column = time_ns > map->start_ns ? (time_ns - map->start_ns) / map->column_ns : 0;

	if (column >= MAX_COLUMNS)
		column = MAX_COLUMNS - 1;
	if (row >= LATENCY_MAP_ROWS)
		row = LATENCY_MAP_ROWS - 1;
	while (map->count.count < (column + 1) * LATENCY_MAP_ROWS)
		vec_push(&map->count, 0);
	map->count.item[column * LATENCY_MAP_ROWS + row] += count;
}

uint32_t latency_map_row(uint64_t length)
{
	return length ? 63 - (uint32_t)__builtin_clzll(length) : 0;
}

static uint64_t cell(const struct picture *picture, size_t column, uint32_t row)
{
	const struct latency_map *map = picture->map;
	uint64_t sum = 0;

	for (size_t i = column * picture->together; i < (column + 1) * picture->together; i++)
		if ((i + 1) * LATENCY_MAP_ROWS <= map->count.count)
			sum += map->count.item[i * LATENCY_MAP_ROWS + row];
	return sum;
}

static void measure(struct picture *picture)
{
	size_t columns = picture->map->count.count / LATENCY_MAP_ROWS;

	picture->together = (columns + MAX_DRAWN - 1) / MAX_DRAWN;
	picture->together += !picture->together;
	picture->columns = (columns + picture->together - 1) / picture->together;
	picture->low = LATENCY_MAP_ROWS;
	for (size_t column = 0; column < picture->columns; column++)
		for (uint32_t row = 0; row < LATENCY_MAP_ROWS; row++) {
			uint64_t count = cell(picture, column, row);

			if (!count)
				continue;
			picture->total += count;
			picture->most = count > picture->most ? count : picture->most;
			picture->low = row < picture->low ? row : picture->low;
			picture->high = row > picture->high ? row : picture->high;
		}
	if (picture->low > picture->high)
		picture->low = 0;
	picture->width = picture->columns ? WIDTH / (double)picture->columns : WIDTH;
	if (picture->width > 40)
		picture->width = 40;
}

double latency_map_bound(const struct latency_map_options *options, uint32_t row)
{
	return options->unit_ns ? (row ? ldexp((double)options->unit_ns, (int)row) : 0) : row;
}

/* "512 us", "1.0 ms" */
static void put_length(const struct latency_map_options *options, uint32_t row, struct buf *out)
{
	double ns = latency_map_bound(options, row);

	if (!options->unit_ns)
		(void)buf_printf(out, "%" PRIu32, row);
	else if (ns < 1e3)
		(void)buf_printf(out, "%.0f ns", ns);
	else if (ns < 1e6)
		(void)buf_printf(out, "%.*f us", ns < 1e4 ? 1 : 0, ns / 1e3);
	else if (ns < 1e9)
		(void)buf_printf(out, "%.*f ms", ns < 1e7 ? 1 : 0, ns / 1e6);
	else
		(void)buf_printf(out, "%.*f s", ns < 1e10 ? 1 : 0, ns / 1e9);
}

void latency_map_put_row(const struct latency_map_options *options, uint32_t row, struct buf *out)
{
	put_length(options, row, out);
	if (options->unit_ns) {
		(void)buf_puts(out, " to ");
		put_length(options, row + 1, out);
	} else {
		(void)buf_printf(out, " %s", options->number);
	}
}

static double seconds_of(const struct picture *picture, size_t column)
{
	return (double)column * (double)picture->together * (double)picture->map->column_ns / 1e9;
}

static int y_of(const struct picture *picture, uint32_t row)
{
	return TOP + (int)(picture->high - row) * ROW_HEIGHT;
}

static void put_tip(struct picture *picture, size_t column, uint32_t row, uint64_t count)
{
	(void)buf_printf(picture->out, "<title>%.2f s: %" PRIu64 " ", seconds_of(picture, column),
			 count);
	(void)buf_puts(picture->out, picture->options->thing);
	(void)buf_puts(picture->out, picture->options->unit_ns ? " of " : " with ");
	latency_map_put_row(picture->options, row, picture->out);
	(void)buf_puts(picture->out, "</title>");
}

static void put_cell(struct picture *picture, size_t column, uint32_t row)
{
	uint64_t count = cell(picture, column, row);
	double heat;

	if (!count)
		return;
	heat = log1p((double)count) / log1p((double)picture->most);
	(void)buf_printf(picture->out,
			 "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" "
			 "fill=\"rgb(%d,%d,%d)\">",
			 LEFT + (double)column * picture->width, y_of(picture, row), picture->width,
			 ROW_HEIGHT, (int)(255 - 75 * heat * heat), (int)(225 - 215 * heat),
			 (int)(190 - 175 * heat));
	put_tip(picture, column, row, count);
	(void)buf_puts(picture->out, "</rect>\n");
}

static void put_axes(struct picture *picture)
{
	int bottom = y_of(picture, picture->low) + ROW_HEIGHT;
	size_t step = picture->columns / 8 + 1;

	for (uint32_t row = picture->low; row <= picture->high; row++) {
		/* A length is the lower end of its row. */
		(void)buf_printf(
			picture->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LEFT - 8,
			y_of(picture, row) + (picture->options->unit_ns ? ROW_HEIGHT + 4 : 13));
		put_length(picture->options, row, picture->out);
		(void)buf_puts(picture->out, "</text>\n");
	}
	for (size_t column = 0; column < picture->columns; column += step)
		(void)buf_printf(
			picture->out, "<text x=\"%.2f\" y=\"%d\">%.*f s</text>\n",
			LEFT + (double)column * picture->width, bottom + 22,
			picture->map->column_ns * picture->together * step < 10000000000 ? 2 : 0,
			seconds_of(picture, column));
	(void)buf_printf(picture->out,
			 "<path d=\"M%d %dV%dH%.2f\" fill=\"none\" stroke=\"#888\"/>\n", LEFT, TOP,
			 bottom, LEFT + (double)picture->columns * picture->width);
}

void latency_map_svg(const struct latency_map *map, const struct latency_map_options *options,
		     struct buf *ret)
{
	struct picture picture = { .map = map, .options = options, .out = ret };
	int height;

	measure(&picture);
	height = y_of(&picture, picture.low) + ROW_HEIGHT + BOTTOM;
	(void)buf_printf(
		ret,
		"<?xml version=\"1.0\" standalone=\"no\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		"viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n<title>",
		(int)WIDTH + LEFT + 40, height, (int)WIDTH + LEFT + 40, height);
	(void)buf_put_xml(ret, options->title, strlen(options->title));
	(void)buf_printf(ret,
			 " \xc2\xb7 latency heat map</title>\n<rect width=\"100%%\" "
			 "height=\"100%%\" fill=\"#fff\"/>\n"
			 "<text x=\"%d\" y=\"20\" font-size=\"16\">",
			 LEFT);
	(void)buf_put_xml(ret, options->title, strlen(options->title));
	(void)buf_printf(ret,
			 "</text>\n<text x=\"%d\" y=\"38\" fill=\"#666\">%" PRIu64
			 " %s; darkest: %" PRIu64 " in %.*f s",
			 LEFT, picture.total, options->thing, picture.most,
			 map->column_ns * picture.together < 1000000000 ? 2 : 0,
			 (double)(map->column_ns * picture.together) / 1e9);
	if (options->about && *options->about) {
		(void)buf_puts(ret, " \xc2\xb7 ");
		(void)buf_put_xml(ret, options->about, strlen(options->about));
	}
	(void)buf_puts(ret, "</text>\n");
	if (options->missing && *options->missing) {
		(void)buf_printf(ret, "<text x=\"%d\" y=\"54\" fill=\"#9a3412\">", LEFT);
		(void)buf_put_xml(ret, options->missing, strlen(options->missing));
		(void)buf_puts(ret, "</text>\n");
	}
	for (size_t column = 0; column < picture.columns; column++)
		for (uint32_t row = picture.low; row <= picture.high; row++)
			put_cell(&picture, column, row);
	put_axes(&picture);
	(void)buf_puts(ret, "</svg>\n");
}

void latency_map_done(struct latency_map *map)
{
	vec_done(&map->count);
}
