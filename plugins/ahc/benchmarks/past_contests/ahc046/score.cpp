#include "answer.hpp"
#include <vector>
static long long score(std::istream& in, std::istream& out) {
    int n, m;
    in >> n >> m;
    std::vector<std::pair<int, int>> goal(m);
    for (auto& [i, j] : goal) in >> i >> j;
    std::vector<std::vector<char>> block(n, std::vector<char>(n, 0));
    auto solid = [&](int i, int j) { return i < 0 || j < 0 || i >= n || j >= n || block[i][j]; };
    auto [i, j] = goal[0];
    int visited = 0, turns = 0;
    std::string a, d;
    const std::string dirs = "UDLR";
    const int di[] = {-1, 1, 0, 0}, dj[] = {0, 0, -1, 1};
    while (out >> a) {
        if (!(out >> d)) throw Wrong("unexpected end of the output");
        if (a.size() != 1 || d.size() != 1 || dirs.find(d[0]) == std::string::npos)
            throw Wrong("invalid action or direction");
        if (++turns > 2 * n * m) throw Wrong("too many actions");
        const int k = static_cast<int>(dirs.find(d[0])), x = i + di[k], y = j + dj[k];
        if (a == "M") {
            if (solid(x, y)) throw Wrong("move into a block");
            i = x; j = y;
        } else if (a == "S") {
            while (!solid(i + di[k], j + dj[k])) { i += di[k]; j += dj[k]; }
        } else if (a == "A") {
            if (x < 0 || y < 0 || x >= n || y >= n) throw Wrong("alter outside the area");
            block[x][y] ^= 1;
        } else throw Wrong("invalid action");
        if (a != "A" && visited < m - 1 && goal[visited + 1] == std::make_pair(i, j)) ++visited;
    }
    return visited < m - 1 ? visited + 1 : m + 2 * n * m - turns;
}
int main(int argc, char** argv) { return judge(argc, argv, score); }
