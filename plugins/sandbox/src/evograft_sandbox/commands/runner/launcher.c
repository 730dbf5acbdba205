/* What `./candidate` is in the interactor's folder: it hands its standard input and output to the runner, which starts
 * the candidate with them, as another user, and tells how it ended. */
#include "runner.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union descriptors {
    struct cmsghdr header;
    char space[CMSG_SPACE(2 * sizeof(int))];
};

static struct msghdr message_of(struct iovec *part, union descriptors *control) {
    return (struct msghdr){.msg_iov = part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof *control};
}

static bool send_stdio(int socket_fd) {
    static const int stdio[2] = {STDIN_FILENO, STDOUT_FILENO};
    union descriptors control = {0};
    struct iovec part = {"", 1};
    struct msghdr message = message_of(&part, &control);
    control.header =
        (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof stdio), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.header), stdio, sizeof stdio);
    return sendmsg(socket_fd, &message, 0) == 1;
}

bool receive_launch(int socket_fd, int stdio[2]) {
    char byte;
    union descriptors control = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = message_of(&part, &control);
    if (recvmsg(socket_fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) != 1) return false;
    if (control.header.cmsg_len != CMSG_LEN(2 * sizeof(int)) || control.header.cmsg_type != SCM_RIGHTS) return false;
    memcpy(stdio, CMSG_DATA(&control.header), 2 * sizeof(int));
    return true;
}

int launch_candidate(void) {
    const char *number = getenv(LAUNCH_VARIABLE);
    unsigned char status;
    int socket_fd = number ? atoi(number) : -1;
    if (!send_stdio(socket_fd)) return 126;
    /* Else the interactor would wait for the end of an output that this process holds open. */
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    return read(socket_fd, &status, 1) == 1 ? status : 125;
}
