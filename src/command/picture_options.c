/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of pictures, and the files they name (see picture_options.h). */
#include "command/picture_options.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "command/command.h"
#include "command/option/accepted.h"
#include "view/flame/flame_attributes.h"
#include "view/flame/flame_html.h"
#include "view/flame/flame_palette_map.h"

#define PALETTE_MAP  "palette.map" /* FlameGraph's name, in the working folder */
#define FILE_MAX_LEN ((size_t)64 << 20)

static int set_minwidth(void *field, const char *value, bool negated, struct err *err)
{
	struct flame_graph_options *view = field;
	char *end;
	double number = strtod(value, &end);

	(void)negated;
	view->minwidth_percent = *end == '%';
	if (end == value || !(number >= 0) || number > 1e6 || (*end && strcmp(end, "%") != 0))
		return err_set(err, -EINVAL, "invalid width '%s': expected pixels or a percentage",
			       value);
	view->minwidth = number;
	return 0;
}

static_assert(FLAME_ROOTS_NONE == 3, "ORDER: the words follow enum flame_roots");
static_assert(FLAME_MEASURE_SAMPLES == 2, "ORDER: the words follow enum flame_measure");
static_assert(PICTURE_HTML == 2, "ORDER: the words follow enum picture_format");

#define OWN(field)  OPT(picture_options, field)
#define VIEW(field) OPT(picture_options, view.field)

