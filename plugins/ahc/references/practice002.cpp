// Tastes as gamma posteriors that forget, corrected for sell-outs and second choices; each loaf goes where it earns most.
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <vector>

constexpr int MINUTES = 600;
constexpr double FORGET = 0.87;       // what a day leaves of the evidence
constexpr double PRIOR_SHAPE = 1.5;
constexpr double PRIOR_MEAN = 22;
constexpr double WEEKDAY_PRIOR = 60;  // customers' worth of belief that a weekday is ordinary

struct Bread {
    double price, cost;
    double shape = PRIOR_SHAPE, rate = PRIOR_SHAPE / PRIOR_MEAN;

    double mean() const { return shape / rate; }
};

class Apprentice {
public:
    void open() {
        int kinds;
        std::cin >> kinds >> days >> capacity >> substitution;
        substitution /= 100;
        breads.resize(kinds);
        for (Bread& bread : breads) std::cin >> bread.price >> bread.cost;
        seen.fill(WEEKDAY_PRIOR);
        expected.fill(WEEKDAY_PRIOR);
    }

    void work() {
        for (int day = 0; day < days; ++day) {
            const std::vector<int> order = bake(day);
            for (std::size_t k = 0; k < order.size(); ++k) std::cout << order[k] << (k + 1 < order.size() ? " " : "\n");
            std::cout << std::flush;
            std::vector<int> sold(breads.size()), minute(breads.size());
            for (int& number : sold) std::cin >> number;
            for (int& number : minute) std::cin >> number;
            learn(day, order, sold, minute);
        }
    }

private:
    int days = 0, capacity = 0;
    double substitution = 0;
    std::vector<Bread> breads;
    std::array<double, 7> seen{}, expected{};

    double weekday(int day) const { return seen[day % 7] / expected[day % 7]; }

    // Demand is negative binomial: Poisson whose rate is known as well as the posterior knows it.
    std::vector<int> bake(int day) {
        std::vector<int> order(breads.size(), 0);
        std::vector<double> at_least(breads.size()), exactly(breads.size());
        for (std::size_t k = 0; k < breads.size(); ++k) {
            exactly[k] = std::pow(breads[k].rate / (breads[k].rate + weekday(day)), breads[k].shape);
            at_least[k] = 1 - exactly[k];
        }
        for (int loaf = 0; loaf < capacity; ++loaf) {
            int best = -1;
            double best_gain = 0;
            for (std::size_t k = 0; k < breads.size(); ++k) {
                const double gain = (breads[k].price - saved(k)) * at_least[k] - breads[k].cost;
                if (gain > best_gain) best = int(k), best_gain = gain;
            }
            if (best < 0) break;
            const Bread& bread = breads[best];
            const double p = weekday(day) / (bread.rate + weekday(day));
            const int n = order[best]++;
            exactly[best] *= p * (bread.shape + n) / (n + 1);
            at_least[best] = std::max(0.0, at_least[best] - exactly[best]);
        }
        return order;
    }

    // What a customer who misses this bread leaves in the shop anyway, were the others still there half of the time.
    double saved(std::size_t k) const {
        double weight = 0, margin = 0;
        for (std::size_t j = 0; j < breads.size(); ++j) {
            if (j == k) continue;
            weight += breads[j].mean();
            margin += breads[j].mean() * (breads[j].price - breads[j].cost);
        }
        return 0.25 * substitution * margin / weight;
    }

    void learn(int day, const std::vector<int>& order, const std::vector<int>& sold, const std::vector<int>& minute) {
        const double factor = weekday(day);
        double all = 0, sales = 0, thought = 0;
        for (const Bread& bread : breads) all += bread.mean();
        std::vector<double> exposure(breads.size());
        for (std::size_t k = 0; k < breads.size(); ++k) {
            exposure[k] = minute[k] / double(MINUTES);
            for (std::size_t j = 0; j < breads.size(); ++j) {
                if (j == k || minute[j] >= minute[k]) continue;
                const double others = all - breads[j].mean();
                exposure[k] += substitution * breads[j].mean() / others * (minute[k] - minute[j]) / MINUTES;
            }
            sales += sold[k];
            thought += breads[k].mean() * exposure[k];
        }
        for (std::size_t k = 0; k < breads.size(); ++k) {
            if (order[k] == 0) continue;
            Bread& bread = breads[k];
            bread.shape = FORGET * bread.shape + (1 - FORGET) * PRIOR_SHAPE + sold[k];
            bread.rate = FORGET * bread.rate + (1 - FORGET) * PRIOR_SHAPE / PRIOR_MEAN + factor * exposure[k];
        }
        seen[day % 7] += sales;
        expected[day % 7] += thought;
    }
};

int main() {
    Apprentice apprentice;
    apprentice.open();
    apprentice.work();
}
