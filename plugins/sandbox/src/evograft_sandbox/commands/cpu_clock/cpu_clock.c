/* A clock of processor time: preloaded, it stands in for the system's clocks, which then show the time at which the
 * process began plus what it has computed and slept since. Of libc it needs no more than `syscall` and `errno`, so that
 * it serves every version. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL
#define SIGNALS_SIZE 8 /* of the kernel's sigset_t */
#define CLOCKS 12      /* numbers of the system's clocks are below it; two of them show processor time themselves */

typedef int64_t nanoseconds;
struct signals {
    const sigset_t *mask;
    size_t size;
};

static nanoseconds begun_at[CLOCKS], cpu_at_begin, slept;

/* -- reading ------------------------------------------------------------------------------------------------------- */

static nanoseconds to_ns(const struct timespec *time) { return time->tv_sec * SECOND + time->tv_nsec; }
static struct timespec to_timespec(nanoseconds time) { return (struct timespec){time / SECOND, time % SECOND}; }

static nanoseconds read_system(clockid_t clock) {
    struct timespec now = {0, 0};
    syscall(SYS_clock_gettime, clock, &now);
    return to_ns(&now);
}

static bool is_replaced(clockid_t clock) {
    return clock >= 0 && clock < CLOCKS && clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_THREAD_CPUTIME_ID;
}

/* Before anybody asks; constructors of other libraries may come earlier. */
__attribute__((constructor)) static void begin(void) {
    if (begun_at[CLOCK_REALTIME]) return;
    for (clockid_t clock = 0; clock < CLOCKS; clock++) begun_at[clock] = read_system(clock);
    cpu_at_begin = read_system(CLOCK_PROCESS_CPUTIME_ID);
}

/* A counter of the processor, which is far cheaper than a system call, and how much of it is too little to matter. */
#if defined(__x86_64__)
static uint64_t read_counter(void) { return __builtin_ia32_rdtsc(); }
static uint64_t short_while(void) { return 1 << 15; } /* about 10 us */
#elif defined(__aarch64__)
static uint64_t read_counter(void) {
    uint64_t count;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
}
static uint64_t short_while(void) {
    uint64_t frequency;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(frequency));
    return frequency / 100000;
}
#else
#error "the clock of processor time is for x86-64 and AArch64"
#endif

/* What the process has computed and slept. A program that asks in every iteration is to pay no system call each time,
 * and never sees the time go backwards. */
static nanoseconds read_elapsed(void) {
    static uint64_t read_at;
    static nanoseconds shown;
    uint64_t count = read_counter(), last = __atomic_load_n(&read_at, __ATOMIC_RELAXED);
    nanoseconds before = __atomic_load_n(&shown, __ATOMIC_RELAXED);
    if (last && count - last < short_while()) return before;
    begin();
    nanoseconds now = read_system(CLOCK_PROCESS_CPUTIME_ID) - cpu_at_begin + __atomic_load_n(&slept, __ATOMIC_RELAXED);
    while (now > before &&
           !__atomic_compare_exchange_n(&shown, &before, now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    __atomic_store_n(&read_at, count, __ATOMIC_RELAXED);
    return now > before ? now : before;
}

static nanoseconds read_clock(clockid_t clock) {
    nanoseconds elapsed = read_elapsed();
    return begun_at[clock] + elapsed;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    if (!is_replaced(clock)) return (int)syscall(SYS_clock_gettime, clock, now);
    *now = to_timespec(read_clock(clock));
    return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    nanoseconds time = read_clock(CLOCK_REALTIME);
    *now = (struct timeval){time / SECOND, time % SECOND / 1000};
    if (zone) *(struct timezone *)zone = (struct timezone){0, 0};
    return 0;
}

time_t time(time_t *now) {
    time_t seconds = read_clock(CLOCK_REALTIME) / SECOND;
    if (now) *now = seconds;
    return seconds;
}

int timespec_get(struct timespec *now, int base) {
    if (base != TIME_UTC) return 0;
    *now = to_timespec(read_clock(CLOCK_REALTIME));
    return base;
}

/* -- sleeping ------------------------------------------------------------------------------------------------------ */

static void count_sleep(nanoseconds time) { __atomic_add_fetch(&slept, time, __ATOMIC_RELAXED); }

/* Returns 0, or the number of an error; what is left of an interrupted sleep is in `left`. */
static int sleep_for(nanoseconds time, struct timespec *left) {
    struct timespec wanted = to_timespec(time), rest = {0, 0};
    if (time <= 0) return 0;
    int error = syscall(SYS_nanosleep, &wanted, &rest) == 0 ? 0 : errno;
    count_sleep(time - to_ns(&rest));
    if (left) *left = rest;
    return error;
}

static int answer(int error) {
    if (error) errno = error;
    return error ? -1 : 0;
}

static bool is_time(const struct timespec *time) {
    return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < SECOND;
}

int nanosleep(const struct timespec *wanted, struct timespec *left) {
    return answer(is_time(wanted) ? sleep_for(to_ns(wanted), left) : EINVAL);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *left) {
    if (!is_replaced(clock)) return syscall(SYS_clock_nanosleep, clock, flags, wanted, left) == 0 ? 0 : errno;
    if (!is_time(wanted)) return EINVAL;
    if (flags & TIMER_ABSTIME) return sleep_for(to_ns(wanted) - read_clock(clock), NULL);
    return sleep_for(to_ns(wanted), left);
}

int usleep(useconds_t microseconds) { return answer(sleep_for(microseconds * 1000LL, NULL)); }

unsigned sleep(unsigned seconds) {
    struct timespec left = {0, 0};
    sleep_for(seconds * SECOND, &left);
    return (unsigned)left.tv_sec;
}

/* -- waiting, which takes its time only when nothing comes --------------------------------------------------------- */

int ppoll(struct pollfd *files, nfds_t count, const struct timespec *most, const sigset_t *mask) {
    struct timespec left = most ? *most : (struct timespec){0, 0};
    int ready = (int)syscall(SYS_ppoll, files, count, most ? &left : NULL, mask, SIGNALS_SIZE);
    if (ready == 0 && most) count_sleep(to_ns(most));
    return ready;
}

int poll(struct pollfd *files, nfds_t count, int milliseconds) {
    struct timespec most = to_timespec(milliseconds * 1000000LL);
    return ppoll(files, count, milliseconds < 0 ? NULL : &most, NULL);
}

int pselect(int count, fd_set *restrict readable, fd_set *restrict writable, fd_set *restrict exceptional,
            const struct timespec *restrict most, const sigset_t *restrict mask) {
    struct timespec left = most ? *most : (struct timespec){0, 0};
    struct signals signals = {mask, SIGNALS_SIZE};
    int ready = (int)syscall(SYS_pselect6, count, readable, writable, exceptional, most ? &left : NULL, &signals);
    if (ready == 0 && most) count_sleep(to_ns(most));
    return ready;
}

int select(int count, fd_set *restrict readable, fd_set *restrict writable, fd_set *restrict exceptional,
           struct timeval *restrict most) {
    struct timespec time = most ? to_timespec(most->tv_sec * SECOND + most->tv_usec * 1000LL) : (struct timespec){0, 0};
    return pselect(count, readable, writable, exceptional, most ? &time : NULL, NULL);
}

int epoll_wait(int epoll, struct epoll_event *events, int most, int milliseconds) {
    int ready = (int)syscall(SYS_epoll_pwait, epoll, events, most, milliseconds, NULL, SIGNALS_SIZE);
    if (ready == 0 && milliseconds > 0) count_sleep(milliseconds * 1000000LL);
    return ready;
}
