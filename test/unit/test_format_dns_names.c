/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format/dns_names: the name that was asked for is that of each address in the answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/dns_names.h"

#define UDP    "\x00\x35\x9c\x40\x00\x00\x00\x00" /* from port 53 */
#define HEADER "\x12\x34\x81\x80\x00\x01\x00\x03\x00\x00\x00\x00"
#define QUESTION      \
	"\x03www\x07" \
	"example\x03org\x00\x00\x01\x00\x01"
#define ALIAS "\xc0\x0c\x00\x05\x00\x01\x00\x00\x00\x3c\x00\x02\xc0\x10"
#define ONE    \
	"\x01" \
	"a\x00\x00\x01\x00\x01\x00\x00\x00\x3c\x00\x04\xc0\x00\x02\x01"
#define SIX	  "\xc0\x0c\x00\x1c\x00\x01\x00\x00\x00\x3c\x00\x10" ADDRESS_6
#define ADDRESS	  "\xc0\x00\x02\x01"
#define ADDRESS_6 "\x20\x01\x0d\xb8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"
#define MESSAGE	  UDP HEADER QUESTION ALIAS ONE SIX

static const char ipv4[] = "\x45\x00\x00\x00\x00\x00\x40\x00\x40\x11\x00\x00"
			   "\x0a\x00\x00\x01\x0a\x00\x00\x02" MESSAGE;
static const char ipv6[] = "\x60\x00\x00\x00\x00\x00\x11\x40" ADDRESS_6 ADDRESS_6 MESSAGE;

static void check(const struct dns_names *names, const char *address, bool six,
		  const char *expected)
{
	uint64_t time_ns;
	const char *name = dns_names_find(names, address, six, &time_ns);

	if (!expected) {
		assert_null(name);
		return;
	}
	assert_non_null(name);
	assert_string_equal(name, expected);
	assert_int_equal(time_ns, 7);
}

static void test_addresses_have_the_name_that_was_asked_for(void **state)
{
	(void)state;
	for (int six = 0; six < 2; six++) {
		struct dns_names *names = dns_names_new();

		check(names, ADDRESS, false, NULL);
		dns_names_take(names, six ? ipv6 : ipv4, six ? sizeof(ipv6) - 1 : sizeof(ipv4) - 1,
			       7);
		check(names, ADDRESS, false, "www.example.org");
		check(names, ADDRESS_6, true, "www.example.org");
		check(names, ADDRESS_6, false, NULL);
		dns_names_free(names);
	}
}

static void test_the_last_answer_counts(void **state)
{
	struct dns_names *names = dns_names_new();
	char other[sizeof(ipv4)];

	(void)state;
	memcpy(other, ipv4, sizeof(ipv4));
	*(char *)memmem(other, sizeof(other), "www", 3) = '\x1b';
	dns_names_take(names, ipv4, sizeof(ipv4) - 1, 3);
	dns_names_take(names, other, sizeof(other) - 1, 7);
	check(names, ADDRESS, false, "?ww.example.org");
	dns_names_free(names);
}

/* Byte `at` of the IPv4 packet has another value, or the packet ends there. */
static void ignored(size_t at, int value)
{
	struct dns_names *names = dns_names_new();
	char packet[sizeof(ipv4)];

	memcpy(packet, ipv4, sizeof(ipv4));
	if (value >= 0)
		packet[at] = (char)value;
	dns_names_take(names, packet, value < 0 ? at : sizeof(packet) - 1, 7);
	check(names, ADDRESS, false, NULL);
	dns_names_free(names);
}

static void test_what_is_no_answer_is_ignored(void **state)
{
	const size_t udp = 20, dns = udp + 8, question = dns + 12;

	(void)state;
	ignored(9, 6);		 /* TCP */
	ignored(7, 1);		 /* a later fragment */
	ignored(0, 0x44);	 /* a header too short, */
	ignored(0, 0x4f);	 /* or too long */
	ignored(udp + 1, 54);	 /* another port */
	ignored(dns + 2, 0);	 /* a question */
	ignored(dns + 5, 2);	 /* two of them */
	ignored(dns + 7, 0);	 /* no answers */
	ignored(question, 0xc0); /* a name by reference, */
	ignored(question, 0x7f); /* or longer than the packet */
	ignored(question, 0);	 /* of the root */
	for (size_t len = 0; len < question + 17 + 4 + 14 + 16; len++)
		ignored(len, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses_have_the_name_that_was_asked_for),
		cmocka_unit_test(test_the_last_answer_counts),
		cmocka_unit_test(test_what_is_no_answer_is_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
