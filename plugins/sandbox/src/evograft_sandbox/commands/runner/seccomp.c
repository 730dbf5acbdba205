/* seccomp: no system call that watches other processes, changes mounts or namespaces, or outlives the command. */
#include "runner.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define FOREIGN_CALLS 0x40000000 /* x32: the same calls under other numbers */
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#define FOREIGN_CALLS 0x7fffffff
#else
#define ARCHITECTURE 0
#define FOREIGN_CALLS 0
#endif

#define NEW_NAMESPACES 0x7e020000U /* CLONE_NEWNS, and CLONE_NEWCGROUP to CLONE_NEWNET */

/* By number, where headers are older than the call. */
enum { OPEN_TREE = 428, MOVE_MOUNT, FSOPEN, FSCONFIG, FSMOUNT, FSPICK, PIDFD_GETFD = 438, MOUNT_SETATTR = 442,
       IO_URING_SETUP = 425, IO_URING_ENTER, IO_URING_REGISTER, CLONE3 = 435 };

static const int FORBIDDEN[] = {
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, PIDFD_GETFD, SYS_perf_event_open, SYS_bpf,
    SYS_userfaultfd, IO_URING_SETUP, IO_URING_ENTER, IO_URING_REGISTER,
    SYS_add_key, SYS_keyctl, SYS_request_key, /* what these keep, the next command would find */
    SYS_shmget, SYS_semget, SYS_msgget, SYS_mq_open,
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, OPEN_TREE, MOVE_MOUNT, FSOPEN, FSCONFIG, FSMOUNT, FSPICK,
    MOUNT_SETATTR, SYS_unshare, SYS_setns, SYS_open_by_handle_at, SYS_swapon, SYS_swapoff, SYS_quotactl,
    SYS_sched_setaffinity, SYS_syslog, SYS_acct, SYS_reboot, SYS_kexec_load, SYS_init_module, SYS_finit_module,
    SYS_delete_module, SYS_settimeofday, SYS_clock_settime, SYS_sethostname, SYS_setdomainname,
};
#define FORBIDDEN_COUNT (sizeof FORBIDDEN / sizeof *FORBIDDEN)

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)
#define UNLESS(test, value, skip) BPF_JUMP(BPF_JMP | test | BPF_K, value, 0, skip)
#define DENY(error) RETURN(SECCOMP_RET_ERRNO | error)

static struct sock_filter code[FORBIDDEN_COUNT * 2 + 16];
static unsigned short length;

static void add(struct sock_filter instruction) { code[length++] = instruction; }

static void deny(int call, int error) {
    add((struct sock_filter)UNLESS(BPF_JEQ, (unsigned)call, 1));
    add((struct sock_filter)DENY((unsigned)error));
}

static void compile(void) {
    add((struct sock_filter)LOAD(arch));
    add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
    add((struct sock_filter)RETURN(SECCOMP_RET_KILL_PROCESS));
    add((struct sock_filter)LOAD(nr));
    add((struct sock_filter)UNLESS(BPF_JGE, FOREIGN_CALLS, 1));
    add((struct sock_filter)DENY(ENOSYS));
    for (size_t i = 0; i < FORBIDDEN_COUNT; i++) deny(FORBIDDEN[i], EPERM);
    deny(CLONE3, ENOSYS); /* its flags cannot be looked at; libraries fall back to clone */
    if (options.forbid_sockets) deny(SYS_socket, EPERM);
    add((struct sock_filter)UNLESS(BPF_JEQ, SYS_clone, 3));
    add((struct sock_filter)LOAD(args[0]));
    add((struct sock_filter)UNLESS(BPF_JSET, NEW_NAMESPACES, 1));
    add((struct sock_filter)DENY(EPERM));
    add((struct sock_filter)RETURN(SECCOMP_RET_ALLOW));
}

bool raise_seccomp(void) {
    if (!ARCHITECTURE) return errno = ENOSYS, false;
    if (!length) compile();
    struct sock_fprog program = {length, code};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}
