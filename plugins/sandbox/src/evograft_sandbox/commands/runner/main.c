/* The runner's start, and its loop over requests. */
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <unistd.h>

/* -- answers ------------------------------------------------------------------------------------------------------- */

static void report_outcome(bool done) {
    write_number(done ? 0 : 1);
    if (!done) write_field(failure, strlen(failure));
}

static void report_layer(const char *name, bool active, const char *detail) {
    write_field(name, strlen(name));
    write_number(active);
    write_field(detail, strlen(detail));
}

static void report_layers(const char *no_namespaces) {
    write_number(layer_count + 2);
    report_layer("namespaces", !no_namespaces[0],
                 no_namespaces[0] ? no_namespaces : "own processes, mounts, network and host name");
    report_layer("reaper", true, getpid() == 1 ? "process 1: nothing that a command starts outlives it"
                                               : "what a command leaves is adopted, found and killed");
    for (size_t i = 0; i < layer_count; i++)
        report_layer(layers[i].name, layers[i].active, layers[i].active ? layers[i].detail : layers[i].reason);
    flush_answer();
}

/* -- requests ------------------------------------------------------------------------------------------------------ */

static char *need_field(void) {
    char *field = read_field();
    if (!field) leave();
    return field;
}

static uint64_t need_number(void) {
    uint64_t number;
    if (!read_number(&number)) leave();
    return number;
}

static char **read_list(void) {
    uint64_t count = need_number();
    char **list = calloc(count + 1, sizeof *list);
    for (uint64_t i = 0; i < count; i++) list[i] = need_field();
    return list;
}

static struct link *read_links(size_t *count) {
    *count = need_number();
    struct link *links = calloc(*count + 1, sizeof *links);
    for (size_t i = 0; i < *count; i++) {
        links[i].inside = need_field();
        links[i].outside = need_field();
    }
    return links;
}

static bool copy_file(const char *path, int to) {
    ssize_t part = 1;
    int from = open_file(path);
    while (from >= 0 && part > 0) part = sendfile(to, from, NULL, 1 << 20);
    if (from >= 0) close(from);
    return from >= 0 && (part == 0 || fail("cannot copy %s: %s", path, strerror(errno)));
}

/* The standard input of a command: bytes of the request, or those of a file of the session. Either is a copy in memory,
 * which the command may open once more as /dev/stdin, and write to without harm. */
static int read_input(void) {
    bool from_file = need_number(), complete;
    int fd = memfd_create("input", MFD_CLOEXEC);
    if (fd < 0) fail("no memory for an input: %s", strerror(errno));
    if (from_file) {
        char *path = need_field();
        complete = copy_file(path, fd);
        free(path);
    } else {
        complete = read_into(fd);
    }
    if (!complete || fd < 0) return fd < 0 ? fd : (close(fd), -1);
    lseek(fd, 0, SEEK_SET);
    return fd;
}

static struct limits read_limits(void) {
    struct limits limits;
    uint64_t *const fields[] = {&limits.cpu_us,       &limits.wall_us,    &limits.memory_bytes, &limits.processes,
                                &limits.output_bytes, &limits.file_bytes, &limits.idle_us};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) *fields[i] = need_number();
    return limits;
}

static struct command read_command(void) {
    struct command command;
    command.arguments = read_list();
    command.environment = read_list();
    command.input_fd = read_input();
    command.inputs = read_links(&command.inputs_count);
    command.outputs = read_links(&command.outputs_count);
    command.limits = read_limits();
    return command;
}

static void free_list(char **list) {
    for (char **item = list; *item; item++) free(*item);
    free(list);
}

static void free_links(struct link *links) {
    for (struct link *link = links; link->inside; link++) free(link->inside), free(link->outside);
    free(links);
}

static void free_command(struct command *command) {
    free_list(command->arguments);
    free_list(command->environment);
    free_links(command->inputs);
    free_links(command->outputs);
    if (command->input_fd >= 0) close(command->input_fd);
}

/* Without an id: there is to be none. */
static struct fork_server read_fork_server(void) {
    struct fork_server fork_server = {NULL, {0}};
    if (!need_number()) return fork_server;
    fork_server.id = need_field();
    fork_server.command = read_command();
    return fork_server;
}

