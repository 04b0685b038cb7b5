/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and members in expressions (see fetch_operand.h). */
#include "session/probe/fetch_operand.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/suggest.h"
#include "proc/elf_file.h"
#include "proc/usdt_argument.h"
#include "session/probe/debug_info.h"
#include "session/probe/tracepoint_fields.h"
#include "symbol/dwarf/dwarf_source.h"
#include "symbol/dwarf/dwarf_variable.h"
#include "unwind/arch/arch.h"

struct lookup {
	const char *name;
	struct dwarf_variable found;
	struct suggest suggest;
};

/* The last of a name is that of the innermost block. */
static bool look(void *context, const struct dwarf_variable *variable)
{
	struct lookup *lookup = context;

	suggest_offer(&lookup->suggest, variable->name);
	if (!strcmp(variable->name, lookup->name) && !(lookup->found.name && variable->external))
		lookup->found = *variable;
	return true;
}

struct first_line {
	uint64_t entry, end; /* end 0 = not found yet */
};

static bool take_first_line(void *context, const struct dwarf_source_line *line)
{
	struct first_line *first = context;

	if (line->address > first->entry && (!first->end || line->address < first->end))
		first->end = line->address;
	return true;
}

/* Whether parameters are not yet where code that is not optimised stores them: before the first
 * line of the function's body. Optimised code has lists, which are exact. */
static bool is_not_stored_yet(const struct fetch_place *place, const struct dwarf_die *variable)
{
	struct first_line first = { 0 };
	struct bytes expression;
	struct dwarf_die owner;

	if (!dwarf_die_with(variable, DW_AT_location, &owner) ||
	    !dwarf_die_block(&owner, DW_AT_location, &expression) || !expression.len ||
	    (expression.data[0] != DW_OP_fbreg &&
	     !(expression.data[0] >= DW_OP_breg0 && expression.data[0] <= DW_OP_breg31)) ||
	    !dwarf_die_entry(place->function, &first.entry))
		return false;
	dwarf_function_lines(place->info->dwarf, place->function, take_first_line, &first);
	return place->address - place->info->bias < first.end;
}

struct abi_search {
	const char *name;
	unsigned registers; /* that the parameters before it take */
	bool found, unknown;
};

static bool take_parameter(void *context, const struct dwarf_variable *variable)
{
	struct abi_search *search = context;
	struct dwarf_type type;

	if (!variable->parameter)
		return false;
	search->found = !strcmp(variable->name, search->name);
	if (search->found)
		return false;
	dwarf_type_of(&variable->die, &type);
	if (type.kind == DWARF_STRUCT || type.kind == DWARF_UNION || type.size > 8)
		search->unknown = true;
	else if (type.kind != DWARF_FLOAT)
		search->registers++;
	return true;
}

/* A parameter by the ABI, as long as it is one number behind others that are. */
static void place_parameter(const struct fetch_scope *scope, const struct dwarf_variable *variable,
			    struct fetch_code *code, struct fetch_operand *ret)
{
	const struct fetch_place *place = &scope->place;
	struct abi_search search = { .name = variable->name };
	struct dwarf_type result;

	dwarf_variable_each(place->function, place->address - place->info->bias, false,
			    take_parameter, &search);
	dwarf_type_of(place->function, &result); /* a large one takes a register itself */
	search.unknown |= result.kind == DWARF_STRUCT || result.kind == DWARF_UNION;
	if (search.unknown || ret->type.type.size > 8 || ret->type.type.kind == DWARF_STRUCT ||
	    ret->type.type.kind == DWARF_UNION || ret->type.type.kind == DWARF_FLOAT) {
		fetch_fail(code, -ENOTSUP, "it is not stored yet at the function's entry");
		(void)err_hint(code->err, "probe the first line of its body: see cupel probe -L");
		return;
	}
	fetch_emit_argument(code, search.registers, scope->at_entry);
	ret->at = FETCH_NUMBER;
}

static void place_variable(const struct fetch_scope *scope, const struct dwarf_die *die,
			   struct fetch_code *code, struct fetch_operand *ret)
{
	const struct fetch_place *place = &scope->place;
	struct dwarf_die owner = *die;
	uint64_t constant;

	switch (dwarf_variable_place(die, place->address - place->info->bias, &ret->part.expression,
				     &constant)) {
	case DWARF_CONSTANT:
		ret->at = FETCH_NUMBER;
		return fetch_emit_constant(code, constant);
	case DWARF_PRESENT:
		(void)dwarf_die_with(die, DW_AT_location, &owner); /* it is there */
		ret->part.unit = owner.unit;
		ret->at = fetch_location(code, place, owner.unit, ret->part.expression);
		return;
	case DWARF_ELSEWHERE:
		return fetch_fail(code, -ENODATA,
				  "optimised out here, but it exists at other lines of the "
				  "function");
	default:
		return fetch_fail(code, -ENODATA, "optimised out");
	}
}

