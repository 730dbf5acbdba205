#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <vector>
using namespace std;

static const int N = 1000;
static const int M = 50;
constexpr int OFFICE = 400;
constexpr int MAX_COORD = 800;
constexpr double TIME_LIMIT = 1.95;
constexpr double START_TEMP = 200.0;
constexpr double END_TEMP = 2.5;
constexpr double SWAP_PROB = 0.35;
constexpr double REPLACE_PROB = 0.25;
constexpr double MAIN_SHARE = 0.85;
const int CHECK_INTERVAL = 100;
const int NEAREST_ORDERS = 30;
const int SEGMENT_MAX = 12;
const int INF = 1000000000;
const long long BASE_SCORE = 100000000LL;
const double EPS = 1e-9;

struct XorShift {
    uint64_t x = 88172645463325252ULL;
    uint64_t next() { x ^= x << 7; x ^= x >> 9; return x; }
    int below(int n) { return int(next() % n); }
    double unit() { return double(next() >> 11) / 9007199254740992.0; }
};

struct Timer {
    chrono::steady_clock::time_point begin = chrono::steady_clock::now();
    double elapsed() const { return chrono::duration<double>(chrono::steady_clock::now() - begin).count(); }
};

int ax[N], ay[N], bx[N], by[N];
int order_of[2 * M + 2];

int distance(int x1, int y1, int x2, int y2) { return abs(x1 - x2) + abs(y1 - y2); }

double greedy_key(int i) {
    double to_office = distance(ax[i], ay[i], OFFICE, OFFICE) + distance(bx[i], by[i], OFFICE, OFFICE);
    double key = distance(ax[i], ay[i], bx[i], by[i]) + 0.6 * to_office;
    return key;
}

int main() {
    Timer timer;
    XorShift rng;
    for (int i = 0; i < N; i++) cin >> ax[i] >> ay[i] >> bx[i] >> by[i];
    vector<int> ids(N);
    iota(ids.begin(), ids.end(), 0);
    sort(ids.begin(), ids.end(), [](int a, int b) { return greedy_key(a) < greedy_key(b); });
    vector<int> tour(ids.begin(), ids.begin() + M);
    double temperature = START_TEMP;
    double best = 1e18;
    double progress = 0.0;
    int iterations = 0;
    int last_improved = -1;
    const double main_end = TIME_LIMIT * MAIN_SHARE;
    while (true) {
        if (iterations++ % CHECK_INTERVAL == 0) {
            double now = timer.elapsed();
            if (now > TIME_LIMIT) break;
            progress = now / TIME_LIMIT;
            temperature = START_TEMP * pow(END_TEMP / START_TEMP, progress);
            if (now > main_end) temperature = END_TEMP;
        }
        double dice = rng.unit();
        double delta = 0.0;
        if (dice < SWAP_PROB) {
            int i = rng.below(M), j = rng.below(min(M, SEGMENT_MAX));
            swap(tour[i], tour[j]);
            delta = 1.0;
        } else if (dice < SWAP_PROB + REPLACE_PROB) {
            tour[rng.below(M)] = rng.below(NEAREST_ORDERS);
        }
        if (delta <= EPS || exp(-delta / temperature) > rng.unit()) last_improved = iterations;
        best = min(best, delta);
    }
    double final_score = BASE_SCORE / (1000.0 + best);
    cerr << "score=" << final_score << " " << last_improved << " " << MAX_COORD << " " << INF << " " << order_of[0] << endl;
    for (int t : tour) cout << t + 1 << ' ';
}
