/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/redact: what strings become by their role; one string has one pseudonym. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "profile/profile.h"
#include "profile/redact.h"

static void expect(struct redaction *r, bool path, const char *from, const char *to)
{
	struct buf out = { 0 };

	if (path)
		redaction_put_path(r, from, &out);
	else
		redaction_put_text(r, from, &out);
	assert_string_equal(out.data ? out.data : "", to);
	buf_done(&out);
}

static void test_paths_keep_their_shape(void **state)
{
	struct redaction *r = redaction_new();

	(void)state;
	expect(r, true, "/srv/shop/cart", "/folder-1/file-1");
	expect(r, true, "/srv/shop/libcart.so.6", "/folder-1/file-2.so.6");
	expect(r, true, "/srv/other/cart", "/folder-2/file-1");
	expect(r, true, "/srv/shop/cart (deleted)", "/folder-1/file-1 (deleted)");
	expect(r, true, "src/main.rs", "folder-3/file-3.rs");
	expect(r, true, "/init", "/file-4");
	expect(r, true, "/usr/lib/libc.so.6", "/folder-4/libc.so.6");
	expect(r, true, "/usr/local/lib/a.so", "/folder-5/file-5.so");
	expect(r, true, "C:\\shop\\cart.exe", "folder-6/file-6.exe");
	expect(r, true, "[vdso]", "[vdso]");
	expect(r, true, "//anon", "//anon");
	expect(r, true, "", "");
	redaction_free(r);
}

static void test_paths_and_names_in_text(void **state)
{
	struct redaction *r = redaction_new();

	(void)state;
	redaction_add_user(r, "ada.l");
	redaction_add_user(r, "root");
	redaction_add_user(r, NULL);
	expect(r, false, "~handle /srv/shop/cart.js:10:2", "~handle /folder-1/file-1.js:10:2");
	expect(r, false, "file:///srv/shop/cart.js", "file:///folder-1/file-1.js");
	expect(r, false, "load (lib/a.py:3)", "load (folder-2/file-2.py:3)");
	expect(r, false, "open ./a/b failed", "open folder-3/file-3 failed");
	expect(r, false, "operator/(int, a<b/c>)", "operator/(int, a<b/c>)");
	expect(r, false, "a / b", "a / b");
	expect(r, false, "github.com/x/y.(*T).Run", "github.com/x/y.(*T).Run");
	expect(r, false, "com.ada.l.Main ada.l2 root", "com.user-1.Main ada.l2 root");
	redaction_free(r);
}

static struct profile *make(void)
{
	struct profile *p = profile_new(0);
	uint32_t module = profile_module(p, "/home/ada/very-secret-program", "ab");
	struct frame frame = { .module = module, .offset = 1 };
	struct profile_sample sample = { .weight = 7, .count = 2 };

	p->modules.item[module].problem =
		strtab_puts(p->strings, "/home/ada/very-secret-program: no such file");
	frame.function = strtab_puts(p->strings, "ada_main");
	frame.file = strtab_puts(p->strings, "/home/ada/my src/a.c");
	sample.event = profile_event(p, "cycles", "");
	sample.thread = profile_thread(p, 1, 1, "very-secret-pro");
	sample.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame));
	profile_add(p, &sample);
	p->events.item[0].measured = true;
	p->meta.hostname = strtab_puts(p->strings, "box.example.org");
	p->meta.os_release = strtab_puts(p->strings, "6.1-box");
	p->meta.lost_samples = 3;
	vec_push(&p->meta.words, strtab_puts(p->strings, "cupel"));
	vec_push(&p->meta.words, strtab_puts(p->strings, "--key=swordfish"));
	vec_push(&p->meta.words, strtab_puts(p->strings, "cupel"));
	p->meta.command = strtab_puts(p->strings, "cupel --key=swordfish cupel");
	return p;
}

static void test_profiles(void **state)
{
	static const char *const gone[] = { "ada", "secret", "swordfish", "box", "example", "src" };
	struct redaction *r = redaction_new();
	struct profile *p = profile_redact(r, make());

	(void)state;
	for (uint32_t i = 0; i < strtab_count(p->strings); i++)
		for (size_t k = 0; k < sizeof(gone) / sizeof(gone[0]); k++)
			assert_null(strstr(strtab_get(p->strings, (string_id){ i }), gone[k]));
	assert_string_equal(profile_string(p, p->modules.item[1].path), "/folder-1/file-1");
	assert_string_equal(profile_string(p, p->modules.item[1].name), "file-1");
	assert_string_equal(p->modules.item[1].build_id, "ab");
	assert_string_equal(profile_string(p, p->modules.item[1].problem),
			    "/folder-1/file-1: no such file");
	assert_string_equal(profile_string(p, p->frames.item[0].function), "user-1_main");
	assert_string_equal(profile_string(p, p->frames.item[0].file), "/folder-2/file-2.c");
	assert_string_equal(profile_string(p, p->threads.item[0].comm), "file-1");
	assert_string_equal(profile_string(p, p->meta.command), "arg-1 arg-2 arg-1");
	assert_string_equal(profile_string(p, p->meta.hostname), "host-1");
	assert_int_equal(p->meta.words.count, 3);
	assert_int_equal(p->meta.lost_samples, 3);
	assert_int_equal(p->samples.count, 1);
	assert_int_equal(p->samples.item[0].weight, 7);
	assert_int_equal(p->samples.item[0].count, 2);
	assert_true(p->events.item[0].measured);
	profile_free(p);

	p = profile_redact(r, make()); /* another profile: the same pseudonyms */
	assert_string_equal(profile_string(p, p->modules.item[1].path), "/folder-1/file-1");
	assert_string_equal(profile_string(p, p->meta.hostname), "host-1");
	profile_free(p);
	redaction_free(r);
}

static void test_text_of_events(void **state)
{
	static const char *const words[] = { "record", "./sesame", "--key=swordfish" };
	struct redaction *r = redaction_new();
	struct buf out = { 0 };

	(void)state;
	redaction_put_command(r, words, 3, &out);
	assert_string_equal(out.data, "arg-1 arg-2 arg-3");
	buf_clear(&out);
	redaction_add_host(r, "vault.example.org");
	redaction_add_path(r, "/srv/my cave/gold");
	redaction_add_path(r, "/usr/bin/sort");
	redaction_put_comm(r, "sesame", &out);
	redaction_put_comm(r, "sort", &out);
	assert_string_equal(out.data, "arg-2sort");
	buf_clear(&out);
	redaction_put_text(r, "f+0x1 (/srv/my cave/gold) next_comm=gold gold() vault comm=sort",
			   &out);
	assert_string_equal(out.data, "f+0x1 (/folder-1/file-1) next_comm=file-1 gold() host-1 "
				      "comm=sort");
	buf_done(&out);
	redaction_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths_keep_their_shape),
		cmocka_unit_test(test_paths_and_names_in_text),
		cmocka_unit_test(test_profiles),
		cmocka_unit_test(test_text_of_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