static void handle_run(void) {
    enum pairing pairing = (enum pairing)need_number();
    struct fork_server fork_server = read_fork_server();
    struct command commands[ROLES];
    size_t count = pairing == ALONE ? 1 : ROLES;
    bool readable = true;
    for (size_t i = 0; i < count; i++) {
        commands[i] = read_command();
        readable = readable && commands[i].input_fd >= 0;
    }
    if (!readable || !run_commands(commands, pairing, fork_server.id ? &fork_server : NULL)) report_outcome(false);
    for (size_t i = 0; i < count; i++) free_command(&commands[i]);
    if (fork_server.id) free_command(&fork_server.command), free(fork_server.id);
}

static void handle_write(void) {
    char *path = need_field();
    int fd = create_file(path);
    report_outcome(read_into(fd));
    if (fd >= 0) close(fd);
    free(path);
}

static void handle_read(void) {
    char *path = need_field();
    int fd = open_file(path);
    off_t length = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
    report_outcome(length >= 0);
    if (length >= 0) write_from(fd, (uint64_t)length);
    if (fd >= 0) close(fd);
    free(path);
}

static void handle_remove(void) {
    char *path = need_field();
    report_outcome(remove_file(path));
    free(path);
}

static void serve(void) {
    uint64_t kind;
    while (read_number(&kind)) {
        failure[0] = 0;
        switch (kind) {
        case 'w': handle_write(); break;
        case 'r': handle_read(); break;
        case 'd': handle_remove(); break;
        case 'x': handle_run(); break;
        default: return;
        }
        flush_answer();
    }
}

/* -- the start ----------------------------------------------------------------------------------------------------- */

static void read_options(char **arguments) {
    for (char **at = arguments; at[0] && at[1]; at += 2) {
        if (!strcmp(at[0], "--base")) options.base = at[1];
        else if (!strcmp(at[0], "--scratch-bytes")) options.scratch_bytes = strtoull(at[1], NULL, 10);
        else if (!strcmp(at[0], "--first-uid")) options.first_uid = (uid_t)strtoul(at[1], NULL, 10);
        else if (!strcmp(at[0], "--core")) options.core = atoi(at[1]);
        else if (!strcmp(at[0], "--isolate")) options.isolate = atoi(at[1]);
        else if (!strcmp(at[0], "--shared-memory")) options.shared_memory = atoi(at[1]);
        else if (!strcmp(at[0], "--forbid-sockets")) options.forbid_sockets = atoi(at[1]);
        else if (!strcmp(at[0], "--network")) options.network = atoi(at[1]);
        else if (!strcmp(at[0], "--read") && options.readable_count < MOST_PATHS)
            options.readable[options.readable_count++] = at[1];
        else if (!strcmp(at[0], "--show") && options.shown_count < MOST_PATHS)
            options.shown[options.shown_count++] = at[1];
    }
    if (geteuid() != 0) options.first_uid = 0;
}

static void stay_on_core(int core) {
    cpu_set_t cores;
    if (core < 0) return;
    CPU_ZERO(&cores);
    CPU_SET((size_t)core, &cores);
    sched_setaffinity(0, sizeof cores, &cores);
}

/* An interactor that starts its candidate runs this program, from the session's folder: the only place it can see it
 * in. */
static bool keep_own_program(void) {
    char buffer[1 << 16];
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to = create_file(".runner");
    if (from < 0 || to < 0) return fail("cannot copy the runner: %s", strerror(errno));
    for (ssize_t part; (part = read(from, buffer, sizeof buffer)) > 0;)
        if (write(to, buffer, (size_t)part) != part) return fail("cannot copy the runner: %s", strerror(errno));
    close(from);
    return close(to) == 0;
}

int main(int count, char **arguments) {
    char no_namespaces[ERROR_SIZE] = "made by no one";
    const char *name = count ? strrchr(arguments[0], '/') : NULL;
    if (name && !strcmp(name, "/candidate")) return launch_candidate();
    read_options(arguments + 1);
    signal(SIGPIPE, SIG_IGN);
    if (options.isolate && isolate(no_namespaces, sizeof no_namespaces)) no_namespaces[0] = 0;
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* nobody reads its memory or takes its descriptors */
    stay_on_core(options.core);
    bool ready = options.base && make_folders() && keep_own_program();
    report_outcome(ready);
    if (ready) {
        try_layers();
        options.shared_memory = options.shared_memory && clear_shared_memory();
        report_layers(no_namespaces);
        serve();
        leave();
    }
    flush_answer();
    return 1;
}
