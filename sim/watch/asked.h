/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Whoever asks a process gets a record of its cards as they are now, over a socket that no
 * file stands for: open-gaudi-sim/PID/BOX. Documentation/record.rst has what comes.
 */
#ifndef SIM_ASKED_H
#define SIM_ASKED_H

/* This process has opened a card; from here on it answers. More than once is no harm. */
void sim_asked_begin(void);
/* In a child of fork(): the parent answers, and none who is left when it has ended. */
void sim_asked_in_child(void);

#endif /* SIM_ASKED_H */
