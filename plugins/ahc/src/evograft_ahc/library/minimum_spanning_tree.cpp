#ifndef MINIMUM_SPANNING_TREE_CPP
#define MINIMUM_SPANNING_TREE_CPP

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace minimum_spanning_tree {

template <class Cost = long long>
struct Edge {
    int a, b;
    Cost cost;
};

template <class Cost>
struct Tree {
    Cost cost = 0;
    std::vector<Edge<Cost>> edges;  // fewer than nodes - 1 if the graph is not connected: then it is a forest
};

// For sparse graphs.
template <class Cost>
Tree<Cost> kruskal(int size, std::vector<Edge<Cost>> edges) {
    std::sort(edges.begin(), edges.end(), [](const auto& x, const auto& y) { return x.cost < y.cost; });
    std::vector<int> parents(size);
    std::iota(parents.begin(), parents.end(), 0);
    auto root = [&parents](int x) {
        while (parents[x] != x) x = parents[x] = parents[parents[x]];
        return x;
    };
    Tree<Cost> tree;
    for (const Edge<Cost>& edge : edges) {
        const int a = root(edge.a), b = root(edge.b);
        if (a == b) continue;
        parents[a] = b;
        tree.cost += edge.cost;
        tree.edges.push_back(edge);
    }
    return tree;
}

// For complete graphs, such as points of the plane: `cost(a, b)` is asked once a pair, and nothing is sorted.
template <class Cost, class CostOf>
Tree<Cost> prim(int size, CostOf cost) {
    std::vector<Cost> nearest(size, std::numeric_limits<Cost>::max());
    std::vector<int> from(size, 0);
    std::vector<char> joined(size, 0);
    Tree<Cost> tree;
    for (int node = 0, joined_count = 1; joined_count < size; ++joined_count) {
        joined[node] = 1;
        int next = -1;
        for (int other = 0; other < size; ++other) {
            if (joined[other]) continue;
            const Cost here = cost(node, other);
            if (here < nearest[other]) nearest[other] = here, from[other] = node;
            if (next < 0 || nearest[other] < nearest[next]) next = other;
        }
        tree.cost += nearest[next];
        tree.edges.push_back({from[next], next, nearest[next]});
        node = next;
    }
    return tree;
}

}  // namespace minimum_spanning_tree

#endif
