/* All processes of the commands that run, wherever they are attached now: whose they are, and what they use. */
#include "runner.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct process {
    pid_t pid, parent;
    enum role role; /* ROLES: not known yet */
    char state;     /* 'Z': dead, and not taken in by its parent */
    bool there;     /* at the last look; one that has gone is counted by whoever waited for it */
    struct usage usage;
};

static struct process *known;
static size_t known_count, known_space;
static uint64_t left_behind_us[ROLES]; /* what processes had waited for a core that their own parents took in */

static struct process *find(pid_t pid) {
    for (size_t i = 0; i < known_count; i++)
        if (known[i].pid == pid) return &known[i];
    return NULL;
}

void forget_processes(void) {
    known_count = 0;
    memset(left_behind_us, 0, sizeof left_behind_us);
}

static void keep(struct process process) {
    if (known_count == known_space) {
        known_space = known_space ? 2 * known_space : 64;
        known = realloc(known, known_space * sizeof *known);
        if (!known) exit(1);
    }
    known[known_count++] = process;
}

void adopt(pid_t pid, enum role role) { keep((struct process){.pid = pid, .parent = getpid(), .role = role}); }

/* A process that nobody has seen before it died was short-lived, and no interactor's concern. */
enum role owner_of(pid_t pid) {
    struct process *process = find(pid);
    return process ? process->role : PROGRAM;
}

void forget(pid_t pid) {
    struct process *process = find(pid);
    if (process) *process = known[--known_count];
}

/* Whether a name in /proc is that of a process that may be a command's. */
static bool is_command(const char *name) {
    return name[0] >= '1' && name[0] <= '9' && atoi(name) != getpid() && atoi(name) != fork_server_pid();
}

static bool read_status(const char *pid, struct process *process) {
    char path[64], text[1024];
    unsigned long long user, system, waited_user, waited_system, threads, resident;
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    if (length <= 0) return false;
    text[length] = 0;
    /* The name in parentheses may hold parentheses itself. */
    const char *rest = strrchr(text, ')');
    if (!rest ||
        sscanf(rest, ") %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu %*d %*d %llu %*d %*u %*u %llu",
               &process->state, &process->parent, &user, &system, &waited_user, &waited_system, &threads,
               &resident) != 8)
        return false;
    uint64_t ticks = user + system + waited_user + waited_system;
    process->pid = atoi(pid);
    process->usage.cpu_us = ticks * 1000000 / (uint64_t)sysconf(_SC_CLK_TCK);
    process->usage.resident_bytes = resident * (uint64_t)sysconf(_SC_PAGESIZE);
    process->usage.tasks = threads;
    return true;
}

/* With all threads; none for no process. */
uint64_t count_tasks(pid_t pid) {
    char name[32];
    struct process process;
    snprintf(name, sizeof name, "%d", pid);
    return pid > 0 && read_status(name, &process) ? process.usage.tasks : 0;
}

/* Whether this kernel counts it at all. Nobody may have waited on an idle machine, but the runner itself has run. */
bool counts_waiting(void) {
    unsigned long long ran_ns = 0;
    FILE *counts = fopen("/proc/self/schedstat", "re");
    bool read = counts && fscanf(counts, "%llu", &ran_ns) == 1;
    if (counts) fclose(counts);
    return read && ran_ns > 0;
}

/* How long a process was ready to run while others had the cores: all threads that are there, of a dead one the first.
 * 0 where the kernel does not count that. */
uint64_t waited_for_core_us(pid_t pid) {
    char path[320], text[128];
    unsigned long long waited_ns, sum_ns = 0;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *tasks = opendir(path);
    for (struct dirent *task; tasks && (task = readdir(tasks));) {
        if (task->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", pid, task->d_name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
        if (fd >= 0) close(fd);
        text[length > 0 ? length : 0] = 0;
        if (sscanf(text, "%*u %llu", &waited_ns) == 1) sum_ns += waited_ns;
    }
    if (tasks) closedir(tasks);
    return sum_ns / 1000;
}

/* A process is its parent's; one whose parents are dead has come to the runner, and no interactor leaves any. */
static bool assign(struct process *process) {
    struct process *parent = find(process->parent);
    if (process->role != ROLES) return false;
    if (process->parent == getpid()) process->role = PROGRAM;
    else if (parent) process->role = parent->role;
    return process->role != ROLES;
}

static void see(struct process now) {
    struct process *before = find(now.pid);
    now.usage.waited_us = before ? before->usage.waited_us : 0;
    now.role = before ? before->role : ROLES;
    now.there = true;
    if (before) *before = now;
    else keep(now);
}

void look_around(struct usage usage[ROLES]) {
    DIR *proc = opendir("/proc");
    if (!proc) return;
    for (size_t i = 0; i < known_count; i++) known[i].there = false;
    for (struct dirent *entry; (entry = readdir(proc));) {
        struct process now;
        if (is_command(entry->d_name) && read_status(entry->d_name, &now)) see(now);
    }
    closedir(proc);
    for (bool progress = true; progress;) {
        progress = false;
        for (size_t i = 0; i < known_count; i++) progress |= assign(&known[i]);
    }
    memset(usage, 0, ROLES * sizeof *usage);
    for (size_t i = 0; i < known_count;) {
        struct process *process = &known[i];
        if (process->role == ROLES || !process->there) { /* of another session, or no more */
            if (process->role != ROLES) left_behind_us[process->role] += process->usage.waited_us;
            *process = known[--known_count];
            continue;
        }
        process->usage.waited_us = waited_for_core_us(process->pid);
        usage[process->role].cpu_us += process->usage.cpu_us;
        usage[process->role].waited_us += process->usage.waited_us;
        usage[process->role].resident_bytes += process->usage.resident_bytes;
        usage[process->role].tasks += process->usage.tasks;
        i++;
    }
    for (enum role role = 0; role < ROLES; role++) usage[role].waited_us += left_behind_us[role];
}

bool kill_owned(enum role role) {
    bool any = false;
    for (size_t i = 0; i < known_count; i++)
        if (known[i].role == role && kill(known[i].pid, SIGKILL) == 0) any = true;
    return any;
}

/* Nobody but the fork server can take in what it has begun itself; a dead process may still have living threads. */
static bool is_spent(const char *pid) {
    struct process process;
    return read_status(pid, &process) && process.state == 'Z' && process.usage.tasks == 1 &&
           process.parent == fork_server_pid();
}

/* In a namespace of their own, all processes but two are the commands'. */
static bool kill_others(void) {
    bool any = false;
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; proc && (entry = readdir(proc));)
        if (is_command(entry->d_name) && !is_spent(entry->d_name)) any |= kill(atoi(entry->d_name), SIGKILL) == 0;
    if (proc) closedir(proc);
    return any;
}

/* Says whether there was any. Process 1 kills all others at once, so that no fork gets away; not so if it has to spare
 * the fork server. */
bool kill_everything(void) {
    struct usage usage[ROLES];
    bool any = false;
    if (getpid() == 1) return fork_server_pid() ? kill_others() : kill(-1, SIGKILL) == 0;
    look_around(usage);
    for (enum role role = 0; role < ROLES; role++) any |= kill_owned(role);
    return any;
}
