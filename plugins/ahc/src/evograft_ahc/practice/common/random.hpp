// A generator whose numbers are the same with every compiler and library (splitmix64).
#ifndef RANDOM_HPP
#define RANDOM_HPP

#include <cmath>
#include <cstdint>

class Random {
public:
    explicit Random(std::uint64_t seed) : state(seed) {}

    std::uint64_t next() {
        std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }

    // From 0 up to, not including, 1.
    double uniform() { return static_cast<double>(next() >> 11) / 9007199254740992.0; }

    double uniform(double low, double high) { return low + (high - low) * uniform(); }

    // From low to high, both included.
    int between(int low, int high) {
        return low + static_cast<int>(next() % static_cast<std::uint64_t>(high - low + 1));
    }

    double normal() { return std::sqrt(-2.0 * std::log(1.0 - uniform())) * std::cos(6.283185307179586 * uniform()); }

    double exponential(double mean) { return -mean * std::log(1.0 - uniform()); }

private:
    std::uint64_t state;
};

#endif
