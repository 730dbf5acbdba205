/* Carrying out one command, or a candidate and its interactor, to the last of their processes. */
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_US 10000        /* between looks at processes, where only the session's are in sight */
#define LOOK_AT_ALL_US 50000 /* and where all of the machine's are */
#define GRACE_US 200000      /* that a candidate has after its interactor */
#define QUICK_ROUNDS 50      /* of killing one by one, before the dead are given time to go */
#define MOST_ROUNDS 1000     /* more, and a command forks as fast */

struct running {
    const struct command *command;
    char workplace[4096];
    int input_fd, output_fd, launch_fd; /* what its process gets */
    struct capture output, error;
    bool started, ended, forked;
    pid_t pid;
    int exit_code;
    enum limit limit;
    uint64_t start_us, wall_us, waited_us, cpu_us, peak_bytes;
};

static struct running parties[ROLES];
static int launch_fd = -1; /* the runner's end of the socket on which the interactor starts the candidate; -1: none */
static int children_fd = -1;

static uint64_t now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* -- starting ------------------------------------------------------------------------------------------------------ */

/* In the new process: never returns. What it writes to `report` is why it could not become the command. */
static void become(const struct running *party, enum role role, int report) {
    char variable[64];
    sigset_t none;
    setsid();
    dup2(party->input_fd, STDIN_FILENO);
    dup2(party->output_fd, STDOUT_FILENO);
    dup2(party->error.command_fd, STDERR_FILENO);
    environ = party->command->environment;
    if (party->launch_fd >= 0) {
        fcntl(party->launch_fd, F_SETFD, 0);
        snprintf(variable, sizeof variable, "%d", party->launch_fd);
        setenv(LAUNCH_VARIABLE, variable, 1);
    }
    signal(SIGPIPE, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (chdir(party->workplace) < 0 || !raise_layers(party->workplace, NULL, role, &party->command->limits)) {
        dprintf(report, "w%s", strerror(errno));
        _exit(1);
    }
    execvp(party->command->arguments[0], party->command->arguments);
    dprintf(report, "x%s", strerror(errno));
    _exit(NOT_STARTED);
}

static bool start(enum role role) {
    struct running *party = &parties[role];
    char problem[ERROR_SIZE];
    int report[2];
    if (pipe2(report, O_CLOEXEC) < 0) return fail("no pipe: %s", strerror(errno));
    party->start_us = now_us();
    party->pid = fork();
    if (party->pid == 0) become(party, role, report[1]);
    close(report[1]);
    if (party->pid < 0) return close(report[0]), fail("cannot start a process: %s", strerror(errno));
    adopt(party->pid, role);
    party->started = true;
    release_command_end(&party->output);
    release_command_end(&party->error);
    ssize_t length = read(report[0], problem, sizeof problem - 1);
    close(report[0]);
    if (length <= 0) return true;
    problem[length] = 0;
    if (problem[0] == 'w') return fail("isolation that worked before fails: %s", problem + 1);
    note(&party->error, "cannot run %s: %s\n", party->command->arguments[0], problem + 1);
    return true;
}

/* Instead of `start`, with a process that has been prepared for it. */
static bool start_forked(void) {
    struct running *party = &parties[PROGRAM];
    const int stdio[] = {party->input_fd, party->output_fd, party->error.command_fd};
    party->start_us = now_us();
    party->pid = fork_command(party->command, stdio);
    if (!party->pid) return start(PROGRAM);
    party->started = party->forked = true;
    release_command_end(&party->output);
    release_command_end(&party->error);
    return true;
}

/* What an earlier command has left must not pass for what this one leaves, should it make nothing. */
static bool forget_kept(const struct command *command) {
    for (size_t i = 0; i < command->outputs_count; i++)
        if (!forget_file(command->outputs[i].outside)) return false;
    return true;
}

static bool prepare(enum role role, const struct command *command) {
    struct running *party = &parties[role];
    party->command = command;
    party->input_fd = command->input_fd;
    if (!open_capture(&party->error, command->limits.output_bytes, uid_of(role))) return false;
    if (!make_workplace(role, party->workplace, sizeof party->workplace)) return false;
    for (size_t i = 0; i < command->inputs_count; i++)
        if (!provide(party->workplace, &command->inputs[i])) return false;
    return true;
}

static bool join(void) {
    int to_interactor[2], to_program[2];
    if (pipe2(to_interactor, O_CLOEXEC) < 0 || pipe2(to_program, O_CLOEXEC) < 0)
        return fail("no pipe: %s", strerror(errno));
    parties[PROGRAM].input_fd = to_program[0], parties[PROGRAM].output_fd = to_interactor[1];
    parties[INTERACTOR].input_fd = to_interactor[0], parties[INTERACTOR].output_fd = to_program[1];
    bool started = start(INTERACTOR) && start(PROGRAM);
    for (int end = 0; end < 2; end++) close(to_interactor[end]), close(to_program[end]);
    return started;
}

static bool offer_launch(void) {
    static const struct link candidate = {"candidate", ".runner"};
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) return fail("no socket: %s", strerror(errno));
    launch_fd = ends[0];
    parties[INTERACTOR].launch_fd = ends[1];
    bool started = provide(parties[INTERACTOR].workplace, &candidate) && start(INTERACTOR);
    close(ends[1]);
    return started;
}

