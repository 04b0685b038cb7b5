// SPDX-License-Identifier: GPL-2.0-or-later
/* Disassembly with capstone (see disassembler.h). */
#include "symbol/code/disassembler.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/library.h"
#include "symbol/code/code_arch.h"

#define TEXT(x)	       #x
#define FILE_OF(major) "libcapstone.so." TEXT(major)

/* Of a longer unknown instruction the text shows this many bytes. */
#define UNKNOWN_SHOWN 15

struct disassembler {
	struct capstone capstone;
	const struct code_arch *arch;
	csh handle;
	cs_insn *insn;
	bool intel;
};

static const struct library_function functions[] = {
	LIBRARY_LINKED(struct capstone, cs_open),
	LIBRARY_LINKED(struct capstone, cs_close),
	LIBRARY_LINKED(struct capstone, cs_option),
	LIBRARY_LINKED(struct capstone, cs_malloc),
	LIBRARY_LINKED(struct capstone, cs_free),
	LIBRARY_LINKED(struct capstone, cs_disasm_iter),
	LIBRARY_LINKED(struct capstone, cs_insn_name),
};

static const struct library library = { .file = FILE_OF(CS_API_MAJOR),
					.functions = functions,
					.function_count = sizeof(functions) / sizeof(*functions) };

static const struct code_arch *const arches[] = { &code_arch_x86_64, &code_arch_i386,
						  &code_arch_aarch64 };

int disassembler_load(struct err *err)
{
	struct capstone ignored;

	return library_load(&library, &ignored, err);
}

static const struct code_arch *find_arch(uint16_t machine)
{
	for (size_t i = 0; i < sizeof(arches) / sizeof(*arches); i++)
		if (arches[i]->machine == machine)
			return arches[i];
	return NULL;
}

static bool set_up(struct disassembler *self)
{
	const struct capstone *capstone = &self->capstone;

	if (capstone->cs_open(self->arch->arch, self->arch->mode, &self->handle))
		return false;
	if (self->arch->arch == CS_ARCH_X86 && !self->intel)
		(void)capstone->cs_option(self->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	if (!capstone->cs_option(self->handle, CS_OPT_DETAIL, CS_OPT_ON))
		self->insn = capstone->cs_malloc(self->handle);
	return self->insn;
}

int disassembler_open(const struct disassembler_options *options, struct disassembler **ret,
		      struct err *err)
{
	struct disassembler *self;
	const struct code_arch *arch = find_arch(options->machine);

	if (!arch)
		return err_set(err, -ENOTSUP,
			       "no disassembler for the code of this CPU (ELF machine %u)",
			       options->machine);
	self = mem_zalloc(sizeof(*self));
	self->arch = arch;
	self->intel = options->intel;
	if (library_load(&library, &self->capstone, err)) {
		free(self);
		return err->code;
	}
	if (!set_up(self)) {
		disassembler_close(self);
		return err_set(err, -ENOTSUP, "%s was built without this CPU (ELF machine %u)",
			       library.file, options->machine);
	}
	*ret = self;
	return 0;
}

void disassembler_close(struct disassembler *disassembler)
{
	if (!disassembler)
		return;
	if (disassembler->insn)
		disassembler->capstone.cs_free(disassembler->insn, 1);
	if (disassembler->handle)
		(void)disassembler->capstone.cs_close(&disassembler->handle);
	free(disassembler);
}

static void describe_unknown(const struct disassembler *self, const uint8_t *bytes, size_t len,
			     struct instruction *ret)
{
	size_t count = self->arch->length(bytes, len), at = 0;

	ret->len = (uint8_t)(count ? count : 1);
	ret->kind = INSTRUCTION_UNKNOWN;
	(void)snprintf(ret->mnemonic, sizeof(ret->mnemonic), ".byte");
	for (size_t i = 0; i < ret->len && i < UNKNOWN_SHOWN; i++)
		at += (size_t)snprintf(ret->operands + at, sizeof(ret->operands) - at, "%s0x%02x",
				       i ? "," : "", bytes[i]);
}

static enum instruction_kind kind_of(const struct decoded *decoded)
{
	return decoded_has_group(decoded, CS_GRP_CALL)	? INSTRUCTION_CALL
	       : decoded_has_group(decoded, CS_GRP_RET) ? INSTRUCTION_RETURN
	       : decoded_has_group(decoded, CS_GRP_JUMP) ||
			       decoded_has_group(decoded, CS_GRP_BRANCH_RELATIVE)
		       ? INSTRUCTION_JUMP
		       : INSTRUCTION_PLAIN;
}

static void decode(struct disassembler *self, const uint8_t *bytes, size_t len, uint64_t address,
		   struct instruction *ret)
{
	struct decoded decoded = { &self->capstone, self->handle, self->insn, self->intel };
	const uint8_t *at = bytes;
	uint64_t next = address;
	size_t left = len;

	*ret = (struct instruction){ .address = address };
	if (!self->capstone.cs_disasm_iter(self->handle, &at, &left, &next, self->insn)) {
		describe_unknown(self, bytes, len, ret);
		return;
	}
	ret->len = (uint8_t)self->insn->size;
	ret->kind = kind_of(&decoded);
	self->arch->describe(&decoded, ret);
	if (self->arch->memory && ret->kind == INSTRUCTION_PLAIN)
		self->arch->memory(&decoded, &ret->memory);
}

void disassembler_decode(struct disassembler *self, const uint8_t *bytes, size_t len,
			 uint64_t address, struct instruction *ret)
{
	bool joins = self->arch->joins && self->arch->joins(bytes, len);

	decode(self, bytes + joins, len - joins, address + joins, ret);
	ret->address = address;
	ret->len = (uint8_t)(ret->len + joins);
	if (joins) /* "fnstcw" and its wait are "fstcw" */
		memmove(ret->mnemonic + 1, ret->mnemonic + 2, strlen(ret->mnemonic + 1));
}
