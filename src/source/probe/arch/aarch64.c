/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probes on arm64 stay at the function's first instruction: the kernel executes nearly all of them
 * in single steps. */
#include "source/probe/arch/probe_arch.h"

enum probe_cost probe_arch_cost(const uint8_t *code, size_t len, const char **ret_name)
{
	(void)code;
	(void)len;
	*ret_name = "";
	return PROBE_COST_UNKNOWN;
}

bool probe_arch_is_neutral(const uint8_t *code, size_t len)
{
	(void)code;
	(void)len;
	return false;
}

bool probe_arch_is_switch(const uint8_t *code, size_t len, const struct probe_code *function)
{
	(void)function;
	(void)code;
	(void)len;
	return true;
}

bool probe_arch_is_marked(const uint8_t *code, size_t len)
{
	(void)code;
	(void)len;
	return false;
}
