/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers of DNS (see dns_names.h). Sources: RFC 791, 768, 8200, 1035 and 3596. */
#include "format/dns_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/strtab.h"
#include "base/vec.h"

#define NAMES_MAX    65536u /* addresses */
#define PORT	     53u
#define UDP	     17u
#define IPV6_HEADER  40u
#define UDP_HEADER   8u
#define DNS_HEADER   12u
#define RECORD	     10u /* after its name: type, class, time to live, length */
#define LABEL_MAX    63u
#define QUESTION_MAX 255u
#define IS_ANSWER    0x80u
#define A	     1u
#define AAAA	     28u
#define INTERNET     1u

struct known {
	uint8_t address[DNS_ADDRESS];
	bool ipv6;
	string_id name;
	uint64_t time_ns;
};

struct dns_names {
	struct map by_address; /* hash → index */
	VEC(struct known) known;
	struct strtab *strings;
};

struct bytes {
	const uint8_t *at;
	size_t len;
};

struct dns_names *dns_names_new(void)
{
	struct dns_names *names = mem_zalloc(sizeof(*names));

	names->strings = strtab_new();
	return names;
}

static void clear(struct dns_names *names)
{
	map_done(&names->by_address);
	names->by_address = (struct map){ 0 };
	vec_done(&names->known);
	strtab_free(names->strings);
}

void dns_names_free(struct dns_names *names)
{
	if (!names)
		return;
	clear(names);
	free(names);
}

static uint32_t u16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

static bool skip(struct bytes *bytes, size_t count)
{
	if (count > bytes->len)
		return false;
	bytes->at += count;
	bytes->len -= count;
	return true;
}

/* From the IP header to what is behind the UDP header, if it comes from a server of names. */
static bool find_message(struct bytes *packet)
{
	const uint8_t *at = packet->at;
	size_t header;

	if (packet->len < IPV6_HEADER) /* no shorter one says anything */
		return false;
	if (at[0] >> 4 == 4) {
		header = (at[0] & 15u) * 4u;
		if (header < 20 || at[9] != UDP || u16(&at[6]) & 0x1fff)
			return false; /* or a later fragment */
	} else {
		header = IPV6_HEADER;
		if (at[0] >> 4 != 6 || at[6] != UDP)
			return false;
	}
	return skip(packet, header) && packet->len >= UDP_HEADER && u16(packet->at) == PORT &&
	       skip(packet, UDP_HEADER);
}

/* The name of the question, which is not compressed, with dots. */
static bool read_name(struct bytes *message, char ret[QUESTION_MAX + 1])
{
	size_t len = 0;

	for (;;) {
		size_t label = message->len ? message->at[0] : SIZE_MAX;

		if (label > LABEL_MAX || !skip(message, 1) || label > message->len ||
		    len + label + 1 > QUESTION_MAX)
			return false;
		if (!label)
			break;
		for (size_t i = 0; i < label; i++) {
			uint8_t c = message->at[i];

			ret[len++] = c > ' ' && c < 0x7f ? (char)c : '?';
		}
		ret[len++] = '.';
		(void)skip(message, label);
	}
	ret[len ? len - 1 : 0] = '\0';
	return len != 0;
}

static bool skip_name(struct bytes *message)
{
	for (;;) {
		size_t label = message->len ? message->at[0] : SIZE_MAX;

		if (label == SIZE_MAX)
			return false;
		if (label >= 0xc0)
			return skip(message, 2);
		if (label > LABEL_MAX || !skip(message, 1 + label))
			return false;
		if (!label)
			return true;
	}
}

static uint64_t hash_of(const void *address, bool ipv6)
{
	return hash_bytes(address, ipv6 ? DNS_ADDRESS : 4) ^ ipv6;
}

static void keep(struct dns_names *names, const struct known *known)
{
	bool added;
	uint64_t *index = map_add(&names->by_address, hash_of(known->address, known->ipv6), &added);

	if (added) {
		*index = names->known.count;
		vec_push(&names->known, *known);
	}
	names->known.item[*index] = *known;
}

/* One record; a list ends where the packet does. */
static bool take_record(struct dns_names *names, struct bytes *message, struct known *known)
{
	uint32_t type, class;
	size_t len;

	if (!skip_name(message) || message->len < RECORD)
		return false;
	type = u16(message->at);
	class = u16(message->at + 2);
	len = u16(message->at + 8);
	(void)skip(message, RECORD);
	if (len > message->len)
		return false;
	known->ipv6 = type == AAAA;
	if (class == INTERNET &&
	    ((type == A && len == 4) || (type == AAAA && len == DNS_ADDRESS))) {
		memset(known->address, 0, sizeof(known->address));
		memcpy(known->address, message->at, len);
		keep(names, known);
	}
	return skip(message, len);
}

void dns_names_take(struct dns_names *names, const void *packet, size_t len, uint64_t time_ns)
{
	struct bytes message = { packet, len };
	struct known known = { .time_ns = time_ns };
	char name[QUESTION_MAX + 1];
	uint32_t answers;

	if (!find_message(&message) || message.len < DNS_HEADER || !(message.at[2] & IS_ANSWER) ||
	    u16(&message.at[4]) != 1)
		return;
	answers = u16(&message.at[6]);
	(void)skip(&message, DNS_HEADER);
	if (!read_name(&message, name) || !skip(&message, 4)) /* its type and class */
		return;
	if (names->known.count + answers > NAMES_MAX) {
		clear(names);
		names->strings = strtab_new();
	}
	known.name = strtab_intern(names->strings, name, strlen(name));
	while (answers-- && take_record(names, &message, &known))
		;
}

const char *dns_names_find(const struct dns_names *names, const void *address, bool ipv6,
			   uint64_t *ret_ns)
{
	const struct known *known;
	uint64_t index;

	if (!map_get(&names->by_address, hash_of(address, ipv6), &index))
		return NULL;
	known = &names->known.item[index];
	if (known->ipv6 != ipv6 || memcmp(known->address, address, ipv6 ? DNS_ADDRESS : 4) != 0)
		return NULL; /* another one of the same hash */
	*ret_ns = known->time_ns;
	return strtab_get(names->strings, known->name);
}
