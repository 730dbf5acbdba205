#include <algorithm>
#include <cmath>
#include <ctime>
#include <iostream>
#include <random>
#include <vector>
using namespace std;
using ll = long long;

namespace config {
double time_limit = 2.7;
double area_weight = 1.3;
double border_weight = 0.45;
double aspect_power = 1.8;
double regret = 0.25;
double slack_ratio = 0.04;
int restarts = 8;
}  // namespace config

const int W = 1000;
const int MAX_D = 50;
const int MAX_N = 50;
const int SHORTAGE_COST = 100;
const int MIN_SIDE = 3;
const int LOCAL_ROUNDS = 25;
const int SHELF_CANDIDATES = 6;
const ll INFLL = 1LL << 60;
const double PI = 3.14159265358979;
const double GOLDEN = 0.618034;
const int MOD = 998244353;
const unsigned SEED = 12345;

struct Rect {
    int x0 = 0, y0 = 0, x1 = W, y1 = W;
    bool fixed = false;
    int group = -1;
    ll area() const { return ll(x1 - x0) * (y1 - y0); }
};

int D, K;
ll need[MAX_D][MAX_N];

double rate(const Rect& r, ll wanted, double tightness = 0.7) {
    double aspect = double(r.x1 - r.x0) / max(1, r.y1 - r.y0);
    double missing = max<ll>(0, wanted - r.area());
    double score = config::area_weight * missing * SHORTAGE_COST;
    score += config::border_weight * (2.0 * (r.x1 - r.x0) + 2.0 * (r.y1 - r.y0));
    score += pow(max(aspect, 1.0 / aspect), config::aspect_power) * tightness;
    return score;
}

vector<Rect> shelves(int day, mt19937& rng, int max_height = 300) {
    vector<Rect> made;
    int y = 0;
    double fill = 0.92;
    double noise = 0.03;
    uniform_real_distribution<double> unit(-1.0, 1.0);
    for (int k = 0; k < K; ++k) {
        double side = sqrt(double(need[day][k])) * (1.0 + noise * unit(rng));
        int height = min<int>(max_height, max<int>(MIN_SIDE, int(side * fill)));
        Rect r;
        r.y0 = y;
        r.y1 = min(W, y + height);
        r.group = k;
        made.push_back(r);
        y = r.y1;
    }
    return made;
}

int main() {
    double begin = double(clock()) / CLOCKS_PER_SEC;
    int width;
    cin >> width >> D >> K;
    for (int d = 0; d < D; ++d) for (int k = 0; k < K; ++k) cin >> need[d][k];
    mt19937 rng(SEED);
    double total = 0;
    for (int d = 0; d < D; ++d) {
        vector<Rect> best;
        double best_cost = 1e15;
        for (int attempt = 0; attempt < config::restarts; ++attempt) {
            double used = double(clock()) / CLOCKS_PER_SEC - begin;
            if (used > config::time_limit * (d + 1) / D) break;
            auto made = shelves(d, rng);
            double cost = 1.0;
            for (int round = 0; round < LOCAL_ROUNDS; ++round)
                for (auto& r : made) cost += rate(r, need[d][r.group]) + config::regret * (rng() % SHELF_CANDIDATES);
            double limit = best_cost * (1.0 + config::slack_ratio);
            if (cost < limit) best_cost = cost, best = made;
        }
        total += best_cost;
        for (auto& r : best) cout << r.x0 << ' ' << r.y0 << ' ' << r.x1 << ' ' << r.y1 << '\n';
    }
    double degrees = 180.0 / PI;
    cerr << "total=" << total << ' ' << degrees * GOLDEN << ' ' << MOD << ' ' << INFLL << endl;
}
