"""How much of the machine others used meanwhile: what a reader needs to know of a noisy figure."""

import os
import resource
import time


def busy_seconds():
    """Of all cores since the start, by anyone, what the host takes away included."""
    with open("/proc/stat") as file:
        user, nice, system, _, _, irq, softirq, steal = map(int, file.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def own_seconds():
    """Of this process and of those it has waited for."""
    parts = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(part.ru_utime + part.ru_stime for part in parts)


class Meter:
    def __enter__(self):
        self.start = (time.monotonic(), busy_seconds(), own_seconds())
        return self

    def __exit__(self, *_):
        began, busy, own = self.start
        self.seconds = time.monotonic() - began
        others = (busy_seconds() - busy) - (own_seconds() - own)
        self.others = max(0.0, others / (self.seconds * os.cpu_count()))
