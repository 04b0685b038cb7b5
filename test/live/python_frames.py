# SPDX-License-Identifier: GPL-2.0-or-later
# A call tree that python_frames.sh knows by what Python itself says of it: at its leaf, each thread
# writes its stack, outermost first, as NAME:LINE, and then stays there for a while.
import sys
import threading
import time


def work(until):
    x = 0
    while time.monotonic() < until:
        for i in range(200):
            x += i * i
    return x


def leaf(until, told):
    frame = sys._getframe()
    stack = []
    while frame is not None:
        code = frame.f_code
        stack.append("%s:%d" % (getattr(code, "co_qualname", code.co_name), frame.f_lineno))
        frame = frame.f_back
    told.append(";".join(reversed(stack[1:])))
    return work(until)


class Job:
    @classmethod
    def make(cls, until, told):
        return cls().run(until, told)

    def run(self, until, told):
        def key(value):
            return leaf(until, told) if value == 2 else value

        return sorted([1, 2, 3], key=key)


def steps(until, told):
    yield 1
    yield Job.make(
        until,
        told,
    )


def recurse(depth, until, told):
    if depth:
        return recurse(depth - 1, until, told)
    return [step for step in steps(until, told)]


def other(until, told):
    return leaf(until, told)


def main():
    until = time.monotonic() + float(sys.argv[1])
    told = []
    thread = threading.Thread(target=other, args=(until, told))
    thread.start()
    open(sys.argv[2] + ".ready", "w").close()
    recurse(3, until, told)
    thread.join()
    with open(sys.argv[2], "w") as out:
        out.write("".join(line + "\n" for line in told))


main()
