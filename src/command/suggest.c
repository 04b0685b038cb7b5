/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Edit distance (insert, delete, replace, swap of neighbours), for short names only. */
#include "command/suggest.h"

#include <string.h>

#define NAME_MAX_LEN 40

static size_t min3(size_t a, size_t b, size_t c)
{
	a = a < b ? a : b;
	return a < c ? a : c;
}

static size_t edit_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t row[3][NAME_MAX_LEN + 1]; /* the rows i - 2, i - 1 and i, taken modulo 3 */

	for (size_t j = 0; j <= b_len; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		const size_t *before = row[(i + 2) % 3];
		size_t *now = row[i % 3];

		now[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			now[j] = min3(before[j] + 1, now[j - 1] + 1,
				      before[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = min3(now[j], row[(i + 1) % 3][j - 2] + 1, now[j]);
		}
	}
	return row[a_len % 3][b_len];
}

void suggestion_offer(struct suggestion *suggestion, const char *name)
{
	size_t word_len = strlen(suggestion->word), name_len = strlen(name), distance;

	if (!word_len || word_len > NAME_MAX_LEN || name_len > NAME_MAX_LEN)
		return;
	if (strncmp(suggestion->word, name, word_len) == 0)
		distance = 1; /* the beginning of a name is as good as one slip */
	else
		distance = edit_distance(suggestion->word, word_len, name, name_len);
	if (distance > 1 + word_len / 4 || (suggestion->best && distance >= suggestion->distance))
		return;
	suggestion->best = name;
	suggestion->distance = distance;
}
