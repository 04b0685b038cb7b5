/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/browser: keys change what is drawn; all panes are drawn without a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "profile/annotation.h"
#include "profile/profile.h"
#include "view/browser/browser.h"
#include "view/browser/browser_files.h"
#include "view/browser/browser_keys.h"
#include "view/browser/cells.h"
#include "view/browser/entries.h"
#include "view/browser/entry_columns.h"
#include "view/browser/pane_callers.h"
#include "view/browser/pane_code.h"
#include "view/browser/pane_entries.h"
#include "view/browser/pane_menu.h"
#include "view/browser/pane_text.h"
#include "view/report/report.h"

#define ROWS 40

struct scene {
	struct profile *profile;
	struct report_options view;
	struct browser_host host;
	struct browser *browser;
	struct cells lines[ROWS];
	uint32_t rows, columns;
	struct buf saved; /* "STEM SUFFIX\n" and the bytes */
};

static frame_id frame(struct profile *p, const char *name, const char *module)
{
	struct frame frame = { .function = strtab_puts(p->strings, name),
			       .module = profile_module(p, module, ""),
			       .inlined = name[0] == '^',
			       .kind = strcmp(module, "[kernel.kallsyms]") == 0 ? FRAME_KERNEL
										: FRAME_USER };

	return profile_frame(p, &frame);
}

/* names: "main@app;work@app" */
static void add(struct profile *p, const char *event, const char *comm, const char *names,
		uint64_t weight)
{
	struct profile_sample sample = { .event = profile_event(p, event, "count"),
					 .thread = profile_thread(p, 7, 7, comm),
					 .stop = STACK_STOP_ROOT,
					 .cpu = PROFILE_NO_CPU,
					 .weight = weight,
					 .count = weight };
	char text[256], *at, *save = NULL;

	(void)snprintf(text, sizeof(text), "%s", names);
	for (at = strtok_r(text, ";", &save); at; at = strtok_r(NULL, ";", &save)) {
		char *module = strchr(at, '@');

		*module++ = '\0';
		sample.stack = profile_stack_push(p, sample.stack, frame(p, at, module));
	}
	profile_add(p, &sample);
}

static int save(void *context, struct browser_file *file, struct err *err)
{
	struct scene *s = context;

	(void)err;
	(void)buf_printf(&s->saved, "%s %s\n", file->stem, file->suffix ? file->suffix : "");
	(void)buf_append(&s->saved, file->data->data, file->data->len);
	(void)snprintf(file->name, sizeof(file->name), "%s.1", file->stem);
	return 0;
}

/* A loop of three instructions from two lines, and a call. */
static int annotate(void *context, const struct browser_function *function, struct annotation **ret,
		    struct err *err)
{
	static const char *text[] = { "int hash(void)", "{\twork\033[2J", "}" };
	static const struct annotation_frame frames[] = { { "hash", "a.c", 0, 1 },
							  { "hash", "a.c", 0, 2 } };
	static const uint64_t samples[] = { 0, 30, 20, 0 };
	struct annotation *a;

	(void)context;
	if (strcmp(function->name, "hash") != 0)
		return err_set(err, -2, "%s: no samples in its own code", function->name);
	a = annotation_new();
	a->function = "hash";
	a->module = function->module;
	vec_push(&a->events,
		 ((struct annotation_event){ "cycles", false, { 100, 100 }, { 50, 50 } }));
	vec_push(&a->sources, ((struct annotation_source){ "a.c", NULL, 1, 3, 1, 3, text }));
	for (uint32_t i = 0; i < 2; i++)
		vec_push(&a->frames, frames[i]);
	for (uint32_t i = 0; i < 3; i++) {
		vec_push(&a->rows, ((struct annotation_row){ .address = 0x1000 + i,
							     .len = 1,
							     .kind = i == 2 ? ANNOTATION_JUMP
									    : ANNOTATION_PLAIN,
							     .mnemonic = i == 2 ? "jne" : "nop",
							     .operands = "",
							     .target = i == 2 ? 0 : ANNOTATION_NONE,
							     .loop = ANNOTATION_NONE,
							     .frame = i != 0,
							     .frames = 1 }));
		vec_push(&a->counts, ((struct annotation_count){ samples[i], samples[i] }));
	}
	vec_push(&a->rows, ((struct annotation_row){ .address = 0x1003,
						     .kind = ANNOTATION_CALL,
						     .mnemonic = "call",
						     .operands = "",
						     .callee = "copy@plt",
						     .target = ANNOTATION_NONE,
						     .loop = ANNOTATION_NONE }));
	vec_push(&a->counts, ((struct annotation_count){ 0, 0 }));
	annotation_find_loops(a);
	*ret = a;
	return 0;
}

