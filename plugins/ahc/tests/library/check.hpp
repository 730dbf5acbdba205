// CHECK stops with the place where something does not hold, whatever NDEBUG says.
#ifndef CHECK_HPP
#define CHECK_HPP

#include <cstdio>
#include <cstdlib>
#include <random>

#define CHECK(condition) ((condition) ? void() : stop_at(__FILE__, __LINE__, #condition))

[[noreturn]] inline void stop_at(const char* file, int line, const char* condition) {
    std::fprintf(stderr, "%s:%d: %s\n", file, line, condition);
    std::exit(1);
}

inline int between(std::mt19937& random, int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
}

inline bool near(double a, double b, double tolerance = 1e-9) { return a - b < tolerance && b - a < tolerance; }

#endif
