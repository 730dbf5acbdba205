#ifndef KALMAN_FILTER_CPP
#define KALMAN_FILTER_CPP

#include <vector>

namespace kalman_filter {

// What is believed of one number that is measured with noise and may drift.
struct Estimate {
    double mean, variance;

    void drift(double added_variance) { variance += added_variance; }

    void observe(double value, double noise_variance) {
        const double gain = variance / (variance + noise_variance);
        mean += gain * (value - mean);
        variance *= 1 - gain;
    }
};

// What is believed of many numbers, of which weighted sums are measured: their joint normal distribution.
class Belief {
public:
    Belief(const std::vector<double>& means, double variance)
        : size(static_cast<int>(means.size())), means(means), covariances(means.size() * means.size(), 0) {
        for (int i = 0; i < size; ++i) covariances[i * size + i] = variance;
    }

    double mean(int i) const { return means[i]; }
    double variance(int i) const { return covariances[i * size + i]; }
    double covariance(int i, int j) const { return covariances[i * size + j]; }

    // Every number drifts on its own.
    void drift(double added_variance) {
        for (int i = 0; i < size; ++i) covariances[i * size + i] += added_variance;
    }

    double expected(const std::vector<double>& weights) const {
        double sum = 0;
        for (int i = 0; i < size; ++i) sum += weights[i] * means[i];
        return sum;
    }

    // The variance of a weighted sum: where it is great, measuring that sum tells much.
    double variance_of(const std::vector<double>& weights) const {
        const std::vector<double> with = covariances_with(weights);
        double sum = 0;
        for (int i = 0; i < size; ++i) sum += weights[i] * with[i];
        return sum;
    }

    // The sum of weight times number was measured.
    void observe(const std::vector<double>& weights, double value, double noise_variance) {
        const std::vector<double> with = covariances_with(weights);
        double total = noise_variance;
        for (int i = 0; i < size; ++i) total += weights[i] * with[i];
        if (total <= 0) return;  // nothing was uncertain
        const double surprise = (value - expected(weights)) / total;
        for (int i = 0; i < size; ++i) {
            means[i] += with[i] * surprise;
            const double share = with[i] / total;
            for (int j = 0; j < size; ++j) covariances[i * size + j] -= share * with[j];
        }
    }

private:
    int size;
    std::vector<double> means, covariances;

    std::vector<double> covariances_with(const std::vector<double>& weights) const {
        std::vector<double> result(size, 0);
        for (int j = 0; j < size; ++j) {
            if (weights[j] == 0) continue;  // most are, where a few numbers are summed
            for (int i = 0; i < size; ++i) result[i] += weights[j] * covariances[j * size + i];
        }
        return result;
    }
};

}  // namespace kalman_filter

#endif
