/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/bpf/bpf_types.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/vec.h"
#include "source/bpf/kept_types.h"
#include "source/bpf/kernel_types.h"

#define KERNEL_TYPES "/sys/kernel/btf/vmlinux"
#define DEPTH_MAX    64 /* structs within structs; the kernel has a dozen */

struct wanted {
	const char *name; /* of the object's BTF; not terminated there */
	size_t len;
};

struct copier {
	struct kernel_types kernel;
	struct btf *ret;
	uint32_t *copy; /* by id in the kernel's; 0 = not yet */
	int pointer, index;
	VEC(struct wanted) wanted;
	uint8_t begins[65536 / 8]; /* bits: a wanted name begins with these two bytes */
};

/* Its two first bytes as a number. */
static unsigned beginning(const char *name)
{
	return (unsigned)(unsigned char)name[0] << 8 | (name[0] ? (unsigned char)name[1] : 0);
}

static bool is_named_group(const struct btf_type *type)
{
	return (btf_is_composite(type) || btf_is_any_enum(type)) && type->name_off;
}

static bool is_wanted(const struct copier *c, const char *name)
{
	unsigned two = beginning(name);

	if (!(c->begins[two / 8] >> two % 8 & 1))
		return false;
	for (size_t i = 0; i < c->wanted.count; i++)
		if (strncmp(c->wanted.item[i].name, name, c->wanted.item[i].len) == 0 &&
		    !name[c->wanted.item[i].len])
			return true;
	return false;
}

static void collect(struct copier *c, const struct btf *object)
{
	for (uint32_t id = 1; id < btf__type_cnt(object); id++) {
		const struct btf_type *type = btf__type_by_id(object, id);
		const char *name = btf__name_by_offset(object, type->name_off), *flavour;

		if (!is_named_group(type))
			continue;
		flavour = strstr(name, "___");
		vec_push(&c->wanted, ((struct wanted){ name, flavour ? (size_t)(flavour - name)
								     : strlen(name) }));
		c->begins[beginning(name) / 8] |= (uint8_t)(1 << beginning(name) % 8);
	}
}

static int copy_enum(struct copier *c, const struct btf_type *type, const char *name)
{
	int id = btf_is_enum(type) ? btf__add_enum(c->ret, name, type->size)
				   : btf__add_enum64(c->ret, name, type->size, btf_kflag(type));

	for (uint32_t i = 0; id > 0 && i < btf_vlen(type); i++) {
		const struct btf_enum *value = &btf_enum(type)[i];
		const struct btf_enum64 *wide = &btf_enum64(type)[i];
		int code = btf_is_enum(type)
				   ? btf__add_enum_value(
					     c->ret, kernel_types_name(&c->kernel, value->name_off),
					     value->val)
				   : btf__add_enum64_value(
					     c->ret, kernel_types_name(&c->kernel, wide->name_off),
					     btf_enum64_value(wide));

		if (code)
			return code;
	}
	return id;
}

static int copy_type(struct copier *c, uint32_t id, unsigned depth);

/* Members' types come before the group, and its members must follow it immediately. */
static int copy_group(struct copier *c, const struct btf_type *type, const char *name,
		      unsigned depth)
{
	uint32_t count = btf_vlen(type);
	int *member = calloc(count + 1, sizeof(*member)), id = 0;

	if (!member)
		return -1;
	for (uint32_t i = 0; id >= 0 && i < count; i++)
		id = member[i] = copy_type(c, btf_members(type)[i].type, depth + 1);
	if (id >= 0)
		id = btf_is_struct(type) ? btf__add_struct(c->ret, name, type->size)
					 : btf__add_union(c->ret, name, type->size);
	for (uint32_t i = 0; id > 0 && i < count; i++) {
		const char *member_name =
			kernel_types_name(&c->kernel, btf_members(type)[i].name_off);

		if (btf__add_field(c->ret, member_name, member[i], btf_member_bit_offset(type, i),
				   btf_member_bitfield_size(type, i)))
			id = -1;
	}
	free(member);
	return id;
}

