#include "answer.hpp"
#include <cmath>
#include <vector>
static long long score(std::istream& in, std::istream& out) {
    int n;
    in >> n;
    std::vector<std::string> h(n - 1), v(n);
    for (auto& line : h) in >> line;
    for (auto& line : v) in >> line;
    std::vector<long long> d(n * n);
    for (auto& value : d) in >> value;
    std::string route, extra;
    if (!(out >> route)) throw Wrong("no answer");
    while (out >> extra) route = extra;  // the last of several answers counts
    const long long len = static_cast<long long>(route.size());
    if (len > 100000) throw Wrong("the route is too long");
    std::vector<std::vector<long long>> times(n * n);
    int i = 0, j = 0;
    for (long long t = 0; t < len; ++t) {
        const char c = route[t];
        bool wall;
        if (c == 'U') wall = i == 0 || h[i - 1][j] == '1', --i;
        else if (c == 'D') wall = i == n - 1 || h[i][j] == '1', ++i;
        else if (c == 'L') wall = j == 0 || v[i][j - 1] == '1', --j;
        else if (c == 'R') wall = j == n - 1 || v[i][j] == '1', ++j;
        else throw Wrong("an invalid direction");
        if (wall) throw Wrong("the route hits a wall");
        times[i * n + j].push_back(t + 1);
    }
    if (i != 0 || j != 0) throw Wrong("the route does not return to (0, 0)");
    double total = 0;
    for (int k = 0; k < n * n; ++k) {
        if (times[k].empty()) throw Wrong("a square is not visited");
        for (std::size_t x = 0; x < times[k].size(); ++x) {
            const long long next = x + 1 < times[k].size() ? times[k][x + 1] : times[k][0] + len;
            const long long gap = next - times[k][x];
            total += static_cast<double>(d[k]) * static_cast<double>(gap * (gap - 1) / 2);
        }
    }
    return std::llround(total / static_cast<double>(len));
}
int main(int argc, char** argv) { return judge(argc, argv, score); }
