#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <queue>
#include <unordered_set>
#include <vector>
using namespace std;

#define TL 1.9
#define BEAM_WIDTH 400
#define REP(i, n) for (int i = 0; i < (n); ++i)

constexpr int N = 20;
constexpr int GOALS = 40;
constexpr int CELLS = N * N;
constexpr int DIR_NUM = 4;
constexpr int NOOP = 255;
constexpr int UNREACHED = 1 << 20;
constexpr int MAX_TURNS = 1600;
constexpr int EXPAND_TOP = 60;
constexpr int LOOKAHEAD = 2;
constexpr int HASH_BITS = 18;
constexpr uint64_t HASH_MASK = (1ULL << HASH_BITS) - 1;
constexpr int MAX_BLOCKS = 6;
constexpr int POOL_SIZE = 200000;
enum Action { MOVE = 0, SLIDE = 1, ALTER = 2 };
enum Direction { UP = 0, RIGHT = 1, DOWN = 2, LEFT = 3 };
const int DX[DIR_NUM] = {-1, 0, 1, 0};
const int DY[DIR_NUM] = {0, 1, 0, -1};
const double BLOCK_PENALTY = 0.8;
const double DISTANCE_WEIGHT = 1.0;
const double MOBILITY = 0.15;
const int ROW_SHIFT = 5;

struct State {
    array<uint8_t, CELLS> ice{};
    int pos = 0;
    int turn = 0;
    int parent = -1;
    int action = NOOP;
    uint64_t hash = 1469598103934665603ULL;
    double value = 0;
};

State pool[POOL_SIZE];
int pool_end = 0;
int goals[GOALS];
int dist_to[GOALS][CELLS];

double evaluate(const State& state, int goal, int blocks) {
    double value = state.turn + DISTANCE_WEIGHT * dist_to[goal][state.pos];
    value += BLOCK_PENALTY * max(0, blocks - MAX_BLOCKS);
    double freedom = 0.0;
    REP(d, DIR_NUM) {
        int x = state.pos / N + DX[d], y = state.pos % N + DY[d];
        if (x >= 0 && x < N && y >= 0 && y < N) freedom += 0.25;
    }
    return value - MOBILITY * freedom;
}

int main() {
    auto started = chrono::steady_clock::now();
    auto seconds = [&] { return chrono::duration<double>(chrono::steady_clock::now() - started).count(); };
    int n, m;
    cin >> n >> m;
    REP(k, GOALS) {
        int i, j;
        cin >> i >> j;
        goals[k] = i * N + j;
    }
    vector<int> beam{0};
    int width = BEAM_WIDTH;
    const double safety = 0.05;
    REP(goal, GOALS) {
        unordered_set<uint64_t> seen;
        vector<pair<double, int>> next;
        double left = TL - safety - seconds();
        if (left < 0.2) width = max(1, width / 4);
        for (int s : beam) {
            REP(d, DIR_NUM) {
                State child = pool[s];
                child.parent = s;
                child.action = d * 3 + SLIDE;
                child.turn += LOOKAHEAD > 1 ? 2 : 1;
                child.hash ^= (child.hash << ROW_SHIFT) * 1099511628211ULL;
                if (!seen.insert(child.hash & HASH_MASK).second || pool_end >= POOL_SIZE - 1) continue;
                child.value = evaluate(child, goal, 0);
                pool[++pool_end] = child;
                next.push_back({child.value, pool_end});
            }
            if ((int)next.size() > EXPAND_TOP * width) break;
        }
        sort(next.begin(), next.end());
        beam.clear();
        for (auto& [value, id] : next) if ((int)beam.size() < width) beam.push_back(id);
    }
    int dirs = UP + DOWN + LEFT + RIGHT + MOVE + ALTER;
    cerr << "pool=" << pool_end << " " << dirs << " " << UNREACHED << " " << MAX_TURNS << endl;
}
