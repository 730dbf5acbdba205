/* Folders of the host that commands are to see, though they lie in others that are closed to their users, such as
 * /root.
 *
 * Over the topmost closed folder an empty one is mounted, and in it just what is to be seen, under its own path. */
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define COVER "size=4m,nr_inodes=10k,mode=755"

/* Writes the topmost folder above a path that other users cannot pass; false: there is none. */
static bool find_closed_folder(const char *path, char *folder, size_t size) {
    struct stat status;
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(folder, size, "%.*s", (int)(slash - path), path);
        if (stat(folder, &status) == 0 && !(status.st_mode & S_IXOTH)) return true;
    }
    return false;
}

static void make_parents(const char *path) {
    char folder[4096];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        if (mkdir(folder, 0755) == 0) chmod(folder, 0755);
    }
}

/* Opens what is below a closed folder, before that is covered; -1: nothing to do, or nothing there. */
static int open_hidden(const char *path) {
    char folder[4096];
    return find_closed_folder(path, folder, sizeof folder) ? open(path, O_PATH | O_CLOEXEC) : -1;
}

static bool cover(const char *path) {
    char folder[4096];
    return !find_closed_folder(path, folder, sizeof folder) ||
           mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, COVER) == 0;
}

static bool mount_hidden(int hidden_fd, const char *path) {
    char hidden[64];
    struct stat status;
    snprintf(hidden, sizeof hidden, "/proc/self/fd/%d", hidden_fd);
    if (fstat(hidden_fd, &status) < 0) return false;
    make_parents(path);
    if (S_ISDIR(status.st_mode)) mkdir(path, 0755);
    else close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    return mount(hidden, path, NULL, MS_BIND | MS_REC, NULL) == 0;
}

bool show_hidden(void) {
    int hidden_fds[MOST_PATHS];
    bool shown = true;
    for (int i = 0; i < options.shown_count; i++) hidden_fds[i] = open_hidden(options.shown[i]);
    for (int i = 0; i < options.shown_count; i++) shown = shown && cover(options.shown[i]);
    shown = shown && cover(options.base);
    make_parents(options.base);
    mkdir(options.base, 0711);
    for (int i = 0; i < options.shown_count; i++) {
        if (hidden_fds[i] < 0) continue;
        shown = shown && mount_hidden(hidden_fds[i], options.shown[i]);
        close(hidden_fds[i]);
    }
    return shown;
}
