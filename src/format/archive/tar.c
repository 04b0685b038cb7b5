/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tar archives (see tar.h). Formats: POSIX pax, "ustar Interchange Format"; the GNU tar manual,
 * "Basic Tar Format". */
#include "format/archive/tar.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"

#define NAME_MAX_BYTES ((size_t)64 << 10)
#define LINKS_MAX      16

struct header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100];
	char magic[8]; /* "ustar\0" "00", or GNU's "ustar  " */
	char user[32], group[32], major[8], minor[8], prefix[155], unused[12];
};
_Static_assert(sizeof(struct header) == TAR_BLOCK, "a header is one block");

struct tar {
	struct arena arena;
	VEC(struct tar_member) members;
	struct map by_name; /* hash of the name → index + 1 of the last one */
	size_t damaged_bytes;
	struct tar_member cut; /* no name = none */
};

/* What records in front of a member say about it. */
struct extension {
	const char *name, *link;
	uint64_t size;
	bool has_size;
};

/* Octal, or GNU's base 256 when the first bit is set. */
static bool read_number(const char *field, size_t len, uint64_t *ret)
{
	const uint8_t *p = (const uint8_t *)field;
	uint64_t value = 0;

	if (p[0] & 0x80) {
		for (size_t i = 1; i < len; i++) {
			if (value >> 56)
				return false;
			value = value << 8 | p[i];
		}
		*ret = value;
		return !(p[0] & 0x7f);
	}
	while (len && *field == ' ')
		field++, len--;
	for (; len && *field >= '0' && *field <= '7'; field++, len--)
		value = value << 3 | (uint64_t)(*field - '0');
	*ret = value;
	return !len || *field == ' ' || *field == '\0';
}

static unsigned sum_of(const struct header *header)
{
	const uint8_t *p = (const uint8_t *)header;
	size_t at = offsetof(struct header, checksum), after = at + sizeof(header->checksum);
	unsigned sum = 0;

	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += i >= at && i < after ? ' ' : p[i];
	return sum;
}

static bool is_header(const struct header *header)
{
	uint64_t sum;

	return header->name[0] | header->prefix[0] | header->type &&
	       read_number(header->checksum, sizeof(header->checksum), &sum) &&
	       sum == sum_of(header);
}

bool tar_is(const uint8_t *head, size_t len)
{
	struct header header;

	if (len < TAR_BLOCK)
		return false;
	memcpy(&header, head, sizeof(header));
	return memcmp(header.magic, "ustar", 5) == 0 && is_header(&header);
}

/* A copy without "./" in front and slashes at the end. */
static const char *plain_name(struct tar *tar, const char *name, size_t len)
{
	len = strnlen(name, len);
	while (len >= 2 && name[0] == '.' && name[1] == '/')
		name += 2, len -= 2;
	while (len > 1 && name[len - 1] == '/')
		len--;
	return arena_strndup(&tar->arena, name, len);
}

static const char *header_name(struct tar *tar, const struct header *header)
{
	char joined[sizeof(header->prefix) + 1 + sizeof(header->name) + 1];

	if (!header->prefix[0] || memcmp(header->magic, "ustar", 6) != 0)
		return plain_name(tar, header->name, sizeof(header->name));
	(void)snprintf(joined, sizeof(joined), "%.*s/%.*s", (int)sizeof(header->prefix),
		       header->prefix, (int)sizeof(header->name), header->name);
	return plain_name(tar, joined, sizeof(joined));
}

/* pax: lines "LENGTH KEY=VALUE\n", of which the length counts all. */
static void read_pax(struct tar *tar, const char *data, size_t len, struct extension *ret)
{
	while (len) {
		char *end, number[24];
		size_t digits = strspn(data, "0123456789") < len ? strspn(data, "0123456789") : len;
		unsigned long long line;
		const char *key, *value;

		if (!digits || digits >= sizeof(number))
			return;
		memcpy(number, data, digits);
		number[digits] = '\0';
		line = strtoull(number, &end, 10);
		if (line > len || line < digits + 4 || data[line - 1] != '\n')
			return;
		key = data + digits + 1;
		value = memchr(key, '=', line - digits - 2);
		if (value && value - key == 4 && memcmp(key, "path", 4) == 0)
			ret->name =
				plain_name(tar, value + 1, (size_t)(data + line - 1 - (value + 1)));
		else if (value && value - key == 8 && memcmp(key, "linkpath", 8) == 0)
			ret->link = arena_strndup(&tar->arena, value + 1,
						  (size_t)(data + line - 1 - (value + 1)));
		else if (value && value - key == 4 && memcmp(key, "size", 4) == 0) {
			ret->size = strtoull(value + 1, NULL, 10);
			ret->has_size = true;
		}
		data += line;
		len -= line;
	}
}

static void take_extension(struct tar *tar, char type, const uint8_t *data, size_t len,
			   struct extension *ret)
{
	/* a copy that ends with a NUL, for strspn() and strtoull() */
	const char *text =
		len > NAME_MAX_BYTES ? "" : arena_strndup(&tar->arena, (const char *)data, len);

