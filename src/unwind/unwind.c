/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks a sample's user stack (see unwind.h). The quick walk uses 8-byte rules, cached per thread
 * by (module, offset). A stack with a frame that those cannot represent is walked again from its
 * leaf with all registers. */
#include "unwind/unwind.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/map.h"
#include "unwind/evaluate.h"
#include "unwind/table.h"

struct walk;
static int unwind_read(struct walk *walk, uint64_t addr, uint64_t *ret);
static int unwind_leaf(struct walk *walk, unsigned reg, uint64_t *ret);
#define UNWIND_CONTEXT struct walk
#include "unwind/walker.h"

/* Tables by module id, in chunks that never move so that readers need no lock. Modules past the
 * last chunk have no table. */
#define CHUNK_MODULES 1024u
#define CHUNKS	      1024u

/* Functions without tables are short: assembly, start files, trampolines. */
#define MAX_FUNCTION 4096u

/* A power of two; 24 bytes each. */
#define CACHE_SLOTS 32768u

/* perf_event_open() copies no more of a stack; no stack is larger than the other. */
#define COPY_MAX  65528u
#define STACK_MAX (1u << 30)

typedef _Atomic(struct unwind_table *) table_slot;

struct unwinder {
	char *symfs;
	_Atomic(table_slot *) chunk[CHUNKS];
};

struct cache_slot {
	uint64_t key;	 /* offset * 2 + returns */
	uint32_t module; /* id + 1; 0 = empty */
	struct unwind_rule rule;
};

struct unwind_cache {
	struct cache_slot slot[CACHE_SLOTS];
};

struct walk {
	struct unwinder *unwinder;
	struct unwind_cache *cache;
	const struct address_space *space;
	const struct mapping *mapping; /* of the current frame */
	struct unwind_memory memory;
	struct unwind_registers registers; /* of frame 0; in the full walk of the current frame */
	uint64_t *pcs;
	size_t count;
	uint64_t unread; /* the word that the last step could not read */
};

struct unwinder *unwinder_new(const char *symfs)
{
	struct unwinder *unwinder = mem_zalloc(sizeof(*unwinder));

	unwinder->symfs = mem_strdup(symfs ? symfs : "");
	return unwinder;
}

void unwinder_forget(struct unwinder *unwinder)
{
	for (size_t i = 0; i < CHUNKS; i++) {
		table_slot *chunk = unwinder->chunk[i];

		for (size_t k = 0; chunk && k < CHUNK_MODULES; k++)
			unwind_table_forget(chunk[k]);
	}
}

void unwinder_free(struct unwinder *unwinder)
{
	if (!unwinder)
		return;
	for (size_t i = 0; i < CHUNKS; i++) {
		table_slot *chunk = unwinder->chunk[i];

		for (size_t k = 0; chunk && k < CHUNK_MODULES; k++)
			unwind_table_close(chunk[k]);
		free(chunk);
	}
	free(unwinder->symfs);
	free(unwinder);
}

struct unwind_cache *unwind_cache_new(void)
{
	return mem_zalloc(sizeof(struct unwind_cache));
}

void unwind_cache_free(struct unwind_cache *cache)
{
	free(cache);
}

static table_slot *chunk_of(struct unwinder *unwinder, uint32_t id)
{
	_Atomic(table_slot *) *place = &unwinder->chunk[id / CHUNK_MODULES];
	table_slot *chunk = atomic_load_explicit(place, memory_order_acquire);
	table_slot *fresh;

	if (chunk)
		return chunk;
	fresh = mem_zalloc(CHUNK_MODULES * sizeof(*fresh));
	if (atomic_compare_exchange_strong(place, &chunk, fresh))
		return fresh;
	free(fresh);
	return chunk;
}

/* Two threads may open the same module at once; the later one drops its copy. */
static const struct unwind_table *table_of(struct unwinder *unwinder, const struct module *module)
{
	struct unwind_table *table, *fresh;
	table_slot *place;

	if (module->id.v >= CHUNKS * CHUNK_MODULES)
		return NULL;
	place = &chunk_of(unwinder, module->id.v)[module->id.v % CHUNK_MODULES];
	table = atomic_load_explicit(place, memory_order_acquire);
	if (table)
		return table;
	fresh = unwind_table_open(module, unwinder->symfs);
	if (atomic_compare_exchange_strong(place, &table, fresh))
		return fresh;
	unwind_table_close(fresh);
	return table;
}

static int unwind_read(struct walk *walk, uint64_t addr, uint64_t *ret)
{
	if (unwind_memory_read(&walk->memory, addr, sizeof(*ret), ret))
		return 0;
	walk->unread = addr;
	return -1;
}

static int unwind_leaf(struct walk *walk, unsigned reg, uint64_t *ret)
{
	if (reg >= ARCH_DWARF_REGS || !(walk->registers.known >> reg & 1))
		return -1;
	*ret = walk->registers.value[reg];
	return 0;
}

