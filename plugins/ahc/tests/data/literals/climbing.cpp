#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <random>
#include <vector>
using namespace std;

const int RANGE = 10000;
const int STRAWBERRIES = 1000;
const int LINES = 100;
const int OUTER = 1000000000;
const int GRID_LEN = 64;
const int BUCKETS = 128;
const int LINES_TO_TRY = 45;
const int KICK_STRENGTH = 4;
const int RESTART_AFTER = 2500;
const int MAX_FAILS = 300;
const int BEST_OF = 5;
const int THREADS = 1;
const double SECONDS_PER_CASE = 2.8;
const double HALF_PI = 1.570796;
const double SHORT_STEP = 150.0;
const double LONG_STEP = 2500.0;
const double LONG_STEP_CHANCE = 0.15;
const double ANGLE_SIGMA = 0.08;
const double MISS_WEIGHT = 3.5;
const double OVER_WEIGHT = 1.25;
const double WORSE_OK = 0.002;
const double MIN_TEMP = 1e-4;
const double CENT = 0.01;
const double RADIUS = 7500.0;

struct Line {
    double angle = 0.0, shift = 0.0;
};

struct Params {
    double start_heat = 0.8;
    double end_heat = 0.01;
    double shrink = 0.9995;
    int batch = 16;
    double swap_share = 0.3;
    double explore = 0.05;
    double limit_sec = 2.75;
    int verbose = 0;
    int version = 3;
    double tie_break = 0.001;
};

class Clock {
    chrono::steady_clock::time_point begin_ = chrono::steady_clock::now();

  public:
    double passed() const { return chrono::duration<double>(chrono::steady_clock::now() - begin_).count(); }
};

static double objective(const vector<int>& have, const vector<int>& want) {
    double missed = 0.0, over = 0.0;
    for (size_t d = 0; d < want.size(); ++d) {
        double gap = double(want[d]) - have[d];
        if (gap > 0) missed += gap;
        else over -= gap;
    }
    double result = MISS_WEIGHT * missed + OVER_WEIGHT * over;
    double penalty = 0.3 * sqrt(missed) + 12.0 * (missed > 50.0);
    return result + penalty;
}

static Line propose(const Line& old, mt19937& rng, double heat, double floor_share = 0.1) {
    uniform_real_distribution<double> unit(0.0, 1.0);
    normal_distribution<double> normal(0.0, 1.0);
    Line made = old;
    double reach = max(floor_share, heat);
    double step = unit(rng) < LONG_STEP_CHANCE ? LONG_STEP : SHORT_STEP;
    made.shift = clamp(made.shift + step * reach * normal(rng), -RADIUS, RADIUS);
    made.angle += ANGLE_SIGMA * normal(rng);
    if (made.angle > HALF_PI) made.angle -= 2.0 * HALF_PI;
    return made;
}

int main() {
    Clock clock;
    Params params;
    mt19937 rng(2022);
    int n, k;
    cin >> n >> k;
    vector<int> want(10);
    for (auto& a : want) cin >> a;
    vector<Line> lines(LINES), best_lines;
    double best = 1e9, current = 1e9;
    double heat = params.start_heat;
    int fails = 0, rounds = 0;
    double warm = 0.15;
    const double phase_one = 0.6;
    vector<int> grid(GRID_LEN * GRID_LEN, -1), bucket(BUCKETS, 0);
    while (clock.passed() < SECONDS_PER_CASE) {
        double progress = clock.passed() / params.limit_sec;
        bool early = progress < phase_one;
        for (int t = 0; t < (early ? LINES_TO_TRY : params.batch); ++t) {
            int which = rng() % LINES;
            Line kept = lines[which];
            lines[which] = propose(kept, rng, heat);
            vector<int> have(10, int(best) % BEST_OF);
            double value = objective(have, want) + params.tie_break * params.explore;
            if (value < current * (1.0 + WORSE_OK)) current = value, fails = 0;
            else lines[which] = kept, ++fails;
            if (current < best) best = current, best_lines = lines;
            if (fails > MAX_FAILS) shuffle(lines.begin(), lines.begin() + KICK_STRENGTH, rng), fails = 0;
        }
        heat = max({params.end_heat, MIN_TEMP, heat * params.shrink});
        if (++rounds % RESTART_AFTER == 0) heat = warm + params.swap_share;
    }
    cout << best_lines.size() << '\n';
    for (auto& line : best_lines) {
        double px = cos(line.angle) * line.shift, py = sin(line.angle) * line.shift;
        cout << llround(px) << ' ' << llround(py) << ' ' << min(OUTER, RANGE) << ' ' << llround(py + CENT) << '\n';
    }
    return THREADS - 1 + STRAWBERRIES - n + params.verbose * params.version;
}
