// SPDX-License-Identifier: GPL-2.0-or-later
/* Machine code: instructions of any bytes, and loops of any jumps among them. */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "profile/annotation.h"
#include "symbol/code/disassembler.h"
#include "view/annotate/annotate_arrows.h"

#define ADDRESS 0x400000u

static void add_row(struct annotation *annotation, const struct instruction *instruction)
{
	vec_push(&annotation->rows,
		 ((struct annotation_row){
			 .address = instruction->address,
			 .kind = instruction->kind == INSTRUCTION_JUMP ? ANNOTATION_JUMP
								       : ANNOTATION_PLAIN,
			 .target = instruction->has_target
					   ? (uint32_t)(instruction->target - ADDRESS)
					   : ANNOTATION_NONE,
			 .loop = ANNOTATION_NONE }));
}

static void check_loops(struct annotation *annotation)
{
	struct annotate_arrows arrows;
	struct buf text = { 0 };

	for (size_t i = 0; i < annotation->rows.count; i++) {
		struct annotation_row *row = &annotation->rows.item[i];

		if (row->target != ANNOTATION_NONE)
			row->target =
				annotation_find_row(annotation, (uint64_t)ADDRESS + row->target);
	}
	annotation_find_loops(annotation);
	annotate_arrows_find(annotation, &arrows);
	for (uint32_t i = 0; i < annotation->rows.count; i++) {
		uint32_t loop = annotation->rows.item[i].loop;

		if (loop != ANNOTATION_NONE && (annotation->loops.item[loop].first > i ||
						annotation->loops.item[loop].last < i))
			__builtin_trap();
		annotate_arrows_put(&arrows, i, &text);
	}
	annotate_arrows_done(&arrows);
	buf_done(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint16_t machines[] = { EM_X86_64, EM_386, EM_AARCH64 };
	struct disassembler_options options = { 0 };
	struct disassembler *disassembler;
	struct annotation *annotation;
	struct err err = { 0 };

	if (size < 2 || size > 4096)
		return 0;
	options.machine = machines[data[0] % 3];
	options.intel = data[0] & 0x80;
	if (disassembler_open(&options, &disassembler, &err))
		__builtin_trap();
	annotation = annotation_new();
	for (size_t at = 1; at < size;) {
		struct instruction instruction;

		disassembler_decode(disassembler, data + at, size - at, ADDRESS + at, &instruction);
		if (!instruction.len || instruction.len > size - at ||
		    !memchr(instruction.operands, '\0', sizeof(instruction.operands)))
			__builtin_trap();
		add_row(annotation, &instruction);
		at += instruction.len;
	}
	check_loops(annotation);
	annotation_free(annotation);
	disassembler_close(disassembler);
	return 0;
}
