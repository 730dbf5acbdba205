/* A process that has done what many commands begin with, such as imports, and forks for each of them.
 *
 * It is confined like the commands, whose layers it hands on, and outlives them: it is no command's, so it is neither
 * counted nor killed with one. Whatever goes wrong with it, a command can still be run on its own. */
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FORK_MS 30000      /* to fork once */
#define MESSAGE_SIZE 65536 /* of a command's arguments and environment */
#define DESCRIPTORS 4      /* standard input, output and error, and one to read a byte from before the command begins */
#define MOST_FAILURES 3    /* in a row: one that never works would cost each command its start */

/* What any process of its user can change of it, and its forks inherit. */
struct state {
    char limits[4096];
    int priority, policy;
    long io_priority;
    cpu_set_t cores;
};

static struct {
    char *id; /* of the one that was asked for last, which need not run */
    int failures, socket_fd;
    pid_t pid; /* 0: it does not run */
    struct state state;
} server = {.socket_fd = -1};

union descriptors {
    struct cmsghdr header;
    char space[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
};

struct message {
    char text[MESSAGE_SIZE];
    size_t length;
};

pid_t fork_server_pid(void) { return server.pid; }

void end_fork_server(void) {
    if (server.pid > 0) {
        kill(server.pid, SIGKILL);
        waitpid(server.pid, NULL, 0);
    }
    if (server.socket_fd >= 0) close(server.socket_fd);
    server.pid = 0, server.socket_fd = -1;
}

static bool fail_fork_server(void) {
    end_fork_server();
    server.failures++;
    return false;
}

/* Landlock's rule is for this very folder; users need none, and what a command has done to its own is gone with it. */
bool clear_workplace(const char *path) {
    return server.pid && !options.first_uid ? clear_folder(path) : empty_folder(path);
}

/* -- starting ------------------------------------------------------------------------------------------------------ */

/* Its program and what that needs, which the commands that it forks can read and not change. */
static bool make_server_folder(const struct command *command, char *path, size_t size) {
    snprintf(path, size, "%s/server", options.base);
    if (!empty_folder(path) || mkdir(path, 0755) < 0) return false;
    chmod(path, 0755);
    for (size_t i = 0; i < command->inputs_count; i++)
        if (!provide(path, &command->inputs[i])) return false;
    return true;
}

/* In the new process: never returns. */
static void become_server(const struct command *command, const char *folder, const char *workplace, int socket_fd) {
    char variable[32];
    sigset_t none;
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    const char *writable = options.first_uid ? options.base : workplace;
    setsid();
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) dup2(nothing, fd);
    environ = command->environment;
    fcntl(socket_fd, F_SETFD, 0);
    snprintf(variable, sizeof variable, "%d", socket_fd);
    setenv(FORK_SERVER_VARIABLE, variable, 1);
    signal(SIGPIPE, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (chdir(folder) < 0 || !raise_layers(writable, folder, PROGRAM, &command->limits)) _exit(NOT_STARTED);
    execvp(command->arguments[0], command->arguments);
    _exit(NOT_STARTED);
}

/* Waits until it says something. */
static bool await_server(uint64_t milliseconds) {
    struct pollfd events[] = {{server.socket_fd, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    int found;
    while ((found = poll(events, 2, milliseconds > 1 << 30 ? -1 : (int)milliseconds)) < 0 && errno == EINTR) {}
    if (found > 0 && events[1].revents) leave();
    return found > 0;
}

static bool read_state(struct state *state) {
    char path[64];
    memset(state, 0, sizeof *state);
    snprintf(path, sizeof path, "/proc/%d/limits", server.pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, state->limits, sizeof state->limits);
    if (fd >= 0) close(fd);
    state->priority = getpriority(PRIO_PROCESS, (id_t)server.pid);
    state->policy = sched_getscheduler(server.pid);
    state->io_priority = syscall(SYS_ioprio_get, 1, server.pid);
    return length > 0 && sched_getaffinity(server.pid, sizeof state->cores, &state->cores) == 0;
}

static bool is_unchanged(void) {
    struct state now;
    return read_state(&now) && memcmp(&now, &server.state, sizeof now) == 0;
}

/* Whether its memory is out of reach for others of its user: only then /proc gives its files to root. */
static bool is_guarded(void) {
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/fd", server.pid);
    return stat(path, &status) == 0 && status.st_uid != uid_of(PROGRAM);
}

static bool is_ready(void) {
    char ready;
    return recv(server.socket_fd, &ready, 1, 0) == 1 && is_guarded() && read_state(&server.state);
}

static bool start_fork_server(const struct command *command, const char *workplace) {
    char folder[4096];
    int ends[2];
    if (!make_server_folder(command, folder, sizeof folder)) return false;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) return false;
    server.pid = fork();
    if (server.pid == 0) become_server(command, folder, workplace, ends[1]);
    close(ends[1]);
    server.socket_fd = ends[0];
    return server.pid > 0 && await_server(command->limits.wall_us / 1000) && is_ready();
}

static void name_fork_server(const char *id) {
    if (server.id && !strcmp(server.id, id)) return;
    end_fork_server();
    free(server.id);
    server.id = strdup(id);
    server.failures = 0;
}

/* Starts it if it does not run as it once was; what it has left in the workplace is no command's. */
bool ensure_fork_server(const char *id, const struct command *command) {
    char workplace[4096];
    name_fork_server(id);
    if (server.pid && is_unchanged()) return true;
    end_fork_server();
    if (server.failures == MOST_FAILURES || !is_confined()) return false;
    if (!make_workplace(PROGRAM, workplace, sizeof workplace)) return false;
    if (!start_fork_server(command, workplace)) return fail_fork_server();
    return clear_workplace(workplace);
}

/* -- forking ------------------------------------------------------------------------------------------------------- */

static bool add(struct message *message, const char *text) {
    size_t length = strlen(text) + 1;
    if (message->length + length > sizeof message->text) return false;
    memcpy(message->text + message->length, text, length);
    message->length += length;
    return true;
}

static bool add_list(struct message *message, char **list) {
    char number[32];
    size_t count = 0;
    while (list[count]) count++;
    snprintf(number, sizeof number, "%zu", count);
    bool added = add(message, number);
    for (size_t i = 0; added && i < count; i++) added = add(message, list[i]);
    return added;
}

static bool send_request(struct message *request, const int descriptors[DESCRIPTORS]) {
    union descriptors control = {0};
    struct iovec part = {request->text, request->length};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    control.header = (struct cmsghdr){
        .cmsg_len = CMSG_LEN(DESCRIPTORS * sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.header), descriptors, DESCRIPTORS * sizeof(int));
    return sendmsg(server.socket_fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)request->length;
}

/* The process that it says it has made; 0: none that is this process's child. */
static pid_t receive_child(void) {
    char text[32] = "";
    siginfo_t unused;
    if (!await_server(FORK_MS) || recv(server.socket_fd, text, sizeof text - 1, 0) <= 0) return 0;
    pid_t pid = (pid_t)atoi(text);
    bool ours = pid > 1 && pid != server.pid && waitid(P_PID, (id_t)pid, &unused, WEXITED | WNOHANG | WNOWAIT) == 0;
    return ours ? pid : 0;
}

pid_t fork_command(const struct command *command, const int stdio[3]) {
    static struct message request;
    int gate[2];
    request.length = 0;
    if (!add_list(&request, command->arguments) || !add_list(&request, command->environment)) return 0;
    if (pipe2(gate, O_CLOEXEC) < 0) return 0;
    const int descriptors[DESCRIPTORS] = {stdio[0], stdio[1], stdio[2], gate[0]};
    kill(server.pid, SIGCONT); /* an earlier command may have stopped it */
    pid_t pid = send_request(&request, descriptors) ? receive_child() : 0;
    close(gate[0]);
    if (pid && limit_fork(pid, &command->limits)) {
        server.failures = 0;
        adopt(pid, PROGRAM);
        write(gate[1], "", 1);
    } else {
        pid = 0;
        fail_fork_server();
    }
    close(gate[1]);
    return pid;
}