static int list(void *context, struct buf *ret, struct err *err)
{
	(void)context;
	(void)err;
	return buf_puts(ret, "other.data\nthird.data\n");
}

static int header(void *context, struct buf *ret, struct err *err)
{
	(void)context;
	(void)err;
	return buf_puts(ret, "# hostname : x\n# arch : y\n");
}

static void draw(struct scene *s)
{
	browser_resize(s->browser, s->rows, s->columns);
	browser_draw(s->browser, s->lines);
}

static void begin(struct scene *s, uint32_t rows, uint32_t columns)
{
	struct err err = { 0 };

	*s = (struct scene){ .rows = rows, .columns = columns, .profile = profile_new(0) };
	add(s->profile, "cycles", "hot", "main@app;work@app;hash@app", 50);
	add(s->profile, "cycles", "hot", "main@app;work@app;copy@libc.so", 20);
	add(s->profile, "cycles", "cold", "main@app;read@libc.so;sys_read@[kernel.kallsyms]", 30);
	profile_count(s->profile);
	s->view = (struct report_options){ .children = true,
					   .caller = true,
					   .graph = REPORT_GRAPH_GRAPH };
	s->host = (struct browser_host){ .context = s,
					 .name = "perf.data",
					 .header = header,
					 .save = save,
					 .annotate = annotate,
					 .list = list };
	assert_int_equal(browser_new(s->profile, &s->view, &s->host, &s->browser, &err), 0);
	draw(s);
}

static void end(struct scene *s)
{
	browser_free(s->browser);
	profile_free(s->profile);
	for (size_t i = 0; i < ROWS; i++)
		cells_done(&s->lines[i]);
	buf_done(&s->saved);
}

static enum browser_state press(struct scene *s, int key)
{
	enum browser_state state = browser_key(s->browser, key);

	draw(s);
	return state;
}

static void type(struct scene *s, const char *text)
{
	for (; *text; text++)
		(void)press(s, *text);
	(void)press(s, BROWSER_KEY_ENTER);
}

static const char *line(const struct scene *s, uint32_t row)
{
	return s->lines[row].text.data ? s->lines[row].text.data : "";
}

static void assert_line(const struct scene *s, uint32_t row, const char *want)
{
	size_t len = strlen(line(s, row));

	while (len && line(s, row)[len - 1] == ' ')
		len--;
	if (strlen(want) != len || strncmp(line(s, row), want, len) != 0)
		fail_msg("line %u is\n%s\nnot\n%s", row, line(s, row), want);
}

static void assert_in(const struct scene *s, uint32_t row, const char *want)
{
	if (!strstr(line(s, row), want))
		fail_msg("line %u is\n%s\nwithout %s", row, line(s, row), want);
}

static void test_browser__draws_a_list(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, 10, 80);
	assert_line(&s, 0, "Samples: 100  of event 'cycles', Event count (approx.): 100");
	assert_line(&s, 1, "  Children      Self  Command  Shared Object      Symbol");
	assert_line(&s, 2, "+   70.00%     0.00%  hot      app                [.] main");
	assert_line(&s, 3, "+   70.00%     0.00%  hot      app                [.] work");
	assert_line(&s, 4, "+   50.00%    50.00%  hot      app                [.] hash");
	assert_true(s.lines[2].selected);
	assert_false(s.lines[3].selected);
	assert_in(&s, 9, "Enter menu");
	assert_in(&s, 9, " 1/7");
	end(&s);
}

static void test_browser__styles_shares(void **state)
{
	(void)state;
	assert_int_equal(cells_share_style(5), CELL_HOT);
	assert_int_equal(cells_share_style(4.99), CELL_WARM);
	assert_int_equal(cells_share_style(0.5), CELL_PLAIN);
}

static void test_browser__moves(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, 7, 80);
	(void)press(&s, BROWSER_KEY_END);
	assert_in(&s, 6, " 7/7");
	assert_true(s.lines[5].selected);
	(void)press(&s, BROWSER_KEY_DOWN);
	assert_in(&s, 6, " 7/7");
	(void)press(&s, BROWSER_KEY_PAGE_UP);
	assert_in(&s, 6, " 4/7");
	(void)press(&s, BROWSER_KEY_HOME);
	(void)press(&s, BROWSER_KEY_UP);
	assert_in(&s, 6, " 1/7");
	assert_true(s.lines[2].selected);
	end(&s);
}

