/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The boxes of a flame graph: each has a position and a title with name and weight. A box is above
 * the one in the previous row that is below its middle; rows are counted from the widest one. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "format/picture/picture.h"
#include "format/text/text.h"
#include "profile/profile.h"
#include "profile/sample_weight.h"

#define SCALE 1000 /* of weights with fractions */

struct box {
	double left, width, row; /* row: distance from that of the widest, in pixels */
	bool exact;		 /* width is the weight, as written by inferno */
	uint64_t weight, below;	 /* as the title says, by SCALE; of those that stand on it */
	struct slice name;
	stack_id stack;
};

typedef VEC(struct box) box_list;

static struct slice until(struct slice *text, const char *end)
{
	const char *at = memmem(text->s, text->len, end, strlen(end));
	struct slice part = { text->s, at ? (size_t)(at - text->s) : text->len };
	size_t gone = part.len + (at ? strlen(end) : 0);

	text->s += gone;
	text->len -= gone;
	return part;
}

/* The number of an attribute, or -1. */
static double attribute(struct slice element, const char *name)
{
	const char *at = memmem(element.s, element.len, name, strlen(name));
	char digits[32] = "";
	size_t len;

	if (!at)
		return -1;
	at += strlen(name);
	len = (size_t)(element.s + element.len - at);
	len = len < sizeof(digits) - 1 ? len : sizeof(digits) - 1;
	memcpy(digits, at, len);
	return strtod(digits, NULL);
}

/* "NAME (1,234 samples, 5.67%)": the last parenthesis that a number follows. */
static bool read_title(struct slice title, struct box *ret)
{
	for (size_t i = title.len; i-- > 1;) {
		struct slice amount = { title.s + i + 1, title.len - i - 1 };

		if (title.s[i] != '(' || title.s[i - 1] != ' ')
			continue;
		amount = text_cut(&amount, ' ');
		if (!text_number(amount, SCALE, &ret->weight))
			continue;
		ret->name = (struct slice){ title.s, i - 1 };
		return true;
	}
	return false;
}

static void read_boxes(struct slice text, struct profile *profile, box_list *ret)
{
	(void)until(&text, "<title>");
	while (text.len) {
		struct slice title = until(&text, "</title>"), rest = until(&text, "<title>");
		struct slice rect = { rest.s, 0 };
		struct box box = { 0 };

		(void)until(&rest, "<rect ");
		rect = until(&rest, ">");
		box.name = title;
		box.left = attribute(rect, "fg:x=\"");
		box.width = attribute(rect, "fg:w=\"");
		box.exact = box.left >= 0 && box.width >= 0 && box.width < 1e18;
		if (!rect.len || (!read_title(title, &box) && !box.exact)) {
			profile->meta.unknown_records++;
			continue;
		}
		if (!box.exact) {
			box.left = attribute(rect, " x=\"");
			box.width = attribute(rect, "width=\"");
		}
		if (box.left < 0 && strncmp(rect.s, "x=\"", 3) == 0)
			box.left = strtod(rect.s + 3, NULL);
		box.row = attribute(rect, "y=\"");
		vec_push(ret, box);
	}
}

static int compare_boxes(const void *pa, const void *pb)
{
	const struct box *a = pa, *b = pb;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return (a->left > b->left) - (a->left < b->left);
}

/* Rows from the root's on, each from left to right; false when the widest is no root. */
static bool sort_boxes(box_list *boxes)
{
	const struct box *root = &boxes->item[0];
	double y;

	for (size_t i = 1; i < boxes->count; i++)
		if (boxes->item[i].width > root->width ||
		    (boxes->item[i].width == root->width && boxes->item[i].weight > root->weight))
			root = &boxes->item[i];
	for (size_t i = 0; i < boxes->count; i++) /* of equally wide ones the root is called all */
		if (boxes->item[i].width == root->width && boxes->item[i].name.len == 3 &&
		    memcmp(boxes->item[i].name.s, "all", 3) == 0)
			root = &boxes->item[i];
	y = root->row;
	for (size_t i = 0; i < boxes->count; i++)
		boxes->item[i].row = fabs(boxes->item[i].row - y);
	qsort(boxes->item, boxes->count, sizeof(*boxes->item), compare_boxes);
	return boxes->item[0].row == 0;
}

