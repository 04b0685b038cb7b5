# SPDX-License-Identifier: GPL-2.0-or-later
# A call tree with known stacks for python_frames.sh: each thread writes Python's own view of its stack at
# the leaf, outermost first, as NAME:LINE, and then works there for a while.
import sys
import threading
import time


def work(until):
    x = 0
    while time.monotonic() < until:
        for i in range(200):
            x += i * i
    return x


def leaf(until, seen):
    frame = sys._getframe()
    stack = []
    while frame is not None:
        code = frame.f_code
        stack.append("%s:%d" % (getattr(code, "co_qualname", code.co_name), frame.f_lineno))
        frame = frame.f_back
    seen.append(";".join(reversed(stack[1:])))
    return work(until)


class Job:
    @classmethod
    def make(cls, until, seen):
        return cls().run(until, seen)

    def run(self, until, seen):
        def key(value):
            return leaf(until, seen) if value == 2 else value

        return sorted([1, 2, 3], key=key)


def steps(until, seen):
    yield 1
    yield Job.make(
        until,
        seen,
    )


def recurse(depth, until, seen):
    if depth:
        return recurse(depth - 1, until, seen)
    return [step for step in steps(until, seen)]


def other(until, seen):
    return leaf(until, seen)


def main():
    until = time.monotonic() + float(sys.argv[1])
    seen = []
    thread = threading.Thread(target=other, args=(until, seen))
    thread.start()
    open(sys.argv[2] + ".ready", "w").close()
    recurse(3, until, seen)
    thread.join()
    with open(sys.argv[2], "w") as out:
        out.write("".join(line + "\n" for line in seen))


main()
