// SPDX-License-Identifier: MIT
/*
 * Runs the command and carries its three streams between pipes (or one
 * terminal) and the ports to the host.
 *
 * Every stream has a buffer of its own and never blocks the others, so a
 * reader that stalls on the host holds up only what it reads.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init.h"

/* Bytes go from one descriptor to another; -1: that end is closed. */
struct stream {
	int from;
	int to;
	size_t start;
	size_t end;
	unsigned long long total;
	char buf[32768];
};

enum { IN, OUT, ERR, N_STREAMS };

static struct stream streams[N_STREAMS];
static int terminal = -1;	/* master side, or -1 */
static int child_pipe[2];	/* SIGCHLD as a readable descriptor */

static void on_child(int sig)
{
	int saved = errno;
	ssize_t n = write(child_pipe[1], "", 1);

	(void)n;
	(void)sig;
	errno = saved;
}

/* Either end is gone. A program on a terminal sees the end as Ctrl-D. */
static void stream_close_to(struct stream *s)
{
	if (s == &streams[IN] && s->to >= 0 && s->to == terminal) {
		if (write(terminal, "\004", 1) < 0)
			say("cannot end the terminal's input");
	} else if (s == &streams[IN] && s->to >= 0) {
		close(s->to);
	}
	s->to = -1;
	s->from = -1;
}

/* Move what can be moved without waiting. Returns true if anything was. */
static bool stream_move(struct stream *s)
{
	ssize_t n;

	if (s->start == s->end) {
		if (s->from < 0)
			return false;
		n = read(s->from, s->buf, sizeof(s->buf));
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return false;
		if (n <= 0) {
			stream_close_to(s);
			return false;
		}
		s->start = 0;
		s->end = n;
	}
	if (s->to < 0)
		return false;
	n = write(s->to, s->buf + s->start, s->end - s->start);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n < 0) {
		/* Nobody reads any more: as with a closed pipe. */
		s->start = s->end;
		stream_close_to(s);
		return false;
	}
	s->start += n;
	s->total += n;
	return true;
}

static int stream_poll(struct stream *s, struct pollfd *p)
{
	if (s->to < 0 || (s->from < 0 && s->start == s->end))
		return 0;
	p->fd = s->start < s->end ? s->to : s->from;
	p->events = s->start < s->end ? POLLOUT : POLLIN;
	return 1;
}

/* Lines of the host: "size ROWS COLUMNS" of its terminal. */
static void host_line(void)
{
	struct winsize size = { 0 };
	unsigned int rows, columns;
	char line[256];
	ssize_t n;

	n = read(port_fd[PORT_CTL], line, sizeof(line) - 1);
	if (n <= 0)
		return;
	line[n] = '\0';
	if (terminal >= 0 && sscanf(line, "size %u %u", &rows, &columns) == 2) {
		size.ws_row = rows;
		size.ws_col = columns;
		ioctl(terminal, TIOCSWINSZ, &size);
	}
}

static void child_setup(int in, int out, int err, bool tty)
{
	const char *cwd = config("cwd", 0);

	setsid();
	signal(SIGPIPE, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	if (tty)
		ioctl(in, TIOCSCTTY, 0);
	dup2(in, 0);
	dup2(out, 1);
	dup2(err, 2);
	if (cwd && chdir(cwd)) {
		fprintf(stderr, "gaudi-vm: no folder %s in the guest: %s\n",
			cwd, strerror(errno));
		_exit(125);
	}
}

static void exec_command(char **argv, char **env)
{
	int code;

	environ = env;
	execvp(argv[0], argv);
	code = errno == ENOENT ? 127 : 126;
	fprintf(stderr, "gaudi-vm: cannot run %s: %s\n", argv[0],
		strerror(errno));
	_exit(code);
}

static pid_t start_on_terminal(char **argv, char **env)
{
	int slave;
	pid_t pid;

	terminal = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (terminal < 0 || grantpt(terminal) || unlockpt(terminal))
		fail("no terminal: %s", strerror(errno));
	host_line();
	slave = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0)
		fail("no terminal: %s", strerror(errno));
	pid = fork();
	if (!pid) {
		child_setup(slave, slave, slave, true);
		exec_command(argv, env);
	}
	close(slave);
	streams[IN] = (struct stream){ .from = port_fd[PORT_IN],
				       .to = terminal };
	streams[OUT] = (struct stream){ .from = terminal,
					.to = port_fd[PORT_OUT] };
	streams[ERR] = (struct stream){ .from = -1, .to = -1 };
	return pid;
}

