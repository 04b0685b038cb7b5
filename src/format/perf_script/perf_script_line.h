/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses one line of perf script text. Pure functions of bytes; slices point into the line and a
 * line has neither its newline nor a carriage return. What perf prints and how the layout
 * drifted: tools/perf/builtin-script.c of Linux 2.6.31 to 7.x. */
#ifndef FORMAT_PERF_SCRIPT_PERF_SCRIPT_LINE_H
#define FORMAT_PERF_SCRIPT_PERF_SCRIPT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slice {
	const char *s;
	size_t len;
};

#define SCRIPT_UNKNOWN UINT32_MAX

/* "comm [pid/]tid [cpu] misc time: period event: rest"; all but the tid may be missing. */
struct script_header {
	struct slice comm, event; /* len 0 = not printed */
	uint32_t pid, tid, cpu;	  /* SCRIPT_UNKNOWN = not printed */
	uint64_t time_ns, period; /* 0 = not printed */
	struct slice rest;	  /* after the event: a single frame or the tracepoint's fields */
};

/* "pc symbol+0xoffset (module)"; symbol and module may be missing. */
struct script_frame {
	uint64_t pc, symbol_offset;
	struct slice name;   /* without the offset; "[unknown]" and a missing one give len 0, and
				an empty one " " */
	struct slice module; /* "[unknown]" and a missing one give len 0 */
	bool inlined;	     /* "(inlined)" stands where the module would */
};

/* `strict` asks for a time or a CPU after the thread id, so that no frame can be taken for a
 * header; without it "comm tid event:" is enough. */
bool script_header_parse(struct slice line, bool strict, struct script_header *ret);
/* Parses "comm [pid/]tid " alone, which is a header only if a frame follows. */
bool script_header_parse_bare(struct slice line, struct script_header *ret);
bool script_frame_parse(struct slice line, struct script_frame *ret);
/* The line that -F +srcline puts below a frame: "file.c:12" or "libc.so.6[27b25]". The second
 * form, and text without a line number, are recognised but give line 0 and an empty file. */
bool script_srcline_parse(struct slice line, struct slice *ret_file, uint32_t *ret_line);

#endif
