/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that users keep beside their pictures: attributes of functions, where nothing that runs a
 * script gets through, and colours of functions, which come back as they were written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "view/flame/flame_attributes.h"
#include "view/flame/flame_palette_map.h"

static const char *written(const struct flame_attributes *all, const char *function,
			   struct buf *ret)
{
	const struct flame_attribute *found = flame_attributes_find(all, function);

	buf_clear(ret);
	if (found)
		flame_attributes_write(found, ret);
	return ret->data ? ret->data : "";
}

static void test_attributes__are_those_of_flamegraph(void **state)
{
	static const char text[] = "f\thref=http://x/?a=1&b\tclass=k\ttitle=own\r\n"
				   "g\thref=y.html\ttarget=new\ta_extra=rel=\"me\" data-n='2'\n"
				   "h\tg_extra=id=\"h1\"\ttarget=new\n"
				   "std::map<int, int>::find\tclass=m\n";
	struct buf out = { 0 };
	size_t bad;
	struct flame_attributes *all = flame_attributes_parse(text, strlen(text), &bad);

	(void)state;
	assert_int_equal(bad, 0);
	assert_string_equal(written(all, "f", &out),
			    " xlink:href=\"http://x/?a=1&amp;b\" class=\"k\" target=\"_top\"");
	assert_string_equal(flame_attributes_get(flame_attributes_find(all, "f"), "title"), "own");
	assert_string_equal(written(all, "g", &out),
			    " xlink:href=\"y.html\" target=\"new\" rel=\"me\" data-n=\"2\"");
	assert_true(flame_attributes_link(flame_attributes_find(all, "g")));
	assert_string_equal(written(all, "h", &out), " id=\"h1\"");
	assert_false(flame_attributes_link(flame_attributes_find(all, "h")));
	assert_string_equal(written(all, "std::map<int, int>::find", &out), " class=\"m\"");
	assert_null(flame_attributes_find(all, "unknown"));
	flame_attributes_free(all);
	buf_done(&out);
}

static void test_attributes__run_no_script(void **state)
{
	static const char *const evil[] = {
		"f\tonclick=alert(1)\n",
		"f\tONLOAD=alert(1)\n",
		"f\thref=javascript:alert(1)\n",
		"f\thref= javascript:alert(1)\n",
		"f\thref=JaVaScRiPt:alert(1)\n",
		"f\thref=data:text/html,x\n",
		"f\txmlns=http://www.w3.org/1999/xhtml\n",
		"f\tg_extra=onclick=\"alert(1)\"\n",
		"f\tg_extra=><script>alert(1)</script>\n",
		"f\tg_extra=x=\"1\" onclick='alert(1)'\n",
		"f\ta b=c\n",
		"f\tx\n",
		"f\n",
		"\tclass=x\n",
	};
	struct buf out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(evil) / sizeof(evil[0]); i++) {
		size_t bad;
		struct flame_attributes *all =
			flame_attributes_parse(evil[i], strlen(evil[i]), &bad);

		assert_int_equal(bad, 1);
		assert_null(strstr(written(all, "f", &out), "alert"));
		assert_null(strstr(written(all, "f", &out), "data:"));
		assert_null(strstr(written(all, "f", &out), "xmlns"));
		flame_attributes_free(all);
	}
	buf_done(&out);
}

static void test_palette_map__round_trip(void **state)
{
	static const char text[] = "b->rgb(1,2,3)\r\na->b->rgb(255, 0,16)\nbad\nx->rgb(256,0,0)\n"
				   "y->rgb(1,2)\n->rgb(1,2,3)\n";
	struct buf out = { 0 };
	size_t bad;
	rgb color;
	struct flame_palette_map *map = flame_palette_map_parse(text, strlen(text), &bad);

	(void)state;
	assert_int_equal(bad, 4);
	assert_true(flame_palette_map_get(map, "a->b", &color));
	assert_int_equal(color, 0xff0010);
	assert_false(flame_palette_map_get(map, "x", &color));
	flame_palette_map_add(map, "c", 0x0a0b0c);
	flame_palette_map_write(map, &out);
	assert_string_equal(out.data, "a->b->rgb(255,0,16)\nb->rgb(1,2,3)\nc->rgb(10,11,12)\n");
	flame_palette_map_free(map);
	map = flame_palette_map_parse(out.data, out.len, &bad);
	assert_int_equal(bad, 0);
	assert_true(flame_palette_map_get(map, "c", &color));
	assert_int_equal(color, 0x0a0b0c);
	flame_palette_map_free(map);
	buf_done(&out);
}

static void test_flame_attributes__knows_pages(void **state)
{
	(void)state;
	assert_true(flame_link_loads_page("code.html"));
	assert_true(flame_link_loads_page("my code.html"));
	assert_true(flame_link_loads_page("../a:b.html"));
	assert_true(flame_link_loads_page("HTTPS://example.org/code.html"));
	assert_false(flame_link_loads_page("javascript:alert(1)//"));
	assert_false(flame_link_loads_page(" javascript:alert(1)"));
	assert_false(flame_link_loads_page("data:text/html,x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flame_attributes__knows_pages),
		cmocka_unit_test(test_attributes__are_those_of_flamegraph),
		cmocka_unit_test(test_attributes__run_no_script),
		cmocka_unit_test(test_palette_map__round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