/* Its id in the copy, < 0 = cannot be copied. What is not data becomes void. */
static int make_copy(struct copier *c, const struct btf_type *type, unsigned depth)
{
	const char *name = kernel_types_name(&c->kernel, type->name_off);
	int element;

	if (btf_is_ptr(type))
		return c->pointer;
	if (btf_is_int(type))
		return btf__add_int(c->ret, name, type->size, btf_int_encoding(type));
	if (btf_is_float(type))
		return btf__add_float(c->ret, name, type->size);
	if (btf_is_any_enum(type))
		return copy_enum(c, type, name);
	if (btf_is_composite(type))
		return copy_group(c, type, name, depth);
	if (!btf_is_array(type))
		return 0;
	element = copy_type(c, btf_array(type)->type, depth + 1);
	return element < 0 ? element
			   : btf__add_array(c->ret, c->index, element, btf_array(type)->nelems);
}

static int copy_type(struct copier *c, uint32_t id, unsigned depth)
{
	const struct btf_type *type = kernel_types_get(&c->kernel, id);
	int made;

	while (type && (btf_is_mod(type) || btf_is_typedef(type)))
		type = kernel_types_get(&c->kernel, id = type->type);
	if (!id)
		return 0;
	if (!type || depth > DEPTH_MAX)
		return -1;
	if (c->copy[id])
		return (int)c->copy[id];
	made = make_copy(c, type, depth);
	if (made > 0)
		c->copy[id] = (uint32_t)made;
	return made;
}

static int copy_wanted(struct copier *c)
{
	c->pointer = btf__add_ptr(c->ret, 0);
	c->index = btf__add_int(c->ret, "int", 4, BTF_INT_SIGNED);
	if (c->pointer < 0 || c->index < 0)
		return -1;
	for (uint32_t id = 1; id < c->kernel.count; id++) {
		const struct btf_type *type = kernel_types_get(&c->kernel, id);

		if (is_named_group(type) &&
		    is_wanted(c, kernel_types_name(&c->kernel, type->name_off)) &&
		    copy_type(c, id, 0) < 0)
			return -1;
	}
	return 0;
}

static bool write_copy(int fd, const struct copier *c, const struct kept_types *kept)
{
	uint32_t len;
	const void *data = btf__raw_data(c->ret, &len);

	if (!data || fd_write_all(fd, data, len))
		return false;
	kept_types_put(kept, data, len);
	return true;
}

bool bpf_types_open(struct bpf_types *types)
{
	types->fd = memfd_create("cupel-types", MFD_CLOEXEC);
	types->path[0] = '\0';
	if (types->fd >= 0)
		(void)snprintf(types->path, sizeof(types->path), "/proc/self/fd/%d", types->fd);
	return types->fd >= 0;
}

/* What is made from, and where it goes. */
struct making {
	int fd;
	const struct btf *named; /* the object's */
	struct kept_types kept;
};

static bool fill(const struct making *making, const void *data, size_t len)
{
	struct copier c = { .ret = btf__new_empty() };
	bool done = false;

	if (c.ret && kernel_types_read(&c.kernel, data, len)) {
		c.copy = calloc(c.kernel.count, sizeof(*c.copy));
		collect(&c, making->named);
		done = c.copy && copy_wanted(&c) == 0 && write_copy(making->fd, &c, &making->kept);
	}
	free(c.copy);
	vec_done(&c.wanted);
	btf__free(c.ret);
	kernel_types_done(&c.kernel);
	return done;
}

/* From the kernel's: mapped where it can do that (6.16), else read in large pieces: libbpf would
 * take thousands. */
static bool fill_anew(const struct making *making)
{
	struct file_map map;
	struct buf bytes = { 0 };
	struct err err;
	bool done = false;

	if (file_map_open(KERNEL_TYPES, &map, &err) == 0) {
		done = fill(making, map.data, map.len);
		file_map_close(&map);
	} else if (fd_read_file(KERNEL_TYPES, &bytes, &err) == 0) {
		done = fill(making, bytes.data, bytes.len);
	}
	buf_done(&bytes);
	return done;
}

bool bpf_types_fill(const struct bpf_types *types, const struct bpf_object *object)
{
	struct making making = { types->fd, bpf_object__btf(object), { 0 } };
	const void *wanted;
	uint32_t len;
	bool done;

	wanted = making.named ? btf__raw_data(making.named, &len) : NULL;
	if (!wanted)
		return false;
	kept_types_open(&making.kept, bpf_object__name(object), wanted, len);
	done = kept_types_get(&making.kept, types->fd) || fill_anew(&making);
	kept_types_close(&making.kept);
	return done;
}

void bpf_types_close(struct bpf_types *types)
{
	fd_close(&types->fd);
	types->fd = -1;
}
