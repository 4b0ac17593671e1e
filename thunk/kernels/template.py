# SPDX-License-Identifier: MIT
"""Templates of kernels: conditions, repetitions and macros."""
import itertools
import os
import re
import struct


# Shapes of tensors, of which Documentation/kernels.rst tells.
RULES = ("same", "fewer", "spread", "row", "one", "eight", "table", "matrix",
         "along", "swapped", "order", "windows", "pooled", "strided", "any")


class Error(Exception):
    pass


def f32(value):
    """Bits of a number, as an immediate."""
    return "0x%08x" % struct.unpack("<I", struct.pack("<f", value))[0]


class Template:
    """The text of one kernel, line by line."""

    def __init__(self, path, env, macros):
        self.path = path
        self.env = dict(env, f32=f32, len=len)
        self.macros = macros
        self.out = []
        self.tensors = []
        self.scalars = []
        self.space = None
        self.about = None
        self.nan = "propagates"
        self.uses = 0

    def fail(self, number, message):
        raise Error("%s:%d: %s: %s" % (os.path.basename(self.path), number,
                                       self.env.get("NAME"), message))

    def eval(self, number, text, env):
        try:
            # The expressions are those of our own templates.
            return eval(text, {"__builtins__": {}}, dict(env))
        except Exception as error:
            return self.fail(number, "{%s}: %s" % (text, error))

    def fill(self, number, text, env):
        return re.sub(r"\{([^{}]*)\}",
                      lambda m: str(self.eval(number, m.group(1), env)), text)

    def block(self, lines, at, ends):
        """Index of the line that ends what begins at line at, same depth."""
        depth = 0
        for i in range(at + 1, len(lines)):
            word = lines[i][1].split(None, 1)[0]
            if word in (".if", ".rep"):
                depth += 1
            elif depth == 0 and word in ends:
                return i
            elif word in (".endif", ".endr"):
                depth -= 1
        return self.fail(lines[at][0], "no %s" % " or ".join(ends))

    def run(self, lines, env):
        i = 0
        while i < len(lines):
            number, text = lines[i]
            word = text.split(None, 1)[0]
            rest = text[len(word):].strip()
            if word == ".if":
                i = self.condition(lines, i, rest, env)
                continue
            if word == ".rep":
                end = self.block(lines, i, (".endr",))
                name, count = rest.split(None, 1)
                for n in range(self.eval(number, count, env)):
                    self.run(lines[i + 1:end], dict(env, **{name: n}))
                i = end + 1
                continue
            if word == ".let":
                name, value = rest.split("=", 1)
                env[name.strip()] = self.eval(number, value.strip(), env)
            else:
                self.line(number, word, self.fill(number, rest, env), env)
            i += 1

    def condition(self, lines, at, test, env):
        middle = self.block(lines, at, (".else", ".endif"))
        end = middle
        if lines[middle][1] == ".else":
            end = self.block(lines, middle, (".endif",))
        if self.eval(lines[at][0], test, env):
            self.run(lines[at + 1:middle], env)
        else:
            self.run(lines[middle + 1:end], env)
        return end + 1

    def line(self, number, word, rest, env):
        word = self.fill(number, word, env)
        if word == ".tensor":
            access, name, kind, *more = rest.split()
            pad = int(more.pop(0), 0) if more and more[0][0].isdigit() else 0
            if len(more) != 1:
                self.fail(number, "%s: one shape, please: %s" % (
                    name, ", ".join(RULES)))
            rule, _, of = more[0].partition(":")
            if rule not in RULES:
                self.fail(number, "%s: no shape: %s" % (name, rule))
            self.tensors.append({
                "access": access, "name": name, "type": kind,
                "padding": pad, "rule": rule, "of": int(of) if of else None})
            self.env[name] = env[name] = len(self.tensors) - 1
        elif word == ".scalar":
            self.scalar(number, rest, env)
        elif word == ".about":
            self.about = rest
        elif word == ".nan":
            self.nan = rest
        elif word == ".space":
            name, *steps = rest.split()
            self.space = (env[name], [int(s) for s in steps])
        elif word in self.macros:
            self.expand(number, self.macros[word], rest, env)
        else:
            text = (word + " " + rest).strip()
            if env.get("GUARD"):
                text += ", " + env["GUARD"]
            self.out.append((number, text))

    def scalar(self, number, rest, env):
        name, kind, *about = rest.split()
        default = None
        if about and about[0].startswith("="):
            text = about.pop(0)[1:]
            default = int(f32(float(text)) if kind == "f32" else text, 0)
        elif self.scalars and self.scalars[-1]["default"] is not None:
            self.fail(number, "%s: a default, as that of %s before it" % (
                name, self.scalars[-1]["name"]))
        if not about:
            self.fail(number, "%s: what it means, please" % name)
        self.env[name] = env[name] = "S%d" % len(self.scalars)
        self.scalars.append({"name": name, "type": kind, "default": default,
                             "about": " ".join(about)})

    def expand(self, number, macro, rest, env):
        given = [a.strip() for a in rest.split(",")] if rest else []
        if len(given) != len(macro["args"]):
            self.fail(number, "%s takes %d arguments" % (macro["name"],
                                                         len(macro["args"])))
        self.uses += 1
        suffix = "_%d" % self.uses
        own = dict(env, **dict(zip(macro["args"], (
            env[a] if isinstance(env.get(a), tuple) else value(a)
            for a in given))))
        # Vectors and labels with a '$' are of this use only.
        lines = [(n, t.replace("$", suffix)) for n, t in macro["lines"]]
        self.run(lines, own)