	len = len > NAME_MAX_BYTES ? 0 : len;
	if (type == 'L')
		ret->name = plain_name(tar, text, len);
	else if (type == 'K')
		ret->link = text;
	else if (type == 'x')
		read_pax(tar, text, len, ret);
}

/* False for devices and the like. */
static bool read_member(struct tar *tar, const struct header *header,
			const struct extension *extension, struct tar_member *ret)
{
	struct tar_member member = { .link = "" };

	member.name = extension->name ? extension->name : header_name(tar, header);
	member.type = header->type == '\0' || header->type == '7' ? TAR_FILE
								  : (enum tar_type)header->type;
	if (member.type == TAR_SYMLINK || member.type == TAR_HARD_LINK)
		member.link = extension->link
				      ? extension->link
				      : arena_strndup(&tar->arena, header->link,
						      strnlen(header->link, sizeof(header->link)));
	else if (member.type != TAR_FILE && member.type != TAR_FOLDER)
		return false;
	(void)read_number(header->mtime, sizeof(header->mtime), &member.modified_s);
	*ret = member;
	return true;
}

static void add_member(struct tar *tar, struct tar_member member, const uint8_t *data, size_t len)
{
	bool added;

	if (member.type == TAR_FILE) {
		member.data = data;
		member.len = len;
	}
	vec_push(&tar->members, member);
	*map_add(&tar->by_name, hash_bytes(member.name, strlen(member.name)), &added) =
		tar->members.count;
}

static bool is_zero(const uint8_t *block)
{
	for (size_t i = 0; i < TAR_BLOCK; i++)
		if (block[i])
			return false;
	return true;
}

/* A member or an extension; all of its data are there. */
static void take_entry(struct tar *tar, const struct header *header, const uint8_t *data,
		       size_t size, struct extension *extension)
{
	struct tar_member member;

	if (strchr("LKxg", header->type) && header->type) {
		take_extension(tar, header->type, data, size, extension);
		return;
	}
	if (read_member(tar, header, extension, &member))
		add_member(tar, member, data, size);
	*extension = (struct extension){ 0 };
}

static void take_cut(struct tar *tar, const struct header *header,
		     const struct extension *extension, const uint8_t *data, size_t left)
{
	struct tar_member member;

	if (!read_member(tar, header, extension, &member) || member.type != TAR_FILE)
		return;
	tar->cut = member;
	tar->cut.data = data;
	tar->cut.len = left;
}

int tar_parse(const uint8_t *data, size_t len, struct tar **ret, struct err *err)
{
	struct tar *tar = mem_zalloc(sizeof(*tar));
	struct extension extension = { 0 };
	size_t at = 0;

	while (len - at >= TAR_BLOCK && !is_zero(data + at)) {
		struct header header;
		uint64_t size = 0;

		memcpy(&header, data + at, sizeof(header));
		if (!is_header(&header) || !read_number(header.size, sizeof(header.size), &size))
			break;
		if (extension.has_size)
			size = extension.size;
		if (header.type == TAR_SYMLINK || header.type == TAR_FOLDER)
			size = 0;
		if (size > len - at - TAR_BLOCK) {
			take_cut(tar, &header, &extension, data + at + TAR_BLOCK,
				 len - at - TAR_BLOCK);
			break;
		}
		take_entry(tar, &header, data + at + TAR_BLOCK, (size_t)size, &extension);
		size = (size + TAR_BLOCK - 1) & ~(uint64_t)(TAR_BLOCK - 1);
		at += TAR_BLOCK;
		at += size < len - at ? (size_t)size : len - at;
	}
	if (len - at >= TAR_BLOCK ? !is_zero(data + at) : len - at > 0)
		tar->damaged_bytes = len - at;
	if (!tar->members.count && !tar->cut.name) {
		tar_free(tar);
		return err_set(err, -EBADMSG, "no members in the archive");
	}
	*ret = tar;
	return 0;
}

void tar_free(struct tar *tar)
{
	if (!tar)
		return;
	vec_done(&tar->members);
	map_done(&tar->by_name);
	arena_done(&tar->arena);
	free(tar);
}

size_t tar_count(const struct tar *tar)
{
	return tar->members.count;
}

const struct tar_member *tar_get(const struct tar *tar, size_t index)
{
	return &tar->members.item[index];
}

const struct tar_member *tar_cut(const struct tar *tar)
{
	return tar->cut.name ? &tar->cut : NULL;
}

size_t tar_damaged_bytes(const struct tar *tar)
{
	return tar->damaged_bytes;
}

bool tar_name_is_safe(const char *name)
{
	if (!name[0] || name[0] == '/')
		return false;
	while (*name) {
		size_t len = strcspn(name, "/");

		if (len == 2 && name[0] == '.' && name[1] == '.')
			return false;
		name += len + (name[len] == '/');
	}
	return true;
}

