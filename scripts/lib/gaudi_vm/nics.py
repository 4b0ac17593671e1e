# SPDX-License-Identifier: MIT
"""NIC ports of the cards: on QEMU's network, cabled, written to a capture file."""

import os
import re


def parse(specs, cards):
    """Texts of --nic, [CARD:]PORT=NETDEV: [(card, port, netdev), ...].

    Raises ValueError for what is none.
    """
    nics = []
    for spec in specs:
        match = re.fullmatch(r'(?:([0-9]+):)?([0-9]+)=(.+)', spec, re.DOTALL)
        if not match:
            raise ValueError(f'{spec}: [CARD:]PORT=NETDEV')
        card, port = int(match[1] or 0), int(match[2])
        if card >= cards:
            raise ValueError(f'{spec}: there is no card {card}')
        if port > 9:
            raise ValueError(f'{spec}: ports are 0 to 9')
        if (card, port) in [nic[:2] for nic in nics]:
            raise ValueError(f'{spec}: the port has a network already')
        nics.append((card, port, match[3]))
    return nics


def name(card, port):
    """The netdev's id, also for QMP's set_link."""
    return f'net{card}.{port}'


def netdevs(nics, pcap):
    """Arguments for QEMU: the networks, and what is on them into a file each."""
    args = []
    for card, port, netdev in nics:
        args += ['-netdev', f'{netdev},id={name(card, port)}']
        if pcap:
            file = pcap if len(nics) == 1 else f'{pcap}.{card}.{port}'
            file = os.path.abspath(file).replace(',', ',,')
            args += ['-object', f'filter-dump,id=dump{card}.{port},'
                     f'netdev={name(card, port)},file={file}']
    return args


def properties(card, nics, cabling):
    """Of one card, for its -device argument."""
    props = ''.join(f',nic{port}={name(number, port)}'
                    for number, port, _ in nics if number == card)
    if cabling:
        if '/' in cabling:
            cabling = os.path.abspath(cabling)
        props += ',cabling=' + cabling.replace(',', ',,')
    return props


def tell_guest(cabling, image, env):
    """No card says what its ports are joined to, so libgaudi is told what the cards
    were. A file is copied: the guest may not see where it is."""
    if not cabling:
        return
    env['GAUDI_CABLING'] = cabling
    if '/' in cabling:
        env['GAUDI_CABLING'] = '/run/gaudi-vm/cabling'
        image.add_file(cabling, 'cabling')
        image.config.append('cabling=1')
