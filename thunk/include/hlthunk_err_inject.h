/* SPDX-License-Identifier: MIT */
/*
 * libhl-thunk-err_injection: make a card fail on purpose, to test what
 * recovers from that. The names are the vendor library's.
 *
 * @fd is an open compute or control node of a Gaudi card. Functions return 0 or
 * a negative errno, to which errno is set as well. All but the first need root
 * and the driver's files in debugfs; without them -EACCES or -ENOENT. They may be
 * called from any thread.
 */
#ifndef HLTHUNK_ERR_INJECT_H
#define HLTHUNK_ERR_INJECT_H

#include "hlthunk.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Submit a command that never ends, on DMA_0_3, and wait until the driver gives
 * it up after its timeout (parameter timeout_locked, or the file of that name in
 * debugfs; mainline gives Gaudi ten minutes; 0 is for ever). The card is reset
 * then, as soon as @fd is closed. -EIO: it was reset before, for another reason.
 * A control node cannot: -ENOTTY or -EOPNOTSUPP.
 */
hlthunk_public int hlthunk_err_inject_endless_command(int fd);
/*
 * Have the card report an event that is logged and counted, and wait until
 * hlthunk_get_hw_events_arr() counts it. *@event_num, unless NULL, is its number,
 * an index into what that function fills. -ETIMEDOUT: it is not counted after a
 * minute.
 */
hlthunk_public int hlthunk_err_inject_non_fatal_event(int fd, int *event_num);
/*
 * The same for an event that the driver answers with a reset. A reset needs the
 * card's user to go: @fd is closed, and the call waits until the card has been
 * reset and can be opened again. -ETIMEDOUT: it cannot after some 65 s. @fd
 * stays open only if the fault could not be injected, that is with every other
 * error. Drivers disable a card that breaks twice in a row in the same way.
 */
hlthunk_public int hlthunk_err_inject_fatal_event(int fd, int *event_num);
/*
 * The driver believes that the card's CPU is silent. Its next look (mainline:
 * every ten seconds) ends in a reset, which ends this too. @fd is closed, and
 * the call returns, as above.
 */
hlthunk_public int hlthunk_err_inject_loss_of_heartbeat(int fd);
/*
 * The card is too hot: its clocks go down, and hlthunk_get_clk_throttle_info()
 * says why, until it is ejected or the card is reset. These two do not wait.
 */
hlthunk_public int hlthunk_err_inject_thermal_event(int fd);
hlthunk_public int hlthunk_err_eject_thermal_event(int fd);

#ifdef __cplusplus
}
#endif

#endif /* HLTHUNK_ERR_INJECT_H */
