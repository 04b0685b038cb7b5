/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/state_kind: states stay apart for the colour-blind, by colour or texture; the flame graph of
 * the frames of a ledger are states, not kinds of code. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "ledger_scene.h"
#include "profile/profile.h"
#include "view/flame/flame_graph.h"
#include "view/flame/flame_html.h"
#include "view/ledger/ledger_profile.h"
#include "view/state_kind.h"

#define SAME_TEXTURE 12 /* least distance of colours (CIE 1976) with one texture, */
#define OTHER_GROUP  10 /* and of states of different groups, whatever their textures */

/* Machado, Oliveira and Fernandes 2009, severity 1, on linear light: red, green, blue missing. */
static const double eyes[][3][3] = {
	{ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
	{ { 0.152286, 1.052583, -0.204868 },
	  { 0.114503, 0.786281, 0.099216 },
	  { -0.003882, -0.048116, 1.051998 } },
	{ { 0.367322, 0.860646, -0.227968 },
	  { 0.280085, 0.672501, 0.047413 },
	  { -0.011820, 0.042940, 0.968881 } },
	{ { 1.255528, -0.076749, -0.178779 },
	  { -0.078411, 0.930809, 0.147602 },
	  { 0.004733, 0.691367, 0.303900 } },
};

static double curve(double t)
{
	return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
}

/* As L*a*b* (D65), as an eye sees it. */
static void see(uint32_t color, size_t eye, double lab[3])
{
	double in[3], out[3];

	for (int i = 0; i < 3; i++) {
		double v = (color >> (16 - 8 * i) & 255) / 255.0;

		in[i] = v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
	}
	for (int i = 0; i < 3; i++)
		out[i] = fmin(1, fmax(0, eyes[eye][i][0] * in[0] + eyes[eye][i][1] * in[1] +
						 eyes[eye][i][2] * in[2]));
	in[0] = curve((0.4124 * out[0] + 0.3576 * out[1] + 0.1805 * out[2]) / 0.95047);
	in[1] = curve(0.2126 * out[0] + 0.7152 * out[1] + 0.0722 * out[2]);
	in[2] = curve((0.0193 * out[0] + 0.1192 * out[1] + 0.9505 * out[2]) / 1.08883);
	lab[0] = 116 * in[1] - 16;
	lab[1] = 500 * (in[0] - in[1]);
	lab[2] = 200 * (in[1] - in[2]);
}

static double distance(const struct state_kind *a, const struct state_kind *b, size_t eye)
{
	double x[3], y[3];

	see(a->color, eye, x);
	see(b->color, eye, y);
	return sqrt(pow(x[0] - y[0], 2) + pow(x[1] - y[1], 2) + pow(x[2] - y[2], 2));
}

/* "blocked" and "idle" are headings, "running" is one state by two names. */
static bool is_heading(const struct state_kind *kind)
{
	return strcmp(kind->name, "running: user") == 0 ||
	       (strcmp(kind->name, "running") != 0 && strcmp(kind->name, kind->group) == 0 &&
		strcmp(kind->name, "unaccounted") != 0);
}

static void test_apart(void **state)
{
	(void)state;
	for (size_t i = 0; i < state_kind_count; i++)
		for (size_t j = 0; j < i; j++) {
			const struct state_kind *a = &state_kinds[i], *b = &state_kinds[j];
			bool same = strcmp(a->texture, b->texture) == 0;
			bool group = strcmp(a->group, b->group) == 0;

			for (size_t eye = 0; eye < sizeof(eyes) / sizeof(*eyes); eye++) {
				double d = distance(a, b, eye);

				if (is_heading(a) || is_heading(b) ||
				    ((!same || d >= SAME_TEXTURE) && (group || d >= OTHER_GROUP)))
					continue;
				fail_msg("eye %zu: %s and %s are %.1f apart", eye, a->name, b->name,
					 d);
			}
		}
}

static void test_found(void **state)
{
	struct buf out = { 0 };

	(void)state;
	for (size_t i = 0; i < state_kind_count; i++)
		assert_int_equal(state_kind_find(state_kinds[i].name), i);
	assert_int_equal(state_kind_find("nothing"), state_kind_count);
	state_kind_put_json(&state_kinds[state_kind_find("idle: poll")], &out);
	assert_string_equal(out.data, "{\"name\":\"idle: poll\",\"group\":\"idle\",\"color\":"
				      "\"#dedcd6\",\"texture\":\"\",\"idle\":true}");
	buf_done(&out);
}

static void test_accounts(void **state)
{
	(void)state;
	for (int i = 0; i < LEDGER_ACCOUNTS; i++) {
		const char *name = state_kinds[ledger_state_kind((enum ledger_account)i)].name;

		if (i != LEDGER_OTHER)
			assert_string_not_equal(name, "blocked: other");
	}
}

/* Half of a waiter's time is a lock, whatever its holder did meanwhile. */
static void test_flame_graph(void **state)
{
	struct flame_graph_options options = { .measure = FLAME_MEASURE_WEIGHT,
					       .countname = "ns",
					       .states = true };
	struct ledger ledger;
	struct profile *profile;
	struct buf out = { 0 };
	struct err err;
	char pattern[64];

	(void)state;
	ledger_scene(&ledger);
	profile = ledger_profile(&ledger, LEDGER_ROWS_THREAD, true);
	assert_int_equal(flame_graph_svg(profile, &options, &out, NULL, &err), 0);
	(void)snprintf(pattern, sizeof(pattern), "fill=\"url(#state%zu)\"",
		       state_kind_find("blocked: lock"));
	assert_non_null(strstr(out.data, pattern));
	(void)snprintf(pattern, sizeof(pattern), "<pattern id=\"state%zu\"",
		       state_kind_find("blocked: lock"));
	assert_non_null(strstr(out.data, pattern));
	assert_non_null(strstr(out.data, "</tspan> blocked: lock 15.0%"));
	assert_non_null(strstr(out.data, "</tspan> running: kernel 49.5%"));
	assert_null(strstr(out.data, "fg:i=\"interpreted"));
	assert_null(strstr(out.data, "</tspan> interpreted"));
	assert_null(strstr(out.data, " samples \xc2\xb7"));
	assert_non_null(strstr(out.data, "2 ms in total"));
	buf_clear(&out);
	assert_int_equal(flame_html(profile, &options, &out, &err), 0);
	buf_done(&out);
	profile_free(profile);
	ledger_done(&ledger);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_apart),
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_accounts),
		cmocka_unit_test(test_flame_graph),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
