#include "cases.hpp"
#include "chacha.hpp"
#include <set>
static void write_case(std::uint64_t seed, std::ostream& out) {
    ChaCha20 rng(seed);
    constexpr int count = 5000, top = 100000;
    out << count << '\n';
    std::set<std::pair<int, int>> used;
    for (int kind = 0; kind < 2; ++kind) {
        const int clusters = rng.between(10, 25);
        struct Cluster { double weight, x, y, sd; };
        std::vector<Cluster> all;
        double total = 0;
        for (int k = 0; k < clusters; ++k) {
            const double weight = rng.real(0, 1);
            const int x = rng.between(20000, 80000), y = rng.between(20000, 80000), sd = rng.between(1000, 5000);
            all.push_back({weight, double(x), double(y), double(sd)});
            total += weight;
        }
        for (int done = 0; done < count;) {
            double at = rng.real(0, total);
            std::size_t k = 0;
            while (k + 1 < all.size() && at >= all[k].weight) at -= all[k++].weight;
            const long x = std::lround(rng.normal(all[k].x, all[k].sd));
            const long y = std::lround(rng.normal(all[k].y, all[k].sd));
            if (x < 0 || y < 0 || x > top || y > top || !used.insert({int(x), int(y)}).second) continue;
            out << x << ' ' << y << '\n';
            ++done;
        }
    }
}
int main(int argc, char** argv) { return write_cases(argc, argv, write_case); }
