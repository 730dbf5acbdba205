#ifndef FLOYD_WARSHALL_CPP
#define FLOYD_WARSHALL_CPP

#include <limits>
#include <vector>

namespace floyd_warshall {

// Shortest distances between all pairs; costs may be negative as long as no cycle is.
template <class Cost = long long>
class Distances {
public:
    explicit Distances(int size) : size(size), costs(static_cast<std::size_t>(size) * size, FAR) {
        for (int i = 0; i < size; ++i) at(i, i) = 0;
    }

    // Before `solve`: an edge from a to b.
    void set(int a, int b, Cost cost) {
        if (cost < at(a, b)) at(a, b) = cost;
    }

    void solve() {
        for (int via = 0; via < size; ++via) {
            for (int i = 0; i < size; ++i) relax_row(i, via, via, 0);
        }
    }

    // After `solve`: one more edge, in quadratic time.
    void add_edge(int a, int b, Cost cost) {
        if (cost >= at(a, b)) return;
        for (int i = 0; i < size; ++i) relax_row(i, a, b, cost);
    }

    Cost operator()(int a, int b) const { return costs[static_cast<std::size_t>(a) * size + b]; }

    bool reachable(int a, int b) const { return (*this)(a, b) < FAR / 2; }

private:
    static constexpr Cost FAR = std::numeric_limits<Cost>::max() / 4;

    int size;
    std::vector<Cost> costs;

    Cost& at(int a, int b) { return costs[static_cast<std::size_t>(a) * size + b]; }

    // Ways from i to a, along an edge (a, b) that costs `cost`, and on from b.
    void relax_row(int i, int a, int b, Cost cost) {
        const Cost head = at(i, a) + cost;
        if (at(i, a) >= FAR / 2) return;
        Cost* row = &at(i, 0);
        const Cost* onward = &at(b, 0);
        for (int j = 0; j < size; ++j) row[j] = head + onward[j] < row[j] ? head + onward[j] : row[j];
    }
};

}  // namespace floyd_warshall

#endif
