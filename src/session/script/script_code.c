/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See script_code.h. Files of modules are opened once. */
#include "session/script/script_code.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "proc/module.h"
#include "session/replay.h"
#include "symbol/code/code_image.h"
#include "symbol/code/disassembler.h"

struct module_code {
	struct code_image *image;	   /* NULL: it cannot be read */
	struct disassembler *disassembler; /* NULL: for another CPU */
};

struct script_code {
	const struct symbol_options *options;
	struct map modules; /* id → index in code */
	VEC(struct module_code) code;
};

static struct module_code open_module(const struct script_code *code, const struct module *module)
{
	struct disassembler_options options = { 0 };
	struct module_code ret = { 0 };
	struct err ignored = { 0 }; /* the field is left out, as perf does */

	if (module->kind == MODULE_UNKNOWN ||
	    code_image_open(module, code->options, &ret.image, &ignored))
		return ret;
	options.machine = code_image_machine(ret.image);
	(void)disassembler_open(&options, &ret.disassembler, &ignored);
	return ret;
}

struct script_code *script_code_new(const struct symbol_options *options)
{
	struct script_code *code = mem_zalloc(sizeof(*code));

	code->options = options;
	return code;
}

void script_code_free(struct script_code *code)
{
	if (!code)
		return;
	for (size_t i = 0; i < code->code.count; i++) {
		code_image_close(code->code.item[i].image);
		disassembler_close(code->code.item[i].disassembler);
	}
	vec_done(&code->code);
	map_done(&code->modules);
	free(code);
}

size_t script_code_at(struct script_code *code, const struct replay_frame *frame,
		      const uint8_t **ret)
{
	struct instruction instruction;
	struct module_code *module;
	bool added;
	uint64_t *place = map_add(&code->modules, frame->module->id.v, &added);
	size_t len;

	if (added) {
		*place = code->code.count;
		vec_push(&code->code, open_module(code, frame->module));
	}
	module = &code->code.item[*place];
	if (!module->image || !module->disassembler ||
	    !code_image_at(module->image, frame->offset, ret, &len) || !len)
		return 0;
	disassembler_decode(module->disassembler, *ret, len, frame->offset, &instruction);
	return instruction.kind == INSTRUCTION_UNKNOWN ? 0 : instruction.len;
}
