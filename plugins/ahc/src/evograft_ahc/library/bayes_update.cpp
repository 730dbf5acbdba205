#ifndef BAYES_UPDATE_CPP
#define BAYES_UPDATE_CPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace bayes_update {

// The logarithm of the density of a normal distribution.
inline double log_normal(double value, double mean, double deviation) {
    const double z = (value - mean) / deviation;
    return -0.5 * z * z - std::log(deviation) - 0.9189385332046727;
}

// Weighted hypotheses, of which one is true. Weights are logarithms, so that many observations do not underflow.
template <class Hypothesis>
class Posterior {
public:
    explicit Posterior(std::vector<Hypothesis> hypotheses)
        : items(std::move(hypotheses)), logs(items.size(), 0), shares(items.size(), 1.0 / items.size()) {}

    std::size_t size() const { return items.size(); }
    const Hypothesis& operator[](std::size_t i) const { return items[i]; }
    double probability(std::size_t i) const { return shares[i]; }

    // `log_likelihood(hypothesis)`: how likely the observation would be, were that the truth.
    template <class LogLikelihood>
    void observe(LogLikelihood log_likelihood) {
        for (std::size_t i = 0; i < items.size(); ++i) logs[i] += log_likelihood(items[i]);
        normalise();
    }

    // One more hypothesis, whose log weight is that of all observations so far.
    void add(Hypothesis hypothesis, double log_weight) {
        items.push_back(std::move(hypothesis));
        logs.push_back(log_weight + offset);
        shares.push_back(0);
        normalise();
    }

    // Forgets all but the `count` most likely ones.
    void keep_likeliest(std::size_t count) {
        if (count >= items.size()) return;
        std::vector<std::size_t> order(items.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                         [this](std::size_t a, std::size_t b) { return logs[a] > logs[b]; });
        order.resize(count);
        std::sort(order.begin(), order.end());
        for (std::size_t i = 0; i < count; ++i) {
            if (i != order[i]) items[i] = std::move(items[order[i]]);
            logs[i] = logs[order[i]];
        }
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(count), items.end());
        logs.resize(count);
        shares.resize(count);
        normalise();
    }

    std::size_t likeliest() const {
        return static_cast<std::size_t>(std::max_element(logs.begin(), logs.end()) - logs.begin());
    }

    // In bits: how much is not known yet.
    double entropy() const {
        double sum = 0;
        for (double share : shares) sum -= share > 0 ? share * std::log2(share) : 0;
        return sum;
    }

    // The mean of `value(hypothesis)`.
    template <class Value>
    double expected(Value value) const {
        double sum = 0;
        for (std::size_t i = 0; i < items.size(); ++i) sum += shares[i] * value(items[i]);
        return sum;
    }

    // A hypothesis by its probability; `uniform` is from 0 up to 1.
    std::size_t draw(double uniform) const {
        std::size_t i = 0;
        while (i + 1 < shares.size() && (uniform -= shares[i]) >= 0) ++i;
        return i;
    }

private:
    std::vector<Hypothesis> items;
    std::vector<double> logs, shares;
    double offset = 0;  // what normalising has added to all logarithms so far

    void normalise() {
        const double highest = *std::max_element(logs.begin(), logs.end());
        offset -= highest;
        double total = 0;
        for (std::size_t i = 0; i < logs.size(); ++i) total += shares[i] = std::exp(logs[i] -= highest);
        for (double& share : shares) share /= total;
    }
};

}  // namespace bayes_update

#endif
