// Always goes to the nearest square that the route has not visited yet, by a shortest path, and returns at the end.
#include <bits/stdc++.h>
using namespace std;

int n;
vector<string> h, v;
vector<vector<int>> dirt;
const int DI[] = {0, 1, 0, -1}, DJ[] = {1, 0, -1, 0};
const char DIRS[] = "RDLU";

bool can_go(int i, int j, int d) {
    const int x = i + DI[d], y = j + DJ[d];
    if (x < 0 || y < 0 || x >= n || y >= n) return false;
    return DI[d] == 0 ? v[i][min(j, y)] == '0' : h[min(i, x)][j] == '0';
}

// The moves of a shortest path from a square to the nearest one that `is_goal` accepts.
template <class Goal> string path_to(int& i, int& j, Goal is_goal) {
    vector<int> how(n * n, -1);
    queue<int> open;
    const int start = i * n + j;
    open.push(start);
    how[start] = 4;
    while (!open.empty()) {
        const int cell = open.front();
        open.pop();
        if (is_goal(cell / n, cell % n)) {
            string path;
            for (int at = cell; at != start; at -= DI[how[at]] * n + DJ[how[at]]) path += DIRS[how[at]];
            i = cell / n;
            j = cell % n;
            return string(path.rbegin(), path.rend());
        }
        for (int d = 0; d < 4; ++d) {
            if (!can_go(cell / n, cell % n, d)) continue;
            const int next = cell + DI[d] * n + DJ[d];
            if (how[next] < 0) how[next] = d, open.push(next);
        }
    }
    return "";
}

int main() {
    cin >> n;
    h.resize(n - 1);
    v.resize(n);
    for (auto& line : h) cin >> line;
    for (auto& line : v) cin >> line;
    dirt.assign(n, vector<int>(n));
    for (auto& row : dirt) for (auto& value : row) cin >> value;
    vector<vector<char>> visited(n, vector<char>(n, 0));
    visited[0][0] = 1;
    int i = 0, j = 0, left = n * n - 1;
    string route;
    while (left > 0) {
        const int a = i, b = j;
        const string path = path_to(i, j, [&](int x, int y) { return !visited[x][y]; });
        int x = a, y = b;
        for (char c : path) {
            const int d = static_cast<int>(strchr(DIRS, c) - DIRS);
            x += DI[d];
            y += DJ[d];
            if (!visited[x][y]) visited[x][y] = 1, --left;
        }
        route += path;
    }
    route += path_to(i, j, [](int x, int y) { return x == 0 && y == 0; });
    cout << route << '\n';
}
