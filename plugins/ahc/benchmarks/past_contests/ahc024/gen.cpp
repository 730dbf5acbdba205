#include "cases.hpp"
#include "chacha.hpp"
static void write_case(std::uint64_t seed, std::ostream& out) {
    constexpr int n = 50, m = 100;
    ChaCha20 rng(seed);
    std::vector<int> color(n * n, 0);
    std::vector<int> empty(n * n);
    for (int i = 0; i < n * n; ++i) empty[i] = i;
    for (int k = 1; k <= m; ++k) {
        const std::size_t at = rng.below(static_cast<std::uint32_t>(empty.size()));
        color[empty[at]] = k;
        empty.erase(empty.begin() + static_cast<long>(at));
    }
    const int di[] = {-1, 1, 0, 0}, dj[] = {0, 0, -1, 1};
    while (!empty.empty()) {
        const std::size_t at = rng.below(static_cast<std::uint32_t>(empty.size()));
        const int i = empty[at] / n, j = empty[at] % n;
        int x, y;
        do {
            const int d = static_cast<int>(rng.below(4));
            x = i + di[d];
            y = j + dj[d];
        } while (x < 0 || y < 0 || x >= n || y >= n);
        color[empty[at]] = color[x * n + y];
        if (color[empty[at]] != 0) {
            std::swap(empty[at], empty.back());
            empty.pop_back();
        }
    }
    out << n << ' ' << m << '\n';
    for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) out << color[i * n + j] << (j + 1 < n ? ' ' : '\n');
}
int main(int argc, char** argv) { return write_cases(argc, argv, write_case); }
