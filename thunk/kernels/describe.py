# SPDX-License-Identifier: MIT
"""What a kernel takes, in words: for gaudi_kernel_describe() and for the docs."""
import itertools
import struct
import textwrap

# How many dims of a tensor may be other than 1, and its shape; {T}: the tensor that
# has the index space, or the one that the shape names; {N}: a dim; {S}: scalar 0.
SHAPES = {
    "same": (5, "as {T}"),
    "fewer": (5, "as {T}; outer dims may be missing"),
    "spread": (5, "as {T}; any dim may be 1"),
    "row": (5, "as {T}, but dim 0 is 1"),
    "one": (0, "one element"),
    "eight": (1, "8 elements"),
    "table": (2, "dim 0 as {T}; any dim 1; no others"),
    "matrix": (2, "any dims 0 and 1; no others"),
    "along": (5, "as {T}; any dim {N}"),
    "any": (5, "as {T}; any dim {N}"),
    "swapped": (5, "as {T}; dims 0 and 1 change places"),
    "order": (5, "dims of {T} in the order of {S}"),
    "windows": (5, "as {T}; dims 1 and 2 are twice as many, or one less"),
    "strided": (5, "as {T}; dims 1 and 2: one for each window"),
    "pooled": (5, "as {T}; dims 1 and 2 are half, rounded down or up"),
}


def rank_and_shape(kernel, tensor):
    """Also of the tensor that the others are compared with: any, mostly."""
    tensors = kernel["tensors"]
    space = tensors[kernel["space"]]
    dim = tensor["rule"] in ("along", "any", "order")
    like = space if dim else tensors[tensor["of"]]
    if tensor["rule"] == "same" and like is tensor:
        ones = [t["of"] for t in tensors if t["rule"] == "along"]
        return 5, "any; dim %d is 1" % ones[0] if ones else "any"
    rank, text = SHAPES[tensor["rule"]]
    scalar = kernel["scalars"][0]["name"] if kernel["scalars"] else None
    return rank, text.format(T=like["name"], N=tensor["of"], S=scalar)


def stem(name):
    """The name without the types of its tensors, for one row of the table."""
    for end in ("_f32", "_bf16", "_i32"):
        if name.endswith(end) and not name.startswith("cast_"):
            return name[:-len(end)]
    return name


def number(scalar):
    if scalar["type"] != "f32":
        return str(scalar["default"])
    return "%g" % struct.unpack("<f", struct.pack("<I", scalar["default"]))


def rows_of(kernels):
    """[names, tensors, scalars, what it computes, NaNs], in the order of names."""
    rows = {}
    for k in kernels:
        name = stem(k["name"])
        kind = k["name"][len(name) + 1:]
        tensors = tuple((t["name"], rank_and_shape(k, t)[1])
                        for t in k["tensors"])
        scalars = tuple(
            s["name"] + (" = " + number(s) if s["default"] is not None else "") +
            ": " + s["about"] for s in k["scalars"])
        rows.setdefault((name, tensors, scalars, k["about"], k["nan"]),
                        []).append(kind)
    return sorted((row[0], sorted(k for k in kinds if k)) + row[1:]
                  for row, kinds in rows.items())


WIDTHS = (0, 5, 36, 33, 22)
HEAD = """\
.. SPDX-License-Identifier: MIT
.. Made by thunk/kernels/make-kernels --table: do not edit.

=======================
Operands of the kernels
=======================

What ``gaudi_kernel_describe()`` tells of each kernel (:doc:`kernels`), beside what is read,
what is written and what the scalars mean. Dim 0 is the inner one, and a dim that a tensor
does not have is 1. A scalar with a default may be missing at the end.

The last column is about NaNs in what is read. "propagates": all that another number in its
place could change is a NaN (of the maximum and the minimum, as in IEEE 754-2019); nothing else
is. ``T=kernels:shapes`` holds every kernel to it.

"""


def table(kernels):
    heads = ("name", "types", "tensors, then scalars = default", "what it computes",
             "a NaN")
    rows = [[[h] for h in heads]]
    for name, kinds, tensors, scalars, about, nan in rows_of(kernels):
        cells = ["| %s: %s" % t for t in tensors]
        cells += ["| " + s for s in scalars]
        rows.append([
            ["``%s``" % name], kinds,
            sum((textwrap.wrap(c, WIDTHS[2], subsequent_indent="  ")
                 for c in cells), []),
            textwrap.wrap(about, WIDTHS[3], break_on_hyphens=False),
            textwrap.wrap(nan, WIDTHS[4])])
    widths = (max(len(row[0][0]) for row in rows),) + WIDTHS[1:]
    line = " ".join("=" * w for w in widths)
    out = [HEAD + line]
    for i, row in enumerate(rows):
        for cells in itertools.zip_longest(*row, fillvalue=""):
            out.append(" ".join(c.ljust(w) for c, w in zip(cells, widths))
                       .rstrip())
        out.append(line if i in (0, len(rows) - 1) else "")
    return "\n".join(out) + "\n"
