# SPDX-License-Identifier: MIT
"""An answer to why something does not move; see why.py."""


class Reason:
    """kind: 'root', 'cycle', 'moves', or '' for what has a reason itself."""

    def __init__(self, text, kind='', children=()):
        self.text = text
        self.kind = kind
        self.children = list(children)

    def ends(self):
        """Those that have no reason themselves."""
        if not self.children:
            return [self]
        return [end for child in self.children for end in child.ends()]

    def as_json(self):
        return {'text': self.text, 'kind': self.kind,
                'because': [child.as_json() for child in self.children]}


def root(text):
    return Reason(text, 'root')
