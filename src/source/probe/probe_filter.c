/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fills the filter of threads (see probe_filter.h). */
#include "source/probe/probe_filter.h"

#include <errno.h>

#include <bpf/bpf.h>

#include "base/err.h"
#include "source/bpf/bpf_error.h"
#include "source/id_list.h"

int probe_filter_fill(const struct bpf_map *targets, const struct source_options *options,
		      struct err *err)
{
	const uint8_t yes = 1;
	struct id_list ids = { 0 };
	int code = id_list_parse(options->pids, "process", &ids, err);

	if (!code)
		code = id_list_parse(options->tids, "thread", &ids, err);
	for (size_t i = 0; !code && i < ids.count; i++) {
		const uint32_t id = (uint32_t)ids.item[i];

		if (bpf_map__update_elem(targets, &id, sizeof(id), &yes, sizeof(yes), BPF_ANY))
			code = bpf_fail(err, -errno, "filling the thread filter");
	}
	vec_done(&ids);
	return code;
}

int probe_filter_pid(const struct source_options *options)
{
	struct err ignored = { 0 };
	struct id_list ids = { 0 };
	int pid = 0;

	if (options->pids && !id_list_parse(options->pids, "process", &ids, &ignored) &&
	    ids.count == 1)
		pid = ids.item[0];
	vec_done(&ids);
	return pid;
}
