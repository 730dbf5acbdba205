#ifndef MIN_COST_FLOW_CPP
#define MIN_COST_FLOW_CPP

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

namespace min_cost_flow {

// Successive shortest paths, by Dijkstra's algorithm with potentials; costs are 0 or more.
template <class Flow = int, class Cost = long long>
class MinCostFlow {
public:
    struct Result {
        Flow flow = 0;
        Cost cost = 0;
    };

    explicit MinCostFlow(int size) : graph(size), potential(size, 0) {}

    // Returns the number of the edge, for `flow_of`.
    int add_edge(int from, int to, Flow capacity, Cost cost) {
        places.push_back({from, static_cast<int>(graph[from].size())});
        const int back = static_cast<int>(graph[to].size()) + (from == to);
        graph[from].push_back({to, back, capacity, cost});
        graph[to].push_back({from, places.back().index, 0, -cost});
        return static_cast<int>(places.size()) - 1;
    }

    // As much flow as there can be, up to `limit`, at the least cost.
    Result run(int source, int sink, Flow limit = std::numeric_limits<Flow>::max()) {
        Result result;
        while (result.flow < limit && find_path(source, sink)) {
            Flow amount = limit - result.flow;
            for (int node = sink; node != source; node = came[node].node) {
                amount = std::min(amount, edge_at(came[node]).capacity);
            }
            for (int node = sink; node != source; node = came[node].node) {
                Edge& edge = edge_at(came[node]);
                edge.capacity -= amount;
                graph[node][edge.back].capacity += amount;
                result.cost += edge.cost * amount;
            }
            result.flow += amount;
        }
        return result;
    }

    Flow flow_of(int edge) const {
        const Edge& there = graph[places[edge].node][places[edge].index];
        return graph[there.to][there.back].capacity;
    }

private:
    static constexpr Cost FAR = std::numeric_limits<Cost>::max();

    struct Edge {
        int to, back;
        Flow capacity;
        Cost cost;
    };
    struct Place {
        int node, index;
    };

    std::vector<std::vector<Edge>> graph;
    std::vector<Place> places, came;
    std::vector<Cost> potential, distance;

    Edge& edge_at(const Place& place) { return graph[place.node][place.index]; }

    bool find_path(int source, int sink) {
        using Entry = std::pair<Cost, int>;
        distance.assign(graph.size(), FAR);
        came.assign(graph.size(), {-1, -1});
        std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
        distance[source] = 0;
        queue.push({0, source});
        while (!queue.empty()) {
            const auto [so_far, node] = queue.top();
            queue.pop();
            if (so_far != distance[node]) continue;
            for (int i = 0; i < static_cast<int>(graph[node].size()); ++i) {
                const Edge& edge = graph[node][i];
                if (edge.capacity == 0) continue;
                const Cost reached = so_far + edge.cost + potential[node] - potential[edge.to];
                if (reached >= distance[edge.to]) continue;
                distance[edge.to] = reached;
                came[edge.to] = {node, i};
                queue.push({reached, edge.to});
            }
        }
        if (distance[sink] == FAR) return false;
        for (std::size_t i = 0; i < graph.size(); ++i) potential[i] += std::min(distance[i], distance[sink]);
        return true;
    }
};

}  // namespace min_cost_flow

#endif
