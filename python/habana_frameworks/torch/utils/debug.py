# SPDX-License-Identifier: MIT
def _is_enabled_synapse_layout_handling() -> bool:
    return True


def _is_enabled_weight_permute_pass() -> bool:
    """Scripts put filters into the engines' order themselves, unless the bridge does it."""
    return True


def __getattr__(name):
    if name.startswith('_enable_'):
        return lambda *args, **kwargs: None             # accepted and ignored
    raise AttributeError(name)
