#ifndef DIJKSTRA_CPP
#define DIJKSTRA_CPP

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

namespace dijkstra {

template <class Cost = long long>
struct Edge {
    int to;
    Cost cost;
};

template <class Cost = long long>
using Graph = std::vector<std::vector<Edge<Cost>>>;

template <class Cost>
constexpr Cost unreachable() {
    return std::numeric_limits<Cost>::max();
}

template <class Cost>
struct Paths {
    std::vector<Cost> distance;  // unreachable<Cost>() where there is no way
    std::vector<int> previous;   // -1 at the start and where there is no way

    // The nodes from the start to `node`; empty where there is no way.
    std::vector<int> to(int node) const {
        std::vector<int> path;
        if (distance[node] == unreachable<Cost>()) return path;
        for (; node >= 0; node = previous[node]) path.push_back(node);
        std::reverse(path.begin(), path.end());
        return path;
    }
};

// Shortest paths from `start`; costs are 0 or more. Stops at `goal` once that is settled (-1: goes everywhere).
template <class Cost>
Paths<Cost> shortest_paths(const Graph<Cost>& graph, int start, int goal = -1) {
    using Entry = std::pair<Cost, int>;
    Paths<Cost> paths{std::vector<Cost>(graph.size(), unreachable<Cost>()), std::vector<int>(graph.size(), -1)};
    std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
    paths.distance[start] = 0;
    queue.push({0, start});
    while (!queue.empty()) {
        const auto [distance, node] = queue.top();
        queue.pop();
        if (distance != paths.distance[node]) continue;
        if (node == goal) break;
        for (const Edge<Cost>& edge : graph[node]) {
            const Cost further = distance + edge.cost;
            if (further >= paths.distance[edge.to]) continue;
            paths.distance[edge.to] = further;
            paths.previous[edge.to] = node;
            queue.push({further, edge.to});
        }
    }
    return paths;
}

template <class Cost>
std::vector<Cost> dijkstra(const Graph<Cost>& graph, int start) {
    return shortest_paths(graph, start).distance;
}

}  // namespace dijkstra

#endif
