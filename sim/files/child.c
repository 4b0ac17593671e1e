// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* A child of fork(): what of the files and cards it goes on with. */
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../cards/cards.h"
#include "../host/box.h"
#include "../kernel/nodes.h"
#include "../watch/asked.h"
#include "files.h"

/* One of the sockets by which processes of a box know that another is there. */
static bool is_of_a_box(int fd, const void *unused)
{
	static const char begin[] = "open-gaudi/";
	struct sockaddr_un a = { 0 };
	socklen_t mine = sizeof(a), theirs = sizeof(a);

	if (!getsockname(fd, (struct sockaddr *)&a, &mine) &&
	    a.sun_family == AF_UNIX &&
	    !memcmp(a.sun_path + 1, begin, sizeof(begin) - 1))
		return true;
	return !getpeername(fd, (struct sockaddr *)&a, &theirs) &&
	       a.sun_family == AF_UNIX &&
	       !memcmp(a.sun_path + 1, begin, sizeof(begin) - 1);
}

/* The parent's cards are taken as long as the parent has them, and no longer. */
static void leave_box(void)
{
	int fd;

	while (sim_box_is_shared() && (fd = sim_find_fd(is_of_a_box, NULL)) >= 0)
		close(fd);
}

static void in_child(void)
{
	struct list_head files = sim_files_detach();

	sim_asked_in_child();
	if (sim_fork_restore())
		sim_entry_start_again();
	else
		sim_cards_lose();
	sim_files_inherit(files);
	leave_box();
	sim_pid = getpid();
}

static void __attribute__((constructor)) begin(void)
{
	sim_in_child = in_child;
}