const struct option_def picture_option_rows[] = {
	{ "format", 0, OPT_CHOICE, "FORMAT", OWN(format),
	  "svg, or html for large profiles (default: by the output's suffix)",
	  .choices = "auto svg html" },
	{ "title", 0, OPT_STR, "TEXT", VIEW(title), "title", NULL, NULL },
	{ "subtitle", 0, OPT_STR, "TEXT", VIEW(subtitle), "second line", NULL, NULL },
	{ "notes", 0, OPT_STR, "TEXT", VIEW(notes), "comment in the file", NULL, NULL },
	{ "width", 0, OPT_UINT, "PIXELS", OWN(width), "width of the picture (1200)", NULL, NULL },
	{ "height", 0, OPT_UINT, "PIXELS", OWN(height), "height of a frame (16)", NULL, NULL },
	{ "minwidth", 0, OPT_CALL, "WIDTH", OWN(view),
	  "merge frames narrower than this, in pixels or N% (0.1)", set_minwidth, NULL },
	{ "fonttype", 0, OPT_STR, "FONT", VIEW(fonttype), "font family", NULL, NULL },
	{ "fontsize", 0, OPT_DOUBLE, "PIXELS", VIEW(fontsize), "font size (12)", NULL, NULL },
	{ "fontwidth", 0, OPT_DOUBLE, "RATIO", VIEW(fontwidth),
	  "width of a letter relative to the font size", NULL, NULL },
	{ "countname", 0, OPT_STR, "TEXT", VIEW(countname), "unit of the counts", NULL, NULL },
	{ "nametype", 0, OPT_STR, "TEXT", VIEW(nametype),
	  "label of names in the details line (Function:)", NULL, NULL },
	{ "colors", 0, OPT_STR, "PALETTE", VIEW(colors),
	  "palette: by kind of code (default), hot mem io wakeup chain java js perl python rust "
	  "red green blue "
	  "aqua yellow purple orange",
	  .choices = "hot mem io wakeup chain java js perl python rust red green blue aqua yellow "
		     "purple orange" },
	{ "color", 0, OPT_STR, "PALETTE", VIEW(colors), NULL, NULL, NULL }, /* as Getopt shortens */
	{ "bgcolors", 0, OPT_STR, "COLOR", VIEW(bgcolors),
	  "yellow, blue, green, grey or #rrggbb (default: light or dark, as the browser prefers)",
	  NULL, NULL },
	{ "random", 0, OPT_FLAG, NULL, VIEW(random), "choose shades at random", NULL, NULL },
	{ "inverted", 0, OPT_FLAG, NULL, VIEW(inverted), "icicle layout: root at the top", NULL,
	  NULL },
	{ "reverse", 0, OPT_FLAG, NULL, VIEW(reverse), "merge stacks from the leaf", NULL, NULL },
	{ "flamechart", 0, OPT_FLAG, NULL, VIEW(flamechart),
	  "order stacks by time, and do not merge stacks that are apart", NULL, NULL },
	{ "factor", 0, OPT_DOUBLE, "NUMBER", VIEW(factor), "multiply counts by this factor", NULL,
	  NULL },
	{ "total", 0, OPT_UINT, "NUMBER", OWN(total),
	  "total count for the full width, if larger than the sum", NULL, NULL },
	{ "by", 0, OPT_CHOICE, "MEASURE", VIEW(measure),
	  "width of frames: samples, weight (time, events) or auto",
	  .choices = "auto weight samples" },
	{ "roots", 0, OPT_CHOICE, "KIND", VIEW(roots),
	  "root frame of stacks: comm (default), pid, tid or none",
	  .choices = "comm pid tid none" },
	{ "cp", 0, OPT_FLAG, NULL, OWN(consistent),
	  "use the colours of functions in the file palette.map, and add new ones", NULL, NULL },
	{ "nameattr", 0, OPT_STR, "FILE", OWN(attributes_path),
	  "attributes of functions: lines FUNCTION<tab>NAME=VALUE<tab>…", NULL, NULL },
	{ "code", 0, OPT_STR, "PAGE", VIEW(code),
	  "menus of frames open the function in PAGE, made by cupel annotate -o PAGE", NULL, NULL },
	{ "negate", 0, OPT_FLAG, NULL, VIEW(negate),
	  "two columns: blue for growth, red for decline", NULL, NULL },
	{ "colordiffusion", 0, OPT_FLAG, NULL, VIEW(color_diffusion),
	  "colour by width: wider is redder", NULL, NULL },
	{ "search-color", 0, OPT_STR, "#RRGGBB", VIEW(search_color), "colour of search matches",
	  NULL, NULL },
	{ "stroke-color", 0, OPT_STR, "#RRGGBB", VIEW(stroke_color),
	  "outline every frame (default none)", NULL, NULL },
	{ "uicolor", 0, OPT_STR, "#RRGGBB", VIEW(ui_color),
	  "colour of title, buttons and other text", NULL, NULL },
	{ "truncate-text-left", 0, OPT_FLAG, NULL, VIEW(truncate_left),
	  "show the end of names that do not fit", NULL, NULL },
	{ "no-sort", 0, OPT_FLAG, NULL, VIEW(no_sort),
	  "keep siblings in input order instead of alphabetical order", NULL, NULL },
	{ "base", 0, OPT_LIST, "FUNCTION", OWN(base),
	  "start stacks at FUNCTION and drop stacks without it; may be repeated", NULL, NULL },
	{ "encoding", 0, OPT_STR, "NAME", VIEW(encoding), "encoding of names in the input (UTF-8)",
	  NULL, NULL },
	{ "no-interval", 0, OPT_FLAG, NULL, VIEW(no_interval),
	  "do not show the 95% intervals of shares", NULL, NULL },
	{ "no-javascript", 0, OPT_FLAG, NULL, VIEW(no_javascript),
	  "write a static picture without script and data", NULL, NULL },
	{ "pretty-xml", 0, OPT_FLAG, NULL, VIEW(pretty_xml), "write one element per line", NULL,
	  NULL },
	{ "event-filter", 0, OPT_STR, "EVENT", VIEW(event), "this event, not the first one", NULL,
	  NULL },
	{ .type = OPT_INCLUDE, .include = accepted_picture_rows },
	{ 0 },
};

void picture_options_defaults(struct picture_options *options)
{
	options->view.minwidth = -1; /* the view's default */
}

static void warn_bad(const char *path, size_t bad)
{
	if (bad)
		(void)fprintf(stderr, "cupel: %s: %zu unrecognized or unsafe entries skipped\n",
			      path, bad);
}

static int read_attributes(struct picture_options *options, struct err *err)
{
	struct buf text = { .limit = FILE_MAX_LEN };
	size_t bad;
	int r = fd_read_file(options->attributes_path, &text, err);

	if (r == 0) {
		options->attributes =
			flame_attributes_parse(text.data ? text.data : "", text.len, &bad);
		options->view.attributes = options->attributes;
		warn_bad(options->attributes_path, bad);
	}
	buf_done(&text);
	return r;
}

