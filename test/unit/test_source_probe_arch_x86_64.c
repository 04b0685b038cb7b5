/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/probe/probe_placement on x86-64: probes move to cheaper instructions, but never past what
 * they show, nor to where a call comes by twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "source/probe/probe_flow.h"
#include "source/probe/probe_jumps.h"
#include "source/probe/probe_placement.h"

#define PLACE(ret, bytes) place((const uint8_t *)(bytes), sizeof(bytes) - 1, ret)

static uint32_t place(const uint8_t *code, size_t len, struct probe_placement *ret)
{
	const struct probe_code part = { 0x1000, code, len };

	probe_place(&part, 1, ret);
	return ret->offset;
}

static void test_place__cheap_ones_stay(void **state)
{
	struct probe_placement p;

	(void)state;
	assert_int_equal(PLACE(&p, "\x55\x48\x89\xe5\xc3"), 0); /* push */
	assert_int_equal(p.cost, PROBE_COST_EMULATED);
	assert_string_equal(p.instruction, "push");
	assert_int_equal(PLACE(&p, "\x0f\x1f\x44\x00\x00\x55\xc3"), 5); /* never a nop5 */
	assert_int_equal(p.cost, PROBE_COST_EMULATED);
	assert_int_equal(PLACE(&p, "\xe9\x00\x01\x00\x00"), 0); /* a tail call */
	assert_int_equal(p.cost, PROBE_COST_EMULATED);
}

static void test_place__moves_past_what_changes_nothing(void **state)
{
	struct probe_placement p;

	(void)state;
	assert_int_equal(PLACE(&p, "\xf3\x0f\x1e\xfa\x55\xc3"), 4); /* endbr64; push */
	assert_int_equal(p.cost, PROBE_COST_EMULATED);
	assert_int_equal(PLACE(&p, "\xf3\x0f\x1e\xfa\x0f\x1f\x44\x00\x00\xc3"), 0);
	assert_int_equal(p.cost, PROBE_COST_STEPPED);
	assert_int_equal(PLACE(&p, "\x0f\x1f\x44\x00\x00\xeb\xfe"), 0); /* jumped to behind it */
	assert_int_equal(p.cost, PROBE_COST_REFUSED);
	assert_int_equal(PLACE(&p, "\x48\x85\xff\x74\x01\xc3\xc3"), 3); /* test rdi; je */
	assert_string_equal(p.instruction, "jcc");
	assert_int_equal(PLACE(&p, "\x48\x89\xf8\x41\x54\xc3"), 3); /* mov rdi, rax; push r12 */
	assert_int_equal(PLACE(&p, "\xb8\x01\x00\x00\x00\x53\xc3"), 5);
}

static void test_place__stays_before_what_changes(void **state)
{
	struct probe_placement p;

	(void)state;
	assert_int_equal(PLACE(&p, "\x48\x89\xfe\x55\xc3"), 0);		/* mov rdi, rsi */
	assert_int_equal(PLACE(&p, "\x48\x83\xec\x08\x55\xc3"), 0);	/* sub rsp */
	assert_int_equal(PLACE(&p, "\x48\x8b\x07\x55\xc3"), 0);		/* may fault */
	assert_int_equal(PLACE(&p, "\x48\x89\x07\x55\xc3"), 0);		/* writes memory */
	assert_int_equal(PLACE(&p, "\x31\xff\x55\xc3"), 0);		/* xor edi */
	assert_int_equal(PLACE(&p, "\xb9\x01\x00\x00\x00\x53\xc3"), 0); /* mov 1, ecx */
	assert_int_equal(p.cost, PROBE_COST_STEPPED);
	assert_null(p.stays);
}

static void test_place__stays_where_something_jumps(void **state)
{
	static const uint8_t cold[] = { 0xeb, 0xf2 }; /* from 0x1010 to 0x1004 */
	static const uint8_t code[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0xc3 };
	const struct probe_code part[] = { { 0x1000, code, sizeof(code) },
					   { 0x1010, cold, sizeof(cold) } };
	struct probe_placement p;

	(void)state;
	/* endbr64; push; jmp -3: to the push */
	assert_int_equal(PLACE(&p, "\xf3\x0f\x1e\xfa\x55\xeb\xfd"), 0);
	assert_non_null(p.stays);
	assert_string_equal(p.instruction, "endbr64");
	/* to the first instruction is as before */
	assert_int_equal(PLACE(&p, "\xf3\x0f\x1e\xfa\x55\xeb\xf9"), 4);
	/* endbr64; push; notrack jmp *rax */
	assert_int_equal(PLACE(&p, "\xf3\x0f\x1e\xfa\x55\x3e\xff\xe0"), 0);
	/* endbr64; push; jmp *rax: a tail call */
	assert_int_equal(PLACE(&p, "\xf3\x0f\x1e\xfa\x55\xff\xe0"), 4);
	probe_place(part, 1, &p);
	assert_int_equal(p.offset, 4);
	probe_place(part, 2, &p);
	assert_int_equal(p.offset, 0);
}

static void test_jumps__from_other_functions(void **state)
{
	/* 0x1000: jmp 0x1008; two bytes that are no instruction; 0x1004: endbr64; push; ret */
	static const uint8_t code[] = {
		0xeb, 0x06, 0x0f, 0xff, 0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0xc3
	};
	static const uint64_t start[] = { 0x1000, 0x1004 };
	const struct probe_code text = { 0x1000, code, sizeof(code) };
	struct probe_jumps jumps;

	(void)state;
	probe_jumps_read(&text, start, 2, &jumps);
	assert_true(probe_jumps_between(&jumps, 0x1004, 0x1008));
	assert_false(probe_jumps_between(&jumps, 0x1004, 0x1007));
	assert_false(probe_jumps_between(&jumps, 0x1008, 0x2000));
	probe_jumps_done(&jumps);
}