def read(path, macros, variants):
    """Lines of a file; macros and variants go to where they belong."""
    lines, macro = [], None
    with open(path, encoding="ascii") as text:
        for number, line in enumerate(text, 1):
            line = line.split("//")[0].strip()
            if not line:
                continue
            word = line.split(None, 1)[0]
            if word == ".include":
                name = os.path.join(os.path.dirname(path), line.split()[1])
                read(name, macros, [])
            elif word == ".macro":
                name, *args = line[len(word):].replace(",", " ").split()
                macro = {"name": name, "args": args, "lines": []}
            elif word == ".endm":
                macros[macro["name"]] = macro
                macro = None
            elif macro is not None:
                macro["lines"].append((number, line))
            elif word == ".kernel":
                variants.append(line[len(word):].split())
            elif word == ".kernels":
                variants.extend(combinations(path, number, line[len(word):]))
            else:
                lines.append((number, line))
    if macro is not None:
        raise Error("%s: %s has no .endm" % (path, macro["name"]))
    return lines


def combinations(path, number, rest):
    """.kernel lines: one for each choice of the keys' values."""
    name, *keys = rest.split()
    keys = [p.partition("=") for p in keys]
    if not all(values for _, _, values in keys):
        raise Error("%s:%d: a name without blanks, then key=value,value" % (
            os.path.basename(path), number))
    keys = [(k, values.split(",")) for k, _, values in keys]
    for choice in itertools.product(*(values for _, values in keys)):
        chosen = [(k, v) for (k, _), v in zip(keys, choice)]
        env = {k: value(v) for k, v in chosen}
        yield [Template(path, env, {}).fill(number, name, env)] + [
            "%s=%s" % pair for pair in chosen]


def value(text):
    return int(text, 0) if re.fullmatch(r"-?\d+|0x[0-9a-f]+", text) else text


def kernels(path):
    macros, variants, made = {}, [], []
    lines = read(path, macros, variants)
    for name, *keys in variants:
        env = {"NAME": name}
        env.update((k, value(v)) for k, v in (p.split("=", 1) for p in keys))
        t = Template(path, env, macros)
        t.run(lines, dict(t.env))
        if t.space is None or len(t.space[1]) != 5:
            raise Error("%s: %s has no .space of five steps" % (path, name))
        if not t.about:
            raise Error("%s: %s has no .about" % (path, name))
        for tensor in t.tensors:
            if tensor["of"] is None:
                tensor["of"] = t.space[0]
        made.append({"name": name, "about": t.about, "nan": t.nan,
                     "tensors": t.tensors, "scalars": t.scalars, "space": t.space[0],
                     "steps": t.space[1], "code": t.out})
    return made
