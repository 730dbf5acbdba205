// The best rectangle on a coarse grid: mackerels minus sardines inside it.
#include <bits/stdc++.h>
using namespace std;

int main() {
    int n;
    cin >> n;
    constexpr int CELLS = 100, SIZE = 1000;
    vector<vector<int>> worth(CELLS, vector<int>(CELLS, 0));
    for (int k = 0; k < 2 * n; ++k) {
        int x, y;
        cin >> x >> y;
        worth[min(x / SIZE, CELLS - 1)][min(y / SIZE, CELLS - 1)] += k < n ? 1 : -1;
    }
    // The best sum of a rectangle of cells, by the best sum of a stretch of rows between two columns.
    int best = INT_MIN, left = 0, right = 0, low = 0, high = 0;
    for (int a = 0; a < CELLS; ++a) {
        vector<int> rows(CELLS, 0);
        for (int b = a; b < CELLS; ++b) {
            int sum = 0, from = 0;
            for (int y = 0; y < CELLS; ++y) {
                rows[y] += worth[b][y];
                if (sum <= 0) sum = 0, from = y;
                sum += rows[y];
                if (sum > best) best = sum, left = a, right = b, low = from, high = y;
            }
        }
    }
    const int x1 = left * SIZE, x2 = (right + 1) * SIZE - 1, y1 = low * SIZE, y2 = (high + 1) * SIZE - 1;
    cout << 4 << '\n' << x1 << ' ' << y1 << '\n' << x2 << ' ' << y1 << '\n';
    cout << x2 << ' ' << y2 << '\n' << x1 << ' ' << y2 << '\n';
}