/* Whether the function has a variable of that name, in whichever block. */
static bool is_elsewhere(const struct dwarf_die *function, const char *name)
{
	struct dwarf_walk walk;
	struct dwarf_die die;

	for (dwarf_walk_start(&walk, function); dwarf_walk_next(&walk, &die);) {
		const char *found = die.tag == DW_TAG_variable ? dwarf_die_name(&die) : NULL;

		if (die.tag == DW_TAG_inlined_subroutine)
			dwarf_walk_skip(&walk);
		else if (found && !strcmp(found, name))
			return true;
	}
	return false;
}

/* From the debug info; false: no such variable. */
static bool from_debug_info(const struct fetch_scope *scope, struct lookup *lookup,
			    struct fetch_code *code, struct fetch_operand *ret)
{
	const struct fetch_place *place = &scope->place;

	if (!place->info || !place->function)
		return false;
	dwarf_variable_each(place->function, place->address - place->info->bias, true, look,
			    lookup);
	if (!lookup->found.name && is_elsewhere(place->function, lookup->name)) {
		fetch_fail(code, -ENODATA, "not in scope at this place, or optimised out here");
		(void)err_hint(code->err, "cupel probe -V FUNCTION:LINE prints what a line has");
		return true;
	}
	if (!lookup->found.name)
		return false;
	if (place->at_return && !lookup->found.external) {
		fetch_fail(code, -EINVAL, "a return probe has only retval");
		return true;
	}
	dwarf_type_of(&lookup->found.die, &ret->type.type);
	if (lookup->found.parameter && is_not_stored_yet(place, &lookup->found.die))
		place_parameter(scope, &lookup->found, code, ret);
	else
		place_variable(scope, &lookup->found.die, code, ret);
	return true;
}

/* A parameter by the ABI: floating-point ones take no register of the integers, and those that are
 * larger than a register may take any. */
static void emit_parameter(const struct fetch_scope *scope, size_t number, struct fetch_code *code)
{
	unsigned before = (unsigned)number;

	for (size_t i = 0; i <= number && i < scope->parameters; i++) {
		const char *type = scope->parameter[i].type;
		bool is_float = type && fetch_type_is_float(type);

		if (is_float && i == number)
			return fetch_fail(code, -ENOTSUP,
					  "in a floating-point register, which a probe cannot "
					  "read");
		if (type && fetch_type_is_large(type)) {
			fetch_fail(code, -ENOTSUP,
				   "by a signature with '%s' it is not known where arguments are",
				   type);
			(void)err_hint(code->err, "names of arguments are known from debug info, "
						  "without a signature");
			return;
		}
		before -= is_float;
	}
	fetch_emit_argument(code, before, scope->at_entry);
}

static bool from_signature(const struct fetch_scope *scope, const char *name,
			   struct fetch_code *code, struct fetch_operand *ret)
{
	for (size_t i = 0; i < scope->parameters; i++) {
		const struct fetch_parameter *parameter = &scope->parameter[i];

		if (!parameter->name || strcmp(parameter->name, name) != 0)
			continue;
		if (!parameter->type || !fetch_type_parse(parameter->type, &ret->type))
			fetch_type_number(8, true, &ret->type);
		if (scope->place.at_return)
			fetch_fail(code, -EINVAL, "a return probe has only $retval");
		emit_parameter(scope, i, code);
		ret->at = FETCH_NUMBER;
		return true;
	}
	return false;
}

static void usdt_argument(const struct fetch_scope *scope, unsigned number, struct fetch_code *code,
			  struct fetch_operand *ret)
{
	struct usdt_argument argument;
	unsigned count = usdt_argument_count(scope->usdt);

	if (number >= count)
		return fetch_fail(code, -EINVAL, "the probe has %u arguments", count);
	if (!usdt_argument_parse(ARCH_ELF_MACHINE, scope->usdt, number, &argument) ||
	    argument.is_float || argument.symbol)
		return fetch_fail(code, -ENOTSUP, "its place cannot be read: %s", scope->usdt);
	if (argument.base != USDT_NO_REGISTER) {
		fetch_emit_register(code, (uint64_t)argument.base);
		fetch_emit_add(code, (uint64_t)argument.offset);
	} else {
		fetch_emit_constant(code, (uint64_t)argument.offset);
	}
	if (argument.index != USDT_NO_REGISTER) {
		fetch_emit_register(code, (uint64_t)argument.index);
		fetch_emit_constant(code, argument.scale);
		fetch_emit_binary(code, FETCH_MULTIPLY);
		fetch_emit_binary(code, FETCH_PLUS);
	}
	if (argument.memory)
		fetch_emit_read(code, argument.size);
	fetch_emit_bits(code, argument.shift, argument.size * 8u, argument.is_signed);
	fetch_type_number(argument.size, argument.is_signed, &ret->type);
	ret->at = FETCH_NUMBER;
}

