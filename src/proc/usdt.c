/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc/usdt.h"

#include <stdbool.h>
#include <string.h>

#include "proc/elf_file.h"

#define NOTE_NAME   "stapsdt"
#define NOTE_TYPE   3
#define HEADER_SIZE 12

/* A string; NULL if it does not end inside the data. */
static const char *take_string(const uint8_t **at, const uint8_t *end)
{
	const char *text = (const char *)*at;
	const uint8_t *stop = memchr(*at, '\0', (size_t)(end - *at));

	if (!stop)
		return NULL;
	*at = stop + 1;
	return text;
}

/* Three addresses, of which the second is that of .stapsdt.base when it was linked, and three
 * strings. */
static bool parse_probe(const struct elf_file *shape, const uint8_t *at, const uint8_t *end,
			struct usdt_probe *ret)
{
	size_t word = shape->is_64 ? 8 : 4;

	if ((size_t)(end - at) < 3 * word)
		return false;
	ret->address = elf_word(shape, at);
	ret->semaphore = elf_word(shape, at + 2 * word);
	at += 3 * word;
	ret->provider = take_string(&at, end);
	ret->name = ret->provider ? take_string(&at, end) : NULL;
	ret->arguments = ret->name ? take_string(&at, end) : NULL;
	return ret->arguments && ret->provider[0] && ret->name[0];
}

static size_t align4(uint32_t size)
{
	return ((size_t)size + 3) & ~(size_t)3;
}

void usdt_parse(const struct elf_file *shape, const uint8_t *data, size_t len,
		struct usdt_list *ret)
{
	while (len >= HEADER_SIZE && ret->probe.count < USDT_MAX_PROBES) {
		uint32_t name_len = elf_u32(shape, data), desc_len = elf_u32(shape, data + 4);
		uint32_t type = elf_u32(shape, data + 8);
		size_t name = align4(name_len), desc = align4(desc_len);
		const uint8_t *body = data + HEADER_SIZE;
		struct usdt_probe probe;

		len -= HEADER_SIZE;
		/* the last note may lack its padding */
		if (name > len || desc_len > len - name) {
			ret->malformed++;
			return;
		}
		if (type == NOTE_TYPE && name_len == sizeof(NOTE_NAME) &&
		    !memcmp(body, NOTE_NAME, sizeof(NOTE_NAME))) {
			if (parse_probe(shape, body + name, body + name + desc_len, &probe))
				vec_push(&ret->probe, probe);
			else
				ret->malformed++;
		}
		if (desc > len - name)
			return;
		data = body + name + desc;
		len -= name + desc;
	}
}

void usdt_read(const struct elf_file *elf, struct usdt_list *ret)
{
	const struct elf_section *section = elf_file_section(elf, ".note.stapsdt");
	const uint8_t *data;
	size_t len;

	*ret = (struct usdt_list){ 0 };
	if (section && elf_section_data(elf, section, &data, &len))
		usdt_parse(elf, data, len, ret);
}

void usdt_done(struct usdt_list *list)
{
	vec_done(&list->probe);
}
