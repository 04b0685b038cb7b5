/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cases of instructions: bytes and their text. */
#ifndef TEST_DISASSEMBLY_H
#define TEST_DISASSEMBLY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "symbol/code/disassembler.h"

struct instruction_case {
	const char *bytes;
	size_t len; /* of the instruction; more bytes follow it */
	const char *mnemonic, *operands;
	enum instruction_kind kind;
	uint64_t target, data; /* 0 = none */
};

#define CASE_ADDRESS 0x1000u

static inline void check_case(struct disassembler *disassembler,
			      const struct instruction_case *expected)
{
	uint8_t bytes[32] = { 0 };
	struct instruction found;

	memcpy(bytes, expected->bytes, expected->len);
	disassembler_decode(disassembler, bytes, sizeof(bytes), CASE_ADDRESS, &found);
	assert_string_equal(expected->mnemonic, found.mnemonic);
	assert_string_equal(expected->operands, found.operands);
	assert_int_equal(expected->len, found.len);
	assert_int_equal(expected->kind, found.kind);
	assert_int_equal(expected->target, found.target);
	assert_int_equal(expected->target != 0, found.has_target);
	assert_int_equal(expected->data, found.data);
	assert_int_equal(expected->data != 0, found.has_data);
}

static inline void check_cases(const struct disassembler_options *options,
			       const struct instruction_case *cases, size_t count)
{
	struct disassembler *disassembler;
	struct err err = { 0 };

	assert_int_equal(0, disassembler_open(options, &disassembler, &err));
	for (size_t i = 0; i < count; i++)
		check_case(disassembler, &cases[i]);
	disassembler_close(disassembler);
}

#endif
