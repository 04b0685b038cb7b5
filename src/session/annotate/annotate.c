// SPDX-License-Identifier: GPL-2.0-or-later
/* Builds annotations (see annotate.h). Only the function's own bytes are disassembled. */
#include "session/annotate/annotate.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "profile/annotation.h"
#include "profile/profile.h"
#include "session/annotate/annotate_module.h"
#include "session/annotate/annotate_source.h"
#include "session/capture.h"
#include "symbol/code/code_image.h"
#include "symbol/code/disassembler.h"

/* Generated functions reach some hundred KB. A symbol without a size may seem to be all of a
 * section. */
#define MAX_CODE ((uint64_t)4 << 20)

/* The module of the last function. */
struct annotator {
	struct annotate_options options;
	struct symbol_shared *own_shared;
	const struct profile *profile;
	uint32_t profile_module;
	const struct module *module; /* NULL: none is open */
	struct module_table *own;    /* has it if the recording's modules are not known */
	struct code_image *image;
	struct disassembler *disassembler;
	struct symbolizer *names; /* of targets: without lines and inlined functions */
	struct symbolizer *lines; /* NULL: not wanted */
};

struct builder {
	struct annotator *annotator;
	const struct annotate_index *index;
	const struct annotate_function *function;
	struct annotation *annotation;
	uint64_t start, end; /* addresses */
};

/* Whether a hexadecimal build id could be read. */
static bool read_build_id(const char *hex, struct build_id *ret)
{
	size_t len = strlen(hex) / 2;

	if (!len || len > BUILD_ID_MAX)
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned byte;

		if (sscanf(hex + 2 * i, "%2x", &byte) != 1)
			return false;
		ret->bytes[i] = (uint8_t)byte;
	}
	ret->len = (uint8_t)len;
	return true;
}

/* Without the recording's modules, the file at the module's path has to do. */
static const struct module *make_module(struct annotator *self, const struct profile_module *wanted)
{
	const char *path = profile_string(self->profile, wanted->path);
	struct module *module;

	self->own = module_table_new();
	module = module_table_named(self->own, module_kind_of(path, 0), path, 0);
	(void)read_build_id(wanted->build_id, &module->build_id); /* else any file will do */
	return module;
}

static void find_module(struct annotator *self)
{
	self->module =
		annotate_find_module(self->options.capture, self->profile, self->profile_module);
	if (!self->module)
		self->module =
			make_module(self, &self->profile->modules.item[self->profile_module]);
}

/* EM_*, 0 = not known here. */
static uint16_t recorded_machine(const struct annotator *self)
{
	const char *arch = profile_string(self->profile, self->profile->meta.arch);

	return strcmp(arch, "x86_64") == 0    ? EM_X86_64
	       : strcmp(arch, "aarch64") == 0 ? EM_AARCH64
					      : 0;
}

/* The code of another CPU than the recording's cannot be what ran; 32-bit code can. */
static int find_machine(const struct annotator *self, uint16_t *ret, struct err *err)
{
	uint16_t machine = code_image_machine(self->image), recorded = recorded_machine(self);
	bool x86 = machine == EM_X86_64 || machine == EM_386;
	bool arm = machine == EM_AARCH64 || machine == EM_ARM;

	if ((recorded == EM_X86_64 && arm) || (recorded == EM_AARCH64 && x86)) {
		(void)err_set(err, -ENOEXEC, "the file is of another CPU than the recording (%s)",
			      profile_string(self->profile, self->profile->meta.arch));
		return err_hint(err, "give the recorded machine's files with --symfs FOLDER");
	}
	*ret = machine ? machine : recorded; /* writers of jitdumps may leave it out */
	return 0;
}

static void close_module(struct annotator *self)
{
	symbolizer_close(self->names);
	symbolizer_close(self->lines);
	disassembler_close(self->disassembler);
	code_image_close(self->image);
	module_table_free(self->own);
	self->names = self->lines = NULL;
	self->disassembler = NULL;
	self->image = NULL;
	self->own = NULL;
	self->module = NULL;
}

static int open_code(struct annotator *self, struct err *err)
{
	struct disassembler_options how = { .intel = self->options.intel };

	find_module(self);
	if (code_image_open(self->module, &self->options.symbol, &self->image, err) ||
	    find_machine(self, &how.machine, err))
		return err->code;
	return disassembler_open(&how, &self->disassembler, err);
}