static void test_browser__expands(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, 12, 80);
	(void)press(&s, '+');
	assert_line(&s, 2, "-   70.00%     0.00%  hot      app                [.] main");
	assert_line(&s, 3, "    - main");
	assert_line(&s, 4, "    + work");
	(void)press(&s, BROWSER_KEY_DOWN);
	(void)press(&s, BROWSER_KEY_DOWN);
	(void)press(&s, '+');
	assert_line(&s, 4, "    - work");
	assert_line(&s, 5, "        50.00% hash");
	assert_line(&s, 6, "        20.00% copy");
	(void)press(&s, 'c');
	assert_line(&s, 3, "+   70.00%     0.00%  hot      app                [.] work");
	assert_true(s.lines[2].selected);
	(void)press(&s, 'E');
	assert_in(&s, 11, " 1/28");
	(void)press(&s, 'C');
	assert_in(&s, 11, " 1/7");
	(void)press(&s, 'e');
	assert_in(&s, 11, " 1/11");
	end(&s);
}

static void test_browser__zooms(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, 12, 80);
	(void)press(&s, 't');
	assert_in(&s, 0, ", Thread: hot,");
	assert_in(&s, 11, " 1/4");
	(void)press(&s, 'd');
	assert_in(&s, 0, ", Thread: hot, DSO: app,");
	assert_in(&s, 11, " 1/3");
	(void)press(&s, BROWSER_KEY_LEFT);
	assert_in(&s, 11, " 1/4");
	(void)press(&s, 't');
	assert_in(&s, 11, " 1/7");
	(void)press(&s, 'k');
	assert_in(&s, 0, "DSO: [kernel.kallsyms]");
	assert_line(&s, 2, "+   30.00%    30.00%  cold     [kernel.kallsyms]  [k] sys_read");
	(void)press(&s, 'F');
	assert_line(&s, 2, "+  100.00%   100.00%  cold     [kernel.kallsyms]  [k] sys_read");
	(void)press(&s, 'k');
	assert_in(&s, 11, " 1/7");
	end(&s);
}

static void test_browser__filters(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, 12, 80);
	(void)press(&s, '/');
	(void)press(&s, 'r');
	(void)press(&s, 'x');
	assert_line(&s, 11, "Functions with: rx");
	assert_int_equal(browser_cursor(s.browser), 18);
	(void)press(&s, BROWSER_KEY_BACKSPACE);
	type(&s, "ead");
	assert_in(&s, 0, ", Symbol: read,");
	assert_in(&s, 2, "] sys_read");
	assert_in(&s, 3, "] read");
	assert_line(&s, 4, "");
	(void)press(&s, '/');
	type(&s, "nowhere");
	assert_in(&s, 11, "no function has 'nowhere'");
	assert_int_equal(press(&s, '+'), BROWSER_RUNS);
	assert_int_equal(press(&s, 'e'), BROWSER_RUNS);
	assert_int_equal(press(&s, 'a'), BROWSER_RUNS);
	(void)press(&s, BROWSER_KEY_ESCAPE);
	assert_in(&s, 11, " 1/7");
	end(&s);
}

static void test_browser__searches_text(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, 24, 80);
	(void)press(&s, '?');
	assert_line(&s, 0, "Keys");
	(void)press(&s, '/');
	type(&s, "FLAME");
	for (uint32_t i = 1; i < 23; i++)
		if (s.lines[i].selected)
			assert_in(&s, i, "flame graph");
	(void)press(&s, 'n');
	(void)press(&s, '/');
	type(&s, "not there");
	assert_in(&s, 23, "not found: not there");
	assert_int_equal(press(&s, 'q'), BROWSER_RUNS);
	assert_in(&s, 0, "Samples:");
	(void)press(&s, 'i');
	assert_line(&s, 2, "# hostname : x"); /* below what is missing */
	end(&s);
}

