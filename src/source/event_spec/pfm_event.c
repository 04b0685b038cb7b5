/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of events by libpfm4 (see pfm_event.h). */
#include "source/event_spec/pfm_event.h"

#include <ctype.h>
#include <errno.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/library.h"

#define MAX_NAME 256

struct pfm {
	typeof(pfm_initialize) *pfm_initialize;
	typeof(pfm_strerror) *pfm_strerror;
	typeof(pfm_get_os_event_encoding) *pfm_get_os_event_encoding;
	typeof(pfm_get_pmu_info) *pfm_get_pmu_info;
	typeof(pfm_get_event_info) *pfm_get_event_info;
	typeof(pfm_get_event_next) *pfm_get_event_next;
	typeof(pfm_get_event_attr_info) *pfm_get_event_attr_info;
};

static const struct library_function functions[] = {
	LIBRARY_LINKED(struct pfm, pfm_initialize),
	LIBRARY_LINKED(struct pfm, pfm_strerror),
	LIBRARY_LINKED(struct pfm, pfm_get_os_event_encoding),
	LIBRARY_LINKED(struct pfm, pfm_get_pmu_info),
	LIBRARY_LINKED(struct pfm, pfm_get_event_info),
	LIBRARY_LINKED(struct pfm, pfm_get_event_next),
	LIBRARY_LINKED(struct pfm, pfm_get_event_attr_info),
};

static const struct library library = { .file = "libpfm.so.4",
					.functions = functions,
					.function_count = sizeof(functions) / sizeof(*functions) };

/* A second initialization does nothing. */
static int load(struct pfm *ret, struct err *err)
{
	int code = library_load(&library, ret, err);

	if (code) {
		(void)err_wrap(err, "vendors' names of events");
		return err_hint(err, "install libpfm4 (dnf, pacman: libpfm), or use rHEX");
	}
	code = ret->pfm_initialize();
	return code == PFM_SUCCESS ? 0
				   : err_set(err, -ENOENT, "libpfm4: %s", ret->pfm_strerror(code));
}

bool pfm_event_is_name(const char *text)
{
	size_t len = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return strstr(text, "::") ||
	       (len > 2 && isupper((unsigned char)*text) && (!text[len] || text[len] == ':'));
}

int pfm_event_encode(const char *text, struct pfm_encoding *ret, struct err *err)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };
	struct pfm pfm;
	int code = load(&pfm, err);

	if (code)
		return code;
	code = pfm.pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3 | PFM_PLMH,
					     PFM_OS_PERF_EVENT_EXT, &arg);
	if (code != PFM_SUCCESS) {
		(void)err_set(err, -ENOENT, "libpfm4: %s", pfm.pfm_strerror(code));
		return err_hint(err, "names that libpfm4 has for this CPU: cupel list pfm");
	}
	*ret = (struct pfm_encoding){
		.type = attr.type,
		.config = attr.config,
		.config1 = attr.config1,
		.config2 = attr.config2,
		.precise_ip = attr.precise_ip,
		.exclude_user = attr.exclude_user,
		.exclude_kernel = attr.exclude_kernel,
		.exclude_hv = attr.exclude_hv,
	};
	return 0;
}

/* An event by itself when it has no units or one of them is its default, then each unit. */
static void each_unit(const struct pfm *pfm, const pfm_event_info_t *event, pfm_event_call *call,
		      void *context)
{
	bool bare = true;

	for (int i = 0; i < event->nattrs; i++) {
		pfm_event_attr_info_t unit = { .size = sizeof(unit) };
		char name[MAX_NAME];

		if (pfm->pfm_get_event_attr_info(event->idx, i, PFM_OS_PERF_EVENT_EXT, &unit) !=
			    PFM_SUCCESS ||
		    unit.type != PFM_ATTR_UMASK)
			continue;
		bare = false;
		(void)snprintf(name, sizeof(name), "%s:%s", event->name, unit.name);
		call(context, name, unit.desc);
	}
	if (bare)
		call(context, event->name, event->desc);
}

/* libpfm4 also has the kernel's own names, as PMUs that every machine has. */
static bool is_of_cpu(const pfm_pmu_info_t *pmu)
{
	return pmu->is_present && pmu->type != PFM_PMU_TYPE_OS_GENERIC;
}

int pfm_event_each(pfm_event_call *call, void *context, struct err *err)
{
	struct pfm pfm;
	int code = load(&pfm, err);

	if (code)
		return code;
	for (int pmu = PFM_PMU_NONE; pmu < PFM_PMU_MAX; pmu++) {
		pfm_pmu_info_t info = { .size = sizeof(info) };

		if (pfm.pfm_get_pmu_info((pfm_pmu_t)pmu, &info) != PFM_SUCCESS || !is_of_cpu(&info))
			continue;
		for (int at = info.first_event; at >= 0; at = pfm.pfm_get_event_next(at)) {
			pfm_event_info_t event = { .size = sizeof(event) };

			if (pfm.pfm_get_event_info(at, PFM_OS_PERF_EVENT_EXT, &event) ==
			    PFM_SUCCESS)
				each_unit(&pfm, &event, call, context);
		}
	}
	return 0;
}
