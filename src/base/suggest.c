/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Edit distance (insert, delete, replace, swap of neighbours) over bytes, ignoring case. */
#include "base/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define NEAR_WORD_MAX 64

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned low = a < b ? a : b;

	return low < c ? low : c;
}

/* Both words are shorter than NEAR_WORD_MAX. */
static unsigned edit_distance(const char *a, const char *b)
{
	unsigned row[3][NEAR_WORD_MAX + 1];
	size_t a_len = strlen(a), b_len = strlen(b);

	for (size_t j = 0; j <= b_len; j++)
		row[0][j] = (unsigned)j;
	for (size_t i = 1; i <= a_len; i++) {
		unsigned *now = row[i % 3], *before = row[(i + 2) % 3], *older = row[(i + 1) % 3];

		now[0] = (unsigned)i;
		for (size_t j = 1; j <= b_len; j++) {
			unsigned cost = same(a[i - 1], b[j - 1]) ? 0 : 1;

			now[j] = min3(before[j] + 1, now[j - 1] + 1, before[j - 1] + cost);
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) &&
			    same(a[i - 2], b[j - 1]) && older[j - 2] + 1 < now[j])
				now[j] = older[j - 2] + 1;
		}
	}
	return row[a_len % 3][b_len];
}

static bool is_offered(const struct suggest *suggest, const char *candidate)
{
	for (size_t i = 0; i < suggest->count; i++)
		if (!strcmp(suggest->best[i].name, candidate))
			return true;
	return false;
}

void suggest_offer(struct suggest *suggest, const char *candidate)
{
	size_t word_len = strlen(suggest->word), len = strlen(candidate);
	unsigned distance;
	size_t at;

	if (word_len >= NEAR_WORD_MAX || len >= NEAR_WORD_MAX)
		return;
	distance = edit_distance(suggest->word, candidate);
	if (distance > 1 + word_len / 4 || is_offered(suggest, candidate))
		return;
	for (at = suggest->count; at > 0 && suggest->best[at - 1].distance > distance; at--)
		if (at < SUGGEST_MAX)
			suggest->best[at] = suggest->best[at - 1];
	if (at == SUGGEST_MAX)
		return;
	suggest->best[at].name = candidate;
	suggest->best[at].distance = distance;
	if (suggest->count < SUGGEST_MAX)
		suggest->count++;
}

const char *suggest_text(const struct suggest *suggest, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < suggest->count && used < size; i++) {
		const char *before = i == 0 ? "" : i + 1 == suggest->count ? " or " : ", ";
		int n = snprintf(buffer + used, size - used, "%s'%s'", before,
				 suggest->best[i].name);

		used += n > 0 ? (size_t)n : 0;
	}
	return buffer;
}
