// Large neighbourhood search with adaptive choice of destroy and repair.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <vector>
using namespace std;

struct Params {
    int n = 100;
    int weeks = 500000;
    int minRuin = 4;
    int maxRuin = 24;
    double ruinFraction = 0.12;
    double coolRate = 0.9997;
    double startTemperature = 1e3;
    double reaction = 0.2;
    double rewardBest = 33.0;
    double rewardBetter = 9.0;
    double rewardAccepted = 13.0;
    double minWeight = 0.1;
    int segmentLength = 100;
    int stagnationLimit = 3000;
    double timeLimitMs = 1900;
};

static const int OPERATORS = 4;
static const int PERSONS = 100;
static const int NONE = -1;
static const int MAX_LEVEL = 16;
static const int TABU_TENURE = 9;
static const int SAMPLES_PER_MOVE = 5;
static const int64_t PENALTY = 1000000;
static const double LOG_BASE = 1.4427;
static const int BUFFER_SIZE = 1 << 16;
static const int SEED = 7;
static const int WARMUP_ITERATIONS = 500;
static const int REPORT_EVERY = 1000;
static const uint32_t MULTIPLIER = 2654435761u;

static uint32_t state = 2463534242u;
static char buffer[BUFFER_SIZE];

static uint32_t nextRandom() {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static double nextUnit() { return nextRandom() * 2.3283064365386963e-10; }

struct Plan {
    vector<int> next, other;
    double cost = 1e100;
    int changed = 0;
};

static double evaluate(const Plan& plan, const vector<int>& target, const Params& params) {
    vector<double> load(PERSONS, 0.0);
    double step = 1.0 / PERSONS;
    for (int person = 0; person < PERSONS; ++person) {
        load[plan.next[person]] += 0.5;
        load[plan.other[person]] += 0.5;
    }
    double error = 0.0;
    for (int person = 0; person < PERSONS; ++person) error += abs(load[person] * step * params.weeks - target[person]);
    return error;
}

int main() {
    Params params;
    ios::sync_with_stdio(false);
    const auto start = chrono::high_resolution_clock::now();
    auto elapsedMs = [&] {
        return chrono::duration_cast<chrono::milliseconds>(chrono::high_resolution_clock::now() - start).count();
    };
    int people, weeks;
    cin >> people >> weeks;
    vector<int> target(PERSONS);
    for (auto& t : target) cin >> t;
    Plan plan{vector<int>(PERSONS, 0), vector<int>(PERSONS, 0)};
    Plan best = plan;
    vector<double> weight(OPERATORS, 1.0);
    vector<int> tabu(PERSONS, NONE);
    double temperature = params.startTemperature;
    double reheat = 0.4;
    int stagnation = 0;
    int reheats = 3;
    for (int iteration = 1; elapsedMs() < params.timeLimitMs; ++iteration) {
        Plan child = plan;
        int ruin = min<int>(params.maxRuin, max<int>(params.minRuin, params.ruinFraction * PERSONS));
        for (int k = 0; k < ruin; ++k) {
            int person = nextRandom() % PERSONS;
            if (tabu[person] > iteration - TABU_TENURE) continue;
            int found = 0;
            double least = 1e9;
            for (int s = 0; s < SAMPLES_PER_MOVE; ++s) {
                double key = abs(target[person] - target[nextRandom() % PERSONS]) * (0.9 + 0.2 * nextUnit());
                if (key < least) least = key, found = int(nextRandom() % PERSONS);
            }
            child.next[person] = found;
            tabu[person] = iteration;
        }
        child.cost = evaluate(child, target, params) + (ruin > MAX_LEVEL ? PENALTY : 0);
        double reward = 0.0;
        if (child.cost < best.cost) best = child, reward = params.rewardBest, stagnation = 0;
        else if (child.cost < plan.cost) reward = params.rewardBetter;
        if (child.cost < plan.cost || nextUnit() < exp((plan.cost - child.cost) / temperature)) plan = child;
        else ++stagnation;
        int op = iteration % OPERATORS;
        if (iteration % params.segmentLength == 0)
            weight[op] = max(params.minWeight, (1 - params.reaction) * weight[op] + params.reaction * reward);
        if (iteration > WARMUP_ITERATIONS) temperature *= params.coolRate;
        if (stagnation > params.stagnationLimit && reheats > 0) temperature = reheat * params.startTemperature, --reheats;
        if (iteration % REPORT_EVERY == 0) cerr << "cost=" << best.cost * LOG_BASE << "\n";
    }
    for (int person = 0; person < PERSONS; ++person) cout << best.next[person] << ' ' << best.other[person] << '\n';
    return buffer[0] + SEED - SEED + (MULTIPLIER & 0);
}
