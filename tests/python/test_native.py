# SPDX-License-Identifier: GPL-2.0-only
"""What the module believes of the library, against the headers: every function
with its arguments, every structure with its layout, every number."""

import ctypes
import os
import re
import subprocess
import tempfile
import unittest

from gaudi import _native, device, errors, graph, link, recipe

ROOT = os.environ['GAUDI_ROOT']
INCLUDE = os.path.join(ROOT, 'thunk/include')
HEADERS = sorted(name for name in os.listdir(INCLUDE)
                 if name.startswith('gaudi'))

# What C says, and how ctypes may say it.
TYPES = {
    'int': {ctypes.c_int},
    'uint32_t': {ctypes.c_uint32},
    'uint64_t': {ctypes.c_uint64},
    'size_t': {ctypes.c_size_t},
    'gaudi_ptr': {ctypes.c_uint64},
    'gaudi_host_fn': {_native.HOST_FN},
    'gaudi_release_fn': {_native.RELEASE_FN},
    'bool': {ctypes.c_bool},
    'const char *': {ctypes.c_char_p},
    'const void *': {ctypes.c_void_p, ctypes.c_char_p},
    'void *': {ctypes.c_void_p},
    'FILE *': {ctypes.c_void_p},
    'bool *': {ctypes.POINTER(ctypes.c_bool)},
    'void * *': {ctypes.POINTER(ctypes.c_void_p)},
    'int *': {ctypes.POINTER(ctypes.c_int)},
    'int64_t *': {ctypes.POINTER(ctypes.c_int64)},
    'size_t *': {ctypes.POINTER(ctypes.c_size_t)},
    'uint32_t *': {ctypes.POINTER(ctypes.c_uint32)},
    'const uint32_t *': {ctypes.POINTER(ctypes.c_uint32)},
    'uint64_t *': {ctypes.POINTER(ctypes.c_uint64)},
    'gaudi_ptr *': {ctypes.POINTER(ctypes.c_uint64)},
}


def headers():
    text = ''
    for name in HEADERS:
        with open(os.path.join(INCLUDE, name), encoding='utf-8') as file:
            text += file.read()
    return re.sub(r'/\*.*?\*/', '', text, flags=re.S)


def c_type(words):
    """'const void *from' as 'const void *'."""
    words = re.sub(r'\*', ' * ', words).split()
    if words[-1] not in ('*', 'void') and len(words) > 1:
        del words[-1]
    return ' '.join(words)


def matches(kind, seen):
    if kind in TYPES:
        return seen in TYPES[kind]
    found = re.fullmatch(r'(?:const )?struct (\w+) (\*(?: \*)?)', kind)
    if not found:
        return False
    if found[1] in _native.STRUCTURES:
        return seen == ctypes.POINTER(_native.STRUCTURES[found[1]])
    return seen == (_native.HANDLE if found[2] == '*' else
                    ctypes.POINTER(_native.HANDLE))


