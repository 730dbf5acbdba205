/* Programs that a sandbox must survive, by name: ./faulty NAME [ARGUMENT]. Prints "fine" only where nothing held it
 * up. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int can_read(const char *path) {
    char byte;
    int fd = open(path, O_RDONLY);
    return fd >= 0 && read(fd, &byte, 1) >= 0;
}

static void daemonize(void) {
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            signal(SIGTERM, SIG_IGN);
            for (;;) pause();
        }
        _exit(0);
    }
    wait(NULL);
}

static int others(void) {
    int count = 0;
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; (entry = readdir(proc));)
        count += atoi(entry->d_name) > 1 && atoi(entry->d_name) != getpid();
    return count;
}

static int connects(const char *port) {
    struct sockaddr_in host = {
        .sin_family = AF_INET, .sin_port = htons(atoi(port)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    return fd >= 0 && connect(fd, (struct sockaddr *)&host, sizeof host) == 0;
}

static void *spin(void *nothing) {
    for (;;) {}
    return nothing;
}

int main(int count, char **arguments) {
    const char *name = arguments[1], *argument = count > 2 ? arguments[2] : "";
    int is_reached = 0;
#define CASE(text) if (!strcmp(name, text))
    CASE("loop") for (;;) {}
    CASE("threads") {
        pthread_t thread;
        for (int i = 0; i < 4; i++) pthread_create(&thread, NULL, spin, NULL);
        for (;;) pause();
    }
    CASE("sleep") for (;;) pause();
    CASE("forks") for (;;) fork();
    CASE("daemons") for (int i = 0; i < 10; i++) daemonize();
    CASE("memory") {
        size_t size = 8UL << 30;
        char *place = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        for (size_t at = 0; at < size; at += 4096) place[at] = 1;
    }
    CASE("output") {
        static char chunk[1 << 16];
        for (size_t done = 0; done < 1UL << 30; done += sizeof chunk) write(1, chunk, sizeof chunk);
    }
    CASE("errors") {
        static char chunk[1 << 16];
        for (size_t done = 0; done < 1UL << 30; done += sizeof chunk) write(2, chunk, sizeof chunk);
    }
    CASE("file") {
        static char chunk[1 << 16];
        int fd = open("big", O_CREAT | O_WRONLY, 0600);
        for (size_t done = 0; done < 1UL << 30; done += sizeof chunk) write(fd, chunk, sizeof chunk);
    }
    CASE("read") is_reached = can_read(argument);
    CASE("write") is_reached = open(argument, O_CREAT | O_WRONLY, 0600) >= 0;
    CASE("connect") is_reached = connects(argument);
    CASE("kill") {
        kill(-1, SIGKILL); /* reports success although nobody could be signalled */
        is_reached = kill(getppid(), SIGKILL) == 0 || kill(1, SIGKILL) == 0;
    }
    CASE("trace") is_reached = ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0 || can_read("/proc/1/mem");
    CASE("descriptors") for (int fd = 3; fd < 1024; fd++) is_reached |= write(fd, "x", 1) == 1;
    CASE("pipes") for (int fd = 0; fd < 1024; fd++) close(fd);
    CASE("shared") is_reached = shmget(4711, 4096, IPC_CREAT | 0600) >= 0;
    CASE("signal") raise(SIGSEGV);
    CASE("stop") raise(SIGSTOP);
    CASE("deep") for (int i = 0; i < 2000; i++) if (mkdir("d", 0700) < 0 || chdir("d") < 0) break;
    CASE("locked") mkdir("a", 0700), mkdir("a/b", 0700), chmod("a/b", 0), chmod("a", 0);
    CASE("affinity") {
        cpu_set_t all;
        memset(&all, 0xff, sizeof all);
        is_reached = sched_setaffinity(0, sizeof all, &all) == 0;
    }
    CASE("others") return others();
    if (is_reached) puts("reached");
    else puts("fine");
    return 0;
}
