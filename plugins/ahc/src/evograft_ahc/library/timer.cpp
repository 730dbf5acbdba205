#ifndef TIMER_CPP
#define TIMER_CPP

#include <chrono>

namespace timer {

// Counts from its construction; make it the first thing in main.
class Timer {
public:
    explicit Timer(double limit_seconds) : limit(limit_seconds), start(Clock::now()) {}

    double seconds() const { return std::chrono::duration<double>(Clock::now() - start).count(); }

    // The share of the limit that has passed; 1 and more: it is over.
    double progress() const { return seconds() / limit; }

    bool over() const { return seconds() >= limit; }

private:
    using Clock = std::chrono::steady_clock;

    double limit;
    Clock::time_point start;
};

// For loops whose body takes nanoseconds: looks at the clock at every INTERVAL-th call only.
template <int INTERVAL = 256>
class SparseTimer {
public:
    explicit SparseTimer(double limit_seconds) : timer(limit_seconds) {}

    bool over() {
        if (++calls % INTERVAL == 0) latest = timer.progress();
        return latest >= 1;
    }

    // As of the last look at the clock.
    double progress() const { return latest; }

private:
    Timer timer;
    unsigned calls = 0;
    double latest = 0;
};

}  // namespace timer

#endif
