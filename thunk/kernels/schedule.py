# SPDX-License-Identifier: MIT
"""Words of a kernel whose text is in sequence.

A template gives one operation after the other, each of which sees what those
before it wrote. Here they get registers and places: what does not depend on
each other goes into the same word, and what reads a result waits until the
pipeline has it.

Registers are given in the order of a first plan, which knows how many there are
but not which: so what is computed four times is computed side by side, as far as
registers last. It is taken if it has fewer words than the text's own order.
"""
import functools
import heapq
import re


class Error(Exception):
    pass


# Words from the one that writes to the first that may read. Not published;
# these are the shortest distances that compiled kernels keep, or longer.
FLOAT = 6          # sums and products of the vector unit
OTHER = 4
LOAD = 4
ADDRESS = 7        # GEN_ADDR to LD_G, and to what LD_G or LD_L loaded
PREDICATE = 2
INDEX = 1          # SET_INDX to an address

NUM_V = 40
SLOTS = ("load", "spu", "vpu", "store")
LOAD_OPS = ("ld_tnsr", "ld_tnsr_low", "ld_tnsr_high", "gen_addr", "ld_g",
            "ld_l", "ld_l_v", "prefetch", "lookup", "lookup_1c", "lookup_2c")
STORE_OPS = ("st_tnsr", "st_tnsr_low", "st_tnsr_high", "st_l", "st_g",
             "st_l_v", "cache_flush", "cache_invalidate", "aso")
# These keep a part of what they write to.
KEEPS = ("mac", "shuffle", "pack", "unpack", "mov_dg", "mov_g",
         "calc_fp_special", "udiv_4step", "set_indx")
# These need bits of the other slots' sources.
WIDE = ("sel_", "sel2_", "form_fp_num", "mov_dg")
ENDS = ("loop", "jmpr", "halt")

REGISTER = re.compile(r"^!?(VP|SP|AD|V|D|S|Z|I)(\d+)$")
VIRTUAL = re.compile(r"%([A-Za-z_]\w*)(!|\.[01])?")


@functools.lru_cache(None)
def registers(arg):
    """Those that an operand names."""
    m = VIRTUAL.fullmatch(arg)
    if m:
        name, part = m.groups()
        if part == "!":
            return frozenset((("V", name, 0), ("V", name, 1)))
        return frozenset((("V", name, 1 if part == ".1" else 0),))
    m = REGISTER.match(arg)
    if m:
        kind, n = m.group(1), int(m.group(2))
        if kind in ("D", "Z"):
            kind = {"D": "V", "Z": "S"}[kind]
            return frozenset(((kind, n), (kind, n + 1)))
        if n == 0 and kind in ("VP", "SP"):
            return frozenset()
        return frozenset(((kind, n),))
    if "LFSR" in arg:
        return frozenset((("LFSR", arg.startswith("S_")),))
    return frozenset()


