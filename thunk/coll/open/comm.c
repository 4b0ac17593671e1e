// SPDX-License-Identifier: MIT
/* Communicators: how they begin and end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coll.h"
#include "../control/control.h"
#include "tune.h"

static int make_events(struct coll_comm *comm)
{
	uint32_t flags = GAUDI_EVENT_NO_TIMING;
	int rc = gaudi_event_create(comm->device, flags, &comm->order);

	if (!rc)
		rc = gaudi_event_create(comm->device, flags, &comm->fork);
	for (uint32_t i = 0; !rc && i < comm->ranks; i++) {
		rc = gaudi_event_create(comm->device, flags,
					&comm->peers[i].to.order);
		if (!rc)
			rc = gaudi_event_create(comm->device, flags,
						&comm->peers[i].from.order);
	}

	return coll_gaudi(rc, "events");
}

/* A row is a chunk, or more, of each rank's: of many ranks it is smaller. */
static void fit_rows(struct coll_comm *comm)
{
	while (comm->ranks * (uint64_t)comm->settings.row_bytes > 64u << 20)
		comm->settings.row_bytes /= 2;
}

/* What each tells the others when it has connected. */
struct ready {
	struct coll_costs costs;
	uint32_t measure;
};

/* Nobody writes before all have connected; then all cost what rank 0 says. */
static int agree(struct coll_comm *comm)
{
	struct ready out[COLL_MAX_RANKS] = {}, in[COLL_MAX_RANKS] = {};
	struct coll_settings *settings = &comm->settings;
	int rc;

	for (uint32_t i = 0; i < comm->ranks; i++)
		out[i] = (struct ready) { settings->costs, settings->measure };
	rc = coll_swap(comm, out, in, sizeof(*out));
	if (comm->rank) {
		settings->costs = in[0].costs;
		settings->measure = in[0].measure;
	}

	return rc;
}

static int init(struct coll_comm *comm, const struct coll_id *id)
{
	int rc;

	fit_rows(comm);
	comm->staging_bytes = coll_staging_size(comm->ranks,
						comm->settings.row_bytes);
	rc = make_events(comm);
	if (!rc)
		rc = coll_gaudi(gaudi_malloc(comm->device, comm->staging_bytes,
					     &comm->staging), "staging memory");
	if (!rc)
		rc = coll_reducer_create(comm->device, comm->settings.row_bytes,
					 &comm->reducer);
	if (rc || comm->ranks == 1)
		return rc;
	rc = coll_meet(comm, id);
	if (!rc)
		rc = coll_boxes_connect(comm);
	if (!rc)
		rc = coll_wires_connect(comm);
	if (!rc)
		rc = agree(comm);
	if (!rc)
		rc = coll_control_start(comm);
	if (!rc && comm->settings.measure)
		rc = coll_tune(comm);

	return rc;
}

int coll_comm_create(struct gaudi_device *device, const struct coll_id *id,
		     uint32_t ranks, uint32_t rank,
		     const struct coll_settings *settings,
		     struct coll_comm **out)
{
	struct coll_comm *comm;
	char why[COLL_MESSAGE_SIZE];
	int rc;

	if (!ranks || ranks > COLL_MAX_RANKS || rank >= ranks)
		return coll_fail(-EINVAL, "rank %u of %u: at most %u", rank, ranks,
				 COLL_MAX_RANKS);
	comm = calloc(1, sizeof(*comm));
	if (comm)
		comm->peers = calloc(ranks, sizeof(*comm->peers));
	if (!comm || !comm->peers) {
		free(comm);
		return coll_fail(-ENOMEM, "no memory for a communicator");
	}
	comm->device = device;
	comm->ranks = ranks;
	comm->rank = rank;
	comm->settings = *settings;
	comm->wake = -1;
	atomic_init(&comm->refs, 1);
	coll_watch_init(comm);
	pthread_mutex_init(&comm->run, NULL);
	pthread_mutex_init(&comm->lock, NULL);
	pthread_cond_init(&comm->changed, NULL);
	for (uint32_t i = 0; i < ranks; i++)
		comm->peers[i].fd = -1;
	coll_queue_enter(comm);
	rc = init(comm, id);
	if (rc) {
		strcpy(why, coll_message());
		coll_comm_free(comm);
		return coll_fail(rc, "%s", why);
	}
	*out = comm;

	return 0;
}