/* "&lt;" and similar entities; others stay unchanged. */
static string_id name_of(struct profile *profile, struct slice text)
{
	static const char *const entity[][2] = { { "&lt;", "<" },    { "&gt;", ">" },
						 { "&quot;", "\"" }, { "&apos;", "'" },
						 { "&#39;", "'" },   { "&amp;", "&" } };
	struct buf name = { 0 };
	string_id id;

	for (size_t i = 0; i < text.len;) {
		size_t len = 0;

		for (size_t k = 0; k < sizeof(entity) / sizeof(entity[0]) && !len; k++)
			if (text.len - i >= strlen(entity[k][0]) &&
			    memcmp(text.s + i, entity[k][0], strlen(entity[k][0])) == 0) {
				(void)buf_puts(&name, entity[k][1]);
				len = strlen(entity[k][0]);
			}
		if (!len)
			(void)buf_putc(&name, text.s[i]);
		i += len ? len : 1;
	}
	id = text_name(profile, (struct slice){ name.data ? name.data : "", name.len });
	buf_done(&name);
	return id;
}

/* "(12 smaller)" and inferno's empty ones are no frames. */
static bool is_frame(const struct box *box)
{
	return box->name.len && !(box->name.s[0] == '(' && text_has(box->name, " smaller)"));
}

/* Both rows go from left to right, so the box below is found by going along. */
static void place_boxes(box_list *boxes, struct profile *profile)
{
	size_t below = 0, row = 0; /* where the row before, and this one, begin */

	for (size_t i = 1; i < boxes->count; i++) {
		struct box *box = &boxes->item[i];
		double middle = box->left + box->width / 2;
		struct frame frame = { 0 };

		if (box->row > boxes->item[i - 1].row) {
			below = row;
			row = i;
		}
		while (below + 1 < row && boxes->item[below + 1].left <= middle)
			below++;
		if (!is_frame(box) || box->row == 0)
			continue;
		frame.function = name_of(profile, box->name);
		box->stack = profile_stack_push(profile, boxes->item[below].stack,
						profile_frame(profile, &frame));
		boxes->item[below].below += box->weight;
	}
}

/* Weights as whole numbers, of parts of a unit when there are fractions; the number of parts.
 * Titles may have been multiplied and rounded, widths in weight have not. */
static uint64_t settle_weights(box_list *boxes)
{
	const struct box *root = &boxes->item[0];
	double written = (double)root->weight / SCALE; /* to a hundredth */
	uint64_t scale = 1;
	bool parts = false;

	while (root->exact && scale <= PROFILE_MAX_SCALE &&
	       fabs(root->width / (double)scale - written) > 0.006)
		scale *= 10;
	if (scale > PROFILE_MAX_SCALE)
		scale = 1;
	for (size_t i = 0; i < boxes->count; i++)
		parts |= boxes->item[i].weight % SCALE != 0;
	for (size_t i = 0; i < boxes->count; i++) {
		struct box *box = &boxes->item[i];

		if (root->exact)
			box->weight = box->exact ? (uint64_t)box->width : 0;
		else if (!parts)
			box->weight /= SCALE;
	}
	return root->exact ? scale : parts ? SCALE : 1;
}

int flame_boxes_read(struct slice text, struct profile *profile, struct err *err)
{
	struct profile_sample sample = text_sample(profile, "samples", "samples");
	box_list boxes = { 0 };
	uint64_t scale;

	read_boxes(text, profile, &boxes);
	if (!boxes.count || !sort_boxes(&boxes)) {
		vec_done(&boxes);
		return err_set(err, -EINVAL, "no frames in the picture");
	}
	scale = settle_weights(&boxes);
	place_boxes(&boxes, profile);
	scale = profile_event_scale(profile, sample.event, scale);
	for (size_t i = 0; i < boxes.count; i++) {
		const struct box *box = &boxes.item[i];

		if (box->weight <= box->below || (i && !box->stack.v))
			continue;
		sample.stack = box->stack;
		sample.weight = box->weight - box->below;
		sample.count = sample.weight / scale;
		profile_add(profile, &sample);
	}
	profile_find_sample_weight(profile, sample.event,
				   NULL); /* FlameGraph says samples of all */
	vec_done(&boxes);
	return 0;
}