class Op:
    """What a line does, whatever stands around it."""

    def __init__(self, text):
        self.text = text
        head, _, rest = text.partition(" ")
        self.name = head.split(".")[0]
        self.is_float = ".f32" in head or ".bf16" in head
        parts = [p.strip() for p in rest.split(",")] if rest else []
        first = parts[0].split() if parts else []
        self.mods = first[:-1]
        self.args = first[-1:] + parts[1:]
        self.imm = self.pred = None
        self.reads, self.writes = set(), set()
        self.sort_operands()
        self.slots = self.find_slots()
        self.wide = self.name.startswith(WIDE)
        # A load that no store may be beside.
        self.alone = "ld_l" in self.name or self.name.startswith("lookup")
        self.latency = {r: self.find_latency(r) for r in self.writes}
        self.longest = max(self.latency.values(), default=1)

    def sort_operands(self):
        args = list(self.args)
        if args and self.name not in ENDS and args[-1].lstrip("!")[:2] in (
                "SP", "VP") and len(args) > 1:
            last = args[-1]
            moves = self.name in ("mov", "and", "or", "xor", "not")
            if not (moves and args[0][:2] in ("SP", "VP") and
                    len(args) <= (2 if self.name in ("mov", "not") else 3)):
                self.pred = last
                self.reads |= registers(last)
                args.pop()
        if self.name in STORE_OPS or self.name == "prefetch":
            self.memory(args)
            return
        if self.name == "jmpr":
            self.reads |= registers(args[-1])
            return
        for a in args[1:]:
            self.reads |= registers(a)
        for a in args[:1]:
            self.writes |= registers(a)
        if self.name in KEEPS or (self.pred and self.pred.lstrip(
                "!").startswith("VP")):
            if self.name != "set_indx":
                self.reads |= self.writes
        if self.name == "convert" and "lane_sel" in self.text:
            self.reads |= self.writes
        if "partial" in self.mods:
            self.reads |= self.writes
        if any("LFSR" in a for a in args) or "sr" in self.mods:
            self.writes.add(("LFSR", False))
        for a in args[1:]:
            if re.match(r"^-?[0-9]", a) and self.name not in (
                    "ld_tnsr", "ld_tnsr_low", "ld_tnsr_high", "gen_addr"):
                self.imm = a
        if self.name in LOAD_OPS:
            self.memory(args)

    def memory(self, args):
        """Tensors and local memory: what was stored is not read sooner."""
        if self.name in LOAD_OPS:
            if self.name == "ld_l_v":
                self.reads.add(("VLM", 0))
            if self.name == "ld_tnsr":
                self.reads.add(("T", args[1]))
            return
        for a in args:
            self.reads |= registers(a)
        if self.name.startswith("st_tnsr"):
            self.writes.add(("T", args[0]))
        if self.name == "st_l_v":
            self.writes.add(("VLM", 0))
            if re.match(r"^[0-9]", args[0]):
                self.imm = args[0]
        if self.name == "st_g":
            self.writes.add(("G", 0))

    def find_slots(self):
        dest = self.args[0] if self.args else ""
        if self.name in LOAD_OPS:
            return ("load",)
        if self.name in STORE_OPS:
            return ("store",)
        if self.name == "set_indx":
            return ("store", "load", "spu")
        if self.name == "prmt_indx":
            return ("load",)
        if self.name == "mov" and dest[:1] in ("V", "%") and \
                dest[:2] != "VP" and not self.pred and \
                re.match(r"S\d|V\d|%|-?\d", self.args[1]):
            return ("load", "vpu")
        if dest[:1] in ("V", "D", "%"):
            return ("vpu",)
        return ("spu",)

    def text_in(self, slot):
        if slot == "load" and self.name == "mov" and \
                self.args[1].startswith("V"):
            return "mov " + ", ".join(self.args)
        return self.text

    def find_latency(self, register):
        """Until the result may be read."""
        kind = register[0]
        if kind in ("T", "VLM", "G", "LFSR"):
            return 1
        if kind in ("SP", "VP"):
            return ADDRESS if self.name in LOAD_OPS else PREDICATE
        if kind == "I":
            return INDEX if self.name == "set_indx" else OTHER
        if self.name in ("gen_addr", "ld_g", "ld_l"):
            return ADDRESS
        if self.name in LOAD_OPS:
            return LOAD
        if self.is_float and self.name in ("mac", "mul", "add", "sub",
                                           "convert", "nearbyint"):
            return FLOAT
        return FLOAT if self.name in ("mac", "mul") else OTHER

    def dims(self):
        for a in self.args:
            if re.match(r"^b[01]{5}$", a):
                return int(a[1:], 2)
        for a in self.mods:
            if re.match(r"^b[01]{5}$", a):
                return int(a[1:], 2)
        return 31


# Lines come again: in each plan, and in other kernels.
operation = functools.lru_cache(None)(Op)


# --- registers ---------------------------------------------------------------

def find_loops(lines):
    """First and last line of each loop, from the labels."""
    labels = {t[:-1]: i for i, (_, t) in enumerate(lines) if t.endswith(":")}
    loops = []
    for i, (_, t) in enumerate(lines):
        if t.startswith("loop "):
            end = t.split(",")[4].strip()
            loops.append((i, labels[end]))
        elif t.startswith("jmpr "):
            to = labels[t[5:].split(",")[0].strip()]
            if to < i:
                loops.append((to, i))
    return loops


