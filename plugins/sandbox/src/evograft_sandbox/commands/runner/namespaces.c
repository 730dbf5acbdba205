/* Namespaces for the runner itself, where no container has made them: it becomes process 1 of its own. */
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAMESPACES (CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS)
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif

static bool write_text(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0) close(fd);
    return written;
}

/* A user namespace with this one user in it: all that somebody without privileges may map. */
static bool map_user(uid_t uid, gid_t gid) {
    char users[64], groups[64];
    snprintf(users, sizeof users, "%u %u 1", uid, uid);
    snprintf(groups, sizeof groups, "%u %u 1", gid, gid);
    return write_text("/proc/self/uid_map", users) && write_text("/proc/self/setgroups", "deny") &&
           write_text("/proc/self/gid_map", groups);
}

/* In process 1: no file system can be written to but a new one, of limited size, at the session's folder. */
static const char *arrange_mounts(void) {
    /* Read-only, no set-uid. */
    struct { uint64_t set, clear, propagation, user_namespace; } attributes = {1 | 2, 0, 0, 0};
    char size[64];
    snprintf(size, sizeof size, "size=%llu,nr_inodes=100k,mode=711", (unsigned long long)options.scratch_bytes);
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) return "private mounts";
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0) return "a new /proc";
    if (options.first_uid && !show_hidden()) return "mounts of what lies in folders that are closed to other users";
    if (syscall(SYS_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &attributes, sizeof attributes) < 0)
        return "read-only mounts";
    if (mount("tmpfs", options.base, "tmpfs", MS_NOSUID | MS_NODEV, size) < 0) return "a tmpfs";
    options.shared_memory = mount_shared_memory();
    return NULL;
}

/* Ends as process 1 does. */
static void stand_by(pid_t child) {
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    rmdir(options.base); /* succeeds in the process outside, where no file system is mounted on it */
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/* Returns in process 1 of new namespaces, or, with a reason, in the process that it was called in. */
bool isolate(char *reason, size_t size) {
    int ready[2];
    uid_t uid = getuid();
    gid_t gid = getgid();
    /* A user namespace cannot be left again, so the attempt is made in a process of its own. */
    if (pipe2(ready, O_CLOEXEC) < 0) return false;
    pid_t keeper = fork();
    if (keeper == 0) {
        const char *problem = NULL;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (unshare(NAMESPACES | (options.network ? 0 : CLONE_NEWNET) | (uid ? CLONE_NEWUSER : 0)) < 0) problem = "namespaces";
        else if (uid && !map_user(uid, gid)) problem = "a user namespace";
        pid_t first = problem ? -1 : fork();
        if (first == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            problem = arrange_mounts();
            if (!problem) {
                write(ready[1], "", 1);
                close(ready[0]), close(ready[1]);
                return true;
            }
        }
        if (problem) dprintf(ready[1], "no %s: %s", problem, strerror(errno));
        if (first <= 0) _exit(1);
        close(ready[0]), close(ready[1]);
        stand_by(first);
    }
    close(ready[1]);
    ssize_t length = keeper < 0 ? -1 : read(ready[0], reason, size - 1);
    close(ready[0]);
    if (length == 1 && reason[0] == 0) stand_by(keeper);
    reason[length > 0 ? length : 0] = 0;
    if (keeper > 0) waitpid(keeper, NULL, 0);
    return false;
}
