#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""make-kernels: what it says of wrong templates, and the page that it makes."""
import os
import subprocess
import sys
import tempfile

ROOT = os.environ.get("GAUDI_ROOT") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
MAKE = os.path.join(ROOT, "thunk", "kernels", "make-kernels")
AS = os.path.join(os.environ.get("GAUDI_BUILD") or os.path.join(ROOT, "build"),
                  "tools", "bin", "gaudi-tpc-as")
PAGE = os.path.join(ROOT, "Documentation", "kernels-table.rst")
GOOD = """\
.kernel demo_f32 T=f32
.about OUT = A
.tensor in A {T} same
.tensor out OUT {T} same
.space OUT 64 1 1 1 1
.scalar P f32 =0.5 a number
"""


def table(text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "demo.tpc")
        with open(path, "w", encoding="ascii") as out:
            out.write(text)
        return subprocess.run([sys.executable, MAKE, "--table", path],
                              capture_output=True, text=True, check=False)


def refused(old, new, message):
    assert GOOD.count(old) == 1, old
    done = table(GOOD.replace(old, new))
    assert done.returncode == 1, done
    assert message in done.stderr and not done.stdout, done


def no_shape():
    refused("A {T} same", "A {T}", "demo_f32: A: one shape, please: same, ")
    refused("A {T} same", "A {T} 0xff80", "A: one shape, please")
    refused("A {T} same", "A {T} same fewer", "A: one shape, please")
    refused("A {T} same", "A {T} equal", "demo.tpc:3: demo_f32: A: no shape: equal")


def no_meaning():
    refused(".about OUT = A\n", "", "demo_f32 has no .about")
    refused("=0.5 a number", "", "P: what it means, please")
    refused("=0.5 a number", "=0.5", "P: what it means, please")
    refused("a number\n", "a number\n.scalar Q i32 another\n",
            "Q: a default, as that of P before it")


def good():
    done = table(GOOD)
    assert done.returncode == 0 and not done.stderr, done
    for text in ("| A: as OUT ", "| OUT: any\n", "| P = 0.5: a number\n"):
        assert text in done.stdout, done.stdout


def combinations():
    done = table(GOOD.replace(".kernel demo_f32 T=f32",
                              ".kernels demo{('','_two')[N]}_{T} N=0,1 T=f32,bf16"))
    assert done.returncode == 0, done
    assert "``demo`` " in done.stdout and "``demo_two`` " in done.stdout
    refused(".kernel demo_f32 T=f32", ".kernels demo_{U} T=f32,bf16",
            "{U}: name 'U' is not defined")
    refused(".kernel demo_f32 T=f32", ".kernels demo_{ T } T=f32",
            "demo.tpc:1: a name without blanks, then key=value,value")


def any_folder():
    """What is made of the same templates is the same, wherever that is."""
    made = []
    for prefix in "here", "elsewhere":
        with tempfile.TemporaryDirectory(prefix=prefix) as folder:
            subprocess.run([sys.executable, MAKE, "--as", AS, "-o", folder,
                            os.path.join(os.path.dirname(MAKE), "cast.tpc")], check=True)
            with open(os.path.join(folder, "kernels_table.c"), encoding="ascii") as table_c:
                made.append(table_c.read())
    assert "object_0[]" in made[0] and made[0] == made[1]


def no_assembler():
    """One process of several fails, or all of them: there is no table."""
    with tempfile.TemporaryDirectory() as folder:
        broken = os.path.join(folder, "as")
        with open(broken, "w", encoding="ascii") as out:
            out.write('#!/bin/sh\ncase $3 in *clip_norm_f32.s) exit 1 ;; esac\n'
                      ': >"$2"\n')
        os.chmod(broken, 0o755)
        done = subprocess.run([sys.executable, MAKE, "--as", broken, "-o", folder,
                               os.path.join(os.path.dirname(MAKE), "clip.tpc"),
                               os.path.join(os.path.dirname(MAKE), "cast.tpc")],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 1, done
        assert "clip_norm_f32: the assembler refuses it" in done.stderr, done
        assert not os.path.exists(os.path.join(folder, "kernels_table.c"))
        done = subprocess.run([sys.executable, MAKE, "--as",
                               os.path.join(folder, "none"), "-o", folder],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 1 and "No such file" in done.stderr, done


def page():
    """Else: make-kernels --table >Documentation/kernels-table.rst"""
    done = subprocess.run([sys.executable, MAKE, "--table"],
                          capture_output=True, text=True, check=True)
    with open(PAGE, encoding="ascii") as text:
        assert text.read() == done.stdout, page.__doc__


def main():
    bad = 0
    tests = (good, no_shape, no_meaning, combinations,
             any_folder, no_assembler, page)
    print("1..%d" % len(tests))
    for n, test in enumerate(tests, 1):
        try:
            test()
            print("ok %d - %s" % (n, test.__name__))
        except AssertionError as error:
            print("# %s" % str(error).replace("\n", "\n# "))
            print("not ok %d - %s" % (n, test.__name__))
            bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
