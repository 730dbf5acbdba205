#ifndef MONTE_CARLO_ROLLOUT_CPP
#define MONTE_CARLO_ROLLOUT_CPP

#include <algorithm>
#include <cstdint>
#include <vector>

namespace monte_carlo_rollout {

struct Choice {
    int action = 0;
    double mean = 0;      // of its rollouts
    long long rollouts = 0;  // of all actions
};

// Which of the actions 0 to count - 1 is the best, by playing each of them to the end many times?
//
// rollout(action, seed): plays once, all chance coming from `seed`; returns a result, great ones being good. All actions
//     meet the same seeds, so that luck does not decide between them.
// go_on(): whether there is time for another round.
//
// After `patience` rounds, and again each time they have doubled, the worse half of the actions is given up.
template <class Rollout, class GoOn>
Choice choose(int count, Rollout rollout, GoOn go_on, std::uint64_t first_seed = 1, long long patience = 16) {
    struct Arm {
        int action;
        double sum;
    };
    std::vector<Arm> arms;
    for (int action = 0; action < count; ++action) arms.push_back({action, 0});
    auto better = [](const Arm& a, const Arm& b) { return a.sum > b.sum; };
    Choice choice;
    long long rounds = 0;
    for (long long halving = patience; arms.size() > 1 && (rounds == 0 || go_on());) {
        const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(rounds++);
        for (Arm& arm : arms) arm.sum += rollout(arm.action, seed);
        choice.rollouts += static_cast<long long>(arms.size());
        if (rounds < halving) continue;
        halving *= 2;
        std::stable_sort(arms.begin(), arms.end(), better);
        arms.resize((arms.size() + 1) / 2);
    }
    const Arm& best = *std::min_element(arms.begin(), arms.end(), better);
    choice.action = best.action;
    choice.mean = rounds > 0 ? best.sum / static_cast<double>(rounds) : 0;
    return choice;
}

}  // namespace monte_carlo_rollout

#endif
