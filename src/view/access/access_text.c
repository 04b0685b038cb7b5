/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Objects and their samples as text (see access_view.h). */
#include <inttypes.h>

#include "base/buf.h"
#include "profile/access/access.h"
#include "view/access/access_view.h"
#include "view/stack_line.h"

#define PLACES	  4 /* functions of a row */
#define WORDS	  4
#define MAX_SIZE  4096 /* of objects that are shown with their words */
#define FEW_WORDS 64   /* or that so few words have all samples of */

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100 * (double)part / (double)all : 0;
}

static void put_object(const struct access_view *view, const struct access_row *row,
		       struct buf *out)
{
	const char *object = profile_string(view->profile, row->object);
	const char *module = profile_string(view->profile, row->module);

	if (object[0])
		(void)buf_put_tidy(out, object);
	else
		(void)buf_puts(out, access_kind_text(row->kind));
	if (!object[0] && !module[0])
		return;
	(void)buf_puts(out, module[0] ? "  [" : "");
	(void)buf_put_tidy(out, module);
	(void)buf_puts(out, module[0] ? "]" : "");
}

static void put_places(const struct access_view *view, const struct access_row *row,
		       struct buf *out)
{
	(void)buf_puts(out, "                     in ");
	for (size_t i = 0; i < row->place_count && i < PLACES; i++) {
		const struct access_place *place = &view->table->place.item[row->place + i];
		const char *name = profile_string(view->profile, place->function);

		(void)buf_puts(out, i ? ", " : "");
		(void)buf_put_tidy(out,
				   name[0] ? name : profile_string(view->profile, place->module));
		(void)buf_printf(out, " %.0f %%", percent(place->weight, row->weight));
	}
	if (row->place_count > PLACES)
		(void)buf_printf(out, ", %zu more", row->place_count - PLACES);
	(void)buf_putc(out, '\n');
}

static void put_words(const struct access_view *view, const struct access_row *row, struct buf *out)
{
	if (!row->word_count || (row->size > MAX_SIZE && row->word_count > FEW_WORDS))
		return;
	for (size_t i = 0; i < row->word_count && i < WORDS; i++) {
		const struct access_word *word = &view->table->word.item[row->word + i];

		(void)buf_printf(out, "%s+%#" PRIx64 " %.0f %%",
				 i ? ", " : "                     at ", word->offset,
				 percent(word->weight, row->weight));
	}
	if (row->word_count > WORDS)
		(void)buf_printf(out, ", %zu more", row->word_count - WORDS);
	(void)buf_putc(out, '\n');
}

static void put_fields(const struct access_view *view, const struct access_row *row,
		       struct buf *out)
{
	for (size_t i = 0; i < row->field_count && i < WORDS; i++) {
		const struct access_field *field = &view->table->field.item[row->field + i];

		(void)buf_puts(out, i ? ", " : "                     at ");
		(void)buf_put_tidy(out, profile_string(view->profile, field->text));
		(void)buf_printf(out, " %.0f %%", percent(field->weight, row->weight));
	}
	if (row->field_count > WORDS)
		(void)buf_printf(out, ", %zu more", row->field_count - WORDS);
	(void)buf_putc(out, '\n');
}

static void put_row(const struct access_view *view, size_t index, struct buf *out)
{
	const struct access_row *row = &view->table->row.item[index];

	(void)buf_printf(out, "%7.2f %%  %9" PRIu64 "  ", percent(row->weight, view->table->weight),
			 row->samples);
	put_object(view, row, out);
	if (row->size && (row->kind == ACCESS_GLOBAL || row->kind == ACCESS_BLOCK)) {
		(void)buf_puts(out, ", ");
		bytes_put((double)row->size, 0, out);
	}
	if (row->guessed)
		(void)buf_printf(out, " (%.0f %% guessed)", percent(row->guessed, row->samples));
	(void)buf_putc(out, '\n');
	if (row->kind == ACCESS_BLOCK) {
		(void)buf_puts(out, "                     allocated by ");
		stack_line_put(view->profile, row->stack, (enum stack_stop)row->stop, out);
	}
	put_places(view, row, out);
	if (row->field_count)
		put_fields(view, row, out);
	else
		put_words(view, row, out);
}

static void put_notes(const struct access_view *view, struct buf *out)
{
	const struct access_table *table = view->table;
	bool guessed = false;

	for (size_t i = 0; i < table->row.count; i++)
		guessed |= table->row.item[i].guessed > 0;
	if (guessed)
		(void)buf_puts(out, "\nguessed: the load overwrote its address; the object is that "
				    "which the loaded pointer points at\n");
	if (view->lost)
		(void)buf_printf(out, "\n%" PRIu64 " samples and records were lost\n", view->lost);
}

void access_text(const struct access_view *view, struct buf *out)
{
	const struct access_table *table = view->table;

	(void)buf_printf(out,
			 "Where it stalled: %" PRIu64 " samples, %" PRIu64
			 " of them in the kernel; "
			 "%.1f %% of the others behind an access to a known object\n",
			 table->samples, table->kernel,
			 percent(table->accesses, table->samples - table->kernel));
	(void)buf_puts(out, "A sample is time behind a load or store, not an access: what the "
			    "caches answer at once hardly shows.\n\n");
	(void)buf_puts(out, "   share    samples  object\n");
	for (size_t i = 0; i < table->row.count; i++) {
		if (view->rows && i == view->rows) {
			(void)buf_printf(out, "                     %zu more\n",
					 table->row.count - i);
			break;
		}
		put_row(view, i, out);
	}
	put_notes(view, out);
}
