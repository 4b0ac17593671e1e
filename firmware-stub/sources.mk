# SPDX-License-Identifier: MIT
# What the card links in of the embedded CPU's firmware; needs libfdt and zlib.
GAUDI_FW_SOURCES := fw.c boot.c comms.c image.c board.c profile.c sensors.c \
	cpucp.c commands.c events.c faults.c rows.c
GAUDI_FW_LIBS := -lfdt -lz
