#ifndef BFS01_CPP
#define BFS01_CPP

#include <deque>
#include <limits>
#include <vector>

namespace bfs01 {

constexpr int UNREACHABLE = std::numeric_limits<int>::max();

struct Edge {
    int to;
    int cost;  // 0 or 1
};

using Graph = std::vector<std::vector<Edge>>;

// Distances from the nearest of the sources.
inline std::vector<int> distances(const Graph& graph, const std::vector<int>& sources) {
    std::vector<int> distance(graph.size(), UNREACHABLE);
    std::deque<int> queue;
    std::vector<char> done(graph.size(), 0);
    for (int source : sources) {
        distance[source] = 0;
        queue.push_back(source);
    }
    while (!queue.empty()) {
        const int node = queue.front();
        queue.pop_front();
        if (done[node]) continue;
        done[node] = 1;
        for (const Edge& edge : graph[node]) {
            if (distance[node] + edge.cost >= distance[edge.to]) continue;
            distance[edge.to] = distance[node] + edge.cost;
            if (edge.cost == 0) {
                queue.push_front(edge.to);
            } else {
                queue.push_back(edge.to);
            }
        }
    }
    return distance;
}

}  // namespace bfs01

#endif
