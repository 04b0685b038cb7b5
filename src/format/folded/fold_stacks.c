/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks made shorter (see fold_stacks.h). A parent's id is smaller than its child's, so one
 * pass over the nodes finds the new stack of each. */
#include "format/folded/fold_stacks.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/fd.h"
#include "format/folded/fold_name.h"
#include "format/folded/folded.h"
#include "profile/profile.h"

/* By frame: its name, and whether stacks begin there. */
struct cut_frame {
	string_id name;
	bool begins;
};

static struct cut_frame *name_frames(const struct profile *profile,
				     const struct fold_options *options,
				     const struct fold_cuts *cuts, struct strtab *names)
{
	struct cut_frame *ret = mem_zalloc((profile->frames.count + 1) * sizeof(*ret));
	struct buf name = { 0 };

	for (uint32_t i = 0; i < profile->frames.count; i++) {
		buf_clear(&name);
		fold_frame_name(profile, (frame_id){ i }, options, false, &name);
		ret[i].name = strtab_intern(names, name.data ? name.data : "", name.len);
		for (size_t j = 0; j < cuts->skip_after_count; j++)
			ret[i].begins |=
				strcmp(strtab_get(names, ret[i].name), cuts->skip_after[j]) == 0;
	}
	buf_done(&name);
	return ret;
}

void fold_stacks(struct profile *profile, const struct fold_options *options,
		 const struct fold_cuts *cuts)
{
	struct strtab *names = strtab_new();
	AUTO_FREE struct cut_frame *frame = name_frames(profile, options, cuts, names);
	size_t count = profile->nodes.count;
	AUTO_FREE stack_id *now = mem_zalloc(count * sizeof(*now));

	for (size_t i = 1; i < count; i++) {
		struct stack_node node = profile->nodes.item[i];
		const struct cut_frame *this = &frame[node.frame.v];
		stack_id parent = this->begins ? STACK_EMPTY : now[node.parent.v];
		frame_id below = profile->nodes.item[parent.v].frame;

		if (cuts->merge_recursion && parent.v && frame[below.v].name.v == this->name.v)
			now[i] = parent;
		else
			now[i] = profile_stack_push(profile, parent, node.frame);
	}
	for (size_t i = 0; i < profile->samples.count; i++)
		profile->samples.item[i].stack = now[profile->samples.item[i].stack.v];
	strtab_free(names);
}