static bool launch(void) {
    int stdio[2];
    if (!receive_launch(launch_fd, stdio)) return close(launch_fd), launch_fd = -1, true;
    struct running *candidate = &parties[PROGRAM];
    if (candidate->started) { /* once is enough */
        unsigned char refused = NOT_STARTED;
        send(launch_fd, &refused, 1, MSG_NOSIGNAL);
        return close(stdio[0]), close(stdio[1]), true;
    }
    candidate->input_fd = stdio[0], candidate->output_fd = stdio[1];
    bool started = start(PROGRAM);
    close(stdio[0]), close(stdio[1]);
    return started;
}

static bool start_all(struct command *commands, enum pairing pairing, const struct fork_server *fork_server) {
    enum role count = pairing == ALONE ? 1 : ROLES;
    launch_fd = -1;
    bool forks = fork_server && ensure_fork_server(fork_server->id, &fork_server->command);
    for (enum role role = 0; role < count; role++)
        if (!prepare(role, &commands[role])) return false;
    /* Only now: a command may see the very file that it, or its partner, is to replace. */
    for (enum role role = 0; role < count; role++)
        if (!forget_kept(&commands[role])) return false;
    if (pairing == JOINED) return join();
    enum role first = pairing == ALONE ? PROGRAM : INTERACTOR;
    if (!open_capture(&parties[first].output, commands[first].limits.output_bytes, uid_of(first))) return false;
    parties[first].output_fd = parties[first].output.command_fd;
    if (forks) return start_forked();
    return pairing == ALONE ? start(PROGRAM) : offer_launch();
}

/* -- watching ------------------------------------------------------------------------------------------------------ */

