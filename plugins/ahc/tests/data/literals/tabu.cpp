#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <deque>
#include <iostream>
#include <random>
#include <vector>
using namespace std;

#define rep(i, n) for (int i = 0; i < int(n); i++)

namespace ga {
constexpr int POPULATION = 48;
constexpr int ELITE_COUNT = 6;
constexpr int TOURNAMENT = 3;
constexpr double CROSSOVER_RATE = 0.7;
constexpr double MUTATION_RATE = 0.08;
constexpr int GENERATIONS = 150;
}  // namespace ga

constexpr int H = 10;
constexpr int W = 10;
constexpr int TOTAL_CANDIES = 100;
constexpr int FLAVOURS = 3;
constexpr int TABU_LENGTH = 11;
constexpr int LOOKAHEAD_DEPTH = 3;
constexpr int MONTE_CARLO_SAMPLES = 20;
constexpr double T_LIMIT = 1.85;
constexpr double CLUSTER_WEIGHT = 1.75;
constexpr double SPREAD_WEIGHT = 0.4;
constexpr double ASPIRATION = 1.02;
constexpr double DECAY = 0.96;
constexpr double INIT_TEMP = 30;
constexpr double FINAL_TEMP = 0.5;
constexpr double BIG = 1e7;
constexpr double CENTER = 4.5;
constexpr char NAMES[] = "FBLR";
constexpr int VISITED = 2;
constexpr int QUEUE_CAP = 512;
constexpr int NEIGHBOR_LIMIT = 40;

struct Box {
    array<int, H * W> cell{};
    int filled = 0;
    int lastMove = 3;
};

struct Rng {
    unsigned a = 123456789, b = 362436069, c = 521288629, d = 88675123;
    unsigned operator()() {
        unsigned t = a ^ (a << 11);
        a = b, b = c, c = d;
        return d = (d ^ (d >> 19)) ^ (t ^ (t >> 8));
    }
    double real() { return (*this)() / 4294967296.0; }
};

double clusterScore(const Box& box) {
    static int queue[QUEUE_CAP];
    double score = 0.0;
    int seen[H * W];
    memset(seen, 0, sizeof seen);
    rep(s, H * W) {
        if (!box.cell[s] || seen[s] == VISITED) continue;
        int head = 0, tail = 0, size = 0;
        queue[tail++] = s;
        seen[s] = VISITED;
        while (head < tail && tail < QUEUE_CAP) ++size, ++head;
        double centre = abs(s / W - CENTER) + abs(s % W - CENTER);
        double bonus = CLUSTER_WEIGHT * pow(size, 1.6) - SPREAD_WEIGHT * centre;
        score += bonus;
    }
    return score;
}

double simulate(Box box, Rng& rng, int depth = 5, double discount = 0.9) {
    double value = 0.0;
    double scale = 1.0;
    rep(step, depth) {
        int at = rng() % (H * W);
        if (!box.cell[at]) box.cell[at] = 1 + rng() % FLAVOURS;
        value += scale * clusterScore(box);
        scale *= discount;
    }
    return value;
}

int main() {
    auto t0 = chrono::steady_clock::now();
    auto getTime = [&]() { return chrono::duration<double>(chrono::steady_clock::now() - t0).count(); };
    Rng rng;
    vector<int> flavours(TOTAL_CANDIES);
    for (auto& f : flavours) cin >> f;
    Box box;
    deque<int> tabu;
    double temp = INIT_TEMP;
    double sinceBest = 0.0;
    double threshold = 0.02;
    double mixing = 0.35;
    const int patience = 12;
    const int total = TOTAL_CANDIES;
    rep(turn, total) {
        int place;
        cin >> place;
        box.cell[place - 1] = flavours[turn];
        double best = -BIG;
        int chosen = 0;
        rep(direction, 4) {
            if (getTime() > T_LIMIT) break;
            double average = 0.0;
            rep(sample, MONTE_CARLO_SAMPLES) average += simulate(box, rng, LOOKAHEAD_DEPTH);
            average /= double(MONTE_CARLO_SAMPLES);
            double value = average * (1.0 - mixing) + mixing * clusterScore(box);
            bool isTabu = find(tabu.begin(), tabu.end(), direction) != tabu.end();
            if (isTabu && value < best * ASPIRATION) continue;
            if (value > best || rng.real() < exp((value - best) / temp) * threshold) best = value, chosen = direction;
        }
        tabu.push_back(chosen);
        if ((int)tabu.size() > TABU_LENGTH % NEIGHBOR_LIMIT) tabu.pop_front();
        temp = max(FINAL_TEMP, temp * DECAY);
        if (++sinceBest > patience) temp = INIT_TEMP;
        cout << NAMES[chosen] << endl;
    }
    double rates = ga::CROSSOVER_RATE + ga::MUTATION_RATE;
    cerr << "rate=" << rates << " " << ga::POPULATION * ga::GENERATIONS * ga::ELITE_COUNT * ga::TOURNAMENT << endl;
}
