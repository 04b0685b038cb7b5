/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps of fetch programs (see fetch_code.h). */
#include "session/probe/fetch_code.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/err.h"
#include "bpf/arch/registers.h"

static const uint8_t registers[] = FETCH_REGISTERS, arguments[] = FETCH_ARGUMENTS;

void fetch_fail(struct fetch_code *code, int error, const char *format, ...)
{
	char text[256];
	va_list args;

	if (code->failed)
		return;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	(void)err_set(code->err, error, "%s", text);
	code->failed = true;
}

/* What a step does to the depth of the stack. */
static int effect(uint8_t op)
{
	switch (op) {
	case FETCH_REGISTER:
	case FETCH_CONSTANT:
	case FETCH_SPECIAL:
	case FETCH_PICK:
		return 1;
	case FETCH_BINARY:
	case FETCH_STORE:
	case FETCH_STRING:
	case FETCH_WHEN:
		return -1;
	default:
		return 0;
	}
}

void fetch_emit(struct fetch_code *code, struct fetch_step step)
{
	unsigned needs = step.op == FETCH_BINARY ? 2 : effect(step.op) > 0 ? 0 : 1;

	if (code->failed)
		return;
	if (step.op == FETCH_PICK)
		needs = (unsigned)step.value + 1;
	if (code->depth < needs)
		return fetch_fail(code, -EINVAL, "malformed location");
	if (code->program.count == FETCH_STEPS ||
	    (effect(step.op) > 0 && code->depth == FETCH_DEPTH))
		return fetch_fail(code, -E2BIG, "too long to be fetched in the kernel");
	code->program.step[code->program.count++] = step;
	code->depth += (unsigned)effect(step.op);
	if (step.op == FETCH_STORE || step.op == FETCH_STRING)
		code->values++;
}

void fetch_emit_constant(struct fetch_code *code, uint64_t value)
{
	fetch_emit(code, (struct fetch_step){ .op = FETCH_CONSTANT, .value = (int64_t)value });
}

void fetch_emit_add(struct fetch_code *code, uint64_t value)
{
	struct fetch_step *last = code->program.count ? &code->program.step[code->program.count - 1]
						      : NULL;

	if (!value || code->failed)
		return;
	if (last && last->op == FETCH_ADD)
		last->value += (int64_t)value;
	else
		fetch_emit(code, (struct fetch_step){ .op = FETCH_ADD, .value = (int64_t)value });
}

void fetch_emit_read(struct fetch_code *code, uint64_t size)
{
	if (size < 1 || size > 8)
		fetch_fail(code, -EINVAL, "%llu bytes are not a number", (unsigned long long)size);
	fetch_emit(code, (struct fetch_step){ .op = FETCH_READ, .size = (uint32_t)size });
}

void fetch_emit_bits(struct fetch_code *code, unsigned shift, unsigned size, bool is_signed)
{
	if (shift || size < 64)
		fetch_emit(code, (struct fetch_step){ FETCH_BITS, is_signed, 0, size, shift });
}

void fetch_emit_binary(struct fetch_code *code, enum fetch_binary op)
{
	fetch_emit(code, (struct fetch_step){ .op = FETCH_BINARY, .arg = (uint8_t)op });
}

void fetch_emit_register(struct fetch_code *code, uint64_t number)
{
	if (number >= sizeof(registers))
		fetch_fail(code, -ENOTSUP,
			   "in a floating-point or vector register, which a probe cannot read");
	else
		fetch_emit(code,
			   (struct fetch_step){ .op = FETCH_REGISTER, .value = registers[number] });
}

void fetch_emit_argument(struct fetch_code *code, unsigned number, bool at_entry)
{
	if (number < sizeof(arguments))
		return fetch_emit_register(code, arguments[number]);
	if (!at_entry)
		return fetch_fail(
			code, -ENOTSUP,
			"only the first %zu arguments are in registers, and the others can "
			"be read at the function's start alone",
			sizeof(arguments));
	fetch_emit_register(code, FETCH_SP);
	fetch_emit_add(code, ARCH_CALL_PUSHES + 8 * (number - sizeof(arguments)));
	fetch_emit_read(code, 8);
}

void fetch_emit_result(struct fetch_code *code)
{
	fetch_emit_register(code, FETCH_RESULT);
}
