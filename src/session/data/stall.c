/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses that samples waited for (see stall.h). */
#include "session/data/stall.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "bpf/arch/registers.h"
#include "event/event.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "proc/proc.h"
#include "session/data/data_module.h"
#include "session/data/data_type.h"
#include "source/arch.h"

/* The instruction before a place. */
struct before {
	bool decoded;
	struct instruction_memory memory;
	bool pointed; /* by a variable in the base register */
	struct data_pointer pointer;
};

struct stalls {
	struct data_modules *modules;
	struct map before_of; /* hash of module and offset → index */
	VEC(struct before) before;
};

struct stalls *stalls_new(struct data_modules *modules)
{
	struct stalls *stalls = mem_zalloc(sizeof(*stalls));

	stalls->modules = modules;
	return stalls;
}

void stalls_free(struct stalls *stalls)
{
	if (!stalls)
		return;
	map_done(&stalls->before_of);
	vec_done(&stalls->before);
	free(stalls);
}

/* The registers of a sample, by perf's numbers; those that are not there are 0. */
struct registers {
	uint64_t mask;
	uint64_t value[64];
};

static bool take_registers(const struct event_sample *sample, struct registers *ret)
{
	const void *words = sample->user_regs;
	uint64_t mask = sample->user_mask;
	size_t at = 0;

	if (sample->raw && sample->raw_len >= CPU_REGISTERS * sizeof(uint64_t)) {
		words = sample->raw;
		mask = sample_registers_unwind;
	}
	*ret = (struct registers){ .mask = words ? mask : 0 };
	for (unsigned i = 0; i < 64; i++)
		if (ret->mask >> i & 1)
			memcpy(&ret->value[i], (const char *)words + at++ * sizeof(uint64_t),
			       sizeof(uint64_t));
	return ret->mask;
}

static bool find_pointer(struct data_module *module, uint64_t offset,
			 const struct instruction *instruction, struct data_pointer *ret)
{
	const struct instruction_memory *memory = &instruction->memory;
	uint64_t address;

	return memory->found && !memory->foreign && memory->base >= 0 && module->elf &&
	       elf_file_vaddr(module->elf, offset - instruction->len, &address) &&
	       data_type_pointer(module, address, memory->base, ret);
}

static const struct before *look_before(struct stalls *stalls, const struct mapping *mapping,
					uint64_t offset)
{
	const struct module *module = mapping->module;
	uint64_t key = hash_u64(offset) ^ ((uint64_t)module->id.v << 40 | module->id.v);
	struct instruction instruction;
	struct before before = { 0 };
	bool added;
	uint64_t *index = map_add(&stalls->before_of, key, &added);

	if (!added)
		return &stalls->before.item[*index];
	*index = stalls->before.count;
	before.decoded = data_module_instruction_before(data_module_of(stalls->modules, module),
							module, offset, &instruction);
	if (before.decoded) {
		before.memory = instruction.memory;
		before.pointed = find_pointer(data_module_of(stalls->modules, module), offset,
					      &instruction, &before.pointer);
	}
	vec_push(&stalls->before, before);
	return vec_last(&stalls->before);
}

static bool has(const struct registers *registers, int16_t number)
{
	return number == INSTRUCTION_NO_REGISTER || number == INSTRUCTION_PC ||
	       registers->mask >> (number & 63) & 1;
}

static uint64_t value_of(const struct registers *registers, int16_t number, uint64_t pc)
{
	return number == INSTRUCTION_PC ? pc : number < 0 ? 0 : registers->value[number & 63];
}

/* Of a base register that the load has overwritten, its value is not needed; of an index it is. */
static void find_pointed(const struct before *before, const struct registers *registers,
			 struct stall *ret)
{
	const struct instruction_memory *memory = &before->memory;

	if (!before->pointed || (memory->overwritten && memory->index >= 0) ||
	    !has(registers, memory->index))
		return;
	ret->pointer = &before->pointer;
	ret->pointed = (int64_t)((uint64_t)memory->displacement - (uint64_t)before->pointer.offset +
				 value_of(registers, memory->index, 0) * memory->scale);
}

static void find_address(const struct instruction_memory *memory, const struct registers *registers,
			 uint64_t pc, struct stall *ret)
{
	ret->writes = memory->writes;
	ret->kind = ACCESS_UNKNOWN;
	if (memory->foreign || !has(registers, memory->base) || !has(registers, memory->index))
		return;
	if (memory->overwritten) {
		ret->kind = ACCESS_OVERWRITTEN;
		ret->addr = memory->size == 8 ? value_of(registers, memory->loads, pc) : 0;
		return;
	}
	ret->kind = ACCESS_ANONYMOUS;
	ret->addr = value_of(registers, memory->base, pc) +
		    value_of(registers, memory->index, pc) * memory->scale +
		    (uint64_t)memory->displacement;
}

void stall_find(struct stalls *stalls, const struct event *event, const struct address_space *space,
		struct stall *ret)
{
	const struct event_sample *sample = &event->sample;
	const struct mapping *mapping;
	const struct before *before;
	struct registers registers;
	unsigned mode = event->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	*ret = (struct stall){ .kind = ACCESS_NONE };
	if (mode == PERF_RECORD_MISC_KERNEL)
		ret->kind = ACCESS_KERNEL;
	if (mode != PERF_RECORD_MISC_USER || !take_registers(sample, &registers))
		return;
	ret->sp = registers.value[sample_register_sp];
	mapping = address_space_find(space, sample->ip);
	if (!mapping)
		return;
	before = look_before(stalls, mapping, sample->ip - mapping->start + mapping->pgoff);
	if (!before->decoded || !before->memory.found)
		return;
	find_address(&before->memory, &registers, sample->ip, ret);
	find_pointed(before, &registers, ret);
}
