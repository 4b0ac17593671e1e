# SPDX-License-Identifier: MIT
"""Sets of moments, as sorted lists of (begin, end) that do not touch."""

import bisect


def union(spans):
    merged = []
    for begin, end in sorted(spans):
        if merged and begin <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((begin, end))
    return merged


def total(spans):
    return sum(end - begin for begin, end in spans)


def within(spans, begin, end):
    """How much of them is from begin to end; they are as union() makes them."""
    found = 0
    place = max(bisect.bisect(spans, (begin, begin)) - 1, 0)
    while place < len(spans) and spans[place][0] < end:
        found += max(min(spans[place][1], end) - max(spans[place][0], begin), 0)
        place += 1
    return found


def both(first, second):
    """What is in both; each is as union() makes them."""
    found = []
    i = j = 0
    while i < len(first) and j < len(second):
        begin = max(first[i][0], second[j][0])
        end = min(first[i][1], second[j][1])
        if begin < end:
            found.append((begin, end))
        if first[i][1] < second[j][1]:
            i += 1
        else:
            j += 1
    return found


def minus(first, second):
    """What is in the first only; each is as union() makes them."""
    found = []
    j = 0
    for begin, end in first:
        while j < len(second) and second[j][1] <= begin:
            j += 1
        k = j
        while k < len(second) and second[k][0] < end:
            if begin < second[k][0]:
                found.append((begin, second[k][0]))
            begin = max(begin, second[k][1])
            k += 1
        if begin < end:
            found.append((begin, end))
    return found
