/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distributions (see statistics.h). The incomplete beta function is the continued fraction of
 * Numerical Recipes and DLMF 8.17.22, evaluated by Lentz's method; quantiles are found by Newton's
 * method, from tails, so that small p keep their digits. Benjamini, Hochberg 1995; Wilson 1927;
 * Lancaster's mid-p 1961. */
#include "profile/statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define SMALLEST    1e-300
#define Z_LIMIT	    38.0
#define CLOSE	    1e-13
#define BETA_ROUNDS 400
#define PI	    3.14159265358979323846

double normal_two_sided(double z)
{
	return erfc(fabs(z) / sqrt(2));
}

double normal_critical(double p)
{
	double z;

	if (p >= 1)
		return 0;
	if (!(p > SMALLEST))
		return Z_LIMIT;
	z = sqrt(-2 * log(p / 2)); /* too large, and the tail is convex: Newton on its logarithm */
	for (int i = 0; i < 50; i++) {
		double tail = normal_two_sided(z);
		double slope = -2 / sqrt(2 * PI) * exp(-z * z / 2) / tail;
		double step = (log(tail) - log(p)) / slope;

		z -= step;
		if (fabs(step) < CLOSE * (1 + z))
			break;
	}
	return z;
}

/* Continued fraction of the incomplete beta function. */
static double beta_fraction(double x, double a, double b)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1), h;

	d = 1 / (fabs(d) < SMALLEST ? SMALLEST : d);
	h = d;
	for (int m = 1; m <= BETA_ROUNDS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		for (int half = 0; half < 2; half++) {
			double term = half ? odd : even;

			d = 1 + term * d;
			d = 1 / (fabs(d) < SMALLEST ? SMALLEST : d);
			c = 1 + term / c;
			c = fabs(c) < SMALLEST ? SMALLEST : c;
			h *= d * c;
		}
		if (fabs(d * c - 1) < CLOSE)
			break;
	}
	return h;
}

/* Regularised incomplete beta function I_x(a, b); y = 1 - x, given apart to keep its digits;
 * log_beta = log Γ(a + b) - log Γ(a) - log Γ(b). */
static double beta_share(double x, double y, double a, double b, double log_beta)
{
	double front;

	if (x <= 0)
		return 0;
	if (y <= 0)
		return 1;
	front = exp(log_beta + a * log(x) + b * log(y));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(y, b, a) / b;
}

/* What depends on the degrees of freedom alone. */
struct student {
	double df, log_ratio, log_beta; /* log Γ((df + 1) / 2) - log Γ(df / 2) */
};

static struct student student_of(double df)
{
	double log_ratio = lgamma((df + 1) / 2) - lgamma(df / 2);

	return (struct student){ df, log_ratio, log_ratio - log(PI) / 2 };
}

static double student_tails(const struct student *s, double t)
{
	double square = t * t;

	return beta_share(s->df / (s->df + square), square / (s->df + square), s->df / 2, 0.5,
			  s->log_beta);
}

double student_two_sided(double t, double df)
{
	struct student s;

	if (!(df < 1e6))
		return normal_two_sided(t);
	s = student_of(df);
	return student_tails(&s, t);
}

static double student_density(const struct student *s, double t)
{
	return exp(s->log_ratio - (s->df + 1) / 2 * log1p(t * t / s->df)) / sqrt(s->df * PI);
}

double student_critical(double p, double df)
{
	double low = 0, high = 1, at;
	struct student s;

	if (!(df < 1e6))
		return normal_critical(p);
	if (p >= 1)
		return 0;
	p = p > SMALLEST ? p : SMALLEST;
	s = student_of(df);
	while (high < 1e150 && student_tails(&s, high) > p)
		high *= 2;
	at = high;
	for (int i = 0; i < 200; i++) { /* Newton on the logarithm, kept inside by bisection */
		double tail = student_tails(&s, at);
		double next;

		*(tail > p ? &low : &high) = at;
		next = at + (log(tail) - log(p)) * tail / (2 * student_density(&s, at));
		if (!(next > low && next < high))
			next = (low + high) / 2;
		if (fabs(next - at) < CLOSE * (1 + at))
			return next;
		at = next;
	}
	return at;
}

double variance_ratio_tail(double ratio, double df_above, double df_below)
{
	double a = df_below / 2, b = df_above / 2, sum = df_below + df_above * ratio;

	return beta_share(df_below / sum, df_above * ratio / sum, a, b,
			  lgamma(a + b) - lgamma(a) - lgamma(b));
}

void wilson_limits(double share, double n, double z, double ret[2])
{
	double square = z * z, middle, half;

	if (!(n > 0)) {
		ret[0] = 0;
		ret[1] = 1;
		return;
	}
	middle = (share + square / (2 * n)) / (1 + square / n);
	half = z / (1 + square / n) * sqrt(share * (1 - share) / n + square / (4 * n * n));
	ret[0] = share > 0 ? fmax(0, middle - half) : 0;
	ret[1] = share < 1 ? fmin(1, middle + half) : 1;
}

static double log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* Sum of the hypergeometric probabilities beyond k (direction -1 or 1), in units of that of k. */
static double tail_beyond(double k, double marked, double first, double second, int direction)
{
	double term = 1, sum = 0;

	for (;;) {
		if (direction > 0) {
			term *= (marked - k) * (first - k);
			k++;
			term /= k * (second - marked + k);
		} else {
			term *= k * (second - marked + k);
			k--;
			term /= (marked - k) * (first - k);
		}
		if (!(term > 0) || term < sum * 1e-17 || !isfinite(term))
			return sum;
		sum += term;
	}
}

double two_groups_mid_p(double in_first, double marked, double first, double second)
{
	double low = fmax(0, marked - second), high = fmin(marked, first);
	double at = fmin(fmax(in_first, low), high);
	double mode, probability, below, above;

	if (low >= high)
		return 1;
	probability = exp(log_choose(first, at) + log_choose(second, marked - at) -
			  log_choose(first + second, marked));
	/* The tail that leads away from the middle is short; the other one is what remains. */
	mode = marked * first / (first + second);
	if (at <= mode) {
		below = probability * (tail_beyond(at, marked, first, second, -1) + 0.5);
		above = 1 - below;
	} else {
		above = probability * (tail_beyond(at, marked, first, second, 1) + 0.5);
		below = 1 - above;
	}
	return fmin(1, 2 * fmin(below, above));
}

struct ranked {
	double p;
	size_t at;
};

static int compare_ranked(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;

	if (a->p != b->p)
		return a->p < b->p ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

size_t false_discovery_rates(const double *p, size_t count, double rate, double *q)
{
	struct ranked *ranked = mem_alloc((count + 1) * sizeof(*ranked));
	double least = 1;
	size_t chosen = 0;

	for (size_t i = 0; i < count; i++)
		ranked[i] = (struct ranked){ p[i], i };
	qsort(ranked, count, sizeof(*ranked), compare_ranked);
	for (size_t i = count; i-- > 0;) {
		least = fmin(least, ranked[i].p * (double)count / (double)(i + 1));
		q[ranked[i].at] = least;
		chosen += least <= rate;
	}
	free(ranked);
	return chosen;
}
