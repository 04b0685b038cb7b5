/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Objects and their samples as JSON (see access_view.h). */
#include <inttypes.h>

#include "base/buf.h"
#include "profile/access/access.h"
#include "view/access/access_view.h"
#include "view/stack_line.h"

static void put_text(const struct access_view *view, const char *key, string_id id, struct buf *out)
{
	(void)buf_printf(out, "\"%s\": ", key);
	(void)buf_put_json(out, profile_string(view->profile, id));
}

static void put_functions(const struct access_view *view, const struct access_row *row,
			  struct buf *out)
{
	(void)buf_puts(out, ", \"functions\": [");
	for (size_t i = 0; i < row->place_count; i++) {
		const struct access_place *place = &view->table->place.item[row->place + i];

		(void)buf_puts(out, i ? ", { " : " { ");
		put_text(view, "function", place->function, out);
		(void)buf_puts(out, ", ");
		put_text(view, "module", place->module, out);
		(void)buf_printf(out, ", \"samples\": %" PRIu64 " }", place->samples);
	}
	(void)buf_puts(out, " ]");
}

static void put_words(const struct access_view *view, const struct access_row *row, struct buf *out)
{
	(void)buf_puts(out, ", \"words\": [");
	for (size_t i = 0; i < row->word_count; i++) {
		const struct access_word *word = &view->table->word.item[row->word + i];

		(void)buf_printf(out, "%s{ \"offset\": %" PRIu64 ", \"samples\": %" PRIu64 " }",
				 i ? ", " : " ", word->offset, word->samples);
	}
	(void)buf_puts(out, " ], \"fields\": [");
	for (size_t i = 0; i < row->field_count; i++) {
		const struct access_field *field = &view->table->field.item[row->field + i];

		(void)buf_puts(out, i ? ", { " : " { ");
		put_text(view, "field", field->text, out);
		(void)buf_printf(out, ", \"samples\": %" PRIu64 " }", field->samples);
	}
	(void)buf_puts(out, " ]");
}

static void put_row(const struct access_view *view, size_t index, struct buf *out)
{
	const struct access_row *row = &view->table->row.item[index];

	(void)buf_printf(out, "{ \"kind\": \"%s\", ", access_kind_name(row->kind));
	put_text(view, "object", row->object, out);
	(void)buf_puts(out, ", ");
	put_text(view, "module", row->module, out);
	(void)buf_printf(out,
			 ", \"size\": %" PRIu64 ", \"samples\": %" PRIu64 ", \"weight\": %" PRIu64
			 ", \"guessed\": %" PRIu64 ", \"writes\": %" PRIu64 ", \"stack\": ",
			 row->size, row->samples, row->weight, row->guessed, row->writes);
	stack_line_put_json(view->profile, row->stack, out);
	put_functions(view, row, out);
	put_words(view, row, out);
	(void)buf_puts(out, " }");
}

void access_json(const struct access_view *view, struct buf *out)
{
	const struct access_table *table = view->table;

	(void)buf_puts(out, "{ \"cupel\": 1, \"command\": [");
	for (size_t i = 0; i < view->word_count; i++) {
		(void)buf_puts(out, i ? ", " : "");
		(void)buf_put_json(out, view->words[i]);
	}
	(void)buf_printf(out,
			 "], \"samples\": %" PRIu64 ", \"accesses\": %" PRIu64
			 ", \"kernel\": %" PRIu64 ", \"lost\": %" PRIu64 ", \"blocks\": %" PRIu64
			 ",\n  \"rows\": [",
			 table->samples, table->accesses, table->kernel, view->lost, table->blocks);
	for (size_t i = 0; i < table->row.count; i++) {
		(void)buf_puts(out, i ? ",\n    " : "\n    ");
		put_row(view, i, out);
	}
	(void)buf_puts(out, " ] }\n");
}