static pid_t start_on_pipes(char **argv, char **env)
{
	int in[2], out[2], err[2];
	pid_t pid;

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) ||
	    pipe2(err, O_CLOEXEC))
		fail("no pipes: %s", strerror(errno));
	pid = fork();
	if (!pid) {
		child_setup(in[0], out[1], err[1], false);
		exec_command(argv, env);
	}
	close(in[0]);
	close(out[1]);
	close(err[1]);
	fcntl(in[1], F_SETFL, O_NONBLOCK);
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	fcntl(err[0], F_SETFL, O_NONBLOCK);
	streams[IN] = (struct stream){ .from = port_fd[PORT_IN], .to = in[1] };
	streams[OUT] = (struct stream){ .from = out[0],
					.to = port_fd[PORT_OUT] };
	streams[ERR] = (struct stream){ .from = err[0],
					.to = port_fd[PORT_ERR] };
	return pid;
}

static int shell_status(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status)
				 : 128 + WTERMSIG(status);
}

/* Reap every process that ended; true with *status if pid was among them. */
static bool reap(pid_t pid, int *status)
{
	bool found = false;
	char drop[64];
	pid_t ended;
	int code;

	while (read(child_pipe[0], drop, sizeof(drop)) > 0)
		;
	while ((ended = waitpid(-1, &code, WNOHANG)) > 0) {
		if (ended == pid) {
			*status = shell_status(code);
			found = true;
		}
	}
	return found;
}

/* Wait for something to do and do it; true when the command ended. */
static bool serve(pid_t pid, int *status)
{
	struct pollfd p[N_STREAMS + 2] = { 0 };
	int i, n = 0;

	p[n].fd = child_pipe[0];
	p[n++].events = POLLIN;
	p[n].fd = port_fd[PORT_CTL];
	p[n++].events = POLLIN;
	for (i = 0; i < N_STREAMS; i++)
		n += stream_poll(&streams[i], &p[n]);
	if (poll(p, n, -1) < 0)
		return false;
	if (p[1].revents & POLLIN)
		host_line();
	for (i = 0; i < N_STREAMS; i++)
		stream_move(&streams[i]);
	return p[0].revents && reap(pid, status);
}

/* The command has ended: what it wrote still goes to the host. */
static void drain(struct stream *s)
{
	struct pollfd p = { .events = POLLOUT };

	while (s->to >= 0) {
		if (stream_move(s))
			continue;
		if (s->start == s->end || s->to < 0)
			return;
		p.fd = s->to;
		poll(&p, 1, 1000);
	}
}

int run_command(char **argv, char **env, unsigned long long *out,
		unsigned long long *err)
{
	struct sigaction sa = { .sa_handler = on_child,
				.sa_flags = SA_NOCLDSTOP | SA_RESTART };
	int status = 0;
	pid_t pid;

	if (pipe2(child_pipe, O_CLOEXEC | O_NONBLOCK))
		fail("no pipe: %s", strerror(errno));
	sigaction(SIGCHLD, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
	pid = config("tty", 0) ? start_on_terminal(argv, env)
			       : start_on_pipes(argv, env);
	if (pid < 0)
		fail("cannot fork: %s", strerror(errno));
	while (!serve(pid, &status))
		;
	drain(&streams[OUT]);
	drain(&streams[ERR]);
	*out = streams[OUT].total;
	*err = streams[ERR].total;
	return status;
}
