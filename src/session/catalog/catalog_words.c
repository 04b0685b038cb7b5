/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line for each tracepoint that has no meaning written by hand (see catalog_meanings.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "session/catalog/catalog.h"
#include "session/catalog/catalog_meanings.h"

#define FIELDS_SHOWN 4 /* in a meaning; --details has all */
#define FORMAT_LIMIT 65536

struct word {
	const char *from, *to;
};

/* What the subsystems are. In the order of strcmp(). */
static const struct word systems[] = {
	{ "alarmtimer", "timers that wake the machine" },
	{ "amd_cpu", "AMD CPU's frequency" },
	{ "avc", "SELinux" },
	{ "block", "disk requests" },
	{ "bpf_test_run", "tests of BPF programs" },
	{ "bridge", "network bridge" },
	{ "btrfs", "Btrfs files" },
	{ "capability", "capabilities of processes" },
	{ "cgroup", "control groups" },
	{ "clk", "clocks of devices" },
	{ "compaction", "memory compaction" },
	{ "cpuhp", "CPU hotplug" },
	{ "csd", "function calls between CPUs" },
	{ "damon", "monitor of memory accesses (DAMON)" },
	{ "dev", "devices" },
	{ "dma", "memory for devices (DMA)" },
	{ "dma_fence", "fences of device memory" },
	{ "drm", "graphics (DRM)" },
	{ "erofs", "EROFS files" },
	{ "error_report", "error reports" },
	{ "ext4", "ext4 files" },
	{ "fib", "IPv4 routes" },
	{ "fib6", "IPv6 routes" },
	{ "filelock", "file locks and leases" },
	{ "filemap", "file pages in memory" },
	{ "fs_dax", "files in persistent memory (DAX)" },
	{ "fuse", "FUSE files" },
	{ "gpio", "GPIO lines" },
	{ "huge_memory", "huge pages" },
	{ "hugetlbfs", "hugetlbfs files" },
	{ "hwmon", "hardware sensors" },
	{ "i2c", "I2C bus" },
	{ "icmp", "ICMP messages" },
	{ "initcall", "start of the kernel" },
	{ "io_uring", "io_uring" },
	{ "iocost", "I/O cost control of groups" },
	{ "iomap", "file blocks (iomap)" },
	{ "iommu", "IOMMU" },
	{ "ipi", "interrupts between CPUs" },
	{ "irq", "interrupts" },
	{ "irq_matrix", "interrupt vectors" },
	{ "irq_vectors", "interrupts of the CPU" },
	{ "jbd2", "journal of ext4 (jbd2)" },
	{ "kmem", "kernel memory" },
	{ "ksm", "merging of equal pages (KSM)" },
	{ "kvm", "virtual machines (KVM)" },
	{ "kvmmmu", "memory of virtual machines (KVM)" },
	{ "kyber", "kyber disk scheduler" },
	{ "lock", "kernel locks" },
	{ "maple_tree", "maple trees (address spaces)" },
	{ "mce", "machine checks" },
	{ "mei", "Intel management engine" },
	{ "memcg", "memory of control groups" },
	{ "migrate", "moves of pages in memory" },
	{ "mmap", "address spaces" },
	{ "mmap_lock", "locks of address spaces" },
	{ "mmc", "memory cards" },
	{ "mptcp", "multipath TCP" },
	{ "msr", "model-specific registers" },
	{ "napi", "polling of network devices" },
	{ "neigh", "network neighbours (ARP)" },
	{ "net", "network packets" },
	{ "netlink", "netlink messages" },
	{ "nfs", "NFS client" },
	{ "nfsd", "NFS server" },
	{ "nmi", "non-maskable interrupts" },
	{ "notifier", "notifier chains" },
	{ "nvme", "NVMe disks" },
	{ "oom", "out of memory" },
	{ "page_isolation", "isolation of pages" },
	{ "page_pool", "pages for network packets" },
	{ "pagemap", "lists of pages" },
	{ "percpu", "memory per CPU" },
	{ "power", "power" },
	{ "qdisc", "queues of network devices" },
	{ "ras", "hardware errors" },
	{ "rcu", "RCU" },
	{ "readahead", "reading ahead" },
	{ "regmap", "registers of devices" },
	{ "rpm", "power of devices at run time" },
	{ "rseq", "restartable sequences" },
	{ "rtc", "real-time clock" },
	{ "sched", "scheduler" },
	{ "scsi", "SCSI disks" },
	{ "skb", "network packets" },
	{ "sock", "sockets" },
	{ "spi", "SPI bus" },
	{ "sunrpc", "RPC of NFS" },
	{ "swiotlb", "bounce buffers for devices" },
	{ "tcp", "TCP" },
	{ "thermal", "temperature" },
	{ "thp", "huge pages" },
	{ "timer", "timers" },
	{ "timer_migration", "timers of idle CPUs" },
	{ "timestamp", "times of files" },
	{ "tlb", "TLB" },
	{ "udp", "UDP" },
	{ "virtio_gpu", "virtio graphics" },
	{ "vmalloc", "virtual memory of the kernel" },
	{ "vmscan", "freeing of memory" },
	{ "vsock", "sockets between machines (vsock)" },
	{ "watchdog", "watchdog devices" },
	{ "wbt", "limits on writing to disk" },
	{ "workqueue", "work queues" },
	{ "writeback", "writing of changed pages" },
	{ "x86_fpu", "floating-point state" },
	{ "xdp", "XDP programs" },
	{ "xfs", "XFS files" },
	{ "xhci-hcd", "USB controller (xHCI)" },
};

/* Beginnings of names that say the subsystem once more. */
static const struct word beginnings[] = {
	{ "bridge", "br_" },	  { "compaction", "mm_compaction_" }, { "filemap", "mm_" },
	{ "huge_memory", "mm_" }, { "kvmmmu", "kvm_mmu_" },	      { "pagemap", "mm_" },
	{ "rpm", "rpm_" },	  { "timer_migration", "tmigr_" },    { "vmscan", "mm_vmscan_" },
	{ "kmem", "mm_" },
};

/* Short forms that stand for one word wherever the kernel uses them. In the order of strcmp(). */
static const struct word shorts[] = {
	{ "addr", "address" },
	{ "attr", "attribute" },
	{ "blk", "block" },
	{ "buf", "buffer" },
	{ "cmd", "command" },
	{ "ctx", "context" },
	{ "dev", "device" },
	{ "dir", "directory" },
	{ "err", "error" },
	{ "irq", "interrupt" },
	{ "lru", "LRU" },
	{ "mem", "memory" },
	{ "msg", "message" },
	{ "nr", "number of" },
	{ "rcv", "receive" },
	{ "recv", "receive" },
	{ "req", "request" },
	{ "rq", "request" },
	{ "sk", "socket" },
	{ "skb", "packet" },
	{ "sock", "socket" },
	{ "trans", "transaction" },
	{ "xattr", "extended attribute" },
	{ "xmit", "transmit" },
};

static int compare(const void *name, const void *row)
{
	return strcmp(name, ((const struct word *)row)->from);
}

static const char *find(const struct word *rows, size_t count, const char *name)
{
	const struct word *row = bsearch(name, rows, count, sizeof(rows[0]), compare);

	return row ? row->to : name;
}

/* `name` without what its subsystem has said, unless nothing would be left. */
static const char *skip_beginning(const char *system, const char *name)
{
	size_t len = strlen(system);

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++) {
		size_t part = strlen(beginnings[i].to);

		if (strcmp(beginnings[i].from, system) == 0 &&
		    strncmp(name, beginnings[i].to, part) == 0 && name[part])
			return name + part;
	}
	if (strncmp(name, system, len) == 0 && name[len] == '_' && name[len + 1])
		return name + len + 1;
	return name;
}

