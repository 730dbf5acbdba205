#include "answer.hpp"
#include <algorithm>
#include <map>
#include <set>
#include <vector>
using Point = std::pair<long long, long long>;
static long long score(std::istream& in, std::istream& out) {
    long long n;
    in >> n;
    std::vector<Point> fish(2 * n);
    for (auto& [x, y] : fish) in >> x >> y;
    std::vector<Point> p;
    long long m;
    while (out >> m) {  // the last of several answers counts
        if (m < 4 || m > 1000) throw Wrong("the number of vertices is out of range");
        p.assign(m, {});
        for (auto& [x, y] : p) {
            if (!(out >> x >> y)) throw Wrong("unexpected end of the output");
            if (x < 0 || y < 0 || x > 100000 || y > 100000) throw Wrong("a coordinate is out of range");
        }
    }
    if (p.empty()) throw Wrong("no answer");
    if (!out.eof()) throw Wrong("the output is not a list of numbers");
    if (std::set<Point>(p.begin(), p.end()).size() != p.size()) throw Wrong("two vertices are the same");
    m = static_cast<long long>(p.size());
    long long length = 0;
    for (long long k = 0; k < m; ++k) {
        const auto [x, y] = p[k];
        const auto [u, v] = p[(k + 1) % m];
        if (x != u && y != v) throw Wrong("an edge is not parallel to an axis");
        length += std::llabs(x - u) + std::llabs(y - v);
    }
    if (length > 400000) throw Wrong("the polygon is too long");
    for (long long a = 0; a < m; ++a)
        for (long long b = a + 1; b < m; ++b) {
            const Point p1 = p[a], p2 = p[(a + 1) % m], q1 = p[b], q2 = p[(b + 1) % m];
            const long long low_x = std::max(std::min(p1.first, p2.first), std::min(q1.first, q2.first));
            const long long high_x = std::min(std::max(p1.first, p2.first), std::max(q1.first, q2.first));
            const long long low_y = std::max(std::min(p1.second, p2.second), std::min(q1.second, q2.second));
            const long long high_y = std::min(std::max(p1.second, p2.second), std::max(q1.second, q2.second));
            if (low_x > high_x || low_y > high_y) continue;
            const bool next = b == a + 1 || (a == 0 && b == m - 1);
            if (!next || low_x != high_x || low_y != high_y) throw Wrong("the polygon intersects itself");
        }
    long long caught = 0;
    for (long long k = 0; k < 2 * n; ++k) {
        const auto [x, y] = fish[k];
        bool edge = false, inside = false;
        for (long long a = 0; a < m; ++a) {
            const auto [x1, y1] = p[a];
            const auto [x2, y2] = p[(a + 1) % m];
            const bool in_x = std::min(x1, x2) <= x && x <= std::max(x1, x2);
            const bool in_y = std::min(y1, y2) <= y && y <= std::max(y1, y2);
            if (in_x && in_y) edge = true;
            if (x1 == x2 && x1 > x && (y1 > y) != (y2 > y)) inside = !inside;
        }
        if (edge || inside) caught += k < n ? 1 : -1;
    }
    return std::max(0LL, caught + 1);
}
int main(int argc, char** argv) { return judge(argc, argv, score); }