static void finish(struct running *party, int status) {
    party->ended = true;
    party->wall_us = now_us() - party->start_us;
    party->exit_code = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    if (party != &parties[PROGRAM] || launch_fd < 0) return;
    unsigned char reported = (unsigned char)(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    send(launch_fd, &reported, 1, MSG_NOSIGNAL);
}

/* Takes the dead in; says whether any child is left. */
static bool reap(void) {
    int status, found;
    siginfo_t dead;
    struct rusage rusage;
    while (dead.si_pid = 0, (found = waitid(P_ALL, 0, &dead, WEXITED | WNOHANG | WNOWAIT)) == 0 && dead.si_pid) {
        pid_t pid = dead.si_pid;
        if (pid == fork_server_pid()) {
            end_fork_server();
            continue;
        }
        struct running *party = &parties[owner_of(pid)];
        party->waited_us += waited_for_core_us(pid); /* while it can still be looked at */
        wait4(pid, &status, 0, &rusage);
        forget(pid);
        party->cpu_us += (uint64_t)(rusage.ru_utime.tv_sec + rusage.ru_stime.tv_sec) * 1000000 +
                         (uint64_t)(rusage.ru_utime.tv_usec + rusage.ru_stime.tv_usec);
        uint64_t peak = (uint64_t)rusage.ru_maxrss * 1024;
        if (peak > party->peak_bytes) party->peak_bytes = peak;
        for (enum role role = 0; role < ROLES; role++)
            if (parties[role].pid == pid && !parties[role].ended) finish(&parties[role], status);
    }
    return found == 0;
}

/* Neither it nor whom it talks to computes or waits for a core. Where the kernel does not count the waiting, nobody can
 * tell. */
static bool idles(const struct running *party, uint64_t wall_us, const struct usage usage[ROLES]) {
    uint64_t idle_us = party->command->limits.idle_us, waited_us = 0;
    if (wall_us <= idle_us) return false;
    for (enum role role = 0; role < ROLES; role++) idle_us += parties[role].cpu_us + usage[role].cpu_us;
    if (wall_us <= idle_us) return false;
    for (enum role role = 0; role < ROLES; role++) waited_us += parties[role].waited_us + usage[role].waited_us;
    return wall_us > idle_us + waited_us && counts_waiting();
}

static enum limit passed(enum role role, const struct usage usages[ROLES]) {
    const struct running *party = &parties[role];
    const struct limits *limits = &party->command->limits;
    const struct usage *usage = &usages[role];
    uint64_t wall_us = party->ended ? party->wall_us : now_us() - party->start_us;
    if (party->cpu_us + usage->cpu_us > limits->cpu_us) return LIMIT_CPU;
    if (idles(party, wall_us, usages)) return LIMIT_IDLE;
    if (wall_us > limits->wall_us) return LIMIT_WALL;
    if (usage->resident_bytes > limits->memory_bytes || party->peak_bytes > limits->memory_bytes) return LIMIT_MEMORY;
    if (usage->tasks > limits->processes) return LIMIT_PROCESSES;
    if (party->output.length > limits->output_bytes || party->error.length > limits->output_bytes) return LIMIT_OUTPUT;
    if (party->ended && party->exit_code == -SIGXFSZ) return LIMIT_OUTPUT;
    return party->ended && party->exit_code == -SIGXCPU ? LIMIT_CPU : LIMIT_NONE;
}

static void enforce_limits(void) {
    struct usage usage[ROLES];
    look_around(usage);
    for (enum role role = 0; role < ROLES; role++) {
        struct running *party = &parties[role];
        if (!party->started) continue;
        if (usage[role].resident_bytes > party->peak_bytes) party->peak_bytes = usage[role].resident_bytes;
        if (!party->ended && !party->limit) party->limit = passed(role, usage);
        if (party->limit || party->ended) kill_owned(role);
    }
    const struct running *interactor = &parties[INTERACTOR];
    if (interactor->ended && now_us() > interactor->start_us + interactor->wall_us + GRACE_US) kill_owned(PROGRAM);
}

/* No need to wait for the next look. */
static bool overflowing(void) {
    for (enum role role = 0; role < ROLES; role++) {
        const struct running *party = &parties[role];
        const bool is_long = party->output.length > party->output.most || party->error.length > party->error.most;
        if (party->started && !party->limit && is_long) return true;
    }
    return false;
}

static bool all_ended(void) {
    for (enum role role = 0; role < ROLES; role++)
        if (parties[role].started && !parties[role].ended) return false;
    return true;
}

/* When to look again: at intervals, and when somebody's wall time is up. */
static uint64_t next_look(void) {
    uint64_t due = now_us() + (getpid() == 1 ? LOOK_US : LOOK_AT_ALL_US);
    for (enum role role = 0; role < ROLES; role++) {
        const struct running *party = &parties[role];
        uint64_t end = party->start_us + (party->started ? party->command->limits.wall_us + 1 : 0);
        if (party->started && !party->ended && !party->limit && end < due) due = end;
    }
    return due;
}

static void end_all(void) {
    struct usage usage[ROLES];
    bool killed, left;
    for (int rounds = 0; killed = kill_everything(), left = reap(), fork_server_pid() ? killed : left; rounds++) {
        if (rounds == MOST_ROUNDS) end_fork_server();
        poll(NULL, 0, fork_server_pid() && rounds > QUICK_ROUNDS);
    }
    if (launch_fd >= 0) close(launch_fd);
    launch_fd = -1;
    look_around(usage);
    for (enum role role = 0; role < ROLES; role++) parties[role].waited_us += usage[role].waited_us;
    forget_processes();
}

/* The caller has gone. */
void leave(void) {
    end_fork_server();
    end_all();
    if (getpid() != 1) empty_folder(options.base);
    exit(0);
}

/* Waits for something to happen until a moment comes. */
static bool attend(uint64_t due) {
    struct signalfd_siginfo ignored;
    struct pollfd events[3 + 2 * ROLES] = {{STDIN_FILENO, POLLIN, 0}, {children_fd, POLLIN, 0}, {launch_fd, POLLIN, 0}};
    for (enum role role = 0; role < ROLES; role++) {
        events[3 + 2 * role] = (struct pollfd){parties[role].output.pipe_fd, POLLIN, 0};
        events[4 + 2 * role] = (struct pollfd){parties[role].error.pipe_fd, POLLIN, 0};
    }
    uint64_t now = now_us();
    if (poll(events, sizeof events / sizeof *events, now < due ? (int)((due - now + 999) / 1000) : 0) < 0)
        return errno == EINTR || fail("cannot wait: %s", strerror(errno));
    /* No request comes before the answer: the caller has gone. */
    if (events[0].revents) leave();
    if (events[1].revents) read(children_fd, &ignored, sizeof ignored);
    for (enum role role = 0; role < ROLES; role++) drain(&parties[role].output), drain(&parties[role].error);
    return !events[2].revents || launch();
}

static bool watch(void) {
    uint64_t due = next_look();
    while (reap(), !all_ended()) {
        if (!attend(due)) return false;
        if (now_us() < due && !overflowing()) continue;
        enforce_limits();
        due = next_look();
    }
    return true;
}

/* -- ending -------------------------------------------------------------------------------------------------------- */

/* Settles by exact figures what a look between two moments may have missed. */
static void settle(enum role role) {
    static const struct usage none[ROLES];
    struct running *party = &parties[role];
    if (party->started && !party->limit) party->limit = passed(role, none);
    if (party->started) return;
    party->exit_code = NOT_STARTED;
    note(&party->error, "the judge did not start the candidate\n");
}

static void answer(const struct running *party) {
    write_number((uint64_t)(int64_t)party->exit_code);
    write_number(party->limit);
    write_number(party->cpu_us);
    write_number(party->wall_us);
    write_number(party->waited_us);
    write_number(party->peak_bytes);
    write_number(party->forked);
    answer_capture(&party->output);
    answer_capture(&party->error);
}

static bool tidy(struct running *party) {
    for (size_t i = 0; i < party->command->outputs_count; i++) take_over(party->workplace, &party->command->outputs[i]);
    return clear_workplace(party->workplace);
}

static void watch_children(void) {
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, NULL);
    children_fd = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
}

bool run_commands(struct command *commands, enum pairing pairing, const struct fork_server *fork_server) {
    size_t count = pairing == ALONE ? 1 : ROLES;
    if (children_fd < 0) watch_children();
    for (enum role role = 0; role < ROLES; role++)
        parties[role] = (struct running){.launch_fd = -1, .output = NO_CAPTURE, .error = NO_CAPTURE};
    bool done = start_all(commands, pairing, fork_server) && watch();
    end_all();
    for (size_t i = 0; i < count; i++) {
        drain(&parties[i].output), drain(&parties[i].error);
        if (done) settle((enum role)i);
        if (parties[i].workplace[0]) done = tidy(&parties[i]) && done;
    }
    if (options.shared_memory) done = clear_shared_memory() && done;
    if (done) write_number(0);
    for (size_t i = 0; done && i < count; i++) answer(&parties[i]);
    for (size_t i = 0; i < count; i++) close_capture(&parties[i].output), close_capture(&parties[i].error);
    return done;
}
