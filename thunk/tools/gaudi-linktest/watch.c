// SPDX-License-Identifier: MIT
/*
 * A thread that watches the peers: a stream waits for ever for what none of them sends.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "linktest.h"
#include "text.h"

int watcher_start(struct watcher *w, void *(*watch)(void *arg), void *arg)
{
	int rc = pipe(w->stop) ? errno : 0;

	if (!rc)
		rc = pthread_create(&w->thread, NULL, watch, arg);
	if (!rc) {
		pthread_setname_np(w->thread, "linktest-peer");
		return 0;
	}
	complain("a thread: %s", strerror(rc));
	if (w->stop[0] >= 0) {
		close(w->stop[0]);
		close(w->stop[1]);
		w->stop[0] = -1;
	}

	return -1;
}

void watcher_stop(struct watcher *w)
{
	if (w->stop[0] < 0)
		return;
	close(w->stop[1]);
	pthread_join(w->thread, NULL);
	close(w->stop[0]);
	w->stop[0] = -1;
}
