/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See tracefs_fetch.h. Format: Documentation/trace/uprobetracer.rst, "Synopsis", and the types in
 * kprobetrace.rst. */
#include "session/probe/tracefs_fetch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "bpf/arch/registers.h"
#include "session/probe/probe_arguments.h"

#define MAX_TEXT 256

/* A value that the steps have made so far. */
struct item {
	char text[MAX_TEXT]; /* all 64 bits of it */
	int64_t add;	     /* to that */
	unsigned bits, shift;
	bool is_signed;
	bool beyond; /* tracefs cannot make it */
};

static void put_register(struct item *item, int64_t number)
{
	static const char *const names[] = FETCH_REGISTER_NAMES;

	if (number < 0 || (size_t)number >= sizeof(names) / sizeof(*names))
		item->beyond = true;
	else
		(void)snprintf(item->text, sizeof(item->text), "%%%s", names[number]);
}

static void put_memory(struct item *item)
{
	char inner[MAX_TEXT];
	int len;

	item->beyond |= item->bits != 64 || item->shift;
	(void)snprintf(inner, sizeof(inner), "%s", item->text);
	len = snprintf(item->text, sizeof(item->text), "%+" PRId64 "(%s)", item->add, inner);
	item->beyond |= len >= (int)sizeof(item->text);
	item->add = 0;
}

/* A part of what is there. Signs of parts that are no whole number of bytes are unknown to it. */
static void take_bits(struct item *item, const struct fetch_step *step)
{
	unsigned shift = (unsigned)step->value, bits = step->size;
	bool whole = !shift && (bits == 8 || bits == 16 || bits == 32 || bits == 64);

	item->beyond |= item->add || item->shift || bits > 64 || shift + bits > 64 ||
			shift + bits > item->bits || (step->arg && !whole);
	item->is_signed = step->arg;
	item->shift = shift;
	item->bits = bits;
}

static void take_step(struct item *item, const struct fetch_step *step)
{
	switch (step->op) {
	case FETCH_REGISTER:
		*item = (struct item){ .bits = 64 };
		put_register(item, step->value);
		break;
	case FETCH_CONSTANT:
		*item = (struct item){ .bits = 64 };
		(void)snprintf(item->text, sizeof(item->text), "\\%lld", (long long)step->value);
		break;
	case FETCH_ADD:
		item->add += step->value;
		item->beyond |= item->bits != 64 || item->shift;
		break;
	case FETCH_READ:
		put_memory(item);
		item->bits = 8 * step->size;
		item->is_signed = false;
		break;
	case FETCH_BITS:
		take_bits(item, step);
		break;
	default:
		item->beyond = true;
	}
}

static void put_type(const struct item *item, enum fetch_as as, struct buf *out)
{
	bool whole = !item->shift && !(item->bits & (item->bits - 1)) && item->bits >= 8;
	bool is_signed = item->is_signed || (item->bits == 64 && as == FETCH_AS_SIGNED);
	unsigned container = 8;

	while (container < item->shift + item->bits)
		container *= 2;
	if (whole)
		(void)buf_printf(out, ":%c%u",
				 as == FETCH_AS_HEX ? 'x'
				 : is_signed	    ? 's'
						    : 'u',
				 item->bits);
	else
		(void)buf_printf(out, ":b%u@%u/%u", item->bits, item->shift, container);
}

static int put_value(struct item *item, const struct fetch_output *output,
		     const struct probe_argument *argument, struct buf *out, struct err *err)
{
	bool is_string = output->as == FETCH_AS_STRING;

	if (is_string)
		put_memory(item);
	if (item->beyond || item->add) {
		(void)err_set(err, -ENOTSUP,
			      "%s: tracefs has registers, members and strings alone, and does not "
			      "compute",
			      argument->expression);
		return err_hint(err, "without --tracefs the probe fetches it");
	}
	(void)buf_printf(out, " %s=%s", argument->name, item->text);
	if (is_string)
		(void)buf_puts(out, ":string");
	else
		put_type(item, output->as, out);
	return 0;
}

int tracefs_fetch_put(const struct fetch_program *program, const struct fetch_output *outputs,
		      const struct probe_argument *arguments, struct buf *out, struct err *err)
{
	struct item item = { .beyond = true };
	size_t count = program->count < FETCH_STEPS ? program->count : FETCH_STEPS;
	unsigned value = 0;
	int code = 0;

	for (size_t i = 0; !code && i < count; i++) {
		const struct fetch_step *step = &program->step[i];

		if (step->op != FETCH_STORE && step->op != FETCH_STRING) {
			take_step(&item, step);
			continue;
		}
		code = put_value(&item, &outputs[value], &arguments[value], out, err);
		item.beyond = true;
		value++;
	}
	return code;
}