static int open_module(struct annotator *self, const struct profile *profile, uint32_t number,
		       struct err *err)
{
	struct symbol_options symbol = self->options.symbol;

	if (self->module && self->profile == profile && self->profile_module == number)
		return 0;
	close_module(self);
	self->profile = profile;
	self->profile_module = number;
	if (open_code(self, err)) {
		close_module(self);
		return err->code;
	}
	symbol.lines = symbol.inlines = false;
	self->names = symbolizer_open(self->module, &symbol);
	symbol.lines = symbol.inlines = true;
	if (self->options.lines)
		self->lines = symbolizer_open(self->module, &symbol);
	return 0;
}

struct annotator *annotator_new(const struct annotate_options *options)
{
	struct annotator *self = mem_zalloc(sizeof(*self));

	self->options = *options;
	if (!self->options.symbol.shared)
		self->options.symbol.shared = self->own_shared = symbol_shared_new();
	if (options->capture) {
		self->options.symbol.modules = options->capture->modules;
		self->options.symbol.kept = options->capture->kept;
	}
	return self;
}

void annotator_free(struct annotator *annotator)
{
	if (!annotator)
		return;
	close_module(annotator);
	symbol_shared_free(annotator->own_shared);
	free(annotator);
}

/* "main+0x1f", "memcpy@plt", or "" for an address without a name. */
static const char *name_address(struct builder *b, uint64_t address)
{
	struct arena *arena = &b->annotation->arena;
	struct symbol symbol;
	uint64_t offset;
	const char *name;
	char text[512];

	if (!code_image_offset(b->annotator->image, address, &offset) ||
	    !symbolizer_resolve(b->annotator->names, offset, &symbol) || !symbol.count ||
	    offset < symbol.start)
		return "";
	name = symbol.frame[symbol.count - 1].name;
	if (!name)
		return "";
	if (offset == symbol.start)
		return arena_strdup(arena, name);
	(void)snprintf(text, sizeof(text), "%.480s+0x%" PRIx64, name, offset - symbol.start);
	return arena_strdup(arena, text);
}

/* Operands with the names of what they refer to, as objdump prints them. */
static const char *operands_of(struct builder *b, const struct instruction *instruction,
			       const char *target)
{
	struct arena *arena = &b->annotation->arena;
	char text[1024];

	if (instruction->has_target) {
		(void)snprintf(text, sizeof(text), "%s%" PRIx64 "%s%.500s%s", instruction->operands,
			       instruction->target, *target ? " <" : "", target,
			       *target ? ">" : "");
		return arena_strdup(arena, text);
	}
	if (instruction->has_data) {
		const char *name = name_address(b, instruction->data);

		(void)snprintf(text, sizeof(text), "%s        # %" PRIx64 "%s%.500s%s",
			       instruction->operands, instruction->data, *name ? " <" : "", name,
			       *name ? ">" : "");
		return arena_strdup(arena, text);
	}
	return arena_strdup(arena, instruction->operands);
}

static void add_row(struct builder *b, const struct instruction *instruction, const uint8_t *bytes)
{
	static const enum annotation_kind kinds[] = {
		[INSTRUCTION_PLAIN] = ANNOTATION_PLAIN,
		[INSTRUCTION_JUMP] = ANNOTATION_JUMP,
		[INSTRUCTION_CALL] = ANNOTATION_CALL,
		[INSTRUCTION_RETURN] = ANNOTATION_RETURN,
		[INSTRUCTION_UNKNOWN] = ANNOTATION_UNKNOWN,
	};
	struct arena *arena = &b->annotation->arena;
	struct annotation_row *row = vec_add(&b->annotation->rows);
	uint64_t target = instruction->target;
	bool outside = target < b->start || target >= b->end;
	uint8_t *copy = arena_alloc(arena, instruction->len);
	const char *name = "";

	if (instruction->has_target)
		name = name_address(b, target);
	*row = (struct annotation_row){ .address = instruction->address,
					.bytes = copy,
					.len = instruction->len,
					.kind = kinds[instruction->kind],
					.mnemonic = arena_strdup(arena, instruction->mnemonic),
					.operands = operands_of(b, instruction, name),
					.target = ANNOTATION_NONE,
					.loop = ANNOTATION_NONE };
	memcpy(copy, bytes, instruction->len);
	if (instruction->has_target && outside && *name)
		row->callee = name;
}

