/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profile that a query asks for (store.h), from rows and their dictionary: what all variants of
 * the store have in common, so that they answer alike. */
#ifndef STORE_ROW_ANSWER_H
#define STORE_ROW_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

struct dictionary;
struct label_set;
struct profile;
struct row_answer;
struct store_query;
struct store_row;

#define ROW_OF_OTHERS "[other users]" /* in place of what the viewer may not see */

/* Whether a series with these labels is asked for, and whether it is another user's. */
bool row_is_meant(const struct store_query *query, const struct label_set *labels);
bool row_is_of_others(const struct store_query *query, const struct label_set *labels);

/* All is borrowed until row_answer_end(), and the dictionary does not change. */
struct row_answer *row_answer_new(const struct dictionary *dict, const struct store_query *query,
				  struct profile *profile);
/* The same, but each series is a thread of its own, of which the pid is the series' number. */
struct row_answer *row_answer_new_by_series(const struct dictionary *dict,
					    const struct store_query *query,
					    struct profile *profile);
const bool *row_answer_wanted(const struct row_answer *answer); /* by number of the series */
/* A store_row_visit: adds a row of a wanted series. */
void row_answer_add(void *answer, const struct store_row *row);
/* Completes the profile. Returns how many rows referred to nothing, and were passed over. */
uint64_t row_answer_end(struct row_answer *answer);

#endif