/* On a stream of its own: those that it worked on may be gone. */
static int drain(struct coll_comm *comm)
{
	struct gaudi_stream *stream;
	int rc, ended;

	rc = coll_gaudi(gaudi_stream_create(comm->device, &stream), "a stream");
	if (rc)
		return rc;
	if (atomic_load(&comm->any_order))
		rc = gaudi_stream_wait_event(stream, comm->order);
	for (uint32_t i = 0; !rc && i < comm->ranks; i++) {
		if (comm->peers[i].to.stream)
			rc = gaudi_stream_wait_event(stream,
						     comm->peers[i].to.order);
		if (!rc && comm->peers[i].from.stream)
			rc = gaudi_stream_wait_event(stream,
						     comm->peers[i].from.order);
	}
	if (rc)
		rc = coll_gaudi(rc, "a stream");
	else
		rc = coll_transfers_finish(comm, stream);
	ended = coll_gaudi(gaudi_stream_destroy(stream), "the communicator's work");

	return rc ? rc : ended;
}

/* Those of graphs go first: they tell whether there are graphs that have them, as batches do. */
static int end_captured(struct coll_comm *comm)
{
	int rc = 0;

	if (atomic_load(&comm->refs) > 1)
		return coll_fail(-EBUSY, "a graph has collectives");

	pthread_mutex_lock(&comm->lock);
	for (uint32_t i = 0; !rc && i < comm->ranks; i++)
		for (unsigned int k = COLL_LINK_CAPTURED; !rc && k < COLL_LINKS; k++) {
			struct gaudi_link **link = &comm->peers[i].links[k];

			rc = coll_gaudi(gaudi_link_destroy(*link),
					"a graph has collectives");
			if (!rc)
				*link = NULL;
		}
	pthread_mutex_unlock(&comm->lock);

	return rc;
}

int coll_comm_finish(struct coll_comm *comm)
{
	int rc = 0;

	pthread_mutex_lock(&comm->run);
	if (!atomic_load(&comm->failed))
		rc = drain(comm);
	if (!rc && !atomic_load(&comm->failed))
		rc = end_captured(comm);
	if (atomic_load(&comm->failed))
		rc = coll_fail(GAUDI_ERR_LINK, "%s", comm->why);
	else if (!rc && comm->has_thread && !comm->finished)
		coll_control_bye(comm);
	comm->finished |= !rc;
	pthread_mutex_unlock(&comm->run);

	return rc;
}

void coll_comm_abort(struct coll_comm *comm)
{
	coll_control_abort(comm);
}

/* Host functions that are still to come, and end at once if it has failed; no launch has more. */
static void await_batches(struct coll_comm *comm)
{
	pthread_mutex_lock(&comm->lock);
	comm->gone = true;
	while (comm->batches)
		pthread_cond_wait(&comm->changed, &comm->lock);
	pthread_mutex_unlock(&comm->lock);
}

void coll_comm_free(struct coll_comm *comm)
{
	if (comm->finished)
		coll_control_await_byes(comm);
	coll_queue_leave(comm);
	coll_control_stop(comm);
	if (!comm->finished) {
		coll_wires_abort(comm);
		coll_watch_settle(comm);
	}
	await_batches(comm);
	for (uint32_t i = 0; i < COLL_OWN_STREAMS; i++)
		gaudi_stream_destroy(comm->own_streams[i]);
	coll_wires_free(comm);
	coll_boxes_free(comm);
	coll_reducer_free(comm->reducer);
	coll_watch_exit(comm);
	gaudi_event_destroy(comm->order);
	gaudi_event_destroy(comm->fork);
	for (uint32_t i = 0; i < comm->ranks; i++) {
		gaudi_event_destroy(comm->peers[i].to.order);
		gaudi_event_destroy(comm->peers[i].from.order);
		if (comm->peers[i].fd >= 0)
			close(comm->peers[i].fd);
		free(comm->peers[i].untold.at);
		free(comm->peers[i].received.at);
		free(comm->peers[i].announced.at);
	}
	if (comm->wake >= 0)
		close(comm->wake);
	if (comm->staging)
		gaudi_free(comm->device, comm->staging);
	coll_schedule_free(&comm->schedule);
	free(comm->own.at);
	free(comm->before.at);
	coll_comm_put(comm);
}

uint32_t coll_comm_ranks(const struct coll_comm *comm)
{
	return comm->ranks;
}

uint32_t coll_comm_rank(const struct coll_comm *comm)
{
	return comm->rank;
}

struct gaudi_device *coll_comm_device(const struct coll_comm *comm)
{
	return comm->device;
}

hcclResult_t coll_comm_error(struct coll_comm *comm, const char **text)
{
	if (comm->has_thread && !atomic_load(&comm->failed)) {
		coll_control_hear(comm);
		/* A link may have failed since its last work was seen to end. */
		atomic_store(&comm->active, true);
		coll_watch_look(comm);
	}
	*text = NULL;
	if (!atomic_load(&comm->failed))
		return hcclSuccess;
	*text = comm->why;

	return comm->error;
}
