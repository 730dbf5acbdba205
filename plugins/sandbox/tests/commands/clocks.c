/* Prints how far each clock goes while the process waits, sleeps and computes, in seconds. */
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static double of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
static double monotonic(void) { return of(CLOCK_MONOTONIC); }
static double realtime(void) { return of(CLOCK_REALTIME); }
static double raw(void) { return of(CLOCK_MONOTONIC_RAW); }
static double coarse(void) { return of(CLOCK_MONOTONIC_COARSE); }
static double day(void) {
    struct timeval now;
    gettimeofday(&now, NULL);
    return (double)now.tv_sec + (double)now.tv_usec / 1e6;
}
static double utc(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
static double own(void) { return of(CLOCK_PROCESS_CPUTIME_ID); }

static const struct timespec PAUSE = {0, 30000000};

static void waiting(void) { syscall(SYS_nanosleep, &PAUSE, NULL); }
static void with_nanosleep(void) { nanosleep(&PAUSE, NULL); }
static void with_usleep(void) { usleep(30000); }
static void with_poll(void) { poll(NULL, 0, 30); }
static void with_ppoll(void) { ppoll(NULL, 0, &PAUSE, NULL); }
static void with_select(void) {
    struct timeval most = {0, 30000};
    select(0, NULL, NULL, NULL, &most);
}
static void with_epoll(void) {
    struct epoll_event event;
    epoll_wait(epoll_create1(0), &event, 1, 30);
}
static void until(void) {
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += 30000000;
    if (end.tv_nsec >= 1000000000) end.tv_sec++, end.tv_nsec -= 1000000000;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
}
static void computing(void) {
    for (double end = own() + 0.03; own() < end;) {}
}

static void print(const char *name, double (*clock)(void), void (*act)(void)) {
    double before = clock();
    act();
    printf("%s %.6f\n", name, clock() - before);
}

int main(void) {
    static double (*const clocks[])(void) = {monotonic, realtime, raw, coarse, day, utc};
    static const char *const names[] = {"monotonic", "realtime", "raw", "coarse", "day", "utc"};
    for (int i = 0; i < 6; i++) print(names[i], clocks[i], waiting);
    print("nanosleep", monotonic, with_nanosleep);
    print("usleep", monotonic, with_usleep);
    print("poll", monotonic, with_poll);
    print("ppoll", monotonic, with_ppoll);
    print("select", monotonic, with_select);
    print("epoll", monotonic, with_epoll);
    print("until", monotonic, until);
    print("computing", monotonic, computing);
    printf("today %d\n", time(NULL) > 1700000000 && time(NULL) - (time_t)realtime() <= 0);
}
