// Goes from target to target by the shortest sequence of moves and slides, without any block.
#include <bits/stdc++.h>
using namespace std;

int n, m;
const int DI[] = {-1, 1, 0, 0}, DJ[] = {0, 0, -1, 1};
const char DIRS[] = "UDLR";

bool inside(int i, int j) { return i >= 0 && j >= 0 && i < n && j < n; }

int main() {
    cin >> n >> m;
    vector<pair<int, int>> goal(m);
    for (auto& [i, j] : goal) cin >> i >> j;
    vector<pair<char, char>> actions;
    for (int k = 0; k + 1 < m; ++k) {
        // breadth-first search over cells
        const int start = goal[k].first * n + goal[k].second, end = goal[k + 1].first * n + goal[k + 1].second;
        vector<int> from(n * n, -1), how(n * n, -1);
        queue<int> open;
        open.push(start);
        from[start] = start;
        while (!open.empty() && from[end] < 0) {
            const int cell = open.front();
            open.pop();
            for (int a = 0; a < 8; ++a) {
                const int d = a % 4;
                int i = cell / n, j = cell % n;
                if (a < 4) {
                    i += DI[d];
                    j += DJ[d];
                    if (!inside(i, j)) continue;
                } else {
                    while (inside(i + DI[d], j + DJ[d])) i += DI[d], j += DJ[d];
                }
                const int next = i * n + j;
                if (from[next] >= 0) continue;
                from[next] = cell;
                how[next] = a;
                open.push(next);
            }
        }
        vector<pair<char, char>> path;
        for (int cell = end; cell != start; cell = from[cell])
            path.push_back({how[cell] < 4 ? 'M' : 'S', DIRS[how[cell] % 4]});
        actions.insert(actions.end(), path.rbegin(), path.rend());
    }
    for (auto [a, d] : actions) cout << a << ' ' << d << '\n';
}
