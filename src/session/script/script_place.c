/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames as text. perf 6.1 prints user addresses of call chains relative to their module and all
 * others as they are. The text of a frame is the same wherever it comes up, so it is written once
 * and copied from then on. */
#include <string.h>

#include "proc/module.h"
#include "session/script/script_private.h"
#include "symbol/symbolizer.h"

#define F(id) SCRIPT_FIELD(id)

bool script_list_has(const char *list, const char *word)
{
	size_t len = strlen(word);

	while (*list) {
		size_t n = strcspn(list, ",");

		if (n == len && memcmp(list, word, len) == 0)
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

static void put_hex(struct buf *out, uint64_t value, size_t width)
{
	char digits[17];
	size_t at = sizeof(digits);

	do {
		digits[--at] = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value);
	while (sizeof(digits) - at < width)
		digits[--at] = ' ';
	(void)buf_append(out, digits + at, sizeof(digits) - at);
}

static void put_name(struct buf *out, uint64_t fields, const struct replay_frame *frame,
		     const char *name)
{
	(void)buf_put_tidy(out, name ? name : "[unknown]");
	if (!name || !(fields & F(SYMOFF)))
		return;
	(void)buf_puts(out, "+0x");
	put_hex(out, frame->offset - frame->symbol->start, 1);
}

void script_put_symbol(struct buf *out, uint64_t fields, const struct replay_frame *frame)
{
	const struct symbol *symbol = frame->symbol;

	/* Without a chain there are no lines for inlined functions: the real one counts. */
	put_name(out, fields, frame, symbol ? symbol->frame[symbol->count - 1].name : NULL);
}

static const char *module_name(const struct replay_frame *frame)
{
	return frame->module->kind == MODULE_UNKNOWN ? "[unknown]" : frame->module->path;
}

void script_put_module(struct buf *out, const struct replay_frame *frame)
{
	(void)buf_puts(out, " (");
	(void)buf_put_tidy(out, module_name(frame));
	(void)buf_putc(out, ')');
}

static bool is_file_offset(const struct replay_frame *frame)
{
	return !frame->kernel && frame->module->kind != MODULE_UNKNOWN;
}

/* "file.c:12", or "libc.so.6[27b25]" where no line is known. */
static void put_source(struct buf *out, uint64_t fields, const struct replay_frame *frame,
		       const struct symbol_frame *function)
{
	bool whole = fields & SCRIPT_WHOLE_PATHS;
	const char *slash;

	if (frame->module->kind == MODULE_UNKNOWN)
		return;
	if (function && function->file && function->line) {
		slash = whole ? NULL : strrchr(function->file, '/');
		(void)buf_puts(out, "\n  ");
		(void)buf_put_tidy(out, slash ? slash + 1 : function->file);
		(void)buf_printf(out, ":%u", function->line);
		return;
	}
	(void)buf_puts(out, "\n  ");
	(void)buf_put_tidy(out, whole ? frame->module->path : frame->module->name);
	(void)buf_printf(out, "[%llx]",
			 (unsigned long long)(is_file_offset(frame) ? frame->offset : frame->pc));
}

void script_put_place(struct buf *out, uint64_t fields, const struct replay_frame *frame)
{
	const struct symbol *symbol = frame->symbol;

	put_hex(out, frame->pc, 16);
	if (fields & F(SYM)) {
		(void)buf_putc(out, ' ');
		script_put_symbol(out, fields, frame);
	}
	if (fields & F(DSO))
		script_put_module(out, frame);
	if (fields & F(SRCLINE))
		put_source(out, fields, frame, symbol ? &symbol->frame[0] : NULL);
}

static void write_function(struct buf *out, uint64_t fields, const struct replay_frame *frame,
			   const struct symbol_frame *function)
{
	(void)buf_putc(out, '\t');
	put_hex(out, is_file_offset(frame) ? frame->offset : frame->pc, 16);
	if (fields & F(SYM)) {
		(void)buf_putc(out, ' ');
		put_name(out, fields, frame, function ? function->name : NULL);
	}
	if ((fields & F(DSO)) && !(function && function->inlined))
		script_put_module(out, frame);
	if (fields & F(SRCLINE))
		put_source(out, fields, frame, function);
	(void)buf_puts(out, function && function->inlined ? " (inlined)\n" : "\n");
}

static void write_frame(struct buf *out, uint64_t fields, const struct replay_frame *frame)
{
	if (!frame->symbol)
		write_function(out, fields, frame, NULL);
	else
		for (size_t i = 0; i < frame->symbol->count; i++)
			write_function(out, fields, frame, &frame->symbol->frame[i]);
}

static void learn_text(struct script_texts *texts, const struct replay_frame *frame)
{
	while (texts->item.count <= frame->place)
		vec_push(&texts->item, ((struct script_text){ 0 }));
	if (!texts->item.item[frame->place].frame.module)
		texts->item.item[frame->place].frame = *frame;
}

static const struct script_text *text_of(struct script *script, uint32_t place)
{
	struct script_texts *texts = &script->texts;
	struct script_text *text = &texts->item.item[place];

	if (!text->len) {
		replay_name(script->replay, &text->frame);
		text->offset = texts->bytes.len;
		write_frame(&texts->bytes, texts->fields, &text->frame);
		text->len = (uint32_t)(texts->bytes.len - text->offset);
	}
	return text;
}

/* Whether one of the functions there is among --stop-bt's. */
static bool is_stop(struct script *script, const struct replay_frame *place)
{
	struct replay_frame frame = *place;

	replay_name(script->replay, &frame);
	for (size_t i = 0; frame.symbol && i < frame.symbol->count; i++)
		if (frame.symbol->frame[i].name &&
		    script_list_has(script->options->stop_frames, frame.symbol->frame[i].name))
			return true;
	return false;
}

void script_put_chain(struct script *script, uint64_t fields, const struct replay_sample *sample)
{
	struct script_texts *texts = &script->texts;

	if (texts->fields != fields) {
		script_texts_done(texts); /* another kind of event, nothing waits */
		texts->fields = fields;
	}
	for (size_t i = 0; i < sample->count; i++) {
		learn_text(texts, &sample->frame[i]);
		vec_push(&script->pieces,
			 ((struct script_piece){ script->out.len, sample->frame[i].place }));
		if (script->options->stop_frames && is_stop(script, &sample->frame[i]))
			break;
	}
}

size_t script_join(struct script *script, size_t first, struct buf *whole)
{
	const struct buf *out = &script->out;
	size_t i = first;
	size_t done = i ? script->pieces.item[i - 1].at : 0;

	for (; i < script->pieces.count && whole->len < SCRIPT_FLUSH_BYTES; i++) {
		const struct script_piece *piece = &script->pieces.item[i];
		const struct script_text *text = text_of(script, piece->place);

		if (piece->at > done)
			(void)buf_append(whole, out->data + done, piece->at - done);
		(void)buf_append(whole, script->texts.bytes.data + text->offset, text->len);
		done = piece->at;
	}
	if (i == script->pieces.count)
		(void)buf_append(whole, out->data + done, out->len - done);
	return i;
}

void script_texts_done(struct script_texts *texts)
{
	vec_done(&texts->item);
	buf_done(&texts->bytes);
}
