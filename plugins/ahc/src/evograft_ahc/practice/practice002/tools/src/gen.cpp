// gen SEEDS_FILE [FOLDER]: bakeries with tastes that drift.
#include "cases.hpp"
#include "random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <ostream>
#include <vector>

constexpr int DAYS = 70;
constexpr double DRIFT = 0.06;  // standard deviation of the logarithm of a bread's popularity, a day

static void write_bakery(std::uint64_t seed, std::ostream& out) {
    Random random(seed);
    const int kinds = random.between(4, 12);
    const double tightness = random.uniform(0.6, 1.2);
    const int substitution = random.between(0, 80);
    std::vector<double> popularity(static_cast<std::size_t>(kinds));
    for (double& rate : popularity) rate = random.uniform(4, 40);
    double total = 0;
    for (double rate : popularity) total += rate;
    out << kinds << ' ' << DAYS << ' ' << static_cast<int>(std::lround(total * tightness)) << ' ' << substitution << '\n';
    for (int k = 0; k < kinds; ++k) {
        const int price = random.between(100, 400);
        out << price << ' ' << std::lround(price * random.uniform(0.2, 0.7)) << '\n';
    }
    std::array<double, 7> weekday{};
    for (double& factor : weekday) factor = random.uniform(0.6, 1.5);
    for (int day = 0; day < DAYS; ++day) {
        for (int k = 0; k < kinds; ++k) {
            double& rate = popularity[static_cast<std::size_t>(k)];
            rate = std::clamp(rate * std::exp(DRIFT * random.normal()), 2.0, 80.0);
            // Whole thousandths read the same everywhere.
            out << std::lround(1000 * rate * weekday[static_cast<std::size_t>(day % 7)]) / 1000.0 << (k + 1 < kinds ? ' ' : '\n');
        }
    }
    out << random.next() << '\n';
}

int main(int argc, char** argv) { return write_cases(argc, argv, write_bakery); }
