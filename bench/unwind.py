# SPDX-License-Identifier: GPL-2.0-or-later
"""The measurements of bench/unwind.sh, which prepares the programs and lists the requirements."""
import glob
import json
import os
import random
import re
import resource
import shlex
import statistics
import subprocess
import sys
import time

import unwind_figures
import unwind_load
import unwind_whole

CUPEL = os.environ["CUPEL"]
RATE = 999
TOOLS = {
    "cupel": [CUPEL, "record", "-F", str(RATE)],
    "cupel -z": [CUPEL, "record", "-z", "-F", str(RATE)],
    "perf fp": ["perf", "record", "-F", str(RATE), "-g"],
    "perf dwarf 8k": ["perf", "record", "-F", str(RATE), "--call-graph", "dwarf,8192"],
    "perf dwarf 64k": ["perf", "record", "-F", str(RATE), "--call-graph", "dwarf,65528"],
}


def say(*text):
    print(*text, flush=True)


def command_line(command):
    words = shlex.join(command)
    return words if len(words) < 100 else words[:97] + "..."


def table(columns, rows):
    widths = [max(len(str(row[i])) for row in [columns] + rows) for i in range(len(columns))]
    for row in [columns] + rows:
        say("  ".join(str(cell).ljust(width) if i == 0 else str(cell).rjust(width)
                      for i, (cell, width) in enumerate(zip(row, widths))))
    say()


def run(command, **options):
    """Runs a command without output: (exit status, its messages, wall s, own CPU s, peak KiB)."""
    began = time.monotonic()
    with open("said", "w+b") as said:
        options.setdefault("stdout", subprocess.DEVNULL)
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=said, **options)
        _, status, use = os.wait4(child.pid, 0)
        said.seek(0)
        text = said.read().decode(errors="replace")
    child.returncode = os.waitstatus_to_exitcode(status)
    return (child.returncode, text, time.monotonic() - began,
            use.ru_utime + use.ru_stime, use.ru_maxrss)


def record(tool, program, path):
    """Records a program with one of TOOLS; None and a message when that fails twice, which stock
    perf does now and then while other recordings come and go."""
    command = TOOLS[tool] + ["-o", path, "--"] + program
    for _ in range(2):
        if os.path.exists(path):
            os.remove(path)
        status, text, _, _, _ = run(command)
        if os.path.exists(path) and os.path.getsize(path):
            return text
    say("%s failed with status %d: %s" % (tool, status, text.strip().splitlines()[-1:]))
    return None


def report_json(path):
    out = subprocess.run([CUPEL, "report", "--json", "-i", path], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, check=False).stdout
    try:
        return json.loads(out)
    except ValueError:
        return {}