/* "inode_alloc" as " inode alloc". */
static void put_words(const char *name, struct buf *ret)
{
	while (*name) {
		size_t len = strcspn(name, "_");
		char word[64];

		(void)snprintf(word, sizeof(word), "%.*s", (int)len, name);
		if (len >= sizeof(word))
			(void)buf_printf(ret, " %.*s", (int)len, name);
		else if (len)
			(void)buf_printf(ret, " %s",
					 find(shorts, sizeof(shorts) / sizeof(shorts[0]), word));
		name += len + (name[len] == '_');
	}
}

static void put_fields(const char *fields, struct buf *ret)
{
	size_t count = 0;

	for (const char *at = fields; *at; count++) {
		size_t len = strcspn(at, " ");

		if (count < FIELDS_SHOWN)
			(void)buf_printf(ret, "%s%.*s", count ? ", " : "; fields ",
					 (int)strcspn(at, " ["), at);
		at += len + (at[len] == ' ');
	}
	if (!count)
		(void)buf_puts(ret, "; no fields");
	else if (count > FIELDS_SHOWN)
		(void)buf_printf(ret, " and %zu more", count - FIELDS_SHOWN);
}

const char *catalog_tracepoint_words(const char *name, const char *fields, struct catalog *catalog)
{
	const char *colon = strchr(name, ':'), *ret;
	struct buf text = { 0 };
	char system[128];

	(void)snprintf(system, sizeof(system), "%.*s", (int)(colon ? colon - name : 0), name);
	(void)buf_printf(&text, "%s:", find(systems, sizeof(systems) / sizeof(systems[0]), system));
	put_words(skip_beginning(system, colon ? colon + 1 : name), &text);
	if (fields)
		put_fields(fields, &text);
	else
		(void)buf_puts(&text, "; its format cannot be read");
	ret = catalog_text(catalog, "%s", text.data);
	buf_done(&text);
	return ret;
}

/* "unsigned char comm[16]" as "comm[16]", of a declaration that ends at `end`. */
static void put_field(const char *line, const char *end, struct buf *ret)
{
	const char *name = end;

	while (name > line && name[-1] != ' ' && name[-1] != '*')
		name--;
	if (strncmp(name, "common_", 7) != 0)
		(void)buf_printf(ret, "%s%.*s", ret->len ? " " : "", (int)(end - name), name);
}

const char *catalog_tracepoint_fields(const char *tracefs, const char *name,
				      struct catalog *catalog)
{
	static const char begin[] = "\n\tfield:";
	const char *colon = strchr(name, ':'), *ret;
	struct buf text = { .limit = FORMAT_LIMIT }, names = { 0 };
	struct err ignored = { 0 };
	char path[512];

	if (!colon || snprintf(path, sizeof(path), "%s/events/%.*s/%s/format", tracefs,
			       (int)(colon - name), name, colon + 1) >= (int)sizeof(path))
		return NULL;
	if (fd_read_file(path, &text, &ignored)) {
		buf_done(&text);
		return NULL;
	}
	for (const char *line = text.len ? strstr(text.data, begin) : NULL; line;
	     line = strstr(line + 1, begin)) {
		const char *end = strchr(line + 1, ';');

		if (end)
			put_field(line, end, &names);
	}
	if (names.len)
		text_tidy(names.data, names.len);
	ret = arena_strdup(&catalog->arena, names.len ? names.data : "");
	buf_done(&text);
	buf_done(&names);
	return ret;
}