static void test_cost__of_what_the_kernel_refuses(void **state)
{
	const char *instruction;

	(void)state;
	assert_int_equal(probe_cost((const uint8_t *)"\xf0\xff\x0f", 3, &instruction),
			 PROBE_COST_REFUSED); /* lock dec */
	assert_int_equal(probe_cost((const uint8_t *)"\xc5\xf9\x6e\xc6", 4, NULL),
			 PROBE_COST_REFUSED); /* vmovd */
	assert_int_equal(probe_cost((const uint8_t *)"\xf3\xa4", 2, NULL),
			 PROBE_COST_REFUSED); /* rep movsb: a hit for each byte */
	assert_int_equal(probe_cost((const uint8_t *)"\xf3\x48\xab", 3, NULL),
			 PROBE_COST_REFUSED); /* rep stosq */
	assert_int_equal(probe_cost((const uint8_t *)"\xf2\xae", 2, NULL),
			 PROBE_COST_REFUSED); /* repne scasb */
	assert_int_equal(probe_cost((const uint8_t *)"\xa4", 1, NULL), PROBE_COST_STEPPED);
	assert_int_equal(probe_cost((const uint8_t *)"\xf3\x0f\x10\xc1", 4, NULL),
			 PROBE_COST_STEPPED); /* movss */
	assert_int_equal(probe_cost(NULL, 0, NULL), PROBE_COST_UNKNOWN);
	assert_string_equal(probe_cost_name(PROBE_COST_STEPPED), "single-stepped");
}

#define FLOW(bytes, ret)                                                                         \
	probe_flow_read(                                                                         \
		&(const struct probe_code){ 0x1000, (const uint8_t *)bytes, sizeof(bytes) - 1 }, \
		1, ret)

static void test_flow__where_a_function_ends(void **state)
{
	struct probe_flow flow;

	(void)state;
	assert_true(FLOW("\x55\x5d\xc3", &flow));
	assert_int_equal(flow.returns.count, 1);
	assert_int_equal(flow.returns.item[0], 0x1002);
	assert_false(flow.goes_on);
	probe_flow_done(&flow);
	assert_true(FLOW("\x74\x01\xc3\xf3\xc3\x90", &flow)); /* je; ret; rep ret; nop */
	assert_int_equal(flow.returns.count, 2);
	assert_int_equal(flow.returns.item[1], 0x1003);
	assert_int_equal(flow.jumps.count, 0);
	assert_false(flow.goes_on);
	probe_flow_done(&flow);
	assert_true(FLOW("\x55\x5d\xe9\x00\x01\x00\x00", &flow)); /* a tail call */
	assert_int_equal(flow.jumps.count, 1);
	assert_int_equal(flow.jumps.item[0].address, 0x1002);
	assert_int_equal(flow.jumps.item[0].target, 0x1107);
	assert_false(flow.jumps.item[0].conditional);
	probe_flow_done(&flow);
	assert_true(FLOW("\x0f\x84\x00\x01\x00\x00\x55", &flow)); /* je out of it; push */
	assert_true(flow.jumps.item[0].conditional);
	assert_true(flow.goes_on);
	probe_flow_done(&flow);
	assert_false(FLOW("\x06\xc3", &flow)); /* not an instruction */
	probe_flow_done(&flow);
}

static void test_flow__what_it_leads_to(void **state)
{
	struct probe_flow flow;

	(void)state;
	/* call; call *rax; ret */
	assert_true(FLOW("\xe8\x00\x01\x00\x00\xff\xd0\xc3", &flow));
	assert_int_equal(flow.calls.count, 1);
	assert_int_equal(flow.calls.item[0], 0x1105);
	assert_true(flow.calls_unknown);
	probe_flow_done(&flow);
	/* endbr64; jmp *rax; notrack jmp *rax: the second one is a table's */
	assert_true(FLOW("\xf3\x0f\x1e\xfa\xff\xe0\x3e\xff\xe0", &flow));
	assert_int_equal(flow.indirect.count, 1);
	assert_int_equal(flow.indirect.item[0], 0x1004);
	assert_int_equal(flow.doubtful.count, 0);
	probe_flow_done(&flow);
	assert_true(FLOW("\xff\xe0", &flow)); /* jmp *rax: a table? */
	assert_int_equal(flow.doubtful.count, 1);
	probe_flow_done(&flow);
}

static void test_start__of_instructions(void **state)
{
	/* push; mov $0x12345678, %eax; an invalid one */
	const struct probe_code function = { 0x1000,
					     (const uint8_t *)"\x55\xb8\x78\x56\x34\x12\x06", 7 };
	uint64_t nearest[2];

	(void)state;
	assert_true(probe_is_start(&function, 0, nearest));
	assert_true(probe_is_start(&function, 1, nearest));
	assert_true(probe_is_start(&function, 6, nearest));
	assert_false(probe_is_start(&function, 3, nearest));
	assert_int_equal(nearest[0], 1);
	assert_int_equal(nearest[1], 6);
	assert_false(probe_is_start(&function, 7, nearest));
	assert_int_equal(nearest[1], 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_place__cheap_ones_stay),
		cmocka_unit_test(test_place__moves_past_what_changes_nothing),
		cmocka_unit_test(test_place__stays_before_what_changes),
		cmocka_unit_test(test_place__stays_where_something_jumps),
		cmocka_unit_test(test_start__of_instructions),
		cmocka_unit_test(test_flow__where_a_function_ends),
		cmocka_unit_test(test_flow__what_it_leads_to),
		cmocka_unit_test(test_jumps__from_other_functions),
		cmocka_unit_test(test_cost__of_what_the_kernel_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
