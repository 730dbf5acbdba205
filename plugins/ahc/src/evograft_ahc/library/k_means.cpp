#ifndef K_MEANS_CPP
#define K_MEANS_CPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

namespace k_means {

template <std::size_t D>
using Point = std::array<double, D>;

template <std::size_t D>
double squared_distance(const Point<D>& a, const Point<D>& b) {
    double sum = 0;
    for (std::size_t d = 0; d < D; ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
    return sum;
}

template <std::size_t D>
struct Clusters {
    std::vector<Point<D>> centres;
    std::vector<int> cluster_of;  // by point
    double cost = 0;              // the sum of squared distances to the centres
};

// The first centres are drawn far from one another (k-means++).
template <std::size_t D, class Random>
std::vector<Point<D>> spread_centres(const std::vector<Point<D>>& points, int k, Random& random) {
    auto uniform = [&random] { return static_cast<double>(random() >> 11) * 0x1.0p-53; };
    std::vector<Point<D>> centres{points[static_cast<std::size_t>(uniform() * points.size())]};
    std::vector<double> nearest(points.size(), std::numeric_limits<double>::max());
    while (static_cast<int>(centres.size()) < k) {
        double total = 0;
        for (std::size_t i = 0; i < points.size(); ++i) {
            nearest[i] = std::min(nearest[i], squared_distance(points[i], centres.back()));
            total += nearest[i];
        }
        double left = uniform() * total;
        std::size_t chosen = 0;
        while (chosen + 1 < points.size() && (left -= nearest[chosen]) >= 0) ++chosen;
        centres.push_back(points[chosen]);
    }
    return centres;
}

// Lloyd's algorithm. `random()` gives 64-bit numbers; a cluster that loses all its points keeps its centre.
template <std::size_t D, class Random>
Clusters<D> cluster(const std::vector<Point<D>>& points, int k, Random&& random, int rounds = 50) {
    Clusters<D> result{spread_centres(points, k, random), std::vector<int>(points.size(), -1), 0};
    for (int round = 0; round < rounds; ++round) {
        bool changed = false;
        result.cost = 0;
        std::vector<Point<D>> sums(k, Point<D>{});
        std::vector<int> sizes(k, 0);
        for (std::size_t i = 0; i < points.size(); ++i) {
            int best = 0;
            double least = std::numeric_limits<double>::max();
            for (int c = 0; c < k; ++c) {
                const double here = squared_distance(points[i], result.centres[c]);
                if (here < least) least = here, best = c;
            }
            changed |= result.cluster_of[i] != best;
            result.cluster_of[i] = best;
            result.cost += least;
            ++sizes[best];
            for (std::size_t d = 0; d < D; ++d) sums[best][d] += points[i][d];
        }
        if (!changed) break;
        for (int c = 0; c < k; ++c) {
            for (std::size_t d = 0; sizes[c] > 0 && d < D; ++d) result.centres[c][d] = sums[c][d] / sizes[c];
        }
    }
    return result;
}

}  // namespace k_means

#endif
