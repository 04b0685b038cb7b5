/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names the recorder's processes (bpf/own.bpf.h) to a program, once all of them are there. */
#ifndef SOURCE_BPF_OWN_PROCESSES_H
#define SOURCE_BPF_OWN_PROCESSES_H

#include <stdint.h>
#include <unistd.h>

#include "base/confined.h"
#include "bpf/own.h"

static inline void own_processes_put(uint32_t *own)
{
	uint32_t child[OWN_PROCESSES - 1];
	unsigned count = confined_list(child, OWN_PROCESSES - 1);

	for (unsigned i = 0; i < OWN_PROCESSES; i++)
		own[i] = i < count ? child[i] : (uint32_t)getpid();
}

#endif