static void test_browser__shows_callers(void **state)
{
	struct scene s;
	struct err err;

	(void)state;
	begin(&s, 12, 80);
	(void)press(&s, BROWSER_KEY_DOWN);
	(void)press(&s, 'x');
	assert_line(&s, 0, "Callers and callees of work");
	assert_line(&s, 2, "  70.00%    called by main");
	assert_line(&s, 3, "  70.00%  work  (0.00% in itself)");
	assert_line(&s, 4, "  50.00%      calls hash");
	assert_line(&s, 5, "  20.00%      calls copy");
	(void)press(&s, BROWSER_KEY_DOWN);
	(void)press(&s, BROWSER_KEY_ENTER);
	assert_line(&s, 3, "  50.00%  hash  (50.00% in itself)");
	(void)press(&s, BROWSER_KEY_ESCAPE);
	(void)press(&s, BROWSER_KEY_LEFT);
	add(s.profile, "cycles", "hot", "solo@app;^loop@app", 100);
	profile_count(s.profile);
	browser_free(s.browser);
	(void)browser_new(s.profile, &s.view, &s.host, &s.browser, &err);
	(void)press(&s, BROWSER_KEY_DOWN);
	(void)press(&s, 'x');
	assert_line(&s, 2, "  50.00%  solo  (50.00% in itself)");
	end(&s);
}

static void test_browser__annotates(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, 12, 100);
	(void)press(&s, 'a');
	assert_in(&s, 11, "main: no samples in its own code");
	for (int i = 0; i < 2; i++)
		(void)press(&s, BROWSER_KEY_DOWN);
	(void)press(&s, 'a');
	assert_line(&s, 0, "hash  Samples: 50 of event 'cycles'  app");
	assert_in(&s, 2, "hash()");
	assert_line(&s, 3, "             1  int hash(void)");
	assert_in(&s, 4, "1000:  nop");
	assert_line(&s, 5, "             2  {        work?[2J");
	assert_in(&s, 6, "   60.00 ");
	assert_true(s.lines[6].selected);
	(void)press(&s, BROWSER_KEY_TAB);
	assert_true(s.lines[7].selected);
	assert_in(&s, 7, "1002:  jne");
	(void)press(&s, BROWSER_KEY_ENTER);
	assert_true(s.lines[4].selected);
	(void)press(&s, 's');
	assert_in(&s, 2, "1000:  nop");
	assert_true(s.lines[2].selected);
	(void)press(&s, 'H');
	assert_true(s.lines[3].selected);
	(void)press(&s, BROWSER_KEY_END);
	(void)press(&s, BROWSER_KEY_ENTER); /* on the call */
	assert_in(&s, 11, "copy: no samples in its own code");
	(void)press(&s, '?');
	assert_line(&s, 1, " Tab                here: next hot");
	(void)(press(&s, 'q'), press(&s, 'q'));
	assert_in(&s, 0, "Samples: 100");
	end(&s);
}

static void test_browser__has_a_menu(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, 14, 80);
	(void)press(&s, BROWSER_KEY_ENTER);
	assert_in(&s, 2, "[.] main"); /* the list is above it */
	assert_line(&s, 4, "What to do with this entry");
	assert_line(&s, 5, "  Annotate main");
	assert_line(&s, 6, "  Callers and callees of main");
	for (int i = 0; i < 3; i++)
		(void)press(&s, BROWSER_KEY_DOWN);
	assert_in(&s, 8, "Expand the call chain");
	(void)press(&s, BROWSER_KEY_ENTER);
	assert_line(&s, 3, "    - main");
	end(&s);
}

static void test_browser__writes_files(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, 6, 60);
	(void)press(&s, 'P');
	assert_line(&s, 5, "written to report.hist.1                                 1/7");
	assert_non_null(strstr(s.saved.data, "report.hist \nSamples: 100  of event"));
	assert_non_null(strstr(s.saved.data, "\n+   70.00%     0.00%  hot      app"));
	assert_non_null(strstr(s.saved.data, "[k] sys_read\n"));
	(void)press(&s, 'f');
	assert_in(&s, 5, "written to report.flame.1");
	assert_non_null(strstr(s.saved.data, "report.flame html\n<!"));
	(void)press(&s, 'w');
	assert_in(&s, 5, "perf.data is the recording");
	end(&s);
}