/* argN, $argN */
static bool from_number(const struct fetch_scope *scope, const char *name, struct fetch_code *code,
			struct fetch_operand *ret)
{
	unsigned long number;
	char *end;

	if (strncmp(name, "arg", 3) != 0)
		return false;
	number = strtoul(name + 3, &end, 10);
	if (end == name + 3 || *end || !number || number > 64)
		return false;
	if (scope->place.at_return)
		fetch_fail(code, -EINVAL, "a return probe has only retval");
	if (scope->usdt) {
		usdt_argument(scope, (unsigned)number - 1, code, ret);
		return true;
	}
	fetch_type_number(8, false, &ret->type);
	if (number <= scope->parameters && scope->parameter[number - 1].type)
		(void)fetch_type_parse(scope->parameter[number - 1].type, &ret->type);
	emit_parameter(scope, number - 1, code);
	ret->at = FETCH_NUMBER;
	return true;
}

static bool from_result(const struct fetch_scope *scope, const char *name, struct fetch_code *code,
			struct fetch_operand *ret)
{
	struct dwarf_type type = { .kind = DWARF_VOID };

	if (strcmp(name, "retval") != 0)
		return false;
	if (!scope->place.at_return)
		fetch_fail(code, -EINVAL, "only a return probe has it");
	fetch_type_number(8, true, &ret->type);
	if (scope->place.function)
		dwarf_type_of(scope->place.function, &type);
	if (type.kind == DWARF_STRUCT || type.kind == DWARF_UNION || type.kind == DWARF_FLOAT ||
	    type.size > 8)
		fetch_fail(code, -ENOTSUP, "the result is no number in one register");
	if (type.kind != DWARF_VOID && type.size && type.size <= 8)
		ret->type = (struct fetch_type){ .type = type };
	else if (scope->result_type)
		(void)fetch_type_parse(scope->result_type, &ret->type);
	fetch_emit_result(code);
	ret->at = FETCH_NUMBER;
	return true;
}

static const struct {
	const char *name;
	enum fetch_special special;
	unsigned size;
} specials[] = {
	{ "$pid", FETCH_PID, 4 }, { "$tgid", FETCH_PID, 4 }, { "$tid", FETCH_TID, 4 },
	{ "$uid", FETCH_UID, 4 }, { "$cpu", FETCH_CPU, 4 },  { "$time", FETCH_TIME, 8 },
};

static bool from_special(const char *name, struct fetch_code *code, struct fetch_operand *ret)
{
	for (size_t i = 0; i < sizeof(specials) / sizeof(*specials); i++) {
		if (strcmp(specials[i].name, name) != 0)
			continue;
		fetch_type_number(specials[i].size, false, &ret->type);
		fetch_emit(code, (struct fetch_step){ .op = FETCH_SPECIAL,
						      .value = specials[i].special });
		ret->at = FETCH_NUMBER;
		return true;
	}
	return false;
}

static bool from_latency(const struct fetch_scope *scope, const char *name, struct fetch_code *code,
			 struct fetch_operand *ret)
{
	if (strcmp(name, "$latency") != 0)
		return false;
	if (!scope->entered) {
		fetch_fail(code, -EINVAL, "only returns of calls have it, in argdist");
		return true;
	}
	scope->entered->needed = true;
	fetch_type_number(8, false, &ret->type);
	fetch_emit(code, (struct fetch_step){ .op = FETCH_SPECIAL, .value = FETCH_LATENCY });
	ret->at = FETCH_NUMBER;
	return true;
}

void fetch_entry(const struct fetch_scope *scope, struct fetch_operand *entered,
		 struct fetch_code *code, struct fetch_operand *ret)
{
	struct fetch_entered *at_entry = scope->entered;
	unsigned number = at_entry->code.values;