static int read_palette_map(struct picture_options *options, struct err *err)
{
	struct buf text = { .limit = FILE_MAX_LEN };
	size_t bad;
	int r = 0;

	if (access(PALETTE_MAP, F_OK) == 0)
		r = fd_read_file(PALETTE_MAP, &text, err);
	if (r == 0) {
		options->palette_map =
			flame_palette_map_parse(text.data ? text.data : "", text.len, &bad);
		options->view.palette_map = options->palette_map;
		warn_bad(PALETTE_MAP, bad);
	}
	buf_done(&text);
	return r;
}

/* What is far too large stays so. */
static uint32_t pixels(uint64_t value)
{
	return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len > n && strcmp(text + len - n, end) == 0;
}

/* A picture under the name of another format would open nowhere. */
static int check_name(const char *output, const char *what, struct err *err)
{
	static const char *const others[] = { ".png", ".jpg", ".jpeg", ".gif", ".webp",
					      ".pdf", ".ps",  ".json", ".txt", ".folded" };

	for (size_t i = 0; output && i < sizeof(others) / sizeof(*others); i++)
		if (ends_with(output, others[i])) {
			(void)command_usage(err, "%s: %s", output, what);
			return err_hint(err, i < 7 ? "a browser prints and exports them"
						   : "other formats: cupel convert --list");
		}
	return 0;
}

int picture_check_name(const char *output, struct err *err)
{
	return check_name(output, "pictures are .svg or .html files", err);
}

int picture_check_suffix(const struct picture_options *options, const char *output, struct err *err)
{
	return options->format == PICTURE_AUTO ? picture_check_name(output, err) : 0;
}

int picture_options_check(struct picture_options *options, struct err *err)
{
	int r = 0;

	options->view.width = pixels(options->width);
	options->view.height = pixels(options->height);
	options->view.total = options->total;
	options->view.base = options->base.item;
	options->view.base_count = options->base.count;
	if (options->view.code && !flame_link_loads_page(options->view.code))
		return err_usage(err, "--code: not the address of a page: '%s'",
				 options->view.code);
	if (options->attributes_path && !options->attributes)
		r = read_attributes(options, err);
	if (r == 0 && options->consistent && !options->palette_map)
		r = read_palette_map(options, err);
	return r;
}

static int write_palette_map(const struct picture_options *options, struct err *err)
{
	struct buf text = { 0 };
	int r;

	if (!options->palette_map)
		return 0;
	flame_palette_map_write(options->palette_map, &text);
	r = command_write_output(PALETTE_MAP, &text, err);
	buf_done(&text);
	return r;
}

bool picture_is_html(const char *output)
{
	return output && (ends_with(output, ".html") || ends_with(output, ".htm"));
}

int picture_check_page(const char *output, struct err *err)
{
	if (!output || !ends_with(output, ".svg"))
		return check_name(output, "this picture is a page: name it .html", err);
	return command_usage(err, "%s: this picture is a page: name it .html", output);
}

static bool is_html(const struct picture_options *options, const char *output)
{
	if (options->format != PICTURE_AUTO)
		return options->format == PICTURE_HTML;
	return picture_is_html(output);
}

int picture_draw(struct picture_options *options, const struct profile *profile, const char *output,
		 struct buf *ret, struct err *err)
{
	double missed = 0;
	int r = is_html(options, output)
			? flame_html(profile, &options->view, ret, err)
			: flame_graph_svg(profile, &options->view, ret, &missed, err);

	if (missed >= 0.001 && !options->view.no_javascript)
		command_warn(
			"%.1f%% of the profile is in frames too small for an SVG, where search "
			"and zoom do not find them; a page has them all: -o flame.html",
			100 * missed);

	return r ? r : write_palette_map(options, err);
}

void picture_options_done(struct picture_options *options)
{
	flame_attributes_free(options->attributes);
	flame_palette_map_free(options->palette_map);
}
