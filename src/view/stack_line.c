/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See stack_line.h. */
#include "view/stack_line.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"

#define STEP 1024.0

void bytes_put(double bytes, int width, struct buf *out)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
	size_t unit = 0;

	while (bytes >= STEP && unit + 1 < sizeof(units) / sizeof(units[0])) {
		bytes /= STEP;
		unit++;
	}
	(void)buf_printf(out, "%*.*f %-3s", width,
			 unit && bytes < 100 ? 2
			 : unit		     ? 1
					     : 0,
			 bytes, units[unit]);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void put_line(const struct profile *profile, const struct frame *frame, struct buf *out)
{
	if (!frame->line)
		return;
	(void)buf_puts(out, " (");
	(void)buf_put_tidy(out, base_name(profile_string(profile, frame->file)));
	(void)buf_printf(out, ":%" PRIu32 ")", frame->line);
}

void stack_line_put(const struct profile *profile, stack_id stack, enum stack_stop stop,
		    struct buf *out)
{
	bool silent = false; /* its outermost frame is the program's, and no reason was recorded */

	for (stack_id at = stack; at.v; at = profile->nodes.item[at.v].parent) {
		const struct frame *frame =
			&profile->frames.item[profile->nodes.item[at.v].frame.v];
		const struct profile_module *module = &profile->modules.item[frame->module];
		const char *name = profile_string(profile, frame->function);

		silent = stop == STACK_STOP_NONE && profile_string(profile, module->name)[0] != '[';
		(void)buf_puts(out, at.v == stack.v ? "" : " < ");
		if (name[0]) {
			(void)buf_put_tidy(out, name);
			put_line(profile, frame, out);
			continue;
		}
		(void)buf_putc(out, '[');
		(void)buf_put_tidy(out, profile_string(profile, module->name));
		(void)buf_putc(out, ']');
	}
	if (stop != STACK_STOP_ROOT && !silent)
		(void)buf_printf(out, " < [%s]", stack_stop_text(stop));
	(void)buf_putc(out, '\n');
}

void stack_line_put_json(const struct profile *profile, stack_id stack, struct buf *out)
{
	(void)buf_putc(out, '[');
	for (stack_id at = stack; at.v; at = profile->nodes.item[at.v].parent) {
		const struct frame *frame =
			&profile->frames.item[profile->nodes.item[at.v].frame.v];
		const struct profile_module *module = &profile->modules.item[frame->module];

		(void)buf_puts(out, at.v == stack.v ? " { \"function\": " : ", { \"function\": ");
		(void)buf_put_json(out, profile_string(profile, frame->function));
		(void)buf_puts(out, ", \"module\": ");
		(void)buf_put_json(out, profile_string(profile, module->name));
		if (frame->line) {
			(void)buf_puts(out, ", \"file\": ");
			(void)buf_put_json(out, profile_string(profile, frame->file));
			(void)buf_printf(out, ", \"line\": %" PRIu32, frame->line);
		}
		(void)buf_puts(out, frame->inlined ? ", \"inlined\": true }" : " }");
	}
	(void)buf_puts(out, stack.v ? " ]" : "]");
}
