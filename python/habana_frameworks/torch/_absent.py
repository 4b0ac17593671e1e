# SPDX-License-Identifier: MIT
"""What scripts import and the card has not: it can be imported, and raises by its name when it
is called."""


def absent(module):
    """A __getattr__() for @module."""
    def missing(name):
        if name.startswith('__'):
            raise AttributeError(f'module {module!r} has no attribute {name!r}')

        def function(*args, **kwargs):
            raise NotImplementedError(f'{module}.{name}() is not there: '
                                      'Documentation/torch.rst has what is')
        function.__name__ = name
        return function
    return missing
