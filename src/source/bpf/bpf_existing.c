/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/bpf/bpf_existing.h"

#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>

#include <bpf/bpf.h>

#include "base/err.h"
#include "base/fd.h"
#include "event/event.h"

#define FUNCTIONS_MAX 256 /* the kernel's limit of subprograms */

struct functions {
	uint64_t address[FUNCTIONS_MAX];
	uint32_t len[FUNCTIONS_MAX];
	uint8_t tag[FUNCTIONS_MAX][BPF_TAG_SIZE];
};

static int emit_function(const struct functions *functions, uint32_t i, const char *name,
			 struct sink *sink, struct err *err)
{
	const uint8_t *tag = functions->tag[i];
	char text[64];
	const struct event event = {
		.type = EVENT_KSYMBOL,
		.ksymbol = { .addr = functions->address[i],
			     .len = functions->len[i],
			     .ksym_type = PERF_RECORD_KSYMBOL_TYPE_BPF,
			     .name = text },
	};

	(void)snprintf(text, sizeof(text), "bpf_prog_%02x%02x%02x%02x%02x%02x%02x%02x_%s", tag[0],
		       tag[1], tag[2], tag[3], tag[4], tag[5], tag[6], tag[7], name);
	return functions->address[i] ? sink->event(sink, &event, err) : 0;
}

static int emit_program(int fd, struct sink *sink, struct err *err)
{
	struct functions functions;
	struct bpf_prog_info info = {
		.jited_ksyms = (uintptr_t)functions.address,
		.nr_jited_ksyms = FUNCTIONS_MAX,
		.jited_func_lens = (uintptr_t)functions.len,
		.nr_jited_func_lens = FUNCTIONS_MAX,
		.prog_tags = (uintptr_t)functions.tag,
		.nr_prog_tags = FUNCTIONS_MAX,
	};
	uint32_t size = sizeof(info), count;
	int code = 0;

	if (bpf_obj_get_info_by_fd(fd, &info, &size))
		return 0;
	count = info.nr_jited_ksyms < info.nr_jited_func_lens ? info.nr_jited_ksyms
							      : info.nr_jited_func_lens;
	if (count > info.nr_prog_tags)
		count = info.nr_prog_tags;
	for (uint32_t i = 0; !code && i < count && i < FUNCTIONS_MAX; i++)
		code = emit_function(&functions, i, info.name, sink, err);
	return code;
}

int bpf_existing_emit(struct sink *sink, struct err *err)
{
	int code = 0;

	for (uint32_t id = 0; !code && bpf_prog_get_next_id(id, &id) == 0;) {
		AUTO_CLOSE int fd = bpf_prog_get_fd_by_id(id);

		if (fd >= 0) /* else it is gone */
			code = emit_program(fd, sink, err);
	}
	return code;
}
