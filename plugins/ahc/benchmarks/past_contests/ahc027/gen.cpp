#include "cases.hpp"
#include "chacha.hpp"
static void write_case(std::uint64_t seed, std::ostream& out) {
    ChaCha20 rng(seed);
    const int n = rng.between(20, 40), w = rng.between(1, n);
    std::vector<std::string> h, v;
    const int di[] = {-1, 1, 0, 0}, dj[] = {0, 0, -1, 1};
    auto wall = [&](int i, int j, int d) {
        if (d == 0) return i == 0 || h[i - 1][j] == '1';
        if (d == 1) return i == n - 1 || h[i][j] == '1';
        if (d == 2) return j == 0 || v[i][j - 1] == '1';
        return j == n - 1 || v[i][j] == '1';
    };
    while (true) {
        h.assign(n - 1, std::string(n, '0'));
        v.assign(n, std::string(n - 1, '0'));
        for (int k = 0; k < w; ++k) {
            const int d = rng.between(0, 3);
            if (d < 2) {
                const int i = rng.between(0, n - 2), j = rng.between(0, n - 1), len = rng.between(3, n / 2);
                for (int x = 0; x < len; ++x) {
                    const int at = d == 0 ? j - x : j + x;
                    if (at >= 0 && at < n) h[i][at] = '1';
                }
            } else {
                const int i = rng.between(0, n - 1), j = rng.between(0, n - 2), len = rng.between(3, n / 2);
                for (int x = 0; x < len; ++x) {
                    const int at = d == 2 ? i - x : i + x;
                    if (at >= 0 && at < n) v[at][j] = '1';
                }
            }
        }
        std::vector<char> seen(n * n, 0);
        std::vector<int> open{0};
        seen[0] = 1;
        for (std::size_t at = 0; at < open.size(); ++at)
            for (int d = 0; d < 4; ++d) {
                const int i = open[at] / n, j = open[at] % n;
                if (wall(i, j, d) || seen[(i + di[d]) * n + j + dj[d]]) continue;
                seen[(i + di[d]) * n + j + dj[d]] = 1;
                open.push_back((i + di[d]) * n + j + dj[d]);
            }
        if (static_cast<int>(open.size()) == n * n) break;
    }
    const int c = rng.between(1, n / 2);
    std::vector<double> level(n * n, 0);
    for (int k = 0; k < c; ++k) {
        const int i = rng.between(0, n - 1), j = rng.between(0, n - 1), m = rng.between(n, n * n / c);
        const double b = rng.real(0, 2);
        std::vector<int> set{i * n + j};
        std::vector<char> in(n * n, 0);
        in[i * n + j] = 1;
        while (static_cast<int>(set.size()) < m) {
            const int p = set[rng.below(static_cast<std::uint32_t>(set.size()))], d = rng.between(0, 3);
            if (wall(p / n, p % n, d)) continue;
            const int q = (p / n + di[d]) * n + p % n + dj[d];
            if (!in[q]) in[q] = 1, set.push_back(q);
        }
        for (int p : set) level[p] = b;
    }
    out << n << '\n';
    for (const auto& line : h) out << line << '\n';
    for (const auto& line : v) out << line << '\n';
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            out << std::lround(std::pow(10.0, level[i * n + j] + rng.real(0, 1))) << (j + 1 < n ? ' ' : '\n');
}
int main(int argc, char** argv) { return write_cases(argc, argv, write_case); }
