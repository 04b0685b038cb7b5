/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The budget of sampling, relative to the machine or the sampled program. The cost of sampling is
 * accounted against granted time; if the debt exceeds a burst, sampling slows down, and with enough
 * credit it returns to the requested rate. Pure arithmetic: the caller measures costs and applies
 * the result. */
#ifndef SOURCE_SAMPLING_BUDGET_H
#define SOURCE_SAMPLING_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording_budget;
struct source_options;

enum sampling_base {
	SAMPLING_OF_CPU,     /* one CPU's time, for any target */
	SAMPLING_OF_MACHINE, /* all CPUs' time */
	SAMPLING_OF_PROGRAM, /* CPU time that samples stand for */
};

struct sampling_budget {
	double share; /* 0: unlimited */
	enum sampling_base base;
	unsigned cpus;
	double slow; /* factor on the requested periods; 1: as requested */
	double slowest;
	uint64_t changes;
	double debt_ns;
	uint64_t quiet_ns; /* with room to spare */
};

/* What happened since the last time. */
struct sampling_use {
	uint64_t elapsed_ns;
	uint64_t taken_ns;   /* by sampling, of all CPUs together */
	uint64_t sampled_ns; /* CPU time of the target */
};

/* Parses "2%", "0.5" or "none"; returns false if invalid. */
bool sampling_budget_parse(const char *text, struct recording_budget *ret);
void sampling_budget_open(struct sampling_budget *budget, const struct source_options *options,
			  bool everybody, unsigned cpus);
/* The factor to begin with, when `rate_hz` on each of so many CPUs takes ns for each sample. */
void sampling_budget_begin(struct sampling_budget *budget, double rate_hz, uint64_t sample_ns,
			   unsigned cpus);
/* True: `slow` has changed. */
bool sampling_budget_update(struct sampling_budget *budget, const struct sampling_use *use);
/* The budget as text: "a quarter of a CPU". */
void sampling_budget_text(const struct sampling_budget *budget, char *ret, size_t size);

#endif
