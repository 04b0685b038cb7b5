/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent's configuration, requests to its socket, and paths of cgroups: any text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "session/agent/agent_config.h"
#include "session/agent/agent_labels.h"
#include "session/agent/agent_status.h"
#include "store/label_set.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct agent_config config;
	struct label_set labels = { 0 };
	struct err err = { 0 };
	char *text = mem_zalloc(size + 1);

	memcpy(text, data, size);
	agent_labels_of_cgroup(text, &labels);
	(void)agent_request_parse(text);
	if (!agent_config_parse("text", text, &config, &err)) {
		(void)agent_config_apply(&config, &labels);
		agent_config_done(&config);
	}
	label_set_done(&labels);
	free(text);
	return 0;
}
