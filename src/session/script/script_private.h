/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the script text: script.c assembles lines, script_place.c writes frames,
 * script_value.c other fields of samples, script_event.c everything that is not a sample. Only
 * these files include it. */
#ifndef SESSION_SCRIPT_PRIVATE_H
#define SESSION_SCRIPT_PRIVATE_H

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "event/event.h"
#include "format/trace/trace_print.h"
#include "session/script/script.h"

/* Frames already written once: `place` → bytes. */
struct script_texts {
	VEC(struct script_text) item; /* by replay_frame.place */
	struct buf bytes;
	uint64_t fields; /* they were written with */
};

struct script_text {
	struct replay_frame frame;
	size_t offset;
	uint32_t len; /* 0 = not written yet */
};

/* A frame that belongs at a place of the output, to be put there when symbols are read. */
struct script_piece {
	size_t at;
	uint32_t place;
};

struct script {
	struct replay_handler handler;
	const struct script_options *options;
	struct script_fields fields;
	const struct perf_data *data;
	struct trace_print *trace; /* made when first needed */
	struct trace_resolver resolver;
	const struct replay_sample *sample; /* the one being printed, for the resolver */
	struct filter *filter;
	struct script_code *code; /* made when first needed */
	struct script_output *output;
	struct buf out;
	VEC(struct script_piece) pieces;  /* what out lacks yet */
	struct buf whole, redacted, comm; /* scratch */
	struct replay *replay;
	struct script_texts texts;
	size_t name_width; /* of the longest event name */
	bool use_chain;	   /* some event has call chains, and they are printed */
	bool tod;
	uint64_t tod_wall_ns, tod_clock_ns;
	uint64_t first_ns, previous_ns;
	int data_src_width;
};

/* "comm tid [cpu] time: " of a sample or of another event. */
struct script_head {
	const char *comm;
	uint32_t pid, tid, cpu;
	uint64_t time_ns;
	uint16_t misc;
	enum event_type type;
};

void script_put_head(struct script *script, uint64_t fields, const struct script_head *head);

/* The sampled address on the line of its event. */
void script_put_place(struct buf *out, uint64_t fields, const struct replay_frame *frame);
/* "name+0x1" and " (module)" for any address. */
void script_put_symbol(struct buf *out, uint64_t fields, const struct replay_frame *frame);
void script_put_module(struct buf *out, const struct replay_frame *frame);
#define SCRIPT_FLUSH_BYTES ((size_t)1 << 20)

/* All frames, one per line; script_join() writes them. With other fields than those of the frames
 * that wait, these must have been written. */
void script_put_chain(struct script *script, uint64_t fields, const struct replay_sample *sample);
/* Writes the output from piece `first` on, frames in their places, until that is enough at once;
 * gives the first piece that is left, pieces.count with the last of the output. */
size_t script_join(struct script *script, size_t first, struct buf *whole);
void script_texts_done(struct script_texts *texts);

void script_put_address(struct buf *out, uint64_t fields, const struct replay_sample *sample);
void script_put_data_src(struct script *script, uint64_t data_src);
void script_put_registers(struct buf *out, const char *arch, uint64_t abi, uint64_t mask,
			  const uint64_t *value);
void script_put_branches(struct buf *out, uint64_t fields, const struct replay_sample *sample);
void script_put_bpf_output(struct buf *out, const struct event_sample *sample);
const char *script_page_size(uint64_t bytes, char *text, size_t size);

/* The bytes of a record and what they mean, in the layout of perf script -D. */
void script_put_dump(struct script *script, const struct event *event,
		     const struct replay_sample *sample);
/* Whether a comma list has the word. */
bool script_list_has(const char *list, const char *word);

/* "PERF_RECORD_…" with its newline; false when the options do not ask for such events. */
bool script_wants_event(const struct script_options *options, const struct event *event);
void script_put_event(struct buf *out, const struct event *event);

#endif
