/* What a command writes on a pipe: kept up to a limit, counted up to its end. */
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIPE_BYTES (1 << 20) /* so that a command seldom waits for the runner */

bool open_capture(struct capture *capture, uint64_t most, uid_t owner) {
    int ends[2];
    *capture = (struct capture){.pipe_fd = -1, .command_fd = -1, .most = most};
    capture->kept_fd = memfd_create("output", MFD_CLOEXEC);
    if (capture->kept_fd < 0 || pipe2(ends, O_CLOEXEC) < 0) return fail("no pipe for an output: %s", strerror(errno));
    capture->pipe_fd = ends[0];
    capture->command_fd = ends[1];
    fcntl(capture->pipe_fd, F_SETFL, O_NONBLOCK);
    fcntl(capture->pipe_fd, F_SETPIPE_SZ, PIPE_BYTES);
    if (options.first_uid) fchown(capture->command_fd, owner, owner); /* so that it can open /dev/stdout */
    return true;
}

static void keep(struct capture *capture, const char *data, size_t length) {
    uint64_t space = capture->length < capture->most ? capture->most - capture->length : 0;
    if (space > 0) write(capture->kept_fd, data, length < space ? length : space);
    capture->length += length;
}

void drain(struct capture *capture) {
    static char buffer[1 << 16];
    /* Not endlessly, however fast it writes: there are limits to look at. */
    for (int rounds = 0; capture->pipe_fd >= 0 && rounds < 32; rounds++) {
        ssize_t got = read(capture->pipe_fd, buffer, sizeof buffer);
        if (got < 0) return;
        if (got == 0) close(capture->pipe_fd), capture->pipe_fd = -1;
        keep(capture, buffer, (size_t)got);
    }
}

void note(struct capture *capture, const char *format, ...) {
    char text[ERROR_SIZE];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    keep(capture, text, strlen(text));
}

void release_command_end(struct capture *capture) {
    if (capture->command_fd >= 0) close(capture->command_fd);
    capture->command_fd = -1;
}

void answer_capture(const struct capture *capture) {
    write_from(capture->kept_fd, capture->length < capture->most ? capture->length : capture->most);
}

void close_capture(struct capture *capture) {
    release_command_end(capture);
    if (capture->pipe_fd >= 0) close(capture->pipe_fd);
    if (capture->kept_fd >= 0) close(capture->kept_fd);
    *capture = NO_CAPTURE;
}