class Native(unittest.TestCase):
    def test_every_function(self):
        declared = re.findall(
            r'gaudi_public\s+([\w\s]+?[\s*]+)(gaudi_\w+)\(([^)]*)\)\s*;',
            headers())
        self.assertGreater(len(declared), 75)
        self.assertEqual({name for _, name, _ in declared},
                         set(_native.PROTOTYPES))
        for result, name, arguments in declared:
            with self.subTest(name):
                seen, taken = _native.PROTOTYPES[name]
                self.assertTrue(matches(c_type(result + ' x'), seen), result)
                wanted = [c_type(argument) for argument in
                          arguments.split(',') if argument.strip() != 'void']
                self.assertEqual(len(wanted), len(taken))
                for kind, one in zip(wanted, taken):
                    self.assertTrue(matches(kind, one), f'{kind}: {one}')

    def test_structures_and_numbers(self):
        """A program that C's compiler makes prints them."""
        lines, want = [], []
        for name, structure in _native.STRUCTURES.items():
            lines.append(f'printf("%zu\\n", sizeof(struct {name}));')
            want.append(ctypes.sizeof(structure))
            for field, *_ in structure._fields_:
                member = getattr(structure, field)
                # A word of Python's.
                field = field.rstrip('_')
                lines.append(
                    f'printf("%zu\\n", offsetof(struct {name}, {field}));')
                lines.append(f'printf("%zu\\n", sizeof(((struct {name} *)0)'
                             f'->{field}));')
                want += [member.offset, member.size]
        numbers = {f'GAUDI_ERR_{name}': getattr(errors, name) for name in (
            'NOT_READY', 'DEVICE_LOST', 'FORKED', 'UNSUPPORTED', 'RECIPE',
            'RECIPE_VERSION', 'BINDING', 'CAPTURE', 'CAPTURE_INVALID',
            'ADDRESS', 'LINK')}
        self.assertEqual(set(numbers), set(errors._NAMES.values()) &
                         set(numbers))
        for prefix, kind in (('DEVICE', device.Caps), ('TYPE', recipe.Type),
                             ('TENSOR', recipe.Kind),
                             ('PLACE', recipe.Place),
                             ('NODE', graph.NodeKind),
                             ('PORT', link.PortFlags),
                             ('LINK', link.LinkState)):
            numbers.update({f'GAUDI_{prefix}_{one.name}': one.value
                            for one in kind})
        numbers['GAUDI_MAX_RANK'] = _native.MAX_RANK
        numbers['GAUDI_LINK_WRITE'] = link.WRITE
        numbers['GAUDI_LINK_WAIT'] = link.WAIT
        numbers['GAUDI_LINK_WRITE_STRIDED'] = link.WRITE_STRIDED
        numbers['GAUDI_LINK_STRIDE_FROM'] = link.STRIDE_FROM
        numbers['GAUDI_LINK_STRIDE_TO'] = link.STRIDE_TO
        numbers['GAUDI_LINK_NOTIFY'] = link.NOTIFY
        numbers['GAUDI_LINK_MAX_AHEAD'] = link.MAX_AHEAD
        numbers['GAUDI_LINK_ADDRESS_VERSION'] = 1
        for name, value in numbers.items():
            lines.append(f'printf("%lld\\n", (long long){name});')
            want.append(value)
        # None is left out.
        text = headers()
        for prefix in ('ERR', 'DEVICE', 'TYPE', 'TENSOR', 'PLACE', 'NODE',
                       'PORT', 'LINK'):
            for name in re.findall(rf'\bGAUDI_{prefix}_(?!H\b)\w+', text):
                self.assertIn(name, numbers)
        for name in re.findall(r'^struct (gaudi_\w+) {', text, re.M):
            self.assertIn(name, _native.STRUCTURES)
        with tempfile.TemporaryDirectory() as folder:
            source, program = folder + '/main.c', folder + '/main'
            with open(source, 'w', encoding='utf-8') as file:
                file.write('#include <stddef.h>\n' +
                           ''.join(f'#include <{name}>\n'
                                   for name in HEADERS) + 'int main(void)\n{\n' + '\n'.join(lines) + '}\n')
            subprocess.run(['gcc', '-I' + INCLUDE, '-o', program, source],
                           check=True)
            found = subprocess.run([program], check=True, capture_output=True,
                                   text=True).stdout
        self.assertEqual([int(line) for line in found.split()], want)

    def test_members_of_tuples(self):
        """What is handed out has all that the structures have."""
        import gaudi

        for structure, kind in (
                (_native.DeviceInfoStruct, gaudi.DeviceInfo),
                (_native.MemoryStatsStruct, gaudi.MemoryStats),
                (_native.RecipeInfoStruct, gaudi.RecipeInfo),
                (_native.CacheStatsStruct, gaudi.CacheStats),
                (_native.PortInfoStruct, gaudi.PortInfo),
                (_native.LinkInfoStruct, gaudi.LinkInfo)):
            names = [name for name, _ in structure._fields_[1:]
                     if name in kind._fields or name != 'reserved']
            self.assertEqual(names, list(kind._fields))

    def test_all_is_documented(self):
        import gaudi

        for name in gaudi.__all__:
            thing = getattr(gaudi, name)
            self.assertTrue(thing.__doc__, name)
