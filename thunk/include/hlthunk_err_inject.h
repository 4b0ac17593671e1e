/* SPDX-License-Identifier: MIT */
/*
 * libhl-thunk-err_injection: make a card fail on purpose, to test what
 * recovers from that. The names are the vendor library's.
 *
 * @fd is an open compute or control node of a Gaudi card. Functions return 0 or
 * a negative errno. All but the first need root and the driver's files in
 * debugfs; without them -EACCES or -ENOENT.
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
 * resets the card. Closing @fd before that resets it at once. A control node
 * cannot: -ENOTTY or -EOPNOTSUPP.
 */
hlthunk_err_public int hlthunk_err_inject_endless_command(int fd);
/*
 * Have the card report an event: one that is logged and counted, and one that
 * the driver answers with a reset. *@event_num, unless NULL, is its number, an
 * index into what hlthunk_get_hw_events_arr() counts.
 */
hlthunk_err_public int hlthunk_err_inject_non_fatal_event(int fd,
							  int *event_num);
hlthunk_err_public int hlthunk_err_inject_fatal_event(int fd, int *event_num);
/*
 * The driver believes from now on that the card's CPU is silent. Its next look
 * (mainline: every ten seconds) ends in a reset, which ends this too.
 */
hlthunk_err_public int hlthunk_err_inject_loss_of_heartbeat(int fd);
/*
 * The card is too hot: its clocks go down, and hlthunk_get_clk_throttle_info()
 * says why, until it is ejected or the card is reset.
 */
hlthunk_err_public int hlthunk_err_inject_thermal_event(int fd);
hlthunk_err_public int hlthunk_err_eject_thermal_event(int fd);

#ifdef __cplusplus
}
#endif

#endif /* HLTHUNK_ERR_INJECT_H */