def lifetimes(lines):
    first, last, pair = {}, {}, set()
    for i, (_, text) in enumerate(lines):
        for name, part in VIRTUAL.findall(text):
            first.setdefault(name, i)
            last[name] = i
            if part:
                pair.add(name)
    changed = True
    loops = find_loops(lines)
    while changed:
        changed = False
        for name, begin in first.items():
            for start, end in loops:
                if begin < start < last[name] < end:
                    last[name] = end
                    changed = True
    return first, last, pair


class Pool:
    """Registers; the one that is free for longest is taken first."""

    def __init__(self, taken):
        self.since = {n: -1 for n in range(NUM_V) if n not in taken}

    def take(self, pair, now):
        if pair:
            fit = [n for n in self.since if n % 2 == 0 and n + 1 in self.since]
            fit.sort(key=lambda n: (max(self.since[n], self.since[n + 1]), n))
        else:
            # Not one of a free pair, as far as possible.
            fit = sorted(self.since, key=lambda n: (
                self.since[n], n ^ 1 in self.since, n))
        if not fit:
            return None
        for n in range(fit[0], fit[0] + (2 if pair else 1)):
            del self.since[n]
        return fit[0]

    def give(self, n, pair, now):
        for i in range(n, n + (2 if pair else 1)):
            self.since[i] = now


def allocate(name, lines):
    first, last, pairs = lifetimes(lines)
    fixed = {int(n) for _, t in lines
             for n in re.findall(r"(?<![%\w])V(\d+)\b", t)}
    pool, at, out = Pool(fixed), {}, []
    ends = {}
    for v, i in last.items():
        ends.setdefault(i, []).append(v)
    for i, (number, text) in enumerate(lines):
        used = []
        for v, _ in VIRTUAL.findall(text):
            if v not in at and v not in used:
                used.append(v)
        # What ends here may be overwritten by what begins here.
        for v in used:
            at[v] = pool.take(v in pairs, i)
            if at[v] is None:
                raise Error("%s: line %d: no register for %%%s" % (name,
                                                                   number, v))

        def fill(m):
            n, part = at[m.group(1)], m.group(2)
            if part == "!":
                return "D%d" % n
            return "V%d" % (n + (1 if part == ".1" else 0))
        out.append((number, VIRTUAL.sub(fill, text)))
        for v in ends.get(i, ()):
            pool.give(at[v], v in pairs, i)
    return out


# --- order ---------------------------------------------------------------

def rewrite_gap(a, b, register):
    """Words from what writes a register to what writes it again; None: any."""
    kind = register[0]
    if kind == "T" or kind == "I" and not a.dims() & b.dims():
        return None
    return max(2 if a.name in ("mac", "mul") else 1,
               a.latency[register] - b.latency[register] + 1)


def fits(ops, word, i, slot):
    """If operation i may be in the word's slot, which is empty."""
    both = {s: ops[k] for s, k in word.items()}
    both[slot] = ops[i]
    if len({op.imm for op in both.values() if op.imm is not None}) > 1:
        return False
    load, vpu, store = map(both.get, ("load", "vpu", "store"))
    if vpu and vpu.wide and (load or store):
        return False
    return not load or not store or load.pred == store.pred and not load.alone


