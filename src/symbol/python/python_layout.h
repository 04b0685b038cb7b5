/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory layout of frames in CPython 3.8 to 3.14. Up to 3.12 offsets depend only on the version
 * (they do not change within one); from 3.13 on the runtime describes itself in a table at the
 * beginning of _PyRuntime; the version determines the table's layout. Only builds for 64-bit,
 * little-endian CPUs with the global interpreter lock. Source: Include/cpython and Include/internal
 * of CPython. */
#ifndef SYMBOL_PYTHON_PYTHON_LAYOUT_H
#define SYMBOL_PYTHON_PYTHON_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

struct err;

/* major << 8 | minor */
#define PYTHON_OLDEST 0x0308
#define PYTHON_NEWEST 0x030e

/* Bytes of _PyRuntime that may have to be looked at. */
#define PYTHON_SELF_DESCRIPTION 400

enum python_frames {
	PYTHON_FRAME_OBJECTS, /* 3.8 to 3.10: each call of a function is a call of the evaluator */
	PYTHON_FRAME_ENTRIES, /* 3.11: a flag marks with which the evaluator began */
	PYTHON_FRAME_SHIMS,   /* 3.12 and newer: the evaluator begins with an extra frame */
};

enum python_lines {
	PYTHON_LINES_BYTES,	/* co_lnotab, up to 3.9 */
	PYTHON_LINES_RANGES,	/* co_linetable of 3.10 */
	PYTHON_LINES_LOCATIONS, /* co_linetable since 3.11 */
};

/* Offsets in bytes. */
struct python_layout {
	uint32_t version;
	uint32_t first_interpreter; /* in _PyRuntime */
	uint32_t next_interpreter, first_thread;
	uint32_t next_thread, thread_id, thread_frame;
	uint32_t cframe_frame; /* in what thread_frame points to, with has_cframe */
	uint32_t frame_code, frame_back, frame_instr, frame_owner, frame_bytes;
	uint32_t code_file, code_name, code_qualname; /* qualname 0 = has none */
	uint32_t code_lines, code_first_line, code_instr;
	uint32_t ascii_text, other_text; /* characters in a string, by its kind */
	uint32_t bytes_data;
	uint8_t frames; /* enum python_frames */
	uint8_t lines;	/* enum python_lines */
	uint8_t shim;	/* SHIMS: the least owner of such a frame */
	uint8_t has_cframe;
};

/* `runtime`: the first bytes of _PyRuntime, for 3.13 and newer. -ENOTSUP with a reason for versions
 * and builds that are not known. */
int python_layout_get(uint32_t version, const void *runtime, size_t len, struct python_layout *ret,
		      struct err *err);

#endif
