/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/doctor: each check on machines that are made up of files, and on this one. */
#include <errno.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/doctor/doctor_binary.h"
#include "session/doctor/doctor_check.h"
#include "source/bpf/bpf_kind.h"
#include "source/perf_event/event_try.h"

#define ALL_CAPABILITIES UINT64_MAX

struct machine {
	char root[64];
	struct doctor_options options;
	struct arena arena;
	struct doctor doctor;
	struct doctor_finding finding;
};

static void setup(struct machine *machine)
{
	*machine = (struct machine){ .root = "/tmp/cupel-doctor-XXXXXX" };
	assert_non_null(mkdtemp(machine->root));
	machine->options.root = machine->root;
	machine->doctor = (struct doctor){ .options = &machine->options,
					   .arena = &machine->arena,
					   .capabilities = ALL_CAPABILITIES,
					   .root_user = true,
					   .paranoid = 2 };
}

static void put_file(const struct machine *machine, const char *path, const char *text)
{
	char full[256];
	FILE *file;

	(void)snprintf(full, sizeof(full), "%s%s", machine->root, path);
	for (char *slash = strchr(full + strlen(machine->root) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		assert_true(mkdir(full, 0755) == 0 || errno == EEXIST);
		*slash = '/';
	}
	file = fopen(full, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void teardown(struct machine *machine)
{
	char command[128];

	(void)snprintf(command, sizeof(command), "rm -r %s", machine->root);
	assert_int_equal(system(command), 0);
	arena_done(&machine->arena);
}

static enum doctor_level ask(struct machine *machine, doctor_check *check)
{
	machine->finding = (struct doctor_finding){ .name = "test" };
	check(&machine->doctor, &machine->finding);
	assert_non_null(machine->finding.found);
	/* a problem has an explanation */
	if (machine->finding.level >= DOCTOR_LIMITED)
		assert_non_null(machine->finding.consequence);
	return machine->finding.level;
}

static void test_settings_are_read_below_the_root(void **state)
{
	struct machine m;

	(void)state;
	setup(&m);
	assert_int_equal(ask(&m, check_pressure), DOCTOR_LIMITED);
	put_file(&m, "/proc/pressure/cpu", "some avg10=0.00\n");
	assert_int_equal(ask(&m, check_pressure), DOCTOR_OK);
	put_file(&m, "/proc/sys/kernel/perf_event_max_stack", "16\n");
	assert_int_equal(ask(&m, check_max_stack), DOCTOR_LIMITED);
	assert_string_equal(m.finding.command, "sudo sysctl kernel.perf_event_max_stack=127");
	put_file(&m, "/proc/sys/kernel/perf_event_max_sample_rate", "250\n");
	assert_int_equal(ask(&m, check_sample_rate), DOCTOR_LIMITED);
	put_file(&m, "/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
	assert_int_equal(ask(&m, check_clock), DOCTOR_LIMITED);
	put_file(&m, "/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
	assert_int_equal(ask(&m, check_clock), DOCTOR_OK);
	put_file(&m, "/sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	assert_int_equal(ask(&m, check_lockdown), DOCTOR_MISSING);
	put_file(&m, "/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	assert_int_equal(ask(&m, check_lockdown), DOCTOR_OK);
	assert_int_equal(ask(&m, check_btf), DOCTOR_MISSING);
	assert_int_equal(ask(&m, check_tracefs), DOCTOR_MISSING);
	assert_string_equal(m.finding.command, "sudo mount -t tracefs nodev /sys/kernel/tracing");
	assert_int_equal(ask(&m, check_cgroups), DOCTOR_LIMITED);
	teardown(&m);
}

static void test_watchdog_matters_where_there_are_counters(void **state)
{
	struct machine m;

	(void)state;
	setup(&m);
	put_file(&m, "/proc/sys/kernel/nmi_watchdog", "1\n");
	assert_int_equal(ask(&m, check_nmi_watchdog), DOCTOR_OK);
	m.doctor.hardware = true;
	assert_int_equal(ask(&m, check_nmi_watchdog), DOCTOR_LIMITED);
	teardown(&m);
}

static void test_paranoid_limits_who_has_no_capability(void **state)
{
	struct machine m;

	(void)state;
	setup(&m);
	assert_int_equal(ask(&m, check_paranoid), DOCTOR_OK);
	m.doctor.capabilities = 0;
	assert_int_equal(ask(&m, check_paranoid), DOCTOR_LIMITED);
	assert_string_equal(m.finding.command, "sudo sysctl kernel.perf_event_paranoid=1");
	m.doctor.paranoid = 1;
	assert_int_equal(ask(&m, check_paranoid), DOCTOR_LIMITED);
	assert_string_equal(m.finding.command, "sudo sysctl kernel.perf_event_paranoid=-1");
	m.doctor.paranoid = -1;
	assert_int_equal(ask(&m, check_paranoid), DOCTOR_OK);
	m.doctor.paranoid = PARANOID_UNKNOWN;
	assert_int_equal(ask(&m, check_paranoid), DOCTOR_LIMITED);
	teardown(&m);
}

static void test_rights_are_named_as_this_place_grants_them(void **state)
{
	struct machine m;

	(void)state;
	setup(&m);
	assert_int_equal(ask(&m, check_capabilities), DOCTOR_OK);
	m.doctor.capabilities = (uint64_t)1 << CAP_SYSLOG;
	m.doctor.root_user = false;
	assert_int_equal(ask(&m, check_capabilities), DOCTOR_LIMITED);
	assert_string_equal(m.finding.found, "without CAP_PERFMON, CAP_BPF, CAP_SYS_PTRACE");
	assert_non_null(strstr(m.finding.command, "sudo setcap cap_bpf,cap_perfmon"));
	m.doctor.in_user_namespace = true;
	assert_int_equal(ask(&m, check_capabilities), DOCTOR_LIMITED);
	assert_null(m.finding.command);
	assert_int_equal(ask(&m, check_namespaces), DOCTOR_LIMITED);
	m.doctor.in_container = true;
	assert_int_equal(ask(&m, check_capabilities), DOCTOR_LIMITED);
	assert_non_null(strstr(m.finding.command, "docker run --cap-add"));
	assert_int_equal(ask(&m, check_container), DOCTOR_LIMITED);
	assert_int_equal(ask(&m, check_seccomp), DOCTOR_OK);
	m.doctor.seccomp = 2;
	assert_int_equal(ask(&m, check_seccomp), DOCTOR_LIMITED);
	teardown(&m);
}

static void test_hidepid_is_that_of_proc(void **state)
{
	struct machine m;

	(void)state;
	setup(&m);
	m.doctor.root_user = false;
	put_file(&m, "/proc/self/mountinfo",
		 "21 1 0:20 / /proc rw - proc proc rw\n22 1 0:21 / /x/proc rw - proc proc "
		 "rw,hidepid=2\n");
	assert_int_equal(ask(&m, check_hidepid), DOCTOR_OK);
	put_file(&m, "/proc/self/mountinfo", "21 1 0:20 / /proc rw - proc proc rw,hidepid=2\n");
	assert_int_equal(ask(&m, check_hidepid), DOCTOR_LIMITED);
	m.doctor.root_user = true;
	assert_int_equal(ask(&m, check_hidepid), DOCTOR_OK);
	teardown(&m);
}

static void test_features_need_their_kinds_of_program(void **state)
{
	struct machine m;

	(void)state;
	setup(&m);
	for (enum bpf_kind kind = 0; kind < BPF_KINDS; kind++)
		m.doctor.bpf[kind] = 0;
	assert_int_equal(ask(&m, check_bpf_programs), DOCTOR_OK);
	m.doctor.in_pid_namespace = true;
	assert_int_equal(ask(&m, check_waits), DOCTOR_MISSING);
	assert_string_equal(m.finding.found, "inside a PID namespace");
	m.doctor.in_pid_namespace = false;
	m.doctor.bpf[BPF_KIND_ITER] = -EINVAL;
	assert_int_equal(ask(&m, check_bpf_programs), DOCTOR_LIMITED);
	assert_int_equal(ask(&m, check_waits), DOCTOR_MISSING);
	m.doctor.bpf[BPF_KIND_PERF_EVENT] = -EPERM;
	assert_int_equal(ask(&m, check_whole_stacks), DOCTOR_MISSING);
	assert_non_null(m.finding.fix);
	m.doctor.bpf[BPF_KIND_UPROBE_MULTI] = -EINVAL;
	assert_int_equal(ask(&m, check_uprobe_multi), DOCTOR_MISSING);
	assert_string_equal(m.finding.fix, "needs Linux 6.6 or newer");
	teardown(&m);
}

static void test_kernel_names_are_hidden_when_all_addresses_are_0(void **state)
{
	struct machine m;

	(void)state;
	setup(&m);
	m.doctor.root_user = false;
	put_file(&m, "/proc/kallsyms", "0000000000000000 A percpu\n0000000000000000 T _text\n");
	put_file(&m, "/proc/sys/kernel/kptr_restrict", "0\n");
	assert_int_equal(ask(&m, check_kernel_names), DOCTOR_MISSING);
	assert_string_equal(m.finding.command, "sudo sysctl kernel.perf_event_paranoid=1");
	put_file(&m, "/proc/sys/kernel/kptr_restrict", "1\n");
	assert_int_equal(ask(&m, check_kernel_names), DOCTOR_MISSING);
	assert_string_equal(m.finding.command,
			    "sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1");
	put_file(&m, "/proc/kallsyms", "0000000000000000 A percpu\nffffffff81000000 T _text\n");
	assert_int_equal(ask(&m, check_kernel_names), DOCTOR_OK);
	teardown(&m);
}

static void test_program_is_found_as_a_shell_does(void **state)
{
	struct machine m;

	(void)state;
	setup(&m);
	assert_int_equal(ask(&m, check_program_names), DOCTOR_SKIPPED);
	assert_int_equal(ask(&m, check_jit_names), DOCTOR_SKIPPED);
	m.options.program = "no-such-program";
	m.finding.consequence = NULL;
	check_program_names(&m.doctor, &m.finding);
	assert_int_equal(m.finding.level, DOCTOR_MISSING);
	m.options.program = "sh";
	assert_true(ask(&m, check_program_names) != DOCTOR_MISSING);
	assert_non_null(strstr(m.finding.found, "/sh: "));
	teardown(&m);
}

static void test_process_with_compiled_code_wants_a_map(void **state)
{
	struct machine m;

	(void)state;
	setup(&m);
	m.options.pid = 4194305; /* above what the kernel gives out */
	put_file(&m, "/proc/4194305/comm", "java\n");
	put_file(&m, "/proc/4194305/maps",
		 "7f0000000000-7f0000001000 r-xp 00000000 08:01 7 /bin/java\n");
	assert_int_equal(ask(&m, check_jit_names), DOCTOR_SKIPPED);
	put_file(&m, "/proc/4194305/maps", "7f0000000000-7f0000001000 rwxp 00000000 00:00 0 \n");
	assert_int_equal(ask(&m, check_jit_names), DOCTOR_LIMITED);
	assert_string_equal(m.finding.command, "jcmd 4194305 Compiler.perfmap");
	put_file(&m, "/proc/4194305/maps",
		 "7f0000000000-7f0000001000 rwxp 00000000 00:00 0 \n"
		 "7f0000002000-7f0000003000 r-xp 00000000 08:01 9 /tmp/jit-4194305.dump\n");
	assert_int_equal(ask(&m, check_jit_names), DOCTOR_OK);
	teardown(&m);
}

static void test_binary_is_examined(void **state)
{
	struct doctor_binary self = doctor_examine_binary("/proc/self/exe");

	(void)state;
	assert_true(self.readable && self.functions && self.unwinding);
	assert_false(doctor_examine_binary("/etc/passwd").readable);
}

static void test_others_are_those_with_perf_events(void **state)
{
	struct machine m;
	char path[128];

	(void)state;
	setup(&m);
	put_file(&m, "/proc/7/comm", "oth\033er\n");
	put_file(&m, "/proc/7/fd/1", "");
	assert_int_equal(ask(&m, check_others), DOCTOR_OK);
	for (int i = 2; i < 4; i++) {
		(void)snprintf(path, sizeof(path), "%s/proc/7/fd/%d", m.root, i);
		assert_int_equal(symlink("anon_inode:[perf_event]", path), 0);
	}
	assert_int_equal(ask(&m, check_others), DOCTOR_LIMITED);
	assert_non_null(strstr(m.finding.found, "2 perf events of oth?er (7)"));
	teardown(&m);
}

static void test_cache_needs_a_folder(void **state)
{
	struct machine m;
	char path[128];

	(void)state;
	setup(&m);
	assert_int_equal(unsetenv("HOME") | setenv("XDG_CACHE_HOME", m.root, 1), 0);
	assert_int_equal(ask(&m, check_cache), DOCTOR_OK);
	(void)snprintf(path, sizeof(path), "%s/cupel", m.root);
	assert_int_equal(access(path, F_OK), -1); /* nothing was made */
	assert_int_equal(mkdir(path, 0777) | chmod(path, 0777), 0);
	assert_int_equal(ask(&m, check_cache), DOCTOR_LIMITED);
	assert_int_equal(unsetenv("XDG_CACHE_HOME"), 0);
	assert_int_equal(ask(&m, check_cache), DOCTOR_LIMITED);
	teardown(&m);
}

static void test_kinds_and_events_are_tried(void **state)
{
	struct perf_event_attr nonsense = { .type = PERF_TYPE_SOFTWARE, .config = 9999 };
	int kinds[BPF_KINDS];

	(void)state;
	bpf_kinds_try(kinds);
	for (enum bpf_kind kind = 0; kind < BPF_KINDS; kind++)
		assert_true(kinds[kind] <= 0 && bpf_kind_name(kind)[0]);
	assert_true(event_try(&nonsense, 0, -1) < 0);
	assert_true(event_try_own(PERF_TYPE_SOFTWARE, 9999) < 0);
}

static void test_what_cannot_be_seen_is_said(void **state)
{
	struct machine m;

	(void)state;
	setup(&m);
	assert_int_equal(ask(&m, check_file_systems), DOCTOR_MISSING);
	assert_string_equal(m.finding.found, "/proc and /sys not mounted");
	m.doctor.has_proc = true;
	assert_int_equal(ask(&m, check_file_systems), DOCTOR_MISSING);
	assert_string_equal(m.finding.command, "sudo mount -t sysfs sys /sys");
	m.doctor.has_sys = true;
	assert_int_equal(ask(&m, check_file_systems), DOCTOR_OK);
	teardown(&m);
}

static void test_filters_may_answer_that_there_is_no_call(void **state)
{
	struct machine m;

	(void)state;
	setup(&m);
	assert_true(doctor_is_refusal(&m.doctor, -EACCES));
	assert_false(doctor_is_refusal(&m.doctor, -ENOSYS));
	m.doctor.bpf[BPF_KIND_TP_BTF] = -ENOSYS;
	m.doctor.seccomp = 2;
	assert_true(doctor_is_refusal(&m.doctor, -ENOSYS));
	assert_int_equal(ask(&m, check_waits), DOCTOR_MISSING);
	assert_non_null(strstr(m.finding.fix, "seccomp"));
	teardown(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_cannot_be_seen_is_said),
		cmocka_unit_test(test_filters_may_answer_that_there_is_no_call),
		cmocka_unit_test(test_settings_are_read_below_the_root),
		cmocka_unit_test(test_watchdog_matters_where_there_are_counters),
		cmocka_unit_test(test_paranoid_limits_who_has_no_capability),
		cmocka_unit_test(test_rights_are_named_as_this_place_grants_them),
		cmocka_unit_test(test_hidepid_is_that_of_proc),
		cmocka_unit_test(test_features_need_their_kinds_of_program),
		cmocka_unit_test(test_kernel_names_are_hidden_when_all_addresses_are_0),
		cmocka_unit_test(test_program_is_found_as_a_shell_does),
		cmocka_unit_test(test_process_with_compiled_code_wants_a_map),
		cmocka_unit_test(test_binary_is_examined),
		cmocka_unit_test(test_others_are_those_with_perf_events),
		cmocka_unit_test(test_cache_needs_a_folder),
		cmocka_unit_test(test_kinds_and_events_are_tried),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
