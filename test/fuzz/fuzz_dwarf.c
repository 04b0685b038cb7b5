// SPDX-License-Identifier: GPL-2.0-or-later
/* symbol/dwarf: an ELF image with debug info; resolves addresses where the seeds have their code,
 * reads their functions' variables, types and lines, and compiles what fetches them. Memory is
 * limited so far that a walk without a bound shows. */
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/suggest.h"
#include "proc/elf_file.h"
#include "session/probe/debug_info.h"
#include "session/probe/fetch_expression.h"
#include "symbol/dwarf/dwarf.h"
#include "symbol/dwarf/dwarf_field.h"
#include "symbol/dwarf/dwarf_source.h"
#include "symbol/dwarf/dwarf_type.h"
#include "symbol/dwarf/dwarf_variable.h"
#include "symbol/symbolizer.h"
#include "unwind/table.h"

/* The seeds are linked with -Wl,-Ttext=0x1000. */
#define TEXT_START 0x1000
#define TEXT_END   0x1400
/* The seeds "fields" have a variable there, with -Wl,-Tdata=0x8000. */
#define FIELDS_START 0x8000
#define FIELDS_END   0x100

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool take_line(void *context, const struct dwarf_source_line *line)
{
	(void)line;
	return ++*(size_t *)context < 1000;
}

static void compile(const struct fetch_scope *scope, const char *name)
{
	static const char *const forms[][2] = {
		{ "", "" }, { "*", "" }, { "", "->x" }, { "", "[1][1] + 1" }
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		struct fetch_code code = { 0 };
		struct fetch_output output;
		struct err err = { 0 };
		char text[64];

		if (snprintf(text, sizeof(text), "%s%s%s", forms[i][0], name, forms[i][1]) <
		    (int)sizeof(text))
			(void)fetch_compile(scope, text, &code, &output, &err);
	}
}

static bool take_variable(void *context, const struct dwarf_variable *variable)
{
	const struct fetch_scope *scope = context;
	struct suggest suggest = { .word = "x" };
	struct buf text = { .limit = 4096 };
	struct dwarf_member member;
	struct dwarf_type type, target;
	struct dwarf_die die;
	struct bytes expression;
	uint64_t constant;

	(void)dwarf_variable_place(&variable->die, scope->place.address, &expression, &constant);
	dwarf_type_put(&variable->die, &text);
	dwarf_type_of(&variable->die, &type);
	if (dwarf_type_target(&type, &target))
		type = target;
	(void)dwarf_type_elements(&type);
	(void)dwarf_type_enumerator(&type, 1);
	(void)dwarf_type_member(&type, "x", &member);
	for (uint64_t at = 0; at < 256; at += 7)
		(void)dwarf_type_member_at(&type, at, &die, &member);
	dwarf_type_suggest(&type, &suggest);
	buf_done(&text);
	compile(scope, variable->name);
	return true;
}

static void read_function(const struct debug_info *info, uint64_t address)
{
	struct dwarf_die function;
	struct fetch_scope scope = { .place = { info, &function, address, false } };
	size_t lines = 0;

	if (!dwarf_function_at(info->dwarf, address, &function))
		return;
	dwarf_variable_each(&function, address, true, take_variable, &scope);
	dwarf_function_lines(info->dwarf, &function, take_line, &lines);
}

static bool put_field(struct dwarf *dwarf, uint64_t offset)
{
	struct buf text = { .limit = 4096 };
	bool found = dwarf_field_put(dwarf, FIELDS_START, offset, &text);

	buf_done(&text);
	return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dwarf_options options = { .limit_bytes = 4 << 20, .variables = true };
	struct dwarf *dwarf = NULL;
	struct elf_file *elf;
	struct err err = { 0 };

	if (elf_file_parse(data, size, &elf, &err))
		return 0;
	if (!dwarf_open(elf, &options, &dwarf, &err) && dwarf) {
		struct debug_info info = { "", elf, NULL, dwarf, 0, unwind_table_of_elf(elf) };

		for (uint64_t address = TEXT_START; address < TEXT_END; address += 4) {
			struct symbol symbol = { .count = 0 };

			(void)dwarf_resolve(dwarf, address, true, &symbol);
			if (address % 256 == 4)
				read_function(&info, address);
		}
		for (uint64_t offset = 0; offset < FIELDS_END; offset += 12)
			(void)put_field(dwarf, offset);
		unwind_table_close(info.table);
		(void)dwarf_problem(dwarf);
		dwarf_close(dwarf);
	}
	elf_file_close(elf);
	return 0;
}
