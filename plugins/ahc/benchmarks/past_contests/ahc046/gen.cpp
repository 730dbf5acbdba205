#include "cases.hpp"
#include "chacha.hpp"
static void write_case(std::uint64_t seed, std::ostream& out) {
    ChaCha20 rng(seed);
    std::vector<std::pair<int, int>> cells;
    for (int i = 0; i < 20; ++i) for (int j = 0; j < 20; ++j) cells.push_back({i, j});
    rng.shuffle(cells);
    out << "20 40\n";
    for (int k = 0; k < 40; ++k) out << cells[k].first << ' ' << cells[k].second << '\n';
}
int main(int argc, char** argv) { return write_cases(argc, argv, write_case); }
