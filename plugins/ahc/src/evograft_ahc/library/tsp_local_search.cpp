#ifndef TSP_LOCAL_SEARCH_CPP
#define TSP_LOCAL_SEARCH_CPP

#include <algorithm>
#include <utility>
#include <vector>

namespace tsp_local_search {

using Tour = std::vector<int>;
using Matrix = std::vector<std::vector<double>>;  // symmetric

inline double length(const Matrix& distance, const Tour& tour) {
    double total = 0;
    for (std::size_t i = 0; i < tour.size(); ++i) total += distance[tour[i]][tour[(i + 1) % tour.size()]];
    return total;
}

// 2-opt and Or-opt of a round trip, over pairs of near nodes.
class LocalSearch {
public:
    explicit LocalSearch(const Matrix& distance, int neighbours = 12) : distance(distance), near(distance.size()) {
        const int size = static_cast<int>(distance.size());
        for (int i = 0; i < size; ++i) {
            for (int j = 0; j < size; ++j) {
                if (j != i) near[i].push_back(j);
            }
            const int count = std::min(neighbours, size - 1);
            std::partial_sort(near[i].begin(), near[i].begin() + count, near[i].end(),
                              [&](int a, int b) { return distance[i][a] < distance[i][b]; });
            near[i].resize(count);
        }
    }

    // Until no move makes the tour shorter. Returns how much shorter it is.
    double improve(Tour& tour) {
        size = static_cast<int>(tour.size());
        if (size < 5) return 0;
        place.assign(distance.size(), 0);
        for (int i = 0; i < size; ++i) place[tour[i]] = i;
        double saved = 0;
        for (bool moved = true; moved;) {
            moved = false;
            for (int node = 0; node < static_cast<int>(distance.size()); ++node) {
                for (double gain = move(tour, node); gain > LEAST; gain = move(tour, node)) saved += gain, moved = true;
            }
        }
        return saved;
    }

    // Iterated local search: cuts the tour at random, improves it, keeps what is no longer than before.
    // `random()` gives unsigned numbers; goes on while `go_on()` says so.
    template <class Random, class GoOn>
    void iterate(Tour& tour, Random& random, GoOn go_on) {
        improve(tour);
        double best = length(distance, tour);
        while (tour.size() >= 8 && go_on()) {
            Tour changed = double_bridge(tour, random);
            improve(changed);
            const double now = length(distance, changed);
            if (now > best) continue;
            best = now;
            tour.swap(changed);
        }
    }

private:
    static constexpr double LEAST = 1e-9;
    static constexpr int LONGEST = 3;  // nodes that Or-opt moves at once

    const Matrix& distance;
    std::vector<std::vector<int>> near;
    std::vector<int> place;
    int size = 0;

    int at(const Tour& tour, int i) const { return tour[i < 0 ? i + size : i >= size ? i - size : i]; }

    double move(Tour& tour, int node) {
        const double gain = two_opt(tour, node);
        return gain > LEAST ? gain : or_opt(tour, node);
    }

    // Replaces an edge of the node by one to a near node.
    double two_opt(Tour& tour, int a) {
        for (int side : {1, -1}) {
            const int next_a = at(tour, place[a] + side);
            for (int b : near[a]) {
                if (distance[a][b] >= distance[a][next_a]) break;
                const int next_b = at(tour, place[b] + side);
                const double gain = distance[a][next_a] + distance[b][next_b] - distance[a][b] - distance[next_a][next_b];
                if (gain <= LEAST) continue;
                if (side > 0) {
                    reverse(tour, place[next_a], place[b]);
                } else {
                    reverse(tour, place[a], place[next_b]);
                }
                return gain;
            }
        }
        return 0;
    }

    // Takes up to three nodes that begin with this one to beside a near node.
    double or_opt(Tour& tour, int a) {
        for (int count = 1; count <= LONGEST; ++count) {
            const int last = at(tour, place[a] + count - 1);
            const int before = at(tour, place[a] - 1), after = at(tour, place[a] + count);
            const double freed = distance[before][a] + distance[last][after] - distance[before][after];
            for (int b : near[a]) {
                if (distance[a][b] >= freed) break;
                if ((place[b] - place[a] + size) % size < count) continue;
                for (int side : {1, -1}) {
                    const int c = at(tour, place[b] + side);
                    if ((place[c] - place[a] + size) % size < count) continue;
                    const double gain = freed + distance[b][c] - distance[a][b] - distance[last][c];
                    if (gain <= LEAST) continue;
                    relocate(tour, a, count, b, side);
                    return gain;
                }
            }
        }
        return 0;
    }

    // Reverses the places from i on to j, going round the end; the shorter side is the one that is turned.
    void reverse(Tour& tour, int i, int j) {
        int inner = (j - i + size) % size + 1;
        if (2 * inner > size) {
            std::swap(i, j);
            i = (i + 1) % size;
            j = (j - 1 + size) % size;
            inner = size - inner;
        }
        for (; inner > 1; inner -= 2) {
            std::swap(tour[i], tour[j]);
            place[tour[i]] = i;
            place[tour[j]] = j;
            i = i + 1 == size ? 0 : i + 1;
            j = j == 0 ? size - 1 : j - 1;
        }
    }

    void relocate(Tour& tour, int a, int count, int b, int side) {
        Tour run;
        for (int i = 0; i < count; ++i) run.push_back(at(tour, place[a] + i));
        Tour rest;
        for (int i = count; i < size; ++i) rest.push_back(at(tour, place[a] + i));
        if (side < 0) std::reverse(run.begin(), run.end());
        const auto beside = std::find(rest.begin(), rest.end(), b);
        rest.insert(side > 0 ? beside + 1 : beside, run.begin(), run.end());
        tour.swap(rest);
        for (int i = 0; i < size; ++i) place[tour[i]] = i;
    }

    template <class Random>
    Tour double_bridge(const Tour& tour, Random& random) {
        const int count = static_cast<int>(tour.size());
        int cuts[3];
        for (int& cut : cuts) cut = 1 + static_cast<int>(random() % static_cast<unsigned>(count - 1));
        std::sort(cuts, cuts + 3);
        Tour result(tour.begin(), tour.begin() + cuts[0]);
        result.insert(result.end(), tour.begin() + cuts[1], tour.begin() + cuts[2]);
        result.insert(result.end(), tour.begin() + cuts[0], tour.begin() + cuts[1]);
        result.insert(result.end(), tour.begin() + cuts[2], tour.end());
        return result;
    }
};

}  // namespace tsp_local_search

#endif
