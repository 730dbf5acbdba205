/* What a command may do to all processes that it sees, of which one is its fork server: ./attacks NAME [NUMBER].
 * Prints how many of them it could do it to. `note` leaves an attribute at the folder, `notes` says if there is one. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

static int can_write(pid_t pid, const char *file) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, file);
    int fd = open(path, O_WRONLY);
    return fd >= 0 && write(fd, "0", 1) == 1;
}

static int limit(pid_t pid, int kind) {
    struct rlimit nothing = {0, 0};
    return prlimit(pid, kind, &nothing, NULL) == 0;
}

static int attack(pid_t pid, const char *name, int number) {
    struct sched_param none = {0};
    if (!strcmp(name, "signal")) return kill(pid, number) == 0;
    if (!strcmp(name, "interrupt")) return kill(pid, SIGSTOP) == 0 && kill(pid, SIGTERM) == 0;
    if (!strcmp(name, "limit")) return limit(pid, number);
    if (!strcmp(name, "nice")) return setpriority(PRIO_PROCESS, pid, 19) == 0;
    if (!strcmp(name, "idle")) return sched_setscheduler(pid, SCHED_IDLE, &none) == 0;
    if (!strcmp(name, "ioprio")) return syscall(SYS_ioprio_set, 1, pid, 3 << 13) == 0;
    if (!strcmp(name, "memory")) return can_write(pid, "mem");
    if (!strcmp(name, "oom")) return can_write(pid, "oom_score_adj");
    return -1;
}

int main(int count, char **arguments) {
    int done = 0, number = count > 2 ? atoi(arguments[2]) : 0;
    if (!strcmp(arguments[1], "note")) return printf("%d\n", setxattr(".", "user.note", "secret", 6, 0) == 0) < 0;
    if (!strcmp(arguments[1], "notes")) return printf("%d\n", listxattr(".", NULL, 0) > 0) < 0;
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; (entry = readdir(proc));) {
        pid_t pid = atoi(entry->d_name);
        if (pid > 1 && pid != getpid()) done += attack(pid, arguments[1], number);
    }
    printf("%d\n", done);
}
