#include "answer.hpp"
#include <algorithm>
#include <set>
#include <vector>
using Grid = std::vector<std::vector<int>>;
static std::set<std::pair<int, int>> touching(const Grid& g) {
    std::set<std::pair<int, int>> pairs;
    const int n = static_cast<int>(g.size());
    for (int i = 0; i + 1 < n; ++i)
        for (int j = 0; j + 1 < n; ++j) {
            for (auto [x, y] : {std::pair{i + 1, j}, std::pair{i, j + 1}})
                if (g[i][j] != g[x][y]) pairs.insert({std::min(g[i][j], g[x][y]), std::max(g[i][j], g[x][y])});
        }
    return pairs;
}
static long long score(std::istream& in, std::istream& out) {
    int n, m;
    in >> n >> m;
    Grid before(n + 2, std::vector<int>(n + 2, 0)), after = before;
    for (int i = 1; i <= n; ++i) for (int j = 1; j <= n; ++j) in >> before[i][j];
    int c = 0;
    bool any = false;
    while (out >> c) {  // the last of several answers counts
        for (int i = 1; i <= n; ++i)
            for (int j = 1; j <= n; ++j) {
                if ((i > 1 || j > 1) && !(out >> c)) throw Wrong("unexpected end of the output");
                if (c < 0 || c > m) throw Wrong("a color is out of range");
                after[i][j] = c;
            }
        any = true;
    }
    if (!any) throw Wrong("no answer");
    if (!out.eof()) throw Wrong("the output is not a list of numbers");
    const int size = n + 2;
    std::vector<char> color_seen(m + 1, 0), seen(size * size, 0);
    for (int s = 0; s < size * size; ++s) {
        if (seen[s]) continue;
        const int color = after[s / size][s % size];
        if (color_seen[color]) throw Wrong("the squares of a color are not connected");
        color_seen[color] = 1;
        std::vector<int> open{s};
        seen[s] = 1;
        while (!open.empty()) {
            const int i = open.back() / size, j = open.back() % size;
            open.pop_back();
            for (auto [x, y] : {std::pair{i + 1, j}, std::pair{i, j + 1}, std::pair{i - 1, j}, std::pair{i, j - 1}}) {
                if (x < 0 || y < 0 || x >= size || y >= size || seen[x * size + y] || after[x][y] != color) continue;
                seen[x * size + y] = 1;
                open.push_back(x * size + y);
            }
        }
    }
    for (int k = 0; k <= m; ++k) if (!color_seen[k]) throw Wrong("a color has no square");
    if (touching(before) != touching(after)) throw Wrong("the adjacencies are not those of the given map");
    long long points = 1;
    for (int i = 1; i <= n; ++i) for (int j = 1; j <= n; ++j) points += after[i][j] == 0;
    return points;
}
int main(int argc, char** argv) { return judge(argc, argv, score); }
