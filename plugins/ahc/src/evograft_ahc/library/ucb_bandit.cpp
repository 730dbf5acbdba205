#ifndef UCB_BANDIT_CPP
#define UCB_BANDIT_CPP

#include <algorithm>
#include <cmath>
#include <vector>

namespace ucb_bandit {

// Finds out which arm pays best while already pulling good ones (UCB1-Tuned); rewards are from 0 to 1.
class UcbBandit {
public:
    explicit UcbBandit(int arms, double exploration = 1.0) : exploration(exploration), arms(arms) {}

    // The arm to pull next; each is pulled once before any is pulled twice.
    int choose() const {
        int best = 0;
        double highest = -1;
        for (int i = 0; i < static_cast<int>(arms.size()); ++i) {
            if (arms[i].pulls == 0) return i;
            const double bound = arms[i].mean() + exploration * margin(arms[i]);
            if (bound > highest) highest = bound, best = i;
        }
        return best;
    }

    void reward(int arm, double value) {
        arms[arm].pulls += 1;
        arms[arm].sum += value;
        arms[arm].squares += value * value;
        pulls += 1;
    }

    // Old rewards count less and less: for arms whose worth changes as the search goes on. Factor below 1.
    void fade(double factor) {
        for (Arm& arm : arms) {
            arm.pulls *= factor;
            arm.sum *= factor;
            arm.squares *= factor;
        }
        pulls *= factor;
    }

    double mean(int arm) const { return arms[arm].mean(); }

    // The arm that has been pulled most: a sounder choice than the highest mean.
    int best() const {
        auto fewer = [](const Arm& a, const Arm& b) { return a.pulls < b.pulls; };
        return static_cast<int>(std::max_element(arms.begin(), arms.end(), fewer) - arms.begin());
    }

private:
    struct Arm {
        double pulls = 0, sum = 0, squares = 0;

        double mean() const { return pulls > 0 ? sum / pulls : 0; }
    };

    double exploration;
    double pulls = 0;
    std::vector<Arm> arms;

    double margin(const Arm& arm) const {
        const double logarithm = std::log(std::max(1.0, pulls)) / arm.pulls;
        const double variance = arm.squares / arm.pulls - arm.mean() * arm.mean() + std::sqrt(2 * logarithm);
        return std::sqrt(logarithm * std::min(0.25, variance));
    }
};

}  // namespace ucb_bandit

#endif