def bpftrace(program):
    """Stacks that bpftrace sees of a program while it runs, or None."""
    script = "profile:hz:%d /pid == %%d/ { @[ustack(perf)] = count(); } interval:s:2 { exit(); }" % RATE
    child = subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with subprocess.Popen(["bpftrace", "-e", script % child.pid], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as tracer:
            time.sleep(1.5)
            with open("/proc/%d/maps" % child.pid, encoding="utf-8") as file:
                maps = file.read()
            text = tracer.communicate()[0]
    except OSError:
        return None
    finally:
        child.kill()
        child.wait()
    return unwind_whole.of_bpftrace(text, maps)


def percent(stacks):
    return "%.2f %%" % stacks.share() if stacks and stacks.user else "-"


class Sizes:
    def __init__(self):
        self.bytes = self.samples = 0

    def add(self, path, stacks):
        self.bytes += os.path.getsize(path)
        self.samples += stacks.user + stacks.kernel_only

    def each(self):
        return self.bytes / self.samples if self.samples else float("nan")


def show_own_account(name, path):
    """The file's own numbers about its stacks: complete ones, and the stop reasons of the others."""
    for event in report_json(path).get("events", []):
        stacks = event["stacks"]
        stopped = ", ".join("%s %d" % item for item in stacks["stopped"].items() if item[1])
        say("  %s, by its own account: %d of %d stacks complete, %d samples lost; %s" %
            (name, stacks["complete"], stacks["total"], event.get("lost", 0),
             stopped or "none stopped"))


def measure_stacks():
    say("== user stacks that reach the root, and bytes per sample on disk, at %d Hz" % RATE)
    for tool, command in TOOLS.items():
        say("+ %s -o FILE -- PROGRAM" % command_line(command))
    traced = run(["sh", "-c", "command -v bpftrace"])[0] == 0
    if not traced:
        say("bpftrace is not installed: its column is left out")
    rows, sizes = [], {tool: Sizes() for tool in TOOLS}
    longer = unwind_load.programs(3)
    size = float(os.environ.get("BENCH_SIZE", "1"))
    for name, program in unwind_load.programs(size).items():
        if not program or not wanted("BENCH_PROGRAMS", name):
            say("%s: %s" % (name, "left out" if program else "not installed"))
            continue
        row = [name]
        for tool in TOOLS:
            text = record(tool, program, "data")
            stacks = text is not None and unwind_whole.of_perf_data("data")
            if stacks:
                sizes[tool].add("data", stacks)
            if tool == "cupel -z":
                continue
            row.append(percent(stacks))
            if tool == "cupel" and stacks:
                row.insert(1, stacks.user)
                unwind_figures.note("whole", name, round(stacks.share(), 2))
                show_own_account(name, "data")
                for frame, count in stacks.broken.most_common(3):
                    say("  %s: %d end at %s" % (name, count, frame))
        rows.append(row + [percent(bpftrace(longer[name])) if traced else "-"])
        say("  " + ", ".join(map(str, rows[-1])))
    say()
    table(["program", "stacks", "cupel", "perf fp", "dwarf 8k", "dwarf 64k", "bpftrace"], rows)
    base = sizes["perf dwarf 8k"].each()
    table(["bytes per sample", "bytes", "samples", "each", "dwarf 8k is"],
          [[tool, s.bytes, s.samples, "%.0f" % s.each(), "%.1fx" % (base / s.each())]
           for tool, s in sizes.items() if s.samples])
    for tool, which in (("cupel", "disk"), ("cupel -z", "disk -z")):
        if sizes[tool].samples:
            unwind_figures.note(which, ", ".join(row[0] for row in rows), base / sizes[tool].each())


def own_cpu_s(command):
    """CPU time of a program alone, under whatever records it: the shell that starts it measures."""
    script = "TIMEFORMAT='%3U %3S'; { time \"$@\" >/dev/null 2>&1 </dev/null; } 2>cpu"
    run(command[0] + ["bash", "-c", script, "bash"] + command[1])
    with open("cpu", encoding="ascii") as file:
        return sum(float(word) for word in file.read().split())


def interval(ratios):
    """The median and its 95 % interval by resampling."""
    medians = sorted(statistics.median(random.choices(ratios, k=len(ratios))) for _ in range(2000))
    return statistics.median(ratios), medians[50], medians[1949]


def measure_slowdown():
    rounds = int(os.environ.get("BENCH_ROUNDS", "10"))
    say("== slowdown of the program itself (its own CPU time), %d rounds of all in random order; "
        "medians of the ratios within a round, with 95 %% intervals" % rounds)
    rows = []
    small = unwind_load.programs(0.5)
    for name in ("cc1", "python3", "deep python3"):
        if not small[name] or not wanted("BENCH_PROGRAMS", name):
            continue
        for rate in (99, 999):
            record_with = {
                "none": [],
                "perf": ["perf", "record", "-q", "-F", str(rate), "-g", "-o", "slow.data", "--"],
                "cupel": [CUPEL, "record", "-q", "-F", str(rate), "-o", "slow.data", "--"],
            }
            ratios = {"perf": [], "cupel": [], "both": []}
            for _ in range(rounds):
                order = random.sample(list(record_with), 3)
                cpu = {who: own_cpu_s((record_with[who], small[name])) for who in order}
                ratios["perf"].append(cpu["perf"] / cpu["none"])
                ratios["cupel"].append(cpu["cupel"] / cpu["none"])
                ratios["both"].append(cpu["cupel"] / cpu["perf"])
            found = [interval(of_round) for of_round in ratios.values()]
            rows.append(["%s, %d Hz" % (name, rate)] + ["%.4f [%.4f, %.4f]" % i for i in found])
            unwind_figures.note("slowdown", rows[-1][0], *found[-1])
    for command in list(record_with.values())[1:]:
        say("+ " + command_line(command))
    table(["program", "perf fp / none", "cupel / none", "cupel / perf fp"], rows)


def stacks_with_time(path):
    """(pid, time s, whole) of each sample with a user part, in time order, as perf reads the file."""
    out = subprocess.run(["perf", "script", "-f", "--no-inline", "--max-stack", "2048", "--ns",
                          "-F", "pid,time,ip,dso", "-i", path], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True, errors="replace",
                         check=False).stdout
    for block in out.split("\n\n"):
        head = re.search(r"^\s*(\d+)\s+(\d+\.\d+):", block, re.M)
        stacks = unwind_whole.Stacks()
        frames = [(int(a, 16), dso, int(a, 16)) for a, dso in
                  re.findall(r"^\s+([0-9a-f]+) \((.*)\)$", block, re.M) if int(a, 16) >> 63 == 0]
        stacks.add(frames)
        if head and frames:
            yield int(head[1]), float(head[2]), bool(stacks.whole)


def measure_start():
    say("== from starting the recorder to the first whole stack of a program that runs already")
    busy = subprocess.Popen([unwind_load.system_program("python3"), "-c", "while True: sorted([1])"])
    rows = []
    time.sleep(0.5)
    command = [CUPEL, "record", "-q", "-k", "mono", "-F", str(RATE), "-p", str(busy.pid),
               "--duration", "1s", "-o", "start.data"]
    say("+ " + command_line(command))
    try:
        for _ in range(5):
            began = time.clock_gettime(time.CLOCK_MONOTONIC)
            run(command)
            times = [(at, whole) for _, at, whole in stacks_with_time("start.data")]
            first = next((at for at, whole in times if whole), float("nan"))
            rows.append([len(rows) + 1, "%.0f ms" % ((first - began) * 1e3),
                         sum(not whole for at, whole in times if at < first)])
            unwind_figures.note("start", "run %d" % len(rows), round((first - began) * 1e3))
    finally:
        busy.kill()
        busy.wait()
    table(["run", "first whole", "samples before"], rows)


def tables_bytes(path):
    walks = report_json(path).get("self", {}).get("walks", {})
    return walks.get("table_bytes", 0)


def measure_system():
    seconds = int(os.environ.get("BENCH_SECONDS", "10"))
    say("== system-wide at 99 Hz for %d s, all CPUs busy; `steady`: what %d s more add; after a "
        "recording of 2 s, because tables are cached after the first" % (seconds, 2 * seconds))
    busy = [subprocess.Popen([unwind_load.system_program("python3"), "-c",
                              "while True: sum(i * i for i in range(1000))"])
            for _ in range(os.cpu_count())]
    rows = []
    try:
        time.sleep(0.5)
        for who, command in {
                "cupel": [CUPEL, "record", "-a", "-F", "99", "--duration"],
                "perf fp": ["perf", "record", "-a", "-F", "99", "-g"],
                "perf dwarf 8k": ["perf", "record", "-a", "-F", "99", "--call-graph", "dwarf,8192"],
        }.items():
            cost = []
            for length in (2, seconds, 3 * seconds):
                tail = ["%ds" % length] if who == "cupel" else ["sleep", str(length)]
                full = command + (["-o", "system.data"] + tail if who != "cupel" else
                                  tail + ["-o", "system.data"])
                say("+ " + command_line(full))
                # time(1) starts small; a child of Python's would begin with its peak memory
                _, text, _, cpu, _ = run(["/usr/bin/time", "-q", "-f", "%M"] + full)
                cost.append((cpu, int(text.split()[-1]) / 1024, tables_bytes("system.data") / 2**20))
            del cost[0]
            steady = (cost[1][0] - cost[0][0]) / (2 * seconds) * 100
            rows.append([who, "%.0f ms" % (cost[0][0] * 1e3),
                         "%.2f %%" % (cost[0][0] / seconds * 100),
                         "%.2f %%" % (cost[1][0] / (3 * seconds) * 100), "%.2f %%" % steady,
                         "%.1f MB" % cost[1][1], "%.1f MB" % cost[1][2]])
            if who == "cupel":
                for length, (cpu, _, _) in zip((seconds, 3 * seconds), cost):
                    unwind_figures.note("cpu", "of %d s" % length, cpu / length * 100)
                unwind_figures.note("cpu steady", "beyond %d s" % seconds, steady)
                unwind_figures.note("resident", "of %d s" % (3 * seconds),
                                    cost[1][1] - cost[1][2])
    finally:
        for child in busy:
            child.kill()
            child.wait()
    table(["recorder", "own CPU, %d s" % seconds, "of one CPU", "of %d s" % (3 * seconds), "steady",
           "peak RSS", "tables in it"], rows)


def measure_short():
    say("== programs that live for a few milliseconds: the first sample of each")
    script = "i=0; while [ $i -lt 300 ]; do %s -e '%s'; i=$((i + 1)); done" % \
        (unwind_load.system_program("perl"), "$n += $_ for 1 .. 100000")
    rows = []
    for tool in ("cupel", "perf fp", "perf dwarf 8k"):
        say("+ %s -- sh -c \"%s\"" % (command_line(TOOLS[tool]), script))
        if record(tool, ["sh", "-c", script], "short.data") is None:
            continue
        first = {}
        for pid, _, whole in stacks_with_time("short.data"):
            first.setdefault(pid, whole)
        rows.append([tool, len(first), sum(not whole for whole in first.values())])
        if tool == "cupel":
            unwind_figures.note("first", "of %d programs" % len(first), rows[-1][2])
    table(["recorder", "processes sampled", "first stack not whole"], rows)


def walk_stats(path):
    """text → number, of what `cupel report --stats` says of walks in the kernel."""
    out = subprocess.run([CUPEL, "report", "--stats", "-i", path], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True, check=False).stdout
    found = out.partition("stack walks:")[2]
    return {text: int(number) for number, text in re.findall(r"^ *(\d+)  (.+)$", found, re.M)}


def measure_cost():
    say("== walks in the kernel, by the recording's own account (cupel report --stats)")
    say("+ %s -o FILE -- PROGRAM" % command_line(TOOLS["cupel"]))
    rows, names, crossed, samples = [], unwind_load.programs(), 0, 0
    names.update(unwind_load.fifty_frames())
    for name, program in names.items():
        if not program or not wanted("BENCH_PROGRAMS", name):
            continue
        if record("cupel", program, "cost.data") is None:
            continue
        stacks = unwind_whole.of_perf_data("cost.data")
        stats = walk_stats("cost.data")
        if not stats:
            say("%s: the recording says nothing of walks" % name)
            continue

        def stat(text, of=stats):
            return next((value for key, value in of.items() if key.startswith(text)), 0)

        depths = sorted(stacks.depths.elements())
        hits, misses = stat("unwind rules found"), stat("unwind rules looked up")
        crossed += stat("bytes from kernel")
        samples += stacks.user + stacks.kernel_only
        rows.append([
            name, depths[len(depths) // 2] if depths else "-",
            stat("user stacks unwound"), stat("sent to user space as"), stat("not sent to user space"),
            "%.2f us" % (stat("ns at most for half") / 1e3),
            "%.2f us" % (stat("ns at most for 99") / 1e3),
            "%.1f %%" % (100 * hits / max(1, hits + misses)),
            "%.0f" % (stat("bytes from kernel") / max(1, stacks.user + stacks.kernel_only))])
        if name.startswith("fifty"):
            unwind_figures.note("walk P50", name, stat("ns at most for half") / 1e3)
            unwind_figures.note("walk P99", name, stat("ns at most for 99") / 1e3)
    table(["program", "frames (median)", "walked", "handed up", "refused", "P50", "P99",
           "cached rules", "bytes/sample to user space"], rows)
    say("all together: %d bytes for %d samples, %.1f each\n" %
        (crossed, samples, crossed / max(1, samples)))
    if samples:
        unwind_figures.note("crossed", "of these", crossed / samples)


def measure_tables():
    say("== tables: size, and the best time of ten to build them")
    helper = os.path.join(os.path.dirname(CUPEL), "test/live/unwind_compact")
    if run(["ninja", "-C", os.path.dirname(CUPEL), "test/live/unwind_compact"])[0]:
        say("test/live/unwind_compact cannot be built")
        return
    files = glob.glob("/usr/lib/*-linux-gnu/libc.so.6") + glob.glob("/usr/lib/llvm-*/lib/libLLVM.so")
    files += [p for p in map(unwind_load.system_program, ("node", "python3")) if p]
    rows = []
    for path in dict.fromkeys(map(os.path.realpath, files)):
        out = "".join(subprocess.run([helper, path], stdout=subprocess.PIPE, text=True,
                                     check=False).stdout for _ in range(10))
        said = re.findall(r"(\d+) raw rows.* (\d+) bytes, ([\d.]+) ms, (\d+) ns a raw row", out)
        if said:
            best = min(said, key=lambda match: float(match[2]))
            rows.append([os.path.basename(path), best[0], "%.3f MB" % (int(best[1]) / 1e6),
                         best[2] + " ms", best[3] + " ns"])
            unwind_figures.note("table", os.path.basename(path), int(best[1]) / 1e6)
            unwind_figures.note("row", os.path.basename(path), int(best[3]))
    say("+ %s FILE" % helper)
    table(["file", "raw rows", "table", "built in", "per raw row"], rows)


PARTS = {
    "stacks": measure_stacks,
    "cost": measure_cost,
    "tables": measure_tables,
    "start": measure_start,
    "system": measure_system,
    "short": measure_short,
    "slowdown": measure_slowdown,
}


def names_in(variable):
    return [word.strip() for word in os.environ.get(variable, "").split(",") if word.strip()]


def wanted(variable, name):
    return name in (names_in(variable) or [name])


def show_figures():
    say("== what is aimed at, and what was measured")
    for figure, target, said, met in unwind_figures.rows():
        say("%-33s %-23s %s" % (figure, target, met))
        for one in said:
            say("    " + one)


def main():
    unwind_figures.load()
    try:
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (resource.RLIM_INFINITY,) * 2)
    except ValueError:
        pass  # then bpftrace does with what there is, or its column stays empty
    unknown = set(names_in("BENCH_PARTS")) - set(PARTS)
    if unknown:
        return "bench: no such part: %s" % ", ".join(sorted(unknown))
    unwind_load.make_inputs()
    for name, measure in PARTS.items():
        if wanted("BENCH_PARTS", name):
            measure()
            unwind_figures.save()
    show_figures()
    return 0


sys.exit(main())
