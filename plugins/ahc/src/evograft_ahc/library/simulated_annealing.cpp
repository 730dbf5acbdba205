#ifndef SIMULATED_ANNEALING_CPP
#define SIMULATED_ANNEALING_CPP

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

namespace simulated_annealing {

enum class Schedule { exponential, linear, cosine };

struct Settings {
    double seconds;     // 0: no clock; call set_progress
    double start_heat;  // about the size of a move that is often too bad to be taken
    double end_heat;    // about the smallest change of the score; above 0
    Schedule schedule = Schedule::exponential;
    std::uint64_t seed = 88172645463325252ULL;
};

// Decides which moves to take; the state is the caller's. Scores are to become great: for costs, negate the gain.
class Annealer {
public:
    explicit Annealer(const Settings& settings)
        : settings(settings), state(settings.seed ? settings.seed : 1), start(Clock::now()), logs(TABLE) {
        for (std::uint32_t i = 0; i < TABLE; ++i) logs[i] = static_cast<float>(std::log((i + 0.5) / TABLE));
        set_progress(0);
    }

    // Whether there is time left. The clock is read once in INTERVAL calls.
    bool running() {
        if (++steps % INTERVAL == 0) {
            set_progress(std::chrono::duration<double>(Clock::now() - start).count() / settings.seconds);
        }
        return progress < 1;
    }

    // For a schedule that is counted instead of timed: progress goes from 0 to 1.
    void set_progress(double value) {
        progress = value;
        const double p = std::min(1.0, value);
        switch (settings.schedule) {
            case Schedule::linear: heat = settings.start_heat + (settings.end_heat - settings.start_heat) * p; break;
            case Schedule::cosine:
                heat = settings.end_heat + (settings.start_heat - settings.end_heat) * 0.5 * (1 + std::cos(3.141592653589793 * p));
                break;
            default: heat = settings.start_heat * std::pow(settings.end_heat / settings.start_heat, p);
        }
    }

    // The gain (0 or less) that the next move must exceed. Drawn first, it lets the evaluation of a move stop early.
    double threshold() { return heat * logs[next() >> (64 - TABLE_BITS)]; }

    bool accept(double gain) { return gain >= 0 || gain > threshold(); }

    double temperature() const { return heat; }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr int TABLE_BITS = 14;  // 64 KiB: fits the second-level cache
    static constexpr std::uint32_t TABLE = 1u << TABLE_BITS;
    static constexpr std::uint64_t INTERVAL = 64;

    Settings settings;
    std::uint64_t state;
    Clock::time_point start;
    std::vector<float> logs;
    std::uint64_t steps = 0;
    double progress = 0, heat = 0;

    std::uint64_t next() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return state;
    }
};

}  // namespace simulated_annealing

#endif
