/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Palettes (see flame_color.h). Colours are kept as hue, saturation and lightness ranges; where
 * in the range a frame lies is decided by a hash of its name. The language palettes choose a range
 * by what the name looks like. */
#include "view/flame/flame_color.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"

/* Degrees and percents: [0] to [1]. */
struct range {
	short hue[2], saturation[2], lightness[2];
};

static const struct range hot = { { 0, 54 }, { 78, 95 }, { 52, 66 } };
static const struct range red = { { 0, 6 }, { 60, 88 }, { 56, 72 } };
static const struct range green = { { 108, 128 }, { 48, 66 }, { 48, 66 } };
static const struct range blue = { { 212, 232 }, { 58, 80 }, { 66, 78 } };
static const struct range aqua = { { 176, 188 }, { 42, 62 }, { 46, 64 } };
static const struct range yellow = { { 54, 60 }, { 48, 66 }, { 46, 60 } };
static const struct range purple = { { 292, 304 }, { 42, 62 }, { 62, 76 } };
static const struct range orange = { { 26, 38 }, { 84, 98 }, { 52, 62 } };
static const struct range mem = { { 120, 186 }, { 62, 92 }, { 42, 58 } };
static const struct range io = { { 228, 242 }, { 48, 74 }, { 68, 80 } };
static const struct range grey = { { 0, 0 }, { 0, 0 }, { 63, 63 } };

/* The default palette: warm for user code, blue for the kernel, green for run-time compiled,
 * violet for interpreted, pale for what has no name. Warm against blue stays apart for every
 * common colour blindness. */
static const struct range default_range[FLAME_KIND_COUNT] = {
	[FLAME_ALL] = { { 40, 40 }, { 16, 16 }, { 84, 84 } },
	[FLAME_COMMAND] = { { 36, 44 }, { 26, 34 }, { 76, 80 } },
	[FLAME_USER] = { { 24, 50 }, { 80, 94 }, { 60, 70 } },
	[FLAME_KERNEL] = { { 206, 222 }, { 56, 74 }, { 68, 77 } },
	[FLAME_JIT] = { { 104, 140 }, { 42, 54 }, { 60, 69 } },
	[FLAME_INTERPRETER] = { { 272, 292 }, { 42, 56 }, { 72, 79 } },
	[FLAME_GUEST] = { { 178, 190 }, { 36, 48 }, { 62, 70 } },
	[FLAME_SEPARATOR] = { { 0, 0 }, { 0, 0 }, { 63, 63 } },
	[FLAME_UNKNOWN] = { { 34, 40 }, { 12, 20 }, { 74, 80 } },
	[FLAME_SMALLER] = { { 210, 210 }, { 6, 6 }, { 82, 82 } },
};

struct flame_palette {
	const char *name;
	const struct range *(*choose)(const struct flame_subject *subject);
	const struct range *range; /* when there is nothing to choose */
};

static bool has(const struct flame_subject *s, const char *text)
{
	return strstr(s->name, text) != NULL;
}

static bool starts(const struct flame_subject *s, const char *text)
{
	return strncmp(s->name, text, strlen(text)) == 0;
}

static bool ends(const struct flame_subject *s, const char *text)
{
	size_t len = strlen(s->name), n = strlen(text);

	return len >= n && strcmp(s->name + len - n, text) == 0;
}

static const struct range *choose_default(const struct flame_subject *s)
{
	return &default_range[s->kind];
}

/* Native code of a process in another language: C++ by its "::", the kernel, the rest. */
static const struct range *choose_native(const struct flame_subject *s)
{
	if (s->kind == FLAME_KERNEL)
		return &orange;
	return has(s, "::") ? &yellow : &red;
}

static bool is_java_class(const struct flame_subject *s)
{
	static const char *const root[] = { "java/",  "javax/", "jdk/",	 "net/",   "org/",
					    "com/",   "io/",	"sun/",	 "scala/", "kotlin/",
					    "Ljava/", "Ljdk/",	"Lnet/", "Lorg/",  "Lcom/",
					    "Lio/",   "Lsun/" };

	for (size_t i = 0; i < sizeof(root) / sizeof(root[0]); i++)
		if (starts(s, root[i]))
			return true;
	return has(s, ":::");
}

static const struct range *choose_java(const struct flame_subject *s)
{
	if (s->inlined)
		return &aqua;
	if (s->kind == FLAME_JIT || is_java_class(s))
		return &green;
	return choose_native(s);
}

static const struct range *choose_js(const struct flame_subject *s)
{
	if (s->kind == FLAME_JIT || starts(s, "LazyCompile:") || starts(s, "Function:"))
		return has(s, "/") ? &green : &aqua;
	if (has(s, "::") || s->kind == FLAME_KERNEL)
		return choose_native(s);
	if (has(s, ".js"))
		return &green;
	return has(s, ":") ? &aqua : &red;
}

static const struct range *choose_perl(const struct flame_subject *s)
{
	if (has(s, "Perl") || has(s, ".pl"))
		return &green;
	return choose_native(s);
}

static const struct range *choose_python(const struct flame_subject *s)
{
	if (has(s, "site-packages") || has(s, "dist-packages"))
		return &aqua;
	if (has(s, ".py") || starts(s, "py::") || s->kind == FLAME_INTERPRETER)
		return has(s, "/lib/python") || has(s, "<frozen") ? &green : &yellow;
	return s->kind == FLAME_KERNEL ? &orange : &red;
}

