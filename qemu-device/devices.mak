# SPDX-License-Identifier: GPL-2.0-or-later
#
# The devices that our QEMU is built with: a small set, for a short build.
CONFIG_Q35=y
CONFIG_VTD=y
CONFIG_PCIE_PORT=y
CONFIG_VIRTIO_PCI=y
CONFIG_VIRTIO_9P=y
CONFIG_VIRTIO_SERIAL=y
CONFIG_VIRTIO_BLK=y
CONFIG_VIRTIO_NET=y
CONFIG_EDU=y
CONFIG_GAUDI=y
