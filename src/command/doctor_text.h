/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Findings of the doctor as text of 80 columns and as JSON. */
#ifndef COMMAND_DOCTOR_TEXT_H
#define COMMAND_DOCTOR_TEXT_H

#include <stdbool.h>

struct buf;
struct doctor_report;

/* Problems with their fixes, then the names of what is fine; `all`: every check, by group. */
void doctor_put_text(const struct doctor_report *report, bool all, struct buf *ret);
void doctor_put_json(const struct doctor_report *report, struct buf *ret);

#endif
