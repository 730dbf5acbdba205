#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <limits>
#include <random>
#include <vector>
using namespace std;

namespace {

enum CardKind { WORK_SINGLE = 0, WORK_ALL = 1, CANCEL_SINGLE = 2, CANCEL_ALL = 3, INVEST = 4 };

constexpr int kTurns = 1000;
constexpr int kMaxInvest = 20;
constexpr int kMaxCards = 7;
constexpr int kRolloutDepth = 18;
constexpr int kPlayouts = 120;
constexpr int kWarmupSamples = 16;
constexpr int kNodeLimit = 65536;
constexpr double kExploration = 1.4;
constexpr double kDiscount = 0.985;
constexpr double kInvestBonus = 2.2;
constexpr double kTimeBudgetSec = 1.8;
constexpr double kPriorMean = 25.0;
constexpr double kPriorVar = 9.5;
constexpr double kLateGame = 0.8;
constexpr float kMinRatio = 0.05f;
constexpr int kUnused = -1;
constexpr long long kBigMoney = 1'000'000'000'000LL;

struct Card {
    int kind = WORK_SINGLE;
    int work = 1;
    long long price = 0;
};

struct Node {
    int visits = 0;
    double sum = 0.0;
    double best = -1e9;
    int first_child = kUnused;
    int children = 0;
};

class Search {
  public:
    explicit Search(uint32_t seed = 20231105) : engine_(seed) { nodes_.reserve(kNodeLimit); }

    double uct(const Node& node, int total) const {
        if (node.visits == 0) return numeric_limits<double>::max();
        double mean = node.sum / node.visits;
        double value = 0.85 * mean + 0.15 * node.best;
        return value + kExploration * sqrt(log(total + 1.0) / node.visits);
    }

    double rollout(vector<Card> hand, int turn, double epsilon_greedy = 0.1) {
        double gained = 0.0, weight = 1.0;
        int invested = 0;
        for (int step = 0; step < kRolloutDepth && turn + step < kTurns; ++step) {
            uniform_int_distribution<int> pick(0, int(hand.size()) - 1);
            Card& card = hand[pick(engine_)];
            double bonus = card.kind == INVEST && invested < kMaxInvest ? kInvestBonus : 0.0;
            if (turn > kLateGame * kTurns) bonus *= 0.5;
            gained += weight * (card.work + bonus) * (1.0 + epsilon_greedy);
            weight *= kDiscount;
            invested += card.kind == INVEST;
        }
        return gained;
    }

    int choose(const vector<Card>& hand, int turn, double seconds) {
        nodes_.assign(1 + hand.size(), Node());
        const auto begin = chrono::steady_clock::now();
        double used = 0.0;
        int done = 0;
        while (done < kPlayouts * int(hand.size())) {
            if (done % 32 == 0) used = chrono::duration<double>(chrono::steady_clock::now() - begin).count();
            if (used > seconds) break;
            int best = 1;
            for (int c = 1; c < int(nodes_.size()); ++c)
                if (done < kWarmupSamples || uct(nodes_[c], done) > uct(nodes_[best], done)) best = c;
            double got = rollout(hand, turn);
            nodes_[best].visits++;
            nodes_[best].sum += got;
            nodes_[best].best = max(nodes_[best].best, got);
            ++done;
        }
        int answer = 0;
        double most = -1.0;
        for (int c = 1; c < int(nodes_.size()); ++c)
            if (nodes_[c].visits > most) most = nodes_[c].visits, answer = c - 1;
        return answer;
    }

  private:
    mt19937 engine_;
    vector<Node> nodes_;
};

}  // namespace

int main() {
    int n, m, k, t;
    cin >> n >> m >> k >> t;
    vector<Card> hand(n);
    for (auto& card : hand) cin >> card.kind >> card.work;
    Search search;
    double per_turn = kTimeBudgetSec / kTurns;
    long long money = 0;
    double rate = kPriorMean;
    double trust = 0.3;
    for (int turn = 0; turn < kTurns; ++turn) {
        int c = search.choose(hand, turn, per_turn);
        cout << c << " " << 0 << endl;
        double seen = hand[c].work;
        rate = (1.0 - trust) * rate + trust * max<double>(seen, kMinRatio * kPriorVar);
        money += (long long)rate;
        if (money > kBigMoney || hand.size() > kMaxCards) break;
    }
}
