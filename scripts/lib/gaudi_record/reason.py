# SPDX-License-Identifier: MIT
"""An answer to why something does not move; see why.py."""


class Reason:
    """kind: 'root', 'cycle', 'moves', or '' for what has a reason itself; in JSON also
    'as above'."""

    def __init__(self, text, kind='', children=()):
        self.text = text
        self.kind = kind
        self.children = list(children)

    def ends(self):
        """Those that have no reason themselves, each once."""
        return [reason for reason in self.all() if not reason.children]

    def all(self):
        """It and all below it, each once: several may have one reason."""
        seen, left = {}, [self]
        while left:
            reason = left.pop()
            if id(reason) not in seen:
                seen[id(reason)] = reason
                left += reversed(reason.children)
        return list(seen.values())

    def as_json(self, seen):
        """seen: reasons that are in full elsewhere; here without theirs, 'as above'."""
        if self.children and id(self) in seen:
            return {'text': self.text, 'kind': 'as above', 'because': []}
        seen.add(id(self))
        return {'text': self.text, 'kind': self.kind,
                'because': [child.as_json(seen) for child in self.children]}


def root(text):
    return Reason(text, 'root')
