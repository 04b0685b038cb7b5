/* SPDX-License-Identifier: GPL-2.0-or-later */
/* States and their looks (see state_kind.h). test_view_state_kind.c simulates colour blindness. */
#include "view/state_kind.h"

#include <string.h>

#include "base/buf.h"
#include "view/flame/flame_color.h"

#define PLAIN	""
#define RISING	"M-1 9L9-1M-1 1L1-1M7 9L9 7"
#define FALLING "M-1-1L9 9M-1 7L1 9M7-1L9 1"
#define CROSSED RISING FALLING
#define LEVEL	"M0 2H8M0 6H8"
#define UPRIGHT "M2 0V8M6 0V8"
#define DOTTED	"M1 2H3M5 6H7"

const struct state_kind state_kinds[] = {
	{ "running", "running", 0x4fa3e0, PLAIN, false },
	{ "running: user", "running", 0x4fa3e0, PLAIN, false },
	{ "running: kernel", "running", 0x2f6fa8, RISING, false },
	{ "runnable", "runnable", 0xf3e3ae, PLAIN, false },
	{ "runnable: woken", "runnable", 0xf7d154, PLAIN, false },
	{ "runnable: preempted", "runnable", 0xe07b1a, FALLING, false },
	{ "blocked", "blocked", 0xcfa9a6, PLAIN, false },
	{ "blocked: lock", "blocked", 0x9b1c31, PLAIN, false },
	{ "blocked: kernel-lock", "blocked", 0x5c1020, CROSSED, false },
	{ "blocked: thread", "blocked", 0x9b1c31, RISING, false },
	{ "blocked: disk", "blocked", 0x7a4fd0, RISING, false },
	{ "blocked: net", "blocked", 0x1d4f9e, PLAIN, false },
	{ "blocked: pipe", "blocked", 0x1f9a4a, UPRIGHT, false },
	{ "blocked: page-fault", "blocked", 0x8b5a2b, LEVEL, false },
	{ "blocked: child", "blocked", 0x6f8fa3, FALLING, false },
	{ "blocked: sleep", "blocked", 0xc9b2f2, DOTTED, false },
	{ "blocked: stopped", "blocked", 0x3a3a42, UPRIGHT, false },
	{ "blocked: throttle", "blocked", 0xe070b0, CROSSED, false },
	{ "blocked: uninterruptible", "blocked", 0xb04a86, RISING, false },
	{ "blocked: other", "blocked", 0xa8779a, DOTTED, false },
	{ "idle", "idle", 0xebe9e4, PLAIN, true },
	{ "idle: poll", "idle", 0xdedcd6, PLAIN, true },
	{ "idle: condition", "idle", 0xdedcd6, RISING, true },
	{ "idle: join", "idle", 0xdedcd6, FALLING, true },
	{ "idle: signal", "idle", 0xdedcd6, CROSSED, true },
	{ "idle: terminal", "idle", 0xdedcd6, LEVEL, true },
	{ "idle: work", "idle", 0xdedcd6, UPRIGHT, true },
	{ "blocked or idle: interruptible sleep", "idle", 0xdedcd6, DOTTED, true },
	{ "I/O: read", "I/O", 0x86cb68, PLAIN, false },
	{ "I/O: write", "I/O", 0xb15511, PLAIN, false },
	{ "I/O: read and write", "I/O", 0x7b816d, CROSSED, false },
	{ "I/O: sync", "I/O", 0x733b02, LEVEL, false },
	{ "I/O: receive", "I/O", 0xc6dff8, PLAIN, false },
	{ "I/O: send", "I/O", 0x32c97a, PLAIN, false },
	{ "I/O: poll", "I/O", 0x6a5a5a, DOTTED, true },
	{ "I/O: error", "I/O", 0xfb0c46, CROSSED, false },
	{ "interrupt: hard", "interrupt", 0xa008fc, PLAIN, false },
	{ "interrupt: soft", "interrupt", 0xa17efe, FALLING, false },
	{ "unaccounted", "unaccounted", 0xffffff, FALLING, false },
};

const size_t state_kind_count = sizeof(state_kinds) / sizeof(*state_kinds);

size_t state_kind_find(const char *name)
{
	size_t i = 0;

	while (i < state_kind_count && strcmp(state_kinds[i].name, name) != 0)
		i++;
	return i;
}

void state_kind_put_json(const struct state_kind *kind, struct buf *out)
{
	(void)buf_puts(out, "{\"name\":");
	(void)buf_put_json(out, kind->name);
	(void)buf_puts(out, ",\"group\":");
	(void)buf_put_json(out, kind->group);
	(void)buf_printf(out, ",\"color\":\"#%06x\",\"texture\":\"%s\",\"idle\":%s}", kind->color,
			 kind->texture, kind->idle ? "true" : "false");
}

void state_kinds_put_svg(struct buf *out)
{
	(void)buf_puts(out, "<defs>\n");
	for (size_t i = 0; i < state_kind_count; i++) {
		const struct state_kind *kind = &state_kinds[i];

		(void)buf_printf(out,
				 "<pattern id=\"state%zu\" width=\"%d\" height=\"%d\" "
				 "patternUnits=\"userSpaceOnUse\"><rect width=\"%d\" height=\"%d\" "
				 "fill=\"#%06x\"/><path d=\"%s\" stroke=\"%s\" "
				 "stroke-opacity=\".28\"/></pattern>\n",
				 i, STATE_TILE, STATE_TILE, STATE_TILE, STATE_TILE, kind->color,
				 kind->texture, flame_color_is_dark(kind->color) ? "#fff" : "#000");
	}
	(void)buf_puts(out, "</defs>\n");
}
