/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Branch filters by perf's names, for record -j and the branch_type= term: "any,u". */
#ifndef SOURCE_BRANCH_TYPE_H
#define SOURCE_BRANCH_TYPE_H

#include <stdint.h>

struct err;

/* A comma list of names into PERF_SAMPLE_BRANCH_* bits; privilege alone means "any" of it. */
int branch_type_parse(const char *text, uint64_t *ret, struct err *err);

#endif
