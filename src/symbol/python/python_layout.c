/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Layouts by version (see python_layout.h). */
#include "symbol/python/python_layout.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"

#define OFFSET_LIMIT (1u << 20) /* no structure is larger */
#define FRAME_LIMIT  128

static const struct python_layout by_version[] = {
	{ .version = 0x0308,
	  .first_interpreter = 32,
	  .next_interpreter = 0,
	  .first_thread = 8,
	  .next_thread = 8,
	  .thread_id = 176,
	  .thread_frame = 24,
	  .frame_code = 32,
	  .frame_back = 24,
	  .frame_instr = 104,
	  .frame_bytes = 112,
	  .code_file = 104,
	  .code_name = 112,
	  .code_lines = 120,
	  .code_first_line = 40,
	  .ascii_text = 48,
	  .other_text = 72,
	  .bytes_data = 32,
	  .frames = PYTHON_FRAME_OBJECTS,
	  .lines = PYTHON_LINES_BYTES },
	{ .version = 0x0309,
	  .first_interpreter = 32,
	  .next_interpreter = 0,
	  .first_thread = 8,
	  .next_thread = 8,
	  .thread_id = 176,
	  .thread_frame = 24,
	  .frame_code = 32,
	  .frame_back = 24,
	  .frame_instr = 104,
	  .frame_bytes = 112,
	  .code_file = 104,
	  .code_name = 112,
	  .code_lines = 120,
	  .code_first_line = 40,
	  .ascii_text = 48,
	  .other_text = 72,
	  .bytes_data = 32,
	  .frames = PYTHON_FRAME_OBJECTS,
	  .lines = PYTHON_LINES_BYTES },
	{ .version = 0x030a,
	  .first_interpreter = 32,
	  .next_interpreter = 0,
	  .first_thread = 8,
	  .next_thread = 8,
	  .thread_id = 176,
	  .thread_frame = 24,
	  .frame_code = 32,
	  .frame_back = 24,
	  .frame_instr = 96,
	  .frame_bytes = 104,
	  .code_file = 104,
	  .code_name = 112,
	  .code_lines = 120,
	  .code_first_line = 40,
	  .ascii_text = 48,
	  .other_text = 72,
	  .bytes_data = 32,
	  .frames = PYTHON_FRAME_OBJECTS,
	  .lines = PYTHON_LINES_RANGES },
	{ .version = 0x030b,
	  .first_interpreter = 40,
	  .next_interpreter = 0,
	  .first_thread = 16,
	  .next_thread = 8,
	  .thread_id = 152,
	  .thread_frame = 56,
	  .cframe_frame = 8,
	  .frame_code = 32,
	  .frame_back = 48,
	  .frame_instr = 56,
	  .frame_owner = 68,
	  .frame_bytes = 72,
	  .code_file = 112,
	  .code_name = 120,
	  .code_qualname = 128,
	  .code_lines = 136,
	  .code_first_line = 72,
	  .code_instr = 184,
	  .ascii_text = 48,
	  .other_text = 72,
	  .bytes_data = 32,
	  .frames = PYTHON_FRAME_ENTRIES,
	  .lines = PYTHON_LINES_LOCATIONS,
	  .shim = 1,
	  .has_cframe = 1 },
	{ .version = 0x030c,
	  .first_interpreter = 40,
	  .next_interpreter = 0,
	  .first_thread = 72,
	  .next_thread = 8,
	  .thread_id = 136,
	  .thread_frame = 56,
	  .cframe_frame = 0,
	  .frame_code = 0,
	  .frame_back = 8,
	  .frame_instr = 56,
	  .frame_owner = 70,
	  .frame_bytes = 72,
	  .code_file = 112,
	  .code_name = 120,
	  .code_qualname = 128,
	  .code_lines = 136,
	  .code_first_line = 68,
	  .code_instr = 192,
	  .ascii_text = 40,
	  .other_text = 56,
	  .bytes_data = 32,
	  .frames = PYTHON_FRAME_SHIMS,
	  .lines = PYTHON_LINES_LOCATIONS,
	  .shim = 3,
	  .has_cframe = 1 },
};

/* The words of _Py_DebugOffsets that are used. */
enum self_word {
	SELF_VERSION = 1,
	SELF_FREE_THREADED = 2,
	SELF_FIRST_INTERPRETER = 5,
	SELF_NEXT_INTERPRETER = 8,
	SELF_FIRST_THREAD = 9,
};