/* Where a symbolic link leads, from the folder that it is in; false when outside. */
static bool join_link(const char *from, const char *link, char *ret, size_t size)
{
	const char *slash = strrchr(from, '/');
	size_t len = slash ? (size_t)(slash - from) : 0;

	if (link[0] == '/' || len >= size)
		return false;
	memcpy(ret, from, len);
	while (*link) {
		size_t part = strcspn(link, "/");

		if (part == 2 && link[0] == '.' && link[1] == '.') {
			if (!len)
				return false;
			while (len && ret[--len] != '/')
				;
		} else if (part && !(part == 1 && link[0] == '.')) {
			if (len + part + 2 > size)
				return false;
			if (len)
				ret[len++] = '/';
			memcpy(ret + len, link, part);
			len += part;
		}
		link += part + (link[part] == '/');
	}
	ret[len] = '\0';
	return len > 0;
}

static const struct tar_member *find_exact(const struct tar *tar, const char *name)
{
	uint64_t index;

	if (!map_get(&tar->by_name, hash_bytes(name, strlen(name)), &index))
		return NULL;
	return strcmp(tar->members.item[index - 1].name, name) == 0 ? &tar->members.item[index - 1]
								    : NULL;
}

/* A folder on the way that is a symbolic link: where the name leads behind it. */
static bool through_folder(const struct tar *tar, const char *name, char *ret, size_t size)
{
	char folder[4096], target[4096];

	for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		const struct tar_member *member;
		size_t len = (size_t)(slash - name);

		if (len >= sizeof(folder))
			return false;
		memcpy(folder, name, len);
		folder[len] = '\0';
		member = find_exact(tar, folder);
		if (member && member->type == TAR_SYMLINK)
			return join_link(folder, member->link, target, sizeof(target)) &&
			       snprintf(ret, size, "%s%s", target, slash) < (int)size;
	}
	return false;
}

const struct tar_member *tar_find(const struct tar *tar, const char *name)
{
	char path[8192], next[8192];

	if (snprintf(path, sizeof(path), "%s", name) >= (int)sizeof(path))
		return NULL;
	for (unsigned links = 0; links < LINKS_MAX; links++) {
		const struct tar_member *member = find_exact(tar, path);
		bool moved;

		if (member && member->type == TAR_FILE)
			return member;
		if (member && member->type == TAR_SYMLINK)
			moved = join_link(path, member->link, next, sizeof(next));
		else if (member && member->type == TAR_HARD_LINK)
			moved = snprintf(next, sizeof(next), "%s", member->link) <
				(int)sizeof(next);
		else
			moved = through_folder(tar, path, next, sizeof(next));
		if (!moved)
			return NULL;
		memcpy(path, next, sizeof(path));
	}
	return NULL;
}

/* Octal digits and a NUL; base 256 when they are too few. */
static void put_number(char *field, size_t len, uint64_t value)
{
	if (len < 22 && value >> (3 * (len - 1))) {
		memset(field, 0, len);
		field[0] = (char)0x80;
		for (size_t i = len; i > 1 && value; i--, value >>= 8)
			field[i - 1] = (char)(value & 0xff);
		return;
	}
	(void)snprintf(field, len, "%0*llo", (int)len - 1, (unsigned long long)value);
}

static int put_block(char type, const char *name, const struct tar_member *member, uint64_t size,
		     struct buf *ret)
{
	struct header header = { .type = type, .magic = "ustar\00000" };
	size_t name_len = strlen(name), link_len = strlen(member->link);

	memcpy(header.name, name, name_len < 100 ? name_len : 100);
	if (type == TAR_SYMLINK)
		memcpy(header.link, member->link, link_len < 100 ? link_len : 100);
	put_number(header.mode, sizeof(header.mode), type == TAR_SYMLINK ? 0777 : 0644);
	put_number(header.uid, sizeof(header.uid), 0);
	put_number(header.gid, sizeof(header.gid), 0);
	put_number(header.size, sizeof(header.size), size);
	put_number(header.mtime, sizeof(header.mtime), member->modified_s);
	memcpy(header.user, "root", 5);
	memcpy(header.group, "root", 5);
	(void)snprintf(header.checksum, sizeof(header.checksum), "%06o", sum_of(&header));
	header.checksum[7] = ' ';
	return buf_append(ret, &header, sizeof(header));
}

/* A name that has no room in the header goes in front, as GNU tar does. */
static int put_long(char type, const char *text, struct buf *ret)
{
	const struct tar_member none = { .link = "" };
	size_t len = strlen(text) + 1, pad = -len & (TAR_BLOCK - 1);
	int code;

	if (len <= sizeof(((struct header *)0)->name))
		return 0;
	if (len > NAME_MAX_BYTES)
		return -ENAMETOOLONG;
	code = put_block(type, "././@LongLink", &none, len, ret);
	if (!code)
		code = buf_append(ret, text, len);
	return code ? code : buf_pad(ret, '\0', pad);
}

int tar_put_header(const struct tar_member *member, struct buf *ret)
{
	struct tar_member with_link = *member;
	int code;

	if (!with_link.link)
		with_link.link = "";
	code = put_long('L', member->name, ret);
	if (!code)
		code = put_long('K', with_link.link, ret);
	return code ? code
		    : put_block((char)member->type, member->name, &with_link,
				member->type == TAR_FILE ? member->len : 0, ret);
}
