/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The budget of sampling (see sampling_budget.h). */
#include "source/sampling_budget.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/options.h"

#define DEFAULT_MACHINE 0.01
#define DEFAULT_PROGRAM 0.03
#define EXPLICIT_CPU	0.25
#define BURST_NS	50e6 /* of debt */
#define LEAST_PROGRAM	0.1  /* of a CPU: a program that does little is no reason to sample less */
#define MARGIN		0.9  /* of what is granted is aimed at */
#define SPARE		0.5  /* less than this of what is granted leaves room */
#define QUIET_NS	2000000000u
#define MOST_SLOW	100

bool sampling_budget_parse(const char *text, struct recording_budget *ret)
{
	struct recording_budget budget = { .none = strcmp(text, "none") == 0 };
	char *end = NULL;

	if (!budget.none) {
		budget.percent = strtod(text, &end);
		if (end == text || strcmp(end, *end == '%' ? "%" : "") != 0 ||
		    !(budget.percent > 0 && budget.percent <= 100))
			return false;
	}
	*ret = budget;
	return true;
}

void sampling_budget_open(struct sampling_budget *budget, const struct source_options *options,
			  bool everybody, unsigned cpus)
{
	bool asked = options->frequency.hz || options->frequency.max || options->period;

	*budget = (struct sampling_budget){ .cpus = cpus, .slow = 1, .slowest = 1 };
	budget->base = everybody ? SAMPLING_OF_MACHINE : SAMPLING_OF_PROGRAM;
	if (options->budget.none)
		return;
	if (options->budget.percent > 0) {
		budget->share = options->budget.percent / 100;
	} else if (asked) {
		budget->share = EXPLICIT_CPU;
		budget->base = SAMPLING_OF_CPU;
	} else {
		budget->share = everybody ? DEFAULT_MACHINE : DEFAULT_PROGRAM;
	}
}

/* The time of which the share is granted. */
static double base_ns(const struct sampling_budget *budget, const struct sampling_use *use)
{
	double elapsed = (double)use->elapsed_ns, sampled = (double)use->sampled_ns;

	switch (budget->base) {
	case SAMPLING_OF_MACHINE:
		return elapsed * budget->cpus;
	case SAMPLING_OF_PROGRAM:
		return sampled > elapsed * LEAST_PROGRAM ? sampled : elapsed * LEAST_PROGRAM;
	case SAMPLING_OF_CPU:
		break;
	}
	return elapsed;
}

static void slow_down(struct sampling_budget *budget, double slow)
{
	budget->slow = slow < 1 ? 1 : slow > MOST_SLOW ? MOST_SLOW : slow;
	if (budget->slow > budget->slowest)
		budget->slowest = budget->slow;
	budget->changes++;
}

void sampling_budget_begin(struct sampling_budget *budget, double rate_hz, uint64_t sample_ns,
			   unsigned cpus)
{
	const struct sampling_use second = { .elapsed_ns = 1000000000,
					     .sampled_ns = 1000000000ull * cpus };
	double granted = budget->share * base_ns(budget, &second);
	double taken = rate_hz * (double)sample_ns * cpus;

	if (granted > 0 && taken > granted)
		slow_down(budget, taken / (granted * MARGIN));
}

bool sampling_budget_update(struct sampling_budget *budget, const struct sampling_use *use)
{
	double granted = budget->share * base_ns(budget, use), taken = (double)use->taken_ns;

	if (granted <= 0)
		return false;
	budget->debt_ns += taken - granted;
	if (budget->debt_ns < 0)
		budget->debt_ns = 0;
	if (budget->debt_ns > BURST_NS) {
		if (taken <= granted)
			return false; /* it is being paid back */
		slow_down(budget, budget->slow * taken / (granted * MARGIN));
		budget->debt_ns = BURST_NS / 2;
		budget->quiet_ns = 0;
		return true;
	}
	budget->quiet_ns = taken < granted * SPARE ? budget->quiet_ns + use->elapsed_ns : 0;
	if (budget->slow <= 1 || budget->quiet_ns < QUIET_NS)
		return false;
	budget->quiet_ns = 0;
	slow_down(budget, taken > 0 ? budget->slow * taken / (granted * MARGIN) : 1);
	return true;
}

void sampling_budget_text(const struct sampling_budget *budget, char *ret, size_t size)
{
	static const char *const of[] = { "of a CPU", "of the machine", "of the program's time" };

	(void)snprintf(ret, size, "%.4g %% %s", budget->share * 100, of[budget->base]);
}
