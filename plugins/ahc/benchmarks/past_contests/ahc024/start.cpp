// Begins with the given map and turns one square after the other into the outside, as long as that is allowed.
#include <bits/stdc++.h>
using namespace std;

int n, m;
int color_of[52][52];
int touch[101][101];  // how many pairs of adjacent squares have these two colors
const int DI[] = {-1, 0, 1, 0}, DJ[] = {0, 1, 0, -1};

void count_square(int i, int j, int sign) {
    for (int d = 0; d < 4; ++d) {
        const int a = color_of[i][j], b = color_of[i + DI[d]][j + DJ[d]];
        if (a != b) touch[a][b] += sign, touch[b][a] += sign;
    }
}

// Whether the squares of a color stay in one piece without (i, j).
bool connected_without(int i, int j) {
    const int color = color_of[i][j];
    vector<pair<int, int>> open;
    static int seen[52][52], stamp = 0;
    ++stamp;
    int around = 0, found = 0;
    for (int d = 0; d < 4; ++d) around += color_of[i + DI[d]][j + DJ[d]] == color;
    if (around == 0) return false;
    for (int d = 0; d < 4 && open.empty(); ++d)
        if (color_of[i + DI[d]][j + DJ[d]] == color) open.push_back({i + DI[d], j + DJ[d]});
    seen[open[0].first][open[0].second] = stamp;
    seen[i][j] = stamp;
    while (!open.empty()) {
        auto [a, b] = open.back();
        open.pop_back();
        if (abs(a - i) + abs(b - j) == 1) ++found;
        for (int d = 0; d < 4; ++d) {
            const int x = a + DI[d], y = b + DJ[d];
            if (x < 1 || y < 1 || x > n || y > n || color_of[x][y] != color || seen[x][y] == stamp) continue;
            seen[x][y] = stamp;
            open.push_back({x, y});
        }
    }
    return found == around;
}

int main() {
    cin >> n >> m;
    for (int i = 1; i <= n; ++i) for (int j = 1; j <= n; ++j) cin >> color_of[i][j];
    for (int i = 0; i <= n + 1; ++i)
        for (int j = 0; j <= n + 1; ++j)
            for (int d = 1; d <= 2; ++d) {
                const int x = i + DI[d], y = j + DJ[d];
                if (x > n + 1 || y > n + 1 || color_of[i][j] == color_of[x][y]) continue;
                ++touch[color_of[i][j]][color_of[x][y]];
                ++touch[color_of[x][y]][color_of[i][j]];
            }
    bool needed[101][101];
    for (int a = 0; a <= m; ++a) for (int b = 0; b <= m; ++b) needed[a][b] = touch[a][b] > 0;
    bool changed = true;
    while (changed) {
        changed = false;
        for (int i = 1; i <= n; ++i)
            for (int j = 1; j <= n; ++j) {
                const int old = color_of[i][j];
                if (old == 0) continue;
                bool outside = false;
                for (int d = 0; d < 4; ++d) outside |= color_of[i + DI[d]][j + DJ[d]] == 0;
                if (!outside || !connected_without(i, j)) continue;
                vector<int> colors{old, 0};
                for (int d = 0; d < 4; ++d) colors.push_back(color_of[i + DI[d]][j + DJ[d]]);
                count_square(i, j, -1);
                color_of[i][j] = 0;
                count_square(i, j, 1);
                bool good = true;
                for (int a : colors)
                    for (int b : colors) good &= a == b || (touch[a][b] > 0) == needed[a][b];
                if (good) {
                    changed = true;
                    continue;
                }
                count_square(i, j, -1);
                color_of[i][j] = old;
                count_square(i, j, 1);
            }
    }
    for (int i = 1; i <= n; ++i) for (int j = 1; j <= n; ++j) cout << color_of[i][j] << (j < n ? ' ' : '\n');
}
