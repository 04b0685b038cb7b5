/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of a Python process (see python_target.h). */
#include "session/python/python_target.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/arena.h"
#include "session/python/python_apart.h"
#include "session/python/python_finder.h"
#include "symbol/python/python_binary.h"
#include "symbol/python/python_place.h"

/* The memory of a code object becomes another's when it is freed, as that of a module's own code is
 * once it has run. One that has been there for long is looked at less often. */
#define CHECK_LEAST_NS 1000000u
#define CHECK_MOST_NS  1000000000u
#define MAX_FUNCTIONS  (1u << 20) /* of a process */

uint32_t python_places_add(struct python_places *places, const char *name, const char *file)
{
	struct buf path = { 0 };
	uint64_t *place;
	bool added;

	python_place_put(name, file, &path);
	(void)buf_putc(&path, '\0');
	place = map_add(&places->by_path, hash_bytes(path.data, path.len), &added);
	if (added) {
		*place = places->path.count;
		vec_push(&places->path, (char *)path.data);
	} else {
		buf_done(&path);
	}
	return (uint32_t)*place;
}

void python_places_done(struct python_places *places)
{
	for (size_t i = 0; i < places->path.count; i++)
		free(places->path.item[i]);
	vec_done(&places->path);
	map_done(&places->by_path);
}

static uint64_t read_bytes(uint32_t pid, uint64_t addr, void *to, size_t len)
{
	const struct iovec local = { .iov_base = to, .iov_len = len };
	const struct iovec remote = { .iov_base = (void *)(uintptr_t)addr, .iov_len = len };
	ssize_t got = process_vm_readv((pid_t)pid, &local, 1, &remote, 1, 0);

	return got < 0 ? 0 : (uint64_t)got;
}

static bool read_process(const struct python_memory *memory, uint64_t addr, void *to, size_t len)
{
	return read_bytes((uint32_t)memory->id, addr, to, len) == len;
}

static void fill_kernel(struct python_target *target, const struct python_binary *binary,
			uint64_t bias)
{
	const struct python_layout *layout = &binary->layout;
	struct python_process *kernel = &target->kernel;

	static_assert((int)PYTHON_FRAME_OBJECTS == PYTHON_RUN_ONE &&
			      (int)PYTHON_FRAME_ENTRIES == PYTHON_RUN_ENTRY &&
			      (int)PYTHON_FRAME_SHIMS == PYTHON_RUN_SHIM,
		      "same order on both sides");
	*kernel = (struct python_process){
		.runtime = binary->runtime + bias,
		.first_interpreter = layout->first_interpreter,
		.next_interpreter = layout->next_interpreter,
		.first_thread = layout->first_thread,
		.next_thread = layout->next_thread,
		.thread_id = layout->thread_id,
		.thread_frame = layout->thread_frame,
		.cframe_frame = layout->cframe_frame,
		.frame_code = layout->frame_code,
		.frame_back = layout->frame_back,
		.frame_instr = layout->frame_instr,
		.frame_owner = layout->frame_owner,
		.frame_bytes = layout->frame_bytes,
		.code_bytes = layout->code_instr,
		.run = layout->frames,
		.shim = layout->shim,
		.has_cframe = layout->has_cframe,
		.instr_shift = layout->lines == PYTHON_LINES_BYTES,
	};
	for (size_t i = 0; i < 2; i++) {
		kernel->eval[i].start = binary->eval[i].start + bias;
		kernel->eval[i].len = binary->eval[i].len;
	}
}

struct python_target *python_target_new(uint32_t pid, const struct python_binary *binary,
					uint64_t bias)
{
	struct python_target *target = mem_zalloc(sizeof(*target));

	target->pid = pid;
	target->layout = binary->layout;
	fill_kernel(target, binary, bias);
	return target;
}

struct python_target *python_target_fork(const struct python_target *parent, uint32_t pid)
{
	struct python_target *target = mem_zalloc(sizeof(*target));

	target->pid = pid;
	target->layout = parent->layout;
	target->kernel = parent->kernel;
	return target;
}

void python_target_free(struct python_target *target)
{
	if (!target)
		return;
	for (size_t i = 0; i < target->known.count; i++)
		python_function_done(&target->known.item[i].function);
	vec_done(&target->known);
	map_done(&target->by_code);
	map_done(&target->line_of);
	map_done(&target->announced);
	free(target);
}

/* Reads a code object; 0 = not readable, else its index + 1. */
static uint64_t read_function(struct python_target *target, const struct python_target_look *look,
			      uint64_t code)
{
	const struct python_finder *finder = look->finder;
	const struct python_source source = { read_bytes, &target->layout, target->pid };
	struct python_read read = { 0 };
	struct python_known known = { .since_ns = look->now_ns, .checked_ns = look->now_ns };

	if (target->known.count >= MAX_FUNCTIONS ||
	    look->places->path.count >= PYTHON_PLACE_COUNT ||
	    !finder->read(finder->context, &source, code, &read))
		return 0;
	(void)buf_putc(&read.name, '\0');
	(void)buf_putc(&read.file, '\0');
	known.function = read.function;
	known.place = python_places_add(look->places, (const char *)read.name.data,
					(const char *)read.file.data);
	vec_push(&target->known, known);
	map_set(&target->by_code, code, target->known.count);
	buf_done(&read.name);
	buf_done(&read.file);
	return target->known.count;
}

/* True if it is unchanged. False for an exited process. */
static bool is_still(const struct python_target *target, struct python_known *known, uint64_t code,
		     uint64_t now_ns)
{
	const struct python_memory memory = { .layout = &target->layout,
					      .read = read_process,
					      .id = target->pid };
	struct python_identity now;
	uint64_t believed_ns = (known->checked_ns - known->since_ns) / 4;

	if (believed_ns < CHECK_LEAST_NS)
		believed_ns = CHECK_LEAST_NS;
	if (believed_ns > CHECK_MOST_NS)
		believed_ns = CHECK_MOST_NS;
	if (now_ns < known->checked_ns + believed_ns)
		return true;
	known->checked_ns = now_ns;
	return !python_identity_read(&memory, code, &now) ||
	       python_identity_equal(&now, &known->function.identity);
}

bool python_target_place(struct python_target *target, const struct python_target_look *look,
			 uint64_t word, struct python_where *ret)
{
	uint64_t code = python_word_code(word), index, *line;
	const struct python_known *known;
	bool added;

	if (!code)
		return false;
	if (!map_get(&target->by_code, code, &index) ||
	    !is_still(target, &target->known.item[index - 1], code, look->now_ns))
		index = read_function(target, look, code);
	if (!index)
		return false;
	known = &target->known.item[index - 1];
	line = map_add(&target->line_of, word ^ hash_u64(index), &added);
	if (added)
		*line = python_word_instr(word) == PYTHON_INSTR_NONE
				? 0
				: python_line(&known->function, python_word_instr(word));
	*ret = (struct python_where){ .place = known->place, .line = (uint32_t)*line };
	if (!*line && known->function.identity.first_line > 0)
		ret->line = (uint32_t)known->function.identity.first_line;
	return true;
}