@functools.lru_cache(None)
def graph(ops):
    """What each operation is waited for by, with words, for how many it waits itself,
    and the longest way. Of plans that differ in registers only it is the same."""
    after = [[] for _ in ops]
    waits = []
    readers, writers = {}, {}
    for j, op in enumerate(ops):
        # The operations before this one that it waits for, with words.
        least = {}
        for r in op.reads:
            for i in writers.get(r, ()):
                a = ops[i]
                if r[0] != "I" or a.name != "set_indx" or op.name != a.name:
                    least[i] = max(least.get(i, 0), a.latency[r])
            readers.setdefault(r, []).append(j)
        for r in op.writes:
            for i in readers.get(r, ()):
                if i != j:
                    least.setdefault(i, 0)
            for i in writers.get(r, ()):
                n = rewrite_gap(ops[i], op, r)
                if n is not None:
                    least[i] = max(least.get(i, 0), n)
            writers.setdefault(r, []).append(j)
        for i, n in least.items():
            after[i].append((j, n))
        waits.append(len(least))
    rank = [0] * len(ops)
    for i in reversed(range(len(ops))):
        rank[i] = max((n + rank[j] for j, n in after[i]), default=0)
        rank[i] = max(rank[i], ops[i].longest)
    return after, waits, rank


class Pressure:
    """How many vectors are in use, of those which only one block knows."""

    def __init__(self, ops, sizes, most):
        self.names = [[n for n in {v for v, _ in VIRTUAL.findall(op.text)}
                       if n in sizes] for op in ops]
        self.sizes, self.most = sizes, most
        self.left = {}
        for names in self.names:
            for n in names:
                self.left[n] = self.left.get(n, 0) + 1
        self.live, self.used = set(), 0

    def more(self, i):
        begins = sum(self.sizes[n] for n in self.names[i]
                     if n not in self.live)
        ends = sum(self.sizes[n] for n in self.names[i] if self.left[n] == 1)
        return begins, ends

    def allows(self, i):
        begins, ends = self.more(i)
        return begins <= ends and self.used + begins <= self.most + 4 or \
            self.used + begins <= self.most

    def place(self, i):
        begins, ends = self.more(i)
        self.used += begins - ends
        for n in self.names[i]:
            self.live.add(n)
            self.left[n] -= 1


def order(ops, pressure=None, skew=0):
    """Words of operations without jumps: a list of {slot: number of operation}."""
    after, waits, rank = graph(ops)
    waits = waits.copy()
    earliest, placed, words = [0] * len(ops), {}, []
    fixed = {i for i, op in enumerate(ops) if op.name == "mov" and
             not op.reads and op.slots[0] == "load"}
    lacks = [0] * len(ops)
    for i in range(len(ops)):
        for j, _ in after[i]:
            lacks[j] += i not in fixed
    # Those that come first are tried first; they have numbers in that order.
    first = sorted(range(len(ops)), key=lambda k: (skew * k - rank[k], k))
    turn = [0] * len(ops)
    for n, i in enumerate(first):
        turn[i] = n
    ready = {i for i in range(len(ops)) if not waits[i]}

    def place(i, slot, word, turns):
        word[slot] = i
        placed[i] = len(words)
        ready.discard(i)
        if pressure:
            pressure.place(i)
        for j, n in after[i]:
            earliest[j] = max(earliest[j], placed[i] + n)
            waits[j] -= 1
            lacks[j] -= i not in fixed
            if not waits[j]:
                ready.add(j)
                if earliest[j] <= placed[i]:
                    heapq.heappush(turns, turn[j])

    def too_early(i):
        """A number for what has to wait for others would only need a register."""
        if not pressure or i not in fixed:
            return False
        for j, _ in after[i]:
            if not lacks[j] and earliest[j] <= len(words) + OTHER:
                return False
        return True

    while len(placed) < len(ops):
        word = {}
        # What overwrites something may be in the word that reads it.
        turns = sorted(turn[i] for i in ready if earliest[i] <= len(words))
        late = len(turns) < len(ready)
        while turns and len(word) < len(SLOTS):
            i = first[heapq.heappop(turns)]
            for slot in ops[i].slots:
                if slot not in word and fits(ops, word, i, slot):
                    break
            else:
                continue
            if too_early(i):
                late = late or any(not lacks[j] for j, _ in after[i])
            elif not pressure or pressure.allows(i):
                place(i, slot, word, turns)
        if not word and not late:
            # All wait for registers: the one that needs the fewest.
            i = min(ready, key=lambda k: (
                pressure.more(k)[0] - pressure.more(k)[1], k))
            place(i, ops[i].slots[0], word, turns)
        words.append(word)
    end = max([placed[i] + ops[i].latency[r] for i in range(len(ops))
               for r in ops[i].writes if r[0] not in ("T", "G")] or [0])
    words.extend({} for _ in range(end - len(words)))
    return words


