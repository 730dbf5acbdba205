/* Files of the session, and the folder that a command works in: nothing in either is trusted once a command has run. */
#include "runner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static int session_fd = -1;

bool make_folders(void) {
    char path[4096];
    if (chmod(options.base, 0711) < 0) return fail("cannot open %s to commands: %s", options.base, strerror(errno));
    snprintf(path, sizeof path, "%s/session", options.base);
    if (mkdir(path, 0700) < 0 && errno != EEXIST) return fail("cannot make %s: %s", path, strerror(errno));
    session_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return session_fd >= 0 || fail("cannot open %s: %s", path, strerror(errno));
}

/* Opens the folder that a path's last part is in, making those that are missing, and following no symbolic link. */
static int open_parent(int root, const char *path, const char **name, bool make) {
    int folder = dup(root);
    const char *part = path;
    for (const char *slash; folder >= 0 && (slash = strchr(part, '/')); part = slash + 1) {
        char *step = strndup(part, (size_t)(slash - part));
        if (make) mkdirat(folder, step, 0755);
        int next = openat(folder, step, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        free(step);
        close(folder);
        folder = next;
    }
    *name = part;
    return folder;
}

int create_file(const char *path) {
    const char *name;
    int folder = open_parent(session_fd, path, &name, true);
    if (folder < 0) return fail("cannot make the folder of %s: %s", path, strerror(errno)), -1;
    unlinkat(folder, name, 0); /* a command that still had the old one keeps it */
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
    if (fd < 0) fail("cannot write %s: %s", path, strerror(errno));
    else fchmod(fd, 0755);
    close(folder);
    return fd;
}

int open_file(const char *path) {
    const char *name;
    int folder = open_parent(session_fd, path, &name, false);
    int fd = folder < 0 ? -1 : openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) fail("no file %s in the session: %s", path, strerror(errno));
    if (folder >= 0) close(folder);
    return fd;
}

bool remove_file(const char *path) {
    const char *name;
    int folder = open_parent(session_fd, path, &name, false);
    bool gone = folder >= 0 && unlinkat(folder, name, 0) == 0;
    if (!gone) fail("no file %s in the session: %s", path, strerror(errno));
    if (folder >= 0) close(folder);
    return gone;
}

/* Unlike `remove_file`, takes it well when there is none. */
bool forget_file(const char *path) {
    const char *name;
    int folder = open_parent(session_fd, path, &name, false);
    bool gone = folder < 0 || unlinkat(folder, name, 0) == 0 || errno == ENOENT;
    if (!gone) fail("cannot replace %s: %s", path, strerror(errno));
    if (folder >= 0) close(folder);
    return gone;
}

bool make_workplace(enum role role, char *path, size_t size) {
    static const char *const names[ROLES] = {"candidate", "judge"};
    snprintf(path, size, "%s/%s", options.base, names[role]);
    if (mkdir(path, 0700) < 0 && errno != EEXIST) return fail("cannot make %s: %s", path, strerror(errno));
    chmod(path, 0700); /* one that was there before may have been opened by its owner */
    if (options.first_uid && chown(path, uid_of(role), uid_of(role)) < 0)
        return fail("cannot give %s away: %s", path, strerror(errno));
    return true;
}

static bool copy(int from, int folder, const char *name) {
    struct stat status;
    int to = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    bool copied = to >= 0 && fstat(from, &status) == 0;
    while (copied && status.st_size > 0) {
        ssize_t part = sendfile(to, from, NULL, (size_t)status.st_size);
        if (part <= 0) copied = false;
        status.st_size -= part;
    }
    if (to >= 0) close(to);
    return copied;
}

/* Shows a command a file of the session. A command with the runner's own user could change it, so it gets a copy. */
bool provide(const char *workplace, const struct link *link) {
    const char *name, *outside;
    int root = open(workplace, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int folder = open_parent(root, link->inside, &name, true);
    int origin = open_parent(session_fd, link->outside, &outside, false);
    bool provided;
    if (options.first_uid) {
        provided = folder >= 0 && origin >= 0 && linkat(origin, outside, folder, name, 0) == 0;
    } else {
        int from = open_file(link->outside);
        provided = from >= 0 && folder >= 0 && copy(from, folder, name);
        if (from >= 0) close(from);
    }
    if (!provided) fail("cannot show %s as %s: %s", link->outside, link->inside, strerror(errno));
    close(root);
    if (folder >= 0) close(folder);
    if (origin >= 0) close(origin);
    return provided;
}

/* Keeps a file that a command made; one that is missing, or is no plain file, is not kept. No command runs any more. */
bool take_over(const char *workplace, const struct link *link) {
    const char *name, *outside;
    struct stat status;
    int root = open(workplace, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int folder = open_parent(root, link->inside, &name, false);
    int target = open_parent(session_fd, link->outside, &outside, true);
    bool taken = folder >= 0 && target >= 0 && fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                 S_ISREG(status.st_mode) && renameat(folder, name, target, outside) == 0;
    if (taken) {
        fchownat(target, outside, geteuid(), getegid(), AT_SYMLINK_NOFOLLOW);
        fchmodat(target, outside, 0755, 0);
    }
    close(root);
    if (folder >= 0) close(folder);
    if (target >= 0) close(target);
    return taken;
}

static DIR *open_entries(int folder, const char *name) {
    fchmodat(folder, name, 0700, 0); /* its owner may have locked it */
    int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 ? NULL : fdopendir(fd);
}

static bool is_entry(const struct dirent *entry) {
    return entry && strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* Empties one folder below `top`; folders in it move up to `top`, so that no depth is too deep. Says if it got on. */
static bool flatten(DIR *top, const char *name) {
    static uint64_t moved;
    char lifted[32];
    bool progress = false;
    DIR *folder = open_entries(dirfd(top), name);
    if (!folder) return false;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (!is_entry(entry)) continue;
        snprintf(lifted, sizeof lifted, "lifted-%llu", (unsigned long long)moved++);
        progress |= unlinkat(dirfd(folder), entry->d_name, 0) == 0;
        fchmodat(dirfd(folder), entry->d_name, 0700, 0); /* moving a folder writes its `..` */
        progress |= renameat(dirfd(folder), entry->d_name, dirfd(top), lifted) == 0;
    }
    closedir(folder);
    return unlinkat(dirfd(top), name, AT_REMOVEDIR) == 0 || progress;
}

bool clear_folder(const char *path) {
    for (bool progress = true; progress;) {
        DIR *top = open_entries(AT_FDCWD, path);
        if (!top) return errno == ENOENT || fail("cannot empty %s: %s", path, strerror(errno));
        progress = false;
        for (struct dirent *entry; (entry = readdir(top));)
            if (is_entry(entry)) progress |= unlinkat(dirfd(top), entry->d_name, 0) == 0 || flatten(top, entry->d_name);
        closedir(top);
    }
    return true;
}

/* Removes it as well; one that is not there is as good as removed. */
bool empty_folder(const char *path) {
    if (!clear_folder(path)) return false;
    return rmdir(path) == 0 || errno == ENOENT || fail("cannot remove %s: %s", path, strerror(errno));
}
