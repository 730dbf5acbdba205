/* The folder of POSIX semaphores and shared memory, which libraries look for under this one name.
 *
 * Candidates have one of their own: it is emptied after each command, and a judge has none, so nobody finds in it what
 * another has left. */
#include "runner.h"

#include <errno.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIZE "size=64m,nr_inodes=1k,mode=700"

/* False: there is no such folder here. */
bool mount_shared_memory(void) {
    return mount("tmpfs", SHARED_MEMORY, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, SIZE) == 0;
}

/* It is the runner's, so that no candidate can open it to others; theirs is the group. */
bool clear_shared_memory(void) {
    gid_t group = options.first_uid ? uid_of(PROGRAM) : getegid();
    if (!clear_folder(SHARED_MEMORY)) return false;
    return (chown(SHARED_MEMORY, geteuid(), group) == 0 && chmod(SHARED_MEMORY, 0770) == 0) ||
           fail("cannot give away %s: %s", SHARED_MEMORY, strerror(errno));
}
