/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Address spaces for the kernel part (see address_ranges.h). Format of stat: Documentation/
 * filesystems/proc.rst. */
#include "session/unwind/address_ranges.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "proc/module.h"
#include "proc/proc.h"
#include "symbol/python/python_binary.h"

/* False: such a mapping has no range. */
static bool range_of(const struct mapping *mapping, space_binary_of *binary_of, void *context,
		     struct unwind_range *ret)
{
	*ret = (struct unwind_range){ .start = mapping->start,
				      .end = mapping->end,
				      .kind = UNWIND_RANGE_JIT };
	switch (mapping->module->kind) {
	case MODULE_VSYSCALL:
		ret->kind = UNWIND_RANGE_VSYSCALL;
		return true;
	case MODULE_JIT:
		return true;
	case MODULE_FILE:
	case MODULE_VDSO:
		break;
	default:
		return false;
	}
	if (strcmp(mapping->module->path, "[uprobes]") == 0) {
		ret->kind = UNWIND_RANGE_UPROBES;
		return true;
	}
	ret->kind = UNWIND_RANGE_FILE;
	ret->to_offset = mapping->pgoff - mapping->start;
	return binary_of(context, mapping->module, &ret->binary);
}

void address_ranges_make(const struct address_space *space, space_binary_of *binary_of,
			 void *context, struct address_ranges *ret)
{
	struct unwind_range range, *last = NULL;

	ret->ranges.count = 0;
	ret->flags = 0;
	for (size_t i = 0; i < space->count; i++) {
		if (!range_of(&space->item[i], binary_of, context, &range))
			continue;
		if (python_binary_likely(space->item[i].module->path))
			ret->flags |= UNWIND_SPACE_PYTHON;
		if (last && last->end == range.start && last->kind == range.kind &&
		    last->binary == range.binary && last->to_offset == range.to_offset) {
			last->end = range.end;
			continue;
		}
		vec_push(&ret->ranges, range);
		last = vec_last(&ret->ranges);
	}
}

bool space_identity_read(uint32_t pid, struct space_identity *ret)
{
	unsigned long long start_code, stack_top;
	char path[32], text[1024];
	const char *close;
	ssize_t len;

	(void)snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (len <= 0)
		return false;
	text[len] = '\0';
	close = strrchr(text, ')'); /* the name may hold anything */
	/* fields 3 to 25, then startcode, endcode, startstack */
	if (!close || sscanf(close + 1,
			     " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
			     " %*s %*s %*s %*s %*s %*s %llu %*s %llu",
			     &start_code, &stack_top) != 2)
		return false;
	*ret = (struct space_identity){ stack_top ? start_code : 0, stack_top };
	return true;
}