	fetch_load(&at_entry->scope, &at_entry->code, entered);
	if (number == FETCH_ENTRY_MAX)
		fetch_fail(code, -E2BIG, "more than %u values of the beginning", FETCH_ENTRY_MAX);
	fetch_emit(&at_entry->code,
		   (struct fetch_step){ .op = FETCH_STORE, .arg = (uint8_t)number });
	code->failed |= at_entry->code.failed;
	at_entry->needed = true;
	fetch_emit(code, (struct fetch_step){ .op = FETCH_SPECIAL, .value = FETCH_ENTRY + number });
	*ret = (struct fetch_operand){ .at = FETCH_NUMBER, .loaded = true, .type = entered->type };
}

static void emit_context(struct fetch_code *code, uint64_t offset)
{
	fetch_emit(code, (struct fetch_step){ .op = FETCH_SPECIAL, .value = FETCH_CONTEXT });
	fetch_emit_add(code, offset);
}

static void no_such_field(const struct tracepoint_fields *fields, const char *name,
			  struct fetch_code *code)
{
	struct suggest suggest = { .word = name };
	char names[160];

	for (size_t i = 0; i < fields->item.count; i++)
		suggest_offer(&suggest, fields->item.item[i].name);
	fetch_fail(code, -ENOENT, "the tracepoint has no field %s", name);
	if (*suggest_text(&suggest, names, sizeof(names)))
		(void)err_hint(code->err, "did you mean %s?", names);
}

void fetch_field(const struct fetch_scope *scope, const char *name, struct fetch_code *code,
		 struct fetch_operand *ret)
{
	const struct tracepoint_field *field = tracepoint_fields_find(scope->fields, name);

	*ret = (struct fetch_operand){ .at = FETCH_NUMBER, .loaded = true };
	if (!field)
		return no_such_field(scope->fields, name, code);
	if (field->kind == FIELD_NUMBER && (!field->size || field->size > 8))
		return fetch_fail(code, -ENOTSUP, "args->%s is not a number", name);
	(void)fetch_type_parse("char *", &ret->type);
	emit_context(code, field->offset);
	if (field->kind == FIELD_TEXT)
		return;
	if (field->kind == FIELD_ELSEWHERE) {
		fetch_emit_read(code, 4);
		fetch_emit_bits(code, 0, 16, false);
		emit_context(code, field->is_relative ? field->offset + field->size : 0);
		fetch_emit_binary(code, FETCH_PLUS);
		if (!field->is_text)
			fetch_type_number(8, false, &ret->type);
		return;
	}
	fetch_emit_read(code, field->size);
	if (field->kind == FIELD_POINTER)
		return;
	fetch_emit_bits(code, 0, field->size * 8, field->is_signed);
	fetch_type_number(field->size, field->is_signed, &ret->type);
}

/* "%di", "%rdi", "%x0": all of it, as in perf */
static bool from_register(const char *name, struct fetch_code *code, struct fetch_operand *ret)
{
	struct usdt_argument argument;

	if (*name != '%')
		return false;
	if (usdt_argument_parse(ARCH_ELF_MACHINE, name, 0, &argument) ||
	    usdt_argument_parse(ARCH_ELF_MACHINE, name + 1, 0, &argument))
		fetch_emit_register(code, (uint64_t)argument.base);
	else
		fetch_fail(code, -ENOENT, "no such register");
	fetch_type_number(8, false, &ret->type);
	ret->at = FETCH_NUMBER;
	return true;
}

void fetch_name(const struct fetch_scope *scope, const char *name, struct fetch_code *code,
		struct fetch_operand *ret)
{
	struct lookup lookup = { .name = name, .suggest = { .word = name } };
	const char *plain = name + (*name == '$');
	char names[160];

	*ret = (struct fetch_operand){ 0 };
	if (code->failed || from_special(name, code, ret) || from_register(name, code, ret) ||
	    from_latency(scope, name, code, ret))
		return;
	if (*name != '$' &&
	    (from_signature(scope, name, code, ret) || from_debug_info(scope, &lookup, code, ret)))
		return;
	if (from_number(scope, plain, code, ret) || from_result(scope, plain, code, ret))
		return;
	for (size_t i = 0; i < scope->parameters; i++)
		if (scope->parameter[i].name)
			suggest_offer(&lookup.suggest, scope->parameter[i].name);
	fetch_fail(code, -ENOENT, "no such variable");
	if (*suggest_text(&lookup.suggest, names, sizeof(names)))
		(void)err_hint(code->err, "did you mean %s?", names);
	else if (!scope->place.info && !scope->usdt && !scope->parameters)
		(void)err_hint(code->err, "without debug info only arg1, arg2, …, retval and "
					  "registers are known");
}