def word_text(ops, word):
    return "; ".join(ops[word[s]].text_in(s) if s in word else "nop"
                     for s in SLOTS)


def blocks(lines):
    """What has no label or jump inside: lists of lines."""
    found = [[]]
    for line in lines:
        if line[1].endswith(":") or line[1].split(None, 1)[0] in ENDS:
            found.extend(([line], []))
        else:
            found[-1].append(line)
    return [b for b in found if b]


def plan(lines, most, skew=0):
    """The lines in an order by which many of them fit into one word."""
    where, out, at = {}, [], 0
    first, last, pairs = lifetimes(lines)
    parts = blocks(lines)
    for k, part in enumerate(parts):
        for _, text in part:
            for name, _ in VIRTUAL.findall(text):
                where.setdefault(name, set()).add(k)
    for k, part in enumerate(parts):
        begin, at = at, at + len(part)
        ops = tuple(operation(text) for _, text in part)
        if len(ops) == 1:
            out.extend(part)
            continue
        sizes = {n: 2 if n in pairs else 1 for n in where if where[n] == {k}}
        others = sum(2 if n in pairs else 1 for n in where if n not in sizes
                     and first[n] < at and last[n] >= begin)
        for word in order(ops, Pressure(ops, sizes, most - others), skew):
            out.extend(part[i] for i in sorted(word.values()))
    return out


def single(lines):
    """Halves that are never used as a pair are vectors of their own."""
    pairs = {n for _, t in lines for n, p in VIRTUAL.findall(t) if p == "!"}

    def half(m):
        if m.group(2) and m.group(1) not in pairs:
            return "%%%s__%s" % (m.group(1), m.group(2)[1])
        return m.group(0)
    return [(number, VIRTUAL.sub(half, text)) for number, text in lines]


def words(name, code):
    """Text for the assembler."""
    made, error = [], None
    code = single(code)
    # As it is written; then with many registers in use, as long as there are
    # such; the later vectors of a step, if skewed, some way behind the first.
    many = len({v for _, t in code for v, _ in VIRTUAL.findall(t)}) > NUM_V
    plans = [None, (37, 0)] + [(37, 0.6), (35, 1.5), (30, 0), (25, 0)] * many
    for way in plans:
        if way and way[0] < 35 and len(made) > 1:
            break
        try:
            made.append(emit(allocate(name, plan(code, *way) if way else
                                      code)))
        except Error as failed:
            error = error or failed
    if not made:
        raise error
    out = min(made, key=cost)
    if len(out) > 2000:
        raise Error("%s: %d words are too many" % (name, len(out)))
    return "\n".join(out) + "\n"


def cost(out):
    """Words, those of loops for many."""
    labels = {t[:-1]: i for i, t in enumerate(out) if t.endswith(":")}
    weight = [1] * len(out)
    for i, text in enumerate(out):
        if text.startswith("\tloop "):
            for k in range(i, labels[text.split(",")[4].strip()]):
                weight[k] *= 16
    return sum(weight)


def emit(lines):
    """Lines of the assembler."""
    out, block = [], []

    def flush():
        ops = tuple(block)
        out.extend("\t" + word_text(ops, w) for w in order(ops))
        block.clear()
    for _, text in lines:
        if text.endswith(":"):
            flush()
            if out and out[-1].endswith(":"):
                out.append("\tnop")
            out.append(text)
            continue
        op = operation(text)
        if op.name not in ENDS:
            block.append(op)
            continue
        flush()
        if op.name == "halt":
            out.extend(("\tnop", "\tnop", "\t{ halt; halt }"))
            out.extend(("\tnop", "\tnop", "\tnop"))
            continue
        # Of a loop, the delay slot; behind a jump, what is required.
        out.extend(("\t" + text, "\tnop"))
    flush()
    return out