static const struct mapping *mapping_of(const struct walk *walk, uint64_t pc)
{
	const struct mapping *last = walk->mapping;

	return last && pc >= last->start && pc < last->end ? last
							   : address_space_find(walk->space, pc);
}

static struct unwind_place place_of(const struct mapping *mapping, const struct unwind_frame *frame)
{
	return (struct unwind_place){ .offset = frame->pc - mapping->start + mapping->pgoff,
				      .returns = !frame->exact };
}

static struct unwind_rule find_rule(struct walk *walk, struct unwind_place place)
{
	uint32_t module = walk->mapping->module->id.v + 1;
	uint64_t key = place.offset * 2 + place.returns;
	struct cache_slot *slot =
		&walk->cache->slot[hash_u64(key ^ (uint64_t)module << 44) & (CACHE_SLOTS - 1)];
	const struct unwind_table *table;

	if (slot->key == key && slot->module == module)
		return slot->rule;
	table = table_of(walk->unwinder, walk->mapping->module);
	*slot = (struct cache_slot){ .key = key, .module = module };
	slot->rule = table ? unwind_table_rule(table, place)
			   : (struct unwind_rule){ .cfa = UNWIND_FP };
	return slot->rule;
}

/* Evidence that a word is the return address of the function that contains the pc. */
enum evidence {
	EVIDENCE_NONE,	 /* no code there, or no call before it */
	EVIDENCE_MAPPED, /* generated code, or a file that cannot be read */
	EVIDENCE_CALL,	 /* preceded by a call, or never called: a signal's return stub */
	EVIDENCE_TARGET, /* and that call leads to another module or to just before the pc */
};

static enum evidence return_evidence(const struct walk *walk, uint64_t word, uint64_t pc)
{
	const struct mapping *mapping = mapping_of(walk, word - 1);
	const struct unwind_table *table;
	struct unwind_rule ignored;
	struct arch_code code;
	int64_t relative;

	if (!mapping)
		return EVIDENCE_NONE;
	table = table_of(walk->unwinder, mapping->module);
	if (!table || !unwind_table_code(table, word - mapping->start + mapping->pgoff, &code))
		return EVIDENCE_MAPPED;
	if (!arch_after_call(&code))
		return (unwind_table_is_go(table) && arch_goroutine_exit(&code)) ||
				       arch_signal_stub(&code, &ignored)
			       ? EVIDENCE_CALL
			       : EVIDENCE_NONE;
	if (!arch_call_target(&code, &relative))
		return EVIDENCE_CALL;
	return mapping->module != walk->mapping->module ||
			       pc - (word + (uint64_t)relative) < MAX_FUNCTION
		       ? EVIDENCE_TARGET
		       : EVIDENCE_CALL;
}

/* An interrupted function that has set up no frame, or one inside a system call: the return address
 * is still on top. */
static bool leaf_step(struct walk *walk, enum evidence least, struct unwind_frame *frame)
{
	uint64_t ra;

	if ((!frame->exact && !frame->leaf) || unwind_read(walk, frame->sp, &ra) ||
	    return_evidence(walk, ra, frame->pc) < least)
		return false;
	*frame = (struct unwind_frame){ .pc = ra, .sp = frame->sp + 8, .bp = frame->bp };
	return true;
}

/* The meaning of a lost frame pointer depends on the module's tables. */
static enum stack_stop fp_reason(const struct walk *walk, const struct unwind_frame *frame)
{
	const struct module *module = walk->mapping->module;
	const struct unwind_table *table = table_of(walk->unwinder, module);
	struct arch_code code;

	if (!table || module->kind == MODULE_JIT)
		return STACK_STOP_FP_LOST;
	if (frame->leaf && unwind_table_code(table, place_of(walk->mapping, frame).offset, &code) &&
	    arch_thread_begins(&code))
		return STACK_STOP_ROOT;
	if (unwind_table_is_go(table))
		return frame->bp ? STACK_STOP_READ_FAULT : STACK_STOP_ROOT;
	return unwind_table_has_rows(table) ? STACK_STOP_NO_RULE : STACK_STOP_NO_TABLE;
}

/* Code without a table. Certain evidence comes first, then the frame pointer, then a guess that a
 * preceding call supports. */
static enum stack_stop fp_step(struct walk *walk, const struct unwind_rule *rule,
			       struct unwind_frame *frame)
{
	struct unwind_frame from = *frame;

	if (leaf_step(walk, EVIDENCE_TARGET, frame))
		return STACK_STOP_NONE;
	if (!unwind_step(rule, frame, walk) &&
	    (!frame->pc || return_evidence(walk, frame->pc, from.pc) != EVIDENCE_NONE))
		return STACK_STOP_NONE;
	*frame = from;
	return leaf_step(walk, EVIDENCE_CALL, frame) ? STACK_STOP_NONE : fp_reason(walk, &from);
}