/* Extends what is in a register, or was read, to 64 bits. */
static void extend(struct fetch_code *code, struct fetch_operand *operand)
{
	uint64_t size = operand->type.type.size;

	if (operand->bit_size)
		fetch_emit_bits(code, operand->bit_shift, operand->bit_size,
				operand->type.type.is_signed);
	else if (size < 8)
		fetch_emit_bits(code, 0, (unsigned)size * 8, operand->type.type.is_signed);
	operand->bit_size = 0;
	operand->at = FETCH_NUMBER;
	operand->loaded = true;
}

/* Its bits. Probes cannot read the registers that floating-point values are in. */
static void load_float(struct fetch_code *code, struct fetch_operand *operand)
{
	uint64_t size = operand->type.type.size;

	if (size != sizeof(float) && size != sizeof(double))
		return fetch_fail(code, -ENOTSUP, "a floating-point value of %u bytes",
				  (unsigned)size);
	if (operand->at != FETCH_MEMORY)
		return fetch_fail(code, -ENOTSUP,
				  "in a floating-point or vector register, which a probe cannot "
				  "read");
	fetch_emit_read(code, size);
	operand->at = FETCH_NUMBER;
	operand->loaded = true;
}

void fetch_load(const struct fetch_scope *scope, struct fetch_code *code,
		struct fetch_operand *operand)
{
	const struct dwarf_type *type = &operand->type.type;

	if (code->failed || operand->loaded)
		return;
	if (type->kind == DWARF_ARRAY && operand->at == FETCH_MEMORY) {
		operand->loaded = true;
		operand->at = FETCH_NUMBER;
		return;
	}
	if (type->kind == DWARF_FLOAT)
		return load_float(code, operand);
	if (type->kind == DWARF_STRUCT || type->kind == DWARF_UNION)
		return fetch_fail(code, -EINVAL, "is a struct: name one of its members");
	if (!type->size || type->size > 8)
		return fetch_fail(code, -ENOTSUP, "is not a number");
	if (operand->at == FETCH_PIECES)
		fetch_piece(code, &scope->place, &operand->part, type->size);
	else if (operand->at == FETCH_MEMORY)
		fetch_emit_read(code, type->size);
	extend(code, operand);
	if (operand->type.type.kind == DWARF_REFERENCE &&
	    fetch_type_target(&operand->type, &operand->type)) {
		operand->at = FETCH_MEMORY;
		operand->loaded = false;
		fetch_load(scope, code, operand);
	}
}

void fetch_dereference(const struct fetch_scope *scope, struct fetch_code *code,
		       struct fetch_operand *operand)
{
	struct fetch_type target;

	fetch_load(scope, code, operand);
	if (code->failed)
		return;
	if (!fetch_type_target(&operand->type, &target))
		return fetch_fail(code, -EINVAL, "is no pointer");
	*operand = (struct fetch_operand){ .at = FETCH_MEMORY, .type = target };
}

/* A reference, or a pointer in front of -> or ., is followed. */
static void reach_struct(const struct fetch_scope *scope, struct fetch_code *code,
			 struct fetch_operand *operand)
{
	enum dwarf_kind kind = operand->type.type.kind;
	struct fetch_type target;

	if (kind == DWARF_POINTER)
		return fetch_dereference(scope, code, operand);
	if (kind != DWARF_REFERENCE || !fetch_type_target(&operand->type, &target))
		return;
	operand->type.type.kind = DWARF_POINTER; /* a load would go through it */
	fetch_load(scope, code, operand);
	*operand = (struct fetch_operand){ .at = FETCH_MEMORY, .type = target };
}

void fetch_member(const struct fetch_scope *scope, const char *name, struct fetch_code *code,
		  struct fetch_operand *operand)
{
	struct suggest suggest = { .word = name };
	struct dwarf_member member;
	char names[160];

	reach_struct(scope, code, operand);
	if (code->failed)
		return;
	if (!operand->type.type.die.tag || !dwarf_type_member(&operand->type.type, name, &member)) {
		fetch_fail(code, -ENOENT, "no member '%s'", name);
		if (operand->type.type.die.tag)
			dwarf_type_suggest(&operand->type.type, &suggest);
		if (*suggest_text(&suggest, names, sizeof(names)))
			(void)err_hint(code->err, "did you mean %s?", names);
		return;
	}
	if (operand->at == FETCH_NUMBER) { /* a struct in a register */
		if (member.offset)
			fetch_emit_bits(code, (unsigned)member.offset * 8,
					(unsigned)(64 - member.offset * 8), false);
	} else if (operand->at == FETCH_MEMORY) {
		fetch_emit_add(code, member.offset);
	}
	operand->part.offset += member.offset;
	operand->type = (struct fetch_type){ .type = member.type };
	operand->bit_size = member.bit_size;
	operand->bit_shift = member.bit_shift;
}
