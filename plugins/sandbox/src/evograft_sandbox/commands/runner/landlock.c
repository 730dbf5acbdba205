/* Landlock: a command reaches the system's programs, a few devices and its own folder, and no other command's
 * processes. */
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CREATE_RULESET 444
#define ADD_RULE 445
#define RESTRICT_SELF 446
#define GET_ABI 1
#define BENEATH 1
#define LOG_NOTHING 1
#define EXECUTE (1 << 0)
#define WRITE_FILE (1 << 1)
#define READ_FILE (1 << 2)
#define READ_DIR (1 << 3)
#define TRUNCATE (1 << 14)
#define IOCTL (1 << 15)
#define OF_FILES (EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL)

static const char *const DEVICES[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};

struct ruleset {
    uint64_t files, network, scoped;
};
struct __attribute__((packed)) rule {
    uint64_t allowed;
    int32_t parent_fd;
};

static uint64_t rights_known(long abi) {
    static const int counts[] = {0, 13, 14, 15, 15, 16};
    return (1ULL << counts[abi < 5 ? abi : 5]) - 1;
}

/* A path that does not exist needs no rule. */
static bool allow(int ruleset, const char *path, uint64_t rights) {
    struct stat status;
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0) return true;
    if (fstat(fd, &status) == 0 && !S_ISDIR(status.st_mode)) rights &= OF_FILES;
    struct rule rule = {rights, fd};
    bool allowed = syscall(ADD_RULE, ruleset, BENEATH, &rule, 0) == 0;
    close(fd);
    return allowed;
}

static bool allow_all(int ruleset, const char *workplace, const char *readable, enum role role, uint64_t known) {
    bool allowed = allow(ruleset, workplace, known);
    if (allowed && readable) allowed = allow(ruleset, readable, EXECUTE | READ_FILE | READ_DIR);
    if (allowed && options.shared_memory && role == PROGRAM) allowed = allow(ruleset, SHARED_MEMORY, known);
    for (int i = 0; allowed && i < options.readable_count; i++)
        allowed = allow(ruleset, options.readable[i], EXECUTE | READ_FILE | READ_DIR);
    for (size_t i = 0; allowed && i < sizeof DEVICES / sizeof *DEVICES; i++)
        allowed = allow(ruleset, DEVICES[i], known & (READ_FILE | WRITE_FILE | TRUNCATE | IOCTL));
    return allowed;
}

bool raise_landlock(const char *workplace, const char *readable, enum role role) {
    if (!options.readable_count) return errno = EOPNOTSUPP, false;
    long abi = syscall(CREATE_RULESET, NULL, 0, GET_ABI);
    if (abi < 1) return false;
    /* TCP is free inside a network namespace, where nobody outside listens; elsewhere there are no sockets at all. */
    struct ruleset attributes = {rights_known(abi), 0, abi >= 6 ? 3 : 0};
    long ruleset = syscall(CREATE_RULESET, &attributes, sizeof attributes, 0);
    if (ruleset < 0) return false;
    bool raised = allow_all((int)ruleset, workplace, readable, role, attributes.files) &&
                  syscall(RESTRICT_SELF, (int)ruleset, abi >= 7 ? LOG_NOTHING : 0) == 0;
    close((int)ruleset);
    return raised;
}
