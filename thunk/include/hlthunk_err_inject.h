/* SPDX-License-Identifier: MIT */
/*
 * libhl-thunk-err_injection: make a card fail on purpose, to test what
 * recovers from that. The names are the vendor library's.
 *
 * @fd is an open compute node. Functions return 0 or a negative errno. Those
 * faults that only the card itself can have need its cooperation, which a
 * driver has no request for: -ENOTSUP.
 */
#ifndef HLTHUNK_ERR_INJECT_H
#define HLTHUNK_ERR_INJECT_H

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#define hlthunk_err_public __attribute__((visibility("default")))
#else
#define hlthunk_err_public
#endif

/*
 * Submit a command that never ends, on DMA_0_3. After its timeout (parameter
 * timeout_locked; mainline gives Gaudi ten minutes) the driver gives it up and
 * resets the card. Closing @fd before that resets it at once.
 */
hlthunk_err_public int hlthunk_err_inject_endless_command(int fd);
/* *@event_num: which event it was. -ENOTSUP */
hlthunk_err_public int hlthunk_err_inject_non_fatal_event(int fd,
							  int *event_num);
hlthunk_err_public int hlthunk_err_inject_fatal_event(int fd, int *event_num);
/* -ENOTSUP */
hlthunk_err_public int hlthunk_err_inject_loss_of_heartbeat(int fd);
hlthunk_err_public int hlthunk_err_inject_thermal_event(int fd);
hlthunk_err_public int hlthunk_err_eject_thermal_event(int fd);

#ifdef __cplusplus
}
#endif

#endif /* HLTHUNK_ERR_INJECT_H */