static const struct range *choose_rust(const struct flame_subject *s)
{
	if (s->kind == FLAME_KERNEL)
		return &red;
	if (starts(s, "core::") || starts(s, "std::") || starts(s, "alloc::") ||
	    starts(s, "<core::") || starts(s, "<std::") || starts(s, "<alloc::"))
		return &orange;
	return has(s, "::") ? &aqua : &yellow;
}

static const struct range *choose_chain(const struct flame_subject *s)
{
	return ends(s, "_[w]") ? &aqua : &blue;
}

static const struct flame_palette palettes[] = {
	{ "cupel", choose_default, NULL },
	{ "hot", NULL, &hot },
	{ "mem", NULL, &mem },
	{ "io", NULL, &io },
	{ "wakeup", NULL, &aqua },
	{ "chain", choose_chain, NULL },
	{ "java", choose_java, NULL },
	{ "js", choose_js, NULL },
	{ "perl", choose_perl, NULL },
	{ "python", choose_python, NULL },
	{ "rust", choose_rust, NULL },
	{ "red", NULL, &red },
	{ "green", NULL, &green },
	{ "blue", NULL, &blue },
	{ "aqua", NULL, &aqua },
	{ "yellow", NULL, &yellow },
	{ "purple", NULL, &purple },
	{ "orange", NULL, &orange },
};

#define PALETTE_COUNT (sizeof(palettes) / sizeof(palettes[0]))

const struct flame_palette *flame_palette_find(const char *name)
{
	if (!name || !*name)
		return &palettes[0];
	for (size_t i = 0; i < PALETTE_COUNT; i++)
		if (strcmp(palettes[i].name, name) == 0)
			return &palettes[i];
	return NULL;
}

void flame_palette_names(struct buf *ret)
{
	for (size_t i = 0; i < PALETTE_COUNT; i++)
		(void)buf_printf(ret, "%s%s", i ? ", " : "", palettes[i].name);
}

static double between(const short range[2], unsigned part)
{
	return range[0] + (range[1] - range[0]) * (part / 255.0);
}

/* One channel of hue (degrees), saturation and lightness (0..1). */
static unsigned channel(double hue, double saturation, double lightness, double shift)
{
	double k = fmod(shift + hue / 30, 12);
	double a = saturation * fmin(lightness, 1 - lightness);
	double value = lightness - a * fmax(-1, fmin(fmin(k - 3, 9 - k), 1));

	return (unsigned)lround(value * 255);
}

/* A place in the range, of three bytes; inlined functions are paler than what they are in. */
static rgb mix(const struct range *range, uint64_t place, bool inlined)
{
	double hue = between(range->hue, place & 255);
	double saturation = between(range->saturation, place >> 8 & 255) / 100;
	double lightness =
		between(range->lightness, place >> 16 & 255) / 100 + (inlined ? 0.09 : 0);

	return channel(hue, saturation, lightness, 0) << 16 |
	       channel(hue, saturation, lightness, 8) << 8 | channel(hue, saturation, lightness, 4);
}

rgb flame_color(const struct flame_palette *palette, const struct flame_subject *s)
{
	const struct range *range = palette->range;
	uint64_t hash = s->random ? hash_u64(s->random) : hash_bytes(s->name, strlen(s->name));

	if (s->kind == FLAME_SEPARATOR)
		range = &grey;
	else if (s->kind == FLAME_ALL || s->kind == FLAME_SMALLER)
		range = &default_range[s->kind];
	else if (palette->choose)
		range = palette->choose(s);
	return mix(range, hash, s->inlined && palette->choose == choose_default);
}

rgb flame_color_of_kind(enum flame_kind kind, bool inlined)
{
	return mix(&default_range[kind], 0x7f7f7f, inlined);
}

static double linear(unsigned value)
{
	double v = value / 255.0;

	return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

bool flame_color_is_dark(rgb color)
{
	double luminance = 0.2126 * linear(color >> 16 & 255) + 0.7152 * linear(color >> 8 & 255) +
			   0.0722 * linear(color & 255);

	return luminance < 0.179; /* where black and white have the same contrast */
}

bool flame_color_parse(const char *s, rgb *ret)
{
	uint32_t value = 0;

	if (s[0] != '#' || strlen(s) != 7)
		return false;
	for (size_t i = 1; i < 7; i++) {
		const char *digits = "0123456789abcdef";
		const char *found = strchr(digits, s[i] >= 'A' && s[i] <= 'F' ? s[i] + 32 : s[i]);

		if (!found)
			return false;
		value = value << 4 | (uint32_t)(found - digits);
	}
	*ret = value;
	return true;
}

bool flame_background(const char *name, rgb *ret_top, rgb *ret_bottom)
{
	static const struct {
		const char *name;
		rgb top, bottom;
	} known[] = {
		{ "yellow", 0xf0eede, 0xf0eeb0 }, { "blue", 0xeaeefa, 0xdde0fa },
		{ "green", 0xeaf2ea, 0xdaf0da },  { "grey", 0xf6f6f6, 0xe6e6e6 },
		{ "gray", 0xf6f6f6, 0xe6e6e6 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].name, name) == 0) {
			*ret_top = known[i].top;
			*ret_bottom = known[i].bottom;
			return true;
		}
	if (!flame_color_parse(name, ret_top))
		return false;
	*ret_bottom = *ret_top;
	return true;
}
