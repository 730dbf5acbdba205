/* A small program that lives in a sandbox session, carries out commands one after another, and kills what they leave.
 *
 * It reads requests from its standard input and answers on its standard output; the end of its input is its own end.
 * Candidates are hostile: whatever they do, the runner goes on to the next request with nothing of them left.
 */
#ifndef RUNNER_H
#define RUNNER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MOST_PATHS 64
#define SHARED_MEMORY "/dev/shm"
#define ERROR_SIZE 512

/* What the runner was started with. */
struct options {
    const char *base;                 /* the folder of this session, which no command sees as a whole */
    const char *readable[MOST_PATHS]; /* what commands may read and execute, where Landlock is the only layer */
    int readable_count;
    const char *shown[MOST_PATHS]; /* what commands are to see, even below folders that are closed to their users */
    int shown_count;
    uid_t first_uid; /* of candidates; interactors have the next one. 0: commands keep the runner's user */
    bool isolate;    /* make namespaces for the runner itself */
    uint64_t scratch_bytes;
    bool forbid_sockets;
    bool shared_memory; /* candidates have a /dev/shm of their own */
    bool network; /* namespaces leave it that of the machine */
    int core; /* the only core to run on, or -1 */
};

/* Bounds on one command. */
struct limits {
    uint64_t cpu_us, wall_us, memory_bytes, processes, output_bytes, file_bytes, idle_us;
};

/* A path in a command's folder and the one in the session's that belongs to it. */
struct link {
    char *inside, *outside;
};

struct command {
    char **arguments, **environment;
    int input_fd; /* what it reads; -1 while another command decides that */
    struct link *inputs, *outputs;
    size_t inputs_count, outputs_count;
    struct limits limits;
};

enum limit { LIMIT_NONE, LIMIT_CPU, LIMIT_WALL, LIMIT_MEMORY, LIMIT_PROCESSES, LIMIT_OUTPUT, LIMIT_IDLE };

/* Joined: each reads what the other writes. Launched: the interactor starts the candidate by running `./candidate`. */
enum pairing { ALONE, JOINED, LAUNCHED };

enum role { PROGRAM, INTERACTOR, ROLES };

/* base.c: what all others stand on. */
extern struct options options;
extern char failure[ERROR_SIZE]; /* why the last function that returned false did */
bool fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* protocol.c: numbers of 8 bytes and fields with their length before them. */
bool read_number(uint64_t *number);
char *read_field(void); /* NUL-terminated, from malloc; NULL when the input has ended */
bool read_into(int fd); /* copies a field to a file; false when the input has ended, or with `failure` set */
void write_number(uint64_t number);
void write_field(const void *data, size_t length);
void write_from(int fd, uint64_t length);
void flush_answer(void);

/* capture.c: what a command writes. */
struct capture {
    int command_fd, pipe_fd, kept_fd; /* what the command writes on, what is read here, what is kept; -1: none */
    uint64_t length, most;
};
#define NO_CAPTURE ((struct capture){-1, -1, -1, 0, 0})
bool open_capture(struct capture *capture, uint64_t most, uid_t owner);
void drain(struct capture *capture);
void note(struct capture *capture, const char *format, ...) __attribute__((format(printf, 2, 3)));
void release_command_end(struct capture *capture);
void answer_capture(const struct capture *capture);
void close_capture(struct capture *capture);

/* files.c: files of the session, and the folder that a command works in. */
bool make_folders(void);
int create_file(const char *path);
int open_file(const char *path);
bool remove_file(const char *path);
bool forget_file(const char *path);
bool make_workplace(enum role role, char *path, size_t size);
bool provide(const char *workplace, const struct link *link);
bool take_over(const char *workplace, const struct link *link);
bool clear_folder(const char *path);
bool empty_folder(const char *path);

/* namespaces.c */
bool isolate(char *reason, size_t size);

/* shared_memory.c: where semaphores and memory are that processes of one command share. */
bool mount_shared_memory(void);
bool clear_shared_memory(void);

/* closed_folders.c */
bool show_hidden(void);

/* layers.c */
struct layer {
    const char *name, *detail;
    bool active;
    char reason[ERROR_SIZE];
};
extern struct layer layers[];
extern const size_t layer_count;
void try_layers(void);
bool raise_layers(const char *workplace, const char *readable, enum role role, const struct limits *limits);
bool limit_fork(pid_t pid, const struct limits *limits);
bool is_confined(void);
uid_t uid_of(enum role role);

/* seccomp.c, landlock.c */
bool raise_seccomp(void);
bool raise_landlock(const char *workplace, const char *readable, enum role role);

/* process_table.c: all processes of the commands that run. */
struct usage {
    uint64_t cpu_us, waited_us, resident_bytes, tasks;
};
void forget_processes(void);
void adopt(pid_t pid, enum role role);
void look_around(struct usage usage[ROLES]);
enum role owner_of(pid_t pid);
void forget(pid_t pid);
uint64_t count_tasks(pid_t pid);
bool counts_waiting(void);
uint64_t waited_for_core_us(pid_t pid);
bool kill_owned(enum role role);
bool kill_everything(void);

/* command.c */
#define NOT_STARTED 127
struct fork_server {
    char *id; /* equal for equal ones */
    struct command command;
};
bool run_commands(struct command *commands, enum pairing pairing, const struct fork_server *fork_server);
void leave(void) __attribute__((noreturn));

/* fork_server.c: a process that forks commands which begin alike. */
#define FORK_SERVER_VARIABLE "EVOGRAFT_FORK_SERVER"
bool ensure_fork_server(const char *id, const struct command *command);
pid_t fork_command(const struct command *command, const int stdio[3]);
pid_t fork_server_pid(void);
void end_fork_server(void);
bool clear_workplace(const char *path);

/* launcher.c: what `./candidate` is in the interactor's folder. */
#define LAUNCH_VARIABLE "EVOGRAFT_LAUNCH_FD"
int launch_candidate(void);
bool receive_launch(int socket_fd, int stdio[2]);

#endif
