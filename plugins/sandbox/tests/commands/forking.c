/* A fork server whose forks execute their arguments: ./forking [FAULT]. FAULT is what it does wrong.
 * Asked for `born`, a fork prints a number that its server has drawn at its start. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define DESCRIPTORS 4

static char message[1 << 16];
static const char *fault = "";
static unsigned born;

static int fails(const char *name) { return !strcmp(fault, name); }

static char **read_list(char **at) {
    int count = atoi(*at);
    char **list = calloc(count + 1, sizeof *list);
    *at += strlen(*at) + 1;
    for (int i = 0; i < count; i++) list[i] = *at, *at += strlen(*at) + 1;
    return list;
}

/* In a process that has nothing of the server's but its memory. */
static void begin(const int *descriptors) {
    char byte, *at = message;
    char **arguments = read_list(&at), **environment = read_list(&at);
    setsid();
    if (read(descriptors[3], &byte, 1) != 1) _exit(1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int i = 0; i < 3; i++) dup2(descriptors[i], i);
    for (int fd = 3; fd < 64; fd++) close(fd);
    environ = environment;
    if (chdir(getenv("HOME")) < 0) _exit(1);
    if (!strcmp(arguments[0], "born")) exit(printf("%u\n", born) < 0);
    execvp(arguments[0], arguments);
    dprintf(2, "cannot run %s: %s\n", arguments[0], strerror(errno));
    _exit(127);
}

static pid_t fork_twice(const int *descriptors) {
    int numbers[2];
    pid_t first, second = 0;
    if (pipe(numbers) < 0) exit(1);
    first = fork();
    if (first == 0) {
        second = fork();
        if (second == 0) begin(descriptors);
        write(numbers[1], &second, sizeof second);
        if (fails("early")) pause();
        _exit(0);
    }
    read(numbers[0], &second, sizeof second);
    if (!fails("early")) waitpid(first, NULL, 0);
    close(numbers[0]), close(numbers[1]);
    return second;
}

static void answer(int link, pid_t child) {
    char text[32];
    if (fails("dies")) exit(3);
    if (fails("silent")) return;
    int length = sprintf(text, "%d", fails("foreign") ? getpid() : child);
    if (fails("garbage")) length = sprintf(text, "\377 nonsense");
    send(link, text, length, 0);
}

static void serve(int link) {
    union { struct cmsghdr header; char space[CMSG_SPACE(DESCRIPTORS * sizeof(int))]; } control;
    int descriptors[DESCRIPTORS];
    for (;;) {
        struct iovec part = {message, sizeof message};
        struct msghdr received = {
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
        if (recvmsg(link, &received, 0) <= 0) exit(0);
        memcpy(descriptors, CMSG_DATA(&control.header), sizeof descriptors);
        answer(link, fork_twice(descriptors));
        for (int i = 0; i < DESCRIPTORS; i++) close(descriptors[i]);
    }
}

int main(int count, char **arguments) {
    int link = atoi(getenv("EVOGRAFT_FORK_SERVER"));
    if (count > 1) fault = arguments[1];
    getrandom(&born, sizeof born, 0);
    if (fails("exits")) return 3;
    if (fails("hangs")) pause();
    if (fails("leaves") && fork() == 0) pause();
    if (!fails("readable")) prctl(PR_SET_DUMPABLE, 0);
    send(link, "", 1, 0);
    serve(link);
}
