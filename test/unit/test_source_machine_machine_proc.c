/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/context: the kernel's texts, and a sampler on this machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "event/machine.h"
#include "source/machine/machine_proc.h"
#include "source/machine/machine_sampler.h"

static void test_stat(void **state)
{
	struct machine_sample totals = { 0 };

	(void)state;
	machine_proc_stat("cpu  9 9 9 9 9 9 9 9 9 9\n"
			  "cpu0 100 20 30 400 5 6 7 8 0 0\n"
			  "cpu2 1 0 0 0 0 0 0 0 0 0\n"
			  "intr 571047 1 2 3\n"
			  "ctxt 1018478\nbtime 1795306924\nprocesses 40251\n"
			  "procs_running 27\nprocs_blocked 3\nsoftirq 410885 0 57021\n",
			  100, &totals);
	assert_int_equal(totals.cpu.count, 2);
	assert_int_equal(totals.cpu.item[0].ms[MACHINE_USER], 1200);
	assert_int_equal(totals.cpu.item[0].ms[MACHINE_SYSTEM], 300);
	assert_int_equal(totals.cpu.item[0].ms[MACHINE_IDLE], 4000);
	assert_int_equal(totals.cpu.item[0].ms[MACHINE_IOWAIT], 50);
	assert_int_equal(totals.cpu.item[0].ms[MACHINE_IRQ], 130);
	assert_int_equal(totals.cpu.item[0].ms[MACHINE_STEAL], 80);
	assert_int_equal(totals.cpu.item[1].cpu, 2);
	assert_int_equal(totals.value[MACHINE_INTERRUPTS], 571047);
	assert_int_equal(totals.value[MACHINE_SWITCHES], 1018478);
	assert_int_equal(totals.value[MACHINE_FORKS], 40251);
	assert_int_equal(totals.value[MACHINE_RUNNABLE], 27);
	assert_int_equal(totals.value[MACHINE_BLOCKED], 3);
	machine_sample_done(&totals);
}

static void test_schedstat(void **state)
{
	struct machine_sample totals = { 0 };

	(void)state;
	machine_proc_schedstat("version 15\ntimestamp 4\n"
			       "cpu0 0 0 0 0 0 0 111 222 333\ndomain0 3 1 2\n"
			       "cpu1 0 0 0 0 0 0 111 1000 333\n",
			       &totals);
	assert_int_equal(totals.value[MACHINE_QUEUED], 1222);
}

static void test_memory(void **state)
{
	struct machine_sample totals = { 0 };

	(void)state;
	machine_proc_meminfo("MemTotal:       1000 kB\nMemAvailable:    500 kB\nBuffers:  1 kB\n"
			     "Cached:   2 kB\nSwapCached: 99 kB\nDirty:  4 kB\nWriteback: 5 kB\n"
			     "WritebackTmp: 9 kB\nSwapTotal: 10 kB\nSwapFree: 4 kB\n",
			     &totals);
	machine_proc_vmstat("pgmajfault 12\npgscan_direct_throttle 9\npgscan_direct 3\n", &totals);
	assert_int_equal(totals.value[MACHINE_MEM_TOTAL], 1000 * 1024);
	assert_int_equal(totals.value[MACHINE_MEM_CACHED], 3 * 1024);
	assert_int_equal(totals.value[MACHINE_MEM_DIRTY], 9 * 1024);
	assert_int_equal(totals.value[MACHINE_SWAP_USED], 6 * 1024);
	assert_int_equal(totals.value[MACHINE_MAJOR_FAULTS], 12);
	assert_int_equal(totals.value[MACHINE_DIRECT_SCANS], 3);
	assert_false(machine_knows(&totals, MACHINE_OOM_KILLS));
}

static void test_pressure(void **state)
{
	static const char text[] = "some avg10=1.03 avg60=0.83 avg300=0.45 total=5982648\n"
				   "full avg10=0.00 avg60=0.00 avg300=0.11 total=3473505\n";
	struct machine_sample totals = { 0 };

	(void)state;
	machine_proc_pressure(text, MACHINE_PSI_IO, MACHINE_PSI_IO_FULL, &totals);
	machine_proc_pressure(text, MACHINE_PSI_CPU, MACHINE_PSI_CPU, &totals);
	assert_int_equal(totals.value[MACHINE_PSI_IO], 5982648000);
	assert_int_equal(totals.value[MACHINE_PSI_IO_FULL], 3473505000);
	assert_int_equal(totals.value[MACHINE_PSI_CPU], 5982648000);
}