static void test_browser__has_several_events(void **state)
{
	struct scene s;
	struct err err = { 0 };

	(void)state;
	begin(&s, 10, 80);
	browser_free(s.browser);
	add(s.profile, "faults", "hot", "main@app;touch@app", 4);
	profile_count(s.profile);
	assert_int_equal(browser_new(s.profile, &s.view, &s.host, &s.browser, &err), 0);
	draw(&s);
	assert_line(&s, 0, "Events of the recording");
	assert_in(&s, 1, "100 cycles");
	assert_in(&s, 2, "4 faults");
	(void)press(&s, BROWSER_KEY_DOWN);
	(void)press(&s, BROWSER_KEY_ENTER);
	assert_in(&s, 0, "event 'faults'");
	(void)press(&s, BROWSER_KEY_TAB);
	assert_in(&s, 0, "event 'cycles'");
	(void)press(&s, BROWSER_KEY_TAB_BACK);
	assert_int_equal(press(&s, BROWSER_KEY_LEFT), BROWSER_RUNS);
	assert_line(&s, 0, "Events of the recording");
	assert_int_equal(press(&s, 'q'), BROWSER_ENDED);
	end(&s);
}

static void test_browser__ends(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, 10, 80);
	assert_int_equal(press(&s, BROWSER_KEY_ESCAPE), BROWSER_RUNS);
	assert_line(&s, 9, "Quit? (y/n)");
	assert_int_equal(press(&s, 'n'), BROWSER_RUNS);
	assert_int_equal(press(&s, BROWSER_KEY_ESCAPE), BROWSER_RUNS);
	assert_int_equal(press(&s, 'y'), BROWSER_ENDED);
	assert_int_equal(press(&s, BROWSER_KEY_CTRL_C), BROWSER_ENDED);
	(void)press(&s, '?');
	assert_int_equal(press(&s, BROWSER_KEY_CTRL_C), BROWSER_ENDED);
	end(&s);
}

static void test_browser__switches(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, 10, 80);
	(void)press(&s, 's');
	(void)press(&s, BROWSER_KEY_DOWN);
	assert_int_equal(press(&s, BROWSER_KEY_ENTER), BROWSER_SWITCHES);
	assert_string_equal(browser_wanted(s.browser), "third.data");
	assert_int_equal(press(&s, 'r'), BROWSER_SWITCHES);
	assert_string_equal(browser_wanted(s.browser), "perf.data");
	end(&s);
}

static void test_browser__fits_small_screens(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, 10, 40);
	assert_line(&s, 2, "+   70.00%     0.00%  [.] main");
	for (s.columns = 1; s.columns < 60; s.columns += 7)
		for (s.rows = 1; s.rows < 12; s.rows++) {
			draw(&s);
			(void)press(&s, BROWSER_KEY_ENTER);
			(void)press(&s, BROWSER_KEY_ESCAPE);
			for (uint32_t i = 0; i < s.rows; i++)
				assert_true(cells_width(line(&s, i), strlen(line(&s, i))) <=
					    s.columns);
		}
	s.rows = 10;
	end(&s);
}

static void test_browser__tidies_names(void **state)
{
	struct scene s;
	struct err err = { 0 };

	(void)state;
	begin(&s, 10, 80);
	browser_free(s.browser);
	add(s.profile, "cycles", "evil\033]0;x\a", "a\033[2Jb\n\xff@app", 1000);
	profile_count(s.profile);
	assert_int_equal(browser_new(s.profile, &s.view, &s.host, &s.browser, &err), 0);
	draw(&s);
	assert_in(&s, 2, "evil?]0;x?");
	assert_in(&s, 2, "a?[2Jb??");
	(void)press(&s, BROWSER_KEY_ENTER);
	(void)press(&s, BROWSER_KEY_ESCAPE);
	(void)press(&s, 't');
	(void)press(&s, '+');
	for (uint32_t i = 0; i < s.rows; i++)
		assert_true(text_is_tidy(line(&s, i), strlen(line(&s, i))));
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_browser__draws_a_list),
		cmocka_unit_test(test_browser__styles_shares),
		cmocka_unit_test(test_browser__moves),
		cmocka_unit_test(test_browser__expands),
		cmocka_unit_test(test_browser__zooms),
		cmocka_unit_test(test_browser__filters),
		cmocka_unit_test(test_browser__searches_text),
		cmocka_unit_test(test_browser__shows_callers),
		cmocka_unit_test(test_browser__annotates),
		cmocka_unit_test(test_browser__has_a_menu),
		cmocka_unit_test(test_browser__writes_files),
		cmocka_unit_test(test_browser__has_several_events),
		cmocka_unit_test(test_browser__ends),
		cmocka_unit_test(test_browser__switches),
		cmocka_unit_test(test_browser__fits_small_screens),
		cmocka_unit_test(test_browser__tidies_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