/* Jumps to rows that exist by now. */
static void add_target(struct builder *b, uint32_t row, uint64_t target)
{
	if (target >= b->start && target < b->end)
		b->annotation->rows.item[row].target = annotation_find_row(b->annotation, target);
}

static int add_rows(struct builder *b, struct err *err)
{
	VEC(uint64_t) targets = { 0 };
	const uint8_t *bytes;
	size_t len;

	if (!code_image_at(b->annotator->image, b->function->start, &bytes, &len))
		return err_set(err, -ENODATA, "the file does not have the function's code");
	if (b->end - b->start > MAX_CODE) {
		b->end = b->start + MAX_CODE;
		b->annotation->problem = "only the first 4 MiB of the function are shown";
	}
	if (len > b->end - b->start)
		len = b->end - b->start;
	for (size_t at = 0; at < len;) {
		struct instruction instruction;

		disassembler_decode(b->annotator->disassembler, bytes + at, len - at, b->start + at,
				    &instruction);
		add_row(b, &instruction, bytes + at);
		vec_push(&targets, instruction.has_target && instruction.kind == INSTRUCTION_JUMP
					   ? instruction.target
					   : b->end);
		at += instruction.len;
	}
	for (uint32_t i = 0; i < targets.count; i++)
		add_target(b, i, targets.item[i]);
	vec_done(&targets);
	return 0;
}

static void add_events(struct builder *b)
{
	const struct profile *profile = b->index->profile;
	struct annotation *a = b->annotation;

	for (size_t e = 0; e < profile->events.count; e++) {
		const struct profile_event *event = &profile->events.item[e];

		vec_push(&a->events,
			 ((struct annotation_event){
				 .name = arena_strdup(&a->arena,
						      profile_string(profile, event->name)),
				 .precise = event->precise,
				 .all = { event->samples, event->weight },
				 .samples = b->function->count[e] }));
	}
}

static void add_counts(struct builder *b)
{
	struct annotation *a = b->annotation;
	const struct annotate_hit *hit = b->index->hits.item + b->function->first_hit;
	const struct annotate_hit *end = hit + b->function->hits;
	size_t count = a->rows.count * a->events.count;
	uint32_t row = 0;

	vec_reserve(&a->counts, count + 1);
	memset(a->counts.item, 0, count * sizeof(*a->counts.item));
	a->counts.count = count;
	for (; hit < end && a->rows.count; hit++) {
		uint64_t address = b->start + (hit->offset - b->function->start);
		struct annotation_count *sum;

		while (row + 1 < a->rows.count && a->rows.item[row + 1].address <= address)
			row++;
		if (a->rows.item[row].address != address)
			a->rows.item[row].interrupted = true;
		sum = &a->counts.item[row * a->events.count + hit->event];
		sum->samples += hit->count.samples;
		sum->weight += hit->count.weight;
	}
}

static void describe(struct builder *b)
{
	const struct profile *profile = b->index->profile;
	struct annotation *a = b->annotation;

	a->function = arena_strdup(&a->arena, profile_string(profile, b->function->name));
	a->module = arena_strdup(
		&a->arena,
		profile_string(profile, profile->modules.item[b->function->module].path));
	a->problem = code_image_doubt(b->annotator->image);
}

static int find_range(struct builder *b, struct err *err)
{
	if (!code_image_address(b->annotator->image, b->function->start, &b->start))
		return err_set(err, -ENODATA, "the file does not have the function's code");
	b->end = b->start + (b->function->end - b->function->start);
	return 0;
}

static int fill(struct builder *b, struct err *err)
{
	const struct annotate_options *options = &b->annotator->options;

	describe(b);
	add_events(b);
	if (find_range(b, err) || add_rows(b, err))
		return err->code;
	add_counts(b);
	annotation_find_loops(b->annotation);
	if (options->lines)
		annotate_add_places(b->annotation, b->annotator->image, b->annotator->lines);
	if (options->lines && options->source)
		annotate_read_sources(b->annotation, options->symbol.symfs);
	return 0;
}

int annotator_build(struct annotator *annotator, const struct annotate_index *index,
		    size_t function, struct annotation **ret, struct err *err)
{
	struct builder b = { .annotator = annotator,
			     .index = index,
			     .function = &index->functions.item[function] };

	if (open_module(annotator, index->profile, b.function->module, err))
		return err->code;
	b.annotation = annotation_new();
	if (fill(&b, err)) {
		annotation_free(b.annotation);
		return err->code;
	}
	*ret = b.annotation;
	return 0;
}