/* Partitions are part of their disk; kernels before 5.5 do not count flushes. */
static void test_disks(void **state)
{
	struct machine_sample totals = { 0 };

	(void)state;
	machine_proc_diskstats("   8  0 sda 10 1 16 4 20 2 32 8 0 500 12 0 0 0 0 3 6\n"
			       "   8  1 sda1 10 1 16 4 20 2 32 8 0 500 12\n"
			       " 259  0 nvme0n1 1 0 2 0 0 0 0 0 0 0 0\n"
			       " 259  1 nvme0n1p1 1 0 2 0 0 0 0 0 0 0 0\n"
			       "   7  1 loop1 0 0 0 0 0 0 0 0 0 0 0\n"
			       "   7 10 loop10 0 0 0 0 0 0 0 0 0 0 0\n",
			       &totals);
	assert_int_equal(totals.disk.count, 4);
	assert_int_equal(totals.disk.item[0].value[MACHINE_DISK_READ_BYTES], 16 * 512);
	assert_int_equal(totals.disk.item[0].value[MACHINE_DISK_WAIT_MS], 18);
	assert_int_equal(totals.disk.item[0].value[MACHINE_DISK_BUSY_MS], 500);
	assert_int_equal(totals.disk.item[0].value[MACHINE_DISK_FLUSHES], 3);
	assert_string_equal(totals.disk.item[1].name, "nvme0n1");
	assert_string_equal(totals.disk.item[3].name, "loop10");
	machine_sample_done(&totals);
}

static void test_net(void **state)
{
	struct machine_sample totals = { 0 };

	(void)state;
	machine_proc_net_dev("Inter-|   Receive     |  Transmit\n face |bytes    packets\n"
			     "    lo:  582387     112    1    2    0     0          0         0   "
			     "582388     113    3    4    0     0       0          0\n",
			     &totals);
	assert_int_equal(totals.net.count, 1);
	assert_string_equal(totals.net.item[0].name, "lo");
	assert_int_equal(totals.net.item[0].value[MACHINE_NET_RX_DROPS], 3);
	assert_int_equal(totals.net.item[0].value[MACHINE_NET_TX_BYTES], 582388);
	assert_int_equal(totals.net.item[0].value[MACHINE_NET_TX_DROPS], 7);
	machine_proc_snmp("Ip: A B\nIp: 1 2\nTcp: RtoAlgorithm MaxConn InSegs RetransSegs InErrs\n"
			  "Tcp: 1 -1 500 17 0\n",
			  &totals);
	assert_int_equal(totals.value[MACHINE_RETRANSMITS], 17);
	machine_sample_done(&totals);
}

static void test_cgroup(void **state)
{
	struct machine_sample totals = { 0 };
	char path[64];
	bool v2;

	(void)state;
	assert_true(machine_proc_cgroup("9:name=systemd:/x\n2:cpuacct:/y\n1:cpu:/a/b\n0::/u\n", &v2,
					path, sizeof(path)));
	assert_false(v2);
	assert_string_equal(path, "/a/b");
	assert_true(machine_proc_cgroup("0::/user.slice\n", &v2, path, sizeof(path)));
	assert_true(v2);
	assert_string_equal(path, "/user.slice");
	assert_false(machine_proc_cgroup("3:cpuset:/\n", &v2, path, sizeof(path)));
	machine_proc_cpu_stat("nr_periods 1\nnr_throttled 2\nthrottled_usec 30\n", &totals);
	assert_int_equal(totals.value[MACHINE_THROTTLED], 30000);
}

/* Whatever this machine is, it has CPUs and memory, and counts nothing backwards. */
static void test_sampler(void **state)
{
	struct machine_sampler *sampler = machine_sampler_new(0, 1000);
	struct machine_sample sample;

	(void)state;
	machine_sampler_take(sampler, 3000, &sample);
	assert_int_equal(sample.time_ns, 3000);
	assert_int_equal(sample.interval_ns, 2000);
	assert_true(sample.cpu.count > 0);
	assert_true(sample.value[MACHINE_MEM_TOTAL] > 0);
	assert_true(machine_knows(&sample, MACHINE_SWITCHES));
	assert_true(sample.value[MACHINE_SWITCHES] < 1000000);
	machine_sample_done(&sample);
	machine_sampler_free(sampler);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stat),   cmocka_unit_test(test_schedstat),
		cmocka_unit_test(test_memory), cmocka_unit_test(test_pressure),
		cmocka_unit_test(test_disks),  cmocka_unit_test(test_net),
		cmocka_unit_test(test_cgroup), cmocka_unit_test(test_sampler),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
