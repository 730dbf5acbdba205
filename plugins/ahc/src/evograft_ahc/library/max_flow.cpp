#ifndef MAX_FLOW_CPP
#define MAX_FLOW_CPP

#include <algorithm>
#include <limits>
#include <queue>
#include <vector>

namespace max_flow {

// Dinic's algorithm.
template <class Flow = int>
class MaxFlow {
public:
    explicit MaxFlow(int size) : graph(size) {}

    // Returns the number of the edge, for `flow_of`.
    int add_edge(int from, int to, Flow capacity) {
        places.push_back({from, static_cast<int>(graph[from].size())});
        const int back = static_cast<int>(graph[to].size()) + (from == to);
        graph[from].push_back({to, back, capacity});
        graph[to].push_back({from, places.back().index, 0});
        return static_cast<int>(places.size()) - 1;
    }

    // At most `limit` more flow from source to sink; may be called again.
    Flow run(int source, int sink, Flow limit = std::numeric_limits<Flow>::max()) {
        Flow total = 0;
        while (total < limit && label(source, sink)) {
            next.assign(graph.size(), 0);
            while (total < limit) {
                const Flow pushed = push(source, sink, limit - total);
                if (pushed == 0) break;
                total += pushed;
            }
        }
        return total;
    }

    Flow flow_of(int edge) const {
        const Edge& there = graph[places[edge].node][places[edge].index];
        return graph[there.to][there.back].capacity;
    }

    // After `run`: which nodes are on the source's side of a smallest cut.
    std::vector<char> source_side(int source) {
        label(source, -1);
        std::vector<char> side(graph.size());
        for (std::size_t i = 0; i < graph.size(); ++i) side[i] = level[i] >= 0;
        return side;
    }

private:
    struct Edge {
        int to, back;
        Flow capacity;  // what is left of it
    };
    struct Place {
        int node, index;
    };

    std::vector<std::vector<Edge>> graph;
    std::vector<Place> places;
    std::vector<int> level, next;

    bool label(int source, int sink) {
        level.assign(graph.size(), -1);
        level[source] = 0;
        std::queue<int> queue;
        queue.push(source);
        while (!queue.empty()) {
            const int node = queue.front();
            queue.pop();
            for (const Edge& edge : graph[node]) {
                if (edge.capacity == 0 || level[edge.to] >= 0) continue;
                level[edge.to] = level[node] + 1;
                queue.push(edge.to);
            }
        }
        return sink >= 0 && level[sink] >= 0;
    }

    Flow push(int node, int sink, Flow limit) {
        if (node == sink) return limit;
        Flow sent = 0;
        for (int& i = next[node]; i < static_cast<int>(graph[node].size()); ++i) {
            Edge& edge = graph[node][i];
            if (edge.capacity == 0 || level[edge.to] != level[node] + 1) continue;
            const Flow pushed = push(edge.to, sink, std::min<Flow>(limit - sent, edge.capacity));
            edge.capacity -= pushed;
            graph[edge.to][edge.back].capacity += pushed;
            sent += pushed;
            if (sent == limit) break;
        }
        return sent;
    }
};

}  // namespace max_flow

#endif
