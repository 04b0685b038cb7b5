/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CPU's identity on x86-64, from the CPUID instruction (Intel SDM volume 2A, CPUID). */
#include "format/perf_data/perf_data_write_feature.h"

#include <cpuid.h>
#include <stdio.h>
#include <string.h>

bool perf_feature_cpu_id(char *ret, size_t size)
{
	unsigned a, b, c, d, family, model;
	char vendor[13];

	if (!__get_cpuid(0, &a, &b, &c, &d))
		return false;
	memcpy(vendor, &b, 4);
	memcpy(vendor + 4, &d, 4);
	memcpy(vendor + 8, &c, 4);
	vendor[12] = '\0';
	if (!__get_cpuid(1, &a, &b, &c, &d))
		return false;
	family = a >> 8 & 0xf;
	model = a >> 4 & 0xf;
	if (family == 0xf)
		family += a >> 20 & 0xff;
	if (family >= 6)
		model += (a >> 16 & 0xf) << 4;
	(void)snprintf(ret, size, "%s,%u,%u,%u", vendor, family, model, a & 0xf);
	return true;
}
