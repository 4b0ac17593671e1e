# SPDX-License-Identifier: GPL-2.0-only
"""Arrays for the tests of gaudi-tpc-run, made without NumPy.

    arrays.py make FILE TYPE SIZES OFFSET|=VALUE    dimension 0 first
    arrays.py same FILE NAME                        what a kernel must give
    arrays.py hostile FOLDER SEED COUNT             files that are damaged
    arrays.py numpy FILE                            as NumPy reads it
"""
import ast
import os
import random
import struct
import sys

TYPES = {"f32": ("<f4", "f"), "bf16": ("<V2", "H"), "i32": ("<i4", "i"),
         "u32": ("<u4", "I"), "i16": ("<i2", "h"), "u16": ("<u2", "H"),
         "i8": ("|i1", "b"), "u8": ("|u1", "B")}


def value(i):
    """Element i of an input, exact in bf16."""
    return ((37 * i + 11) % 201 - 100) / 16


def bf16(x):
    """The 16 bits of x, rounded to nearest even."""
    bits = struct.unpack("<I", struct.pack("<f", x))[0]
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16


def f32(x):
    """x as an f32 holds it."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


def widen(x):
    """The number that 16 bits of bf16 are."""
    return struct.unpack("<f", struct.pack("<I", x << 16))[0]


def image(kind, sizes, values, version=1):
    """The bytes of a file."""
    descr, code = TYPES[kind]
    shape = tuple(reversed(sizes))
    head = "{'descr': %r, 'fortran_order': False, 'shape': %r, }" % (
        descr, shape)
    before = 10 if version == 1 else 12
    head += " " * (-(before + len(head) + 1) % 64) + "\n"
    size = struct.pack("<H" if version == 1 else "<I", len(head))
    return (b"\x93NUMPY" + bytes([version, 0]) + size + head.encode() +
            struct.pack("<%d%s" % (len(values), code), *values))


def load(path):
    """Type, sizes (dimension 0 first) and values."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x93NUMPY\x01\x00", "magic"
    end = 10 + struct.unpack("<H", data[8:10])[0]
    assert end % 64 == 0 and data[end - 1:end] == b"\n", "padding"
    head = ast.literal_eval(data[10:end].decode())
    kind = [k for k, v in TYPES.items() if v[0] == head["descr"]][0]
    sizes = list(reversed(head["shape"]))
    code = TYPES[kind][1]
    count = (len(data) - end) // struct.calcsize(code)
    return kind, sizes, struct.unpack("<%d%s" % (count, code), data[end:])


def make(path, kind, sizes, start):
    """An input, by the formula, or of one value."""
    sizes = [int(n) for n in sizes.split("x")]
    count = 1
    for n in sizes:
        count *= n
    if start[0] == "=":
        values = [float(start[1:])] * count
    else:
        values = [value(i + int(start)) for i in range(count)]
    if kind == "bf16":
        values = [bf16(x) for x in values]
    elif kind != "f32":
        values = [int(x) for x in values]
    with open(path, "wb") as file:
        file.write(image(kind, sizes, values, 2 if "v2" in path else 1))


def rmw():
    """What rmw_add_f32 adds up, on 100 x 10."""
    sums = []
    for k in range(4):
        for d in range(100):
            x = 1.0
            for r in range(k, 10, 4):
                x = f32(x + value(100 * r + d))
            sums.append(x)
    return sums


WANTED = {
    "add": ("f32", [200, 3],
            lambda: [f32(value(i) + value(i + 5)) for i in range(600)]),
    "mul": ("bf16", [200, 3],
            lambda: [bf16(value(i) * value(i + 9)) for i in range(600)]),
    "saxpy": ("f32", [128, 2],
              lambda: [f32(2.5 * value(i) - 0.75 * value(i + 3))
                       for i in range(256)]),
    "transpose": ("f32", [70, 5],
                  lambda: [value(i % 70 * 5 + i // 70) for i in range(350)]),
    "rmw": ("f32", [100, 4], rmw),
}


def same(path, name):
    """Ends with an error if the file has not what it must have."""
    kind, sizes, values = WANTED[name]
    got = load(path)
    assert got[0] == kind and got[1] == sizes, got[:2]
    for i, (a, b) in enumerate(zip(got[2], values())):
        assert a == b, "element %d is %r, not %r" % (i, a, b)
    assert len(got[2]) == len(values())


HEADERS = [
    "{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }",
    "{'descr': '>f4', 'fortran_order': False, 'shape': (4,), }",
    "{'descr': '<f4', 'fortran_order': True, 'shape': (4,), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (4), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (-4,), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2,,2), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,4), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2147483648,), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': "
    "(2147483647,2147483647,2147483647), }",
    "{'descr': '<f4', 'fortran_order': False, }",
    "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (4,), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), 'x': 1}",
    "{'descr': '<f4' 'fortran_order': False, 'shape': (4,)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), } x",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (4,",
    "{'descr': '<f4",
    "",
]


def hostile(folder, seed, count):
    """bad-*: wrong in each case; any-*: damaged at random, may be right."""
    rng = random.Random(int(seed))
    good = image("f32", [64], [value(i) for i in range(64)])
    for i, head in enumerate(HEADERS):
        head = (head + "\n").encode()
        write(folder, "bad-%02d" % i, b"\x93NUMPY\x01\x00" +
              struct.pack("<H", len(head)) + head + bytes(16))
    for i in range(len(good)):
        if i % 16 == 0 or i < 12:
            write(folder, "bad-cut-%03d" % i, good[:i])
    write(folder, "bad-version", good[:6] + b"\x03" + good[7:])
    write(folder, "bad-length", good[:8] + b"\xff\xff" + good[10:])
    write(folder, "bad-long", good + b"\0")
    for i in range(int(count)):
        data = bytearray(good)
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(128)] = rng.choice(
                list(b"(){},:'\" 0123456789<>|fFV\n\x00\xff"))
        write(folder, "any-%03d" % i, bytes(data))


def write(folder, name, data):
    """One file."""
    with open(os.path.join(folder, name + ".npy"), "wb") as file:
        file.write(data)


def with_numpy(path):
    """2 if there is no NumPy."""
    try:
        import numpy
    except ImportError:
        sys.exit(2)
    array = numpy.load(path)
    print(array.dtype.str, array.shape)


if __name__ == "__main__":
    {"make": make, "same": same, "hostile": hostile,
     "numpy": with_numpy}[sys.argv[1]](*sys.argv[2:])
