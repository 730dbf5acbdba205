/* Requests in, answers out. The caller is trusted; what commands wrote only passes through. */
#include "runner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool read_exactly(void *place, size_t length) {
    char *at = place;
    while (length > 0) {
        ssize_t got = read(STDIN_FILENO, at, length);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        length -= (size_t)got;
    }
    return true;
}

static void write_exactly(int fd, const void *data, size_t length) {
    const char *at = data;
    while (length > 0) {
        ssize_t put = write(fd, at, length);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) exit(0); /* nobody listens any more */
        at += put;
        length -= (size_t)put;
    }
}

bool read_number(uint64_t *number) { return read_exactly(number, sizeof *number); }

char *read_field(void) {
    uint64_t length;
    if (!read_number(&length)) return NULL;
    char *field = malloc(length + 1);
    if (!field || !read_exactly(field, length)) exit(1);
    field[length] = 0;
    return field;
}

bool read_into(int fd) {
    uint64_t left;
    bool written = fd >= 0;
    static char buffer[1 << 16];
    if (!read_number(&left)) exit(0);
    while (left > 0) {
        size_t part = left < sizeof buffer ? left : sizeof buffer;
        if (!read_exactly(buffer, part)) exit(0);
        /* What cannot be kept is read nevertheless: the next request begins behind it. */
        for (size_t done = 0; written && done < part;) {
            ssize_t put = write(fd, buffer + done, part - done);
            if (put < 0) written = fail("cannot write: %s", strerror(errno));
            else done += (size_t)put;
        }
        left -= part;
    }
    return written;
}

static char answer[1 << 16];
static size_t answered;

void flush_answer(void) {
    write_exactly(STDOUT_FILENO, answer, answered);
    answered = 0;
}

static void put(const void *data, size_t length) {
    if (length > sizeof answer - answered) flush_answer();
    if (length > sizeof answer) {
        write_exactly(STDOUT_FILENO, data, length);
        return;
    }
    memcpy(answer + answered, data, length);
    answered += length;
}

void write_number(uint64_t number) { put(&number, sizeof number); }

void write_field(const void *data, size_t length) {
    write_number(length);
    put(data, length);
}

void write_from(int fd, uint64_t length) {
    static char buffer[1 << 16];
    write_number(length);
    for (uint64_t at = 0; at < length;) {
        size_t part = length - at < sizeof buffer ? length - at : sizeof buffer;
        ssize_t got = pread(fd, buffer, part, (off_t)at);
        if (got <= 0) { /* it was shortened meanwhile, which nobody is left to do */
            memset(buffer, 0, part);
            got = (ssize_t)part;
        }
        put(buffer, (size_t)got);
        at += (uint64_t)got;
    }
}