/* Groups that moved. */
struct self_groups {
	uint32_t version;
	uint32_t thread, frame, code; /* the word of the group's size */
};

static const struct self_groups self_groups[] = {
	{ .version = 0x030d, .thread = 19, .frame = 28, .code = 34 },
	{ .version = 0x030e, .thread = 22, .frame = 31, .code = 39 },
};

#define SELF_WORDS (PYTHON_SELF_DESCRIPTION / 8)

static void fill(const uint64_t word[SELF_WORDS], const struct self_groups *groups,
		 struct python_layout *ret)
{
	const uint64_t *thread = word + groups->thread, *frame = word + groups->frame;
	const uint64_t *code = word + groups->code;

	*ret = (struct python_layout){
		.version = groups->version,
		.first_interpreter = (uint32_t)word[SELF_FIRST_INTERPRETER],
		.next_interpreter = (uint32_t)word[SELF_NEXT_INTERPRETER],
		.first_thread = (uint32_t)word[SELF_FIRST_THREAD],
		.next_thread = (uint32_t)thread[2],
		.thread_frame = (uint32_t)thread[4],
		.thread_id = (uint32_t)thread[5],
		.frame_back = (uint32_t)frame[1],
		.frame_code = (uint32_t)frame[2],
		.frame_instr = (uint32_t)frame[3],
		.frame_owner = (uint32_t)frame[5],
		.code_file = (uint32_t)code[1],
		.code_name = (uint32_t)code[2],
		.code_qualname = (uint32_t)code[3],
		.code_lines = (uint32_t)code[4],
		.code_first_line = (uint32_t)code[5],
		.code_instr = (uint32_t)code[9],
		.ascii_text = 40,
		.other_text = 56,
		.bytes_data = 32,
		.frames = PYTHON_FRAME_SHIMS,
		.lines = PYTHON_LINES_LOCATIONS,
		.shim = 3,
	};
}

/* The parts of a frame that are read lie together at its beginning. */
static bool fits(struct python_layout *layout)
{
	const uint32_t part[] = { layout->frame_back, layout->frame_code, layout->frame_instr };
	uint32_t end = layout->frame_owner + 1;

	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
		if (part[i] % 8)
			return false;
		end = end < part[i] + 8 ? part[i] + 8 : end;
	}
	layout->frame_bytes = (end + 7) & ~7u;
	return layout->frame_bytes <= FRAME_LIMIT;
}

static int read_self(uint32_t version, const void *runtime, size_t len, struct python_layout *ret,
		     struct err *err)
{
	const struct self_groups *groups = &self_groups[version - self_groups[0].version];
	uint64_t word[SELF_WORDS];
	struct python_layout layout;

	if (len < sizeof(word) || memcmp(runtime, "xdebugpy", 8))
		return err_set(err, -ENOTSUP, "Python 3.%u: no self-description (_Py_DebugOffsets)",
			       version & 0xff);
	memcpy(word, runtime, sizeof(word));
	if (word[SELF_VERSION] >> 16 != version)
		return err_set(err, -ENOTSUP, "Python 3.%u: self-description of another version",
			       version & 0xff);
	if (word[SELF_FREE_THREADED])
		return err_set(err, -ENOTSUP, "free-threaded Python: not supported");
	for (size_t i = SELF_FREE_THREADED; i < groups->code + 10; i++)
		if (word[i] >= OFFSET_LIMIT && i != 3)
			return err_set(err, -ENOTSUP, "Python 3.%u: invalid self-description",
				       version & 0xff);
	fill(word, groups, &layout);
	if (!fits(&layout))
		return err_set(err, -ENOTSUP, "Python 3.%u: frames larger than expected",
			       version & 0xff);
	*ret = layout;
	return 0;
}

int python_layout_get(uint32_t version, const void *runtime, size_t len, struct python_layout *ret,
		      struct err *err)
{
	if (version < PYTHON_OLDEST || version > PYTHON_NEWEST)
		return err_set(err, -ENOTSUP, "Python %u.%u: unknown version", version >> 8,
			       version & 0xff);
	if (version >= self_groups[0].version)
		return read_self(version, runtime, len, ret, err);
	*ret = by_version[version - PYTHON_OLDEST];
	return 0;
}
