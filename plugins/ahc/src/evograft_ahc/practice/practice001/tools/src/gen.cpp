// gen SEEDS_FILE [FOLDER]: mountains with huts.
#include "cases.hpp"
#include "random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <ostream>

struct Hill {
    double x, y, width, height;
};

constexpr int SIZE = 1000;

static int height_at(const std::array<Hill, 6>& hills, int x, int y) {
    double height = 0;
    for (const Hill& hill : hills) {
        const double dx = (x - hill.x) / hill.width, dy = (y - hill.y) / hill.width;
        height += hill.height * std::exp(-(dx * dx + dy * dy) / 2);
    }
    return static_cast<int>(std::lround(height));
}

static void write_mountain(std::uint64_t seed, std::ostream& out) {
    Random random(seed);
    const int huts = random.between(60, 150), capacity = random.between(40, 120), steepness = random.between(1, 6);
    std::array<Hill, 6> hills{};
    for (Hill& hill : hills) {
        hill = {random.uniform(0, SIZE), random.uniform(0, SIZE), random.uniform(80, 250), random.uniform(50, 300)};
    }
    out << huts << ' ' << capacity << ' ' << steepness << '\n';
    for (int i = 0; i <= huts; ++i) {
        const int x = random.between(0, SIZE), y = random.between(0, SIZE);
        out << x << ' ' << y << ' ' << height_at(hills, x, y);
        if (i > 0) {
            const int deliver = random.between(1, 20);
            out << ' ' << deliver << ' ' << std::max(0, random.between(-20, 25));
        }
        out << '\n';
    }
}

int main(int argc, char** argv) { return write_cases(argc, argv, write_mountain); }
