# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash

# A TCP port of the loopback at which nobody listens. Outside of a guest that is the
# machine's own network, where others may listen anywhere.
free_port()
{
	python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}
