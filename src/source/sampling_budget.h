/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sampling may take of the machine or of the program that is sampled. Time taken is booked
 * against time granted; when the debt is more than a burst, sampling slows down, and when there is
 * ample room again, it returns to what was asked for. Pure arithmetic: who samples measures and
 * obeys. */
#ifndef SOURCE_SAMPLING_BUDGET_H
#define SOURCE_SAMPLING_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording_budget;
struct source_options;

enum sampling_base {
	SAMPLING_OF_CPU,     /* one CPU's time, whatever is sampled */
	SAMPLING_OF_MACHINE, /* all CPUs' time */
	SAMPLING_OF_PROGRAM, /* CPU time that samples stand for */
};

struct sampling_budget {
	double share; /* 0 = there is no limit */
	enum sampling_base base;
	unsigned cpus;
	double slow; /* periods are so many times those asked for, 1 = as asked */
	double slowest;
	uint64_t changes;
	double debt_ns;
	uint64_t quiet_ns; /* with room to spare */
};

/* What happened since the last time. */
struct sampling_use {
	uint64_t elapsed_ns;
	uint64_t taken_ns;   /* by sampling, of all CPUs together */
	uint64_t sampled_ns; /* CPU time of what is sampled */
};

/* Takes "2%", "0.5" or "none"; false: it is something else. */
bool sampling_budget_parse(const char *text, struct recording_budget *ret);
void sampling_budget_open(struct sampling_budget *budget, const struct source_options *options,
			  bool everybody, unsigned cpus);
/* The factor to begin with, when `rate_hz` on each of so many CPUs takes ns for each sample. */
void sampling_budget_begin(struct sampling_budget *budget, double rate_hz, uint64_t sample_ns,
			   unsigned cpus);
/* True: `slow` has changed. */
bool sampling_budget_update(struct sampling_budget *budget, const struct sampling_use *use);
/* "a quarter of a CPU": what the budget is. */
void sampling_budget_text(const struct sampling_budget *budget, char *ret, size_t size);

#endif