/* Takes the frame's pc into the stack; STACK_STOP_NONE when the walk may go on from there. */
static enum stack_stop enter(struct walk *walk, const struct unwind_frame *frame)
{
	/* Start code clears the frame pointer and pushes no return address. */
	if (!frame->pc && !frame->leaf)
		return frame->bp ? STACK_STOP_NO_MAPPING : STACK_STOP_ROOT;
	if (walk->count == UNWIND_MAX_FRAMES)
		return STACK_STOP_DEPTH;
	walk->pcs[walk->count++] = frame->pc;
	walk->mapping = mapping_of(walk, unwind_lookup_pc(frame));
	return walk->mapping ? STACK_STOP_NONE : STACK_STOP_NO_MAPPING;
}

static enum stack_stop walk_quickly(struct walk *walk, struct unwind_frame *frame)
{
	enum stack_stop stop;

	while (!(stop = enter(walk, frame))) {
		struct unwind_rule rule = find_rule(walk, place_of(walk->mapping, frame));

		stop = rule.cfa == UNWIND_FP ? fp_step(walk, &rule, frame)
					     : unwind_step(&rule, frame, walk);
		if (stop)
			break;
	}
	return stop;
}

/* One frame of the full walk: by row when there is one, else by rule, after which only the three
 * registers of the rule are known. */
static enum stack_stop step_fully(struct walk *walk, struct unwind_frame *frame)
{
	const struct unwind_table *table = table_of(walk->unwinder, walk->mapping->module);
	struct unwind_registers *registers = &walk->registers;
	struct unwind_place place = place_of(walk->mapping, frame);
	struct unwind_rule rule;
	enum stack_stop stop;
	struct cfi_fde fde;
	struct cfi_vm vm;
	uint64_t vaddr;

	if (table && unwind_table_row(table, place, &fde, &vm, &vaddr)) {
		stop = evaluate_row(&vm, &walk->memory, frame->pc - vaddr, registers);
		frame->exact = fde.signal;
		frame->leaf = false;
	} else {
		rule = find_rule(walk, place);
		stop = rule.cfa == UNWIND_FP ? fp_step(walk, &rule, frame)
					     : unwind_step(&rule, frame, walk);
		registers->value[ARCH_DWARF_PC] = frame->pc;
		registers->value[ARCH_DWARF_SP] = frame->sp;
		registers->value[ARCH_DWARF_BP] = frame->bp;
		registers->known = 1u << ARCH_DWARF_PC | 1u << ARCH_DWARF_SP | 1u << ARCH_DWARF_BP;
	}
	frame->pc = registers->value[ARCH_DWARF_PC];
	frame->sp = registers->value[ARCH_DWARF_SP];
	frame->bp = registers->known >> ARCH_DWARF_BP & 1 ? registers->value[ARCH_DWARF_BP] : 0;
	return stop;
}

static enum stack_stop walk_fully(struct walk *walk, struct unwind_frame *frame)
{
	enum stack_stop stop;

	walk->count = 0;
	while (!(stop = enter(walk, frame))) {
		stop = step_fully(walk, frame);
		if (stop)
			break;
	}
	return stop;
}

static struct unwind_frame first_frame(const struct walk *walk, bool in_syscall)
{
	return (struct unwind_frame){ .pc = walk->registers.value[ARCH_DWARF_PC],
				      .sp = walk->registers.value[ARCH_DWARF_SP],
				      .bp = walk->registers.value[ARCH_DWARF_BP],
				      .leaf = true,
				      .exact = !in_syscall };
}

/* A copied stack ends where no copy can reach, though not at an address that is just wrong. */
static bool ends_beyond_copy(const struct walk *walk)
{
	uint64_t distance = walk->unread - walk->memory.start;

	return walk->memory.len && distance > COPY_MAX && distance < STACK_MAX;
}

void unwinder_walk(struct unwinder *unwinder, struct unwind_cache *cache,
		   const struct unwind_input *input, uint64_t *pcs, struct unwind_result *ret)
{
	const uint32_t needed = 1u << ARCH_DWARF_PC | 1u << ARCH_DWARF_SP;
	struct walk walk = { .unwinder = unwinder,
			     .cache = cache,
			     .space = input->space,
			     .pcs = pcs,
			     .memory = { .data = input->stack, .len = input->stack_len } };
	struct unwind_frame frame;
	enum stack_stop stop;

	arch_registers(input->mask, input->regs, &walk.registers);
	if ((walk.registers.known & needed) != needed) {
		*ret = (struct unwind_result){ .stop = STACK_STOP_NONE };
		return;
	}
	walk.memory.start = walk.registers.value[ARCH_DWARF_SP] + input->stack_skip;
	frame = first_frame(&walk, input->in_syscall);
	stop = walk_quickly(&walk, &frame);
	if (stop == STACK_STOP_UNSUPPORTED) {
		frame = first_frame(&walk, input->in_syscall);
		stop = walk_fully(&walk, &frame);
	}
	if (stop == STACK_STOP_READ_FAULT && ends_beyond_copy(&walk))
		stop = STACK_STOP_BEYOND_COPY;
	*ret = (struct unwind_result){ .count = walk.count,
				       .stop = stop,
				       .stop_pc = walk.count ? pcs[walk.count - 1] : frame.pc };
}
