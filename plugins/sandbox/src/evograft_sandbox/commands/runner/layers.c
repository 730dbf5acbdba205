/* What is raised around each command's process before its program starts. */
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { USER, PRIVILEGES, LANDLOCK, SECCOMP };

/* In the order in which they are raised: a filter of system calls would forbid the others. */
struct layer layers[] = {
    [USER] = {"user", "commands have users of their own, a candidate another one than its judge", false, ""},
    [PRIVILEGES] = {"privileges", "no capabilities, and no way to gain any", false, ""},
    [LANDLOCK] = {"landlock", "only the system's programs and the command's own folder; no other process", false, ""},
    [SECCOMP] = {"seccomp", "no tracing, mounts, namespaces, keys or shared memory that stays", false, ""},
};
const size_t layer_count = sizeof layers / sizeof *layers;

uid_t uid_of(enum role role) { return options.first_uid ? options.first_uid + (uid_t)role : geteuid(); }

static bool become_user(enum role role) {
    uid_t uid = uid_of(role);
    if (!options.first_uid) return errno = EPERM, false;
    return setgroups(0, NULL) == 0 && setresgid(uid, uid, uid) == 0 && setresuid(uid, uid, uid) == 0;
}

static bool drop_privileges(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct nothing[2] = {{0, 0, 0}, {0, 0, 0}};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_capset, &header, nothing) == 0;
}

static bool raise_layer(size_t layer, const char *workplace, const char *readable, enum role role) {
    switch (layer) {
    case USER: return become_user(role);
    case PRIVILEGES: return drop_privileges();
    case LANDLOCK: return raise_landlock(workplace, readable, role);
    default: return raise_seccomp();
    }
}

/* Finds out in a process that does nothing else which layers work here. */
void try_layers(void) {
    int report[2], errors[sizeof layers / sizeof *layers];
    if (pipe2(report, O_CLOEXEC) < 0) return;
    pid_t pid = fork();
    if (pid == 0) {
        for (size_t i = 0; i < layer_count; i++) errors[i] = raise_layer(i, options.base, NULL, PROGRAM) ? 0 : errno;
        write(report[1], errors, sizeof errors);
        _exit(0);
    }
    close(report[1]);
    bool reported = pid > 0 && read(report[0], errors, sizeof errors) == sizeof errors;
    close(report[0]);
    if (pid > 0) waitpid(pid, NULL, 0);
    for (size_t i = 0; i < layer_count; i++) {
        layers[i].active = reported && errors[i] == 0;
        if (!layers[i].active)
            snprintf(layers[i].reason, ERROR_SIZE, "not available here: %s",
                     reported ? strerror(errors[i]) : "it kills");
    }
    if (!layers[USER].active) options.first_uid = 0;
}

static bool limit(pid_t pid, int kind, uint64_t value) {
    struct rlimit now;
    if (prlimit(pid, kind, NULL, &now) < 0) return false;
    if (value > now.rlim_max) value = now.rlim_max;
    now.rlim_cur = now.rlim_max = value;
    return prlimit(pid, kind, &now, NULL) == 0;
}

/* Rough layers behind the process table, which looks ever so often and is exact. */
static bool limit_process(pid_t pid, const struct limits *limits) {
    uint64_t file_bytes = limits->file_bytes > limits->output_bytes ? limits->file_bytes : limits->output_bytes + 1;
    /* Counted for a user: only one that nobody else has can be limited. */
    uint64_t processes = options.first_uid ? limits->processes + 1 + count_tasks(fork_server_pid()) : UINT64_MAX;
    return limit(pid, RLIMIT_CORE, 0) && limit(pid, RLIMIT_CPU, limits->cpu_us / 1000000 + 2) &&
           limit(pid, RLIMIT_STACK, limits->memory_bytes) && limit(pid, RLIMIT_FSIZE, file_bytes) &&
           limit(pid, RLIMIT_NOFILE, 1024) && limit(pid, RLIMIT_NPROC, processes);
}

/* The limits of a process that the fork server has made; without a further capability, only its user may set them. */
bool limit_fork(pid_t pid, const struct limits *limits) {
    int status;
    pid_t helper = fork();
    if (helper == 0) _exit((options.first_uid == 0 || become_user(PROGRAM)) && limit_process(pid, limits) ? 0 : 1);
    return helper > 0 && waitpid(helper, &status, 0) == helper && status == 0;
}

static void offer_to_the_oom_killer(void) {
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    write(fd, "1000", 4);
    close(fd);
}

/* Whether what a command is only shown is safe from it, though the folder outlives the command. */
bool is_confined(void) { return options.first_uid || layers[LANDLOCK].active; }

bool raise_layers(const char *workplace, const char *readable, enum role role, const struct limits *limits) {
    pid_t parent = getppid();
    offer_to_the_oom_killer();
    if (!limit_process(0, limits)) return false;
    for (size_t i = 0; i < layer_count; i++) {
        if (layers[i].active && !raise_layer(i, workplace, readable, role)) return false;
        /* A change of user would undo it. */
        if (i == USER && (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)) return false;
    }
    return true;
}
