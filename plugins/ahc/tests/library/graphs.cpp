// Graph algorithms, against the definitions of what they find.
#include "bfs01.cpp"
#include "check.hpp"
#include "dijkstra.cpp"
#include "floyd_warshall.cpp"
#include "hungarian.cpp"
#include "max_flow.cpp"
#include "min_cost_flow.cpp"
#include "minimum_spanning_tree.cpp"
#include "union_find.cpp"

#include <map>
#include <numeric>
#include <tuple>

struct Arc {
    int a, b, cost;
};

static std::vector<Arc> random_arcs(std::mt19937& random, int size, int count, int highest) {
    std::vector<Arc> arcs;
    for (int i = 0; i < count; ++i) arcs.push_back({between(random, 0, size - 1), between(random, 0, size - 1), between(random, 0, highest)});
    return arcs;
}

// Bellman-Ford.
static std::vector<long long> relaxed(const std::vector<Arc>& arcs, int size, int start) {
    std::vector<long long> distance(size, 1LL << 60);
    distance[start] = 0;
    for (int round = 0; round < size; ++round) {
        for (const Arc& arc : arcs) distance[arc.b] = std::min(distance[arc.b], distance[arc.a] + arc.cost);
    }
    return distance;
}

static void shortest_paths(std::mt19937& random) {
    const int size = between(random, 1, 9);
    const bool small = random() % 2;
    const std::vector<Arc> arcs = random_arcs(random, size, between(random, 0, 20), small ? 1 : 50);
    dijkstra::Graph<long long> graph(size);
    bfs01::Graph small_graph(size);
    floyd_warshall::Distances<int> pairs(size), grown(size);
    for (const Arc& arc : arcs) {
        graph[arc.a].push_back({arc.b, arc.cost});
        small_graph[arc.a].push_back({arc.b, arc.cost});
        pairs.set(arc.a, arc.b, arc.cost);
    }
    pairs.solve();
    grown.solve();
    for (const Arc& arc : arcs) grown.add_edge(arc.a, arc.b, arc.cost);
    for (int start = 0; start < size; ++start) {
        const std::vector<long long> expected = relaxed(arcs, size, start);
        const auto paths = dijkstra::shortest_paths(graph, start);
        const auto few = bfs01::distances(small_graph, {start});
        CHECK(dijkstra::dijkstra(graph, start) == paths.distance);
        for (int goal = 0; goal < size; ++goal) {
            const bool reachable = expected[goal] < 1LL << 40;
            CHECK((paths.distance[goal] == dijkstra::unreachable<long long>()) == !reachable);
            CHECK(pairs.reachable(start, goal) == reachable && grown.reachable(start, goal) == reachable);
            CHECK(!small || (few[goal] == bfs01::UNREACHABLE) == !reachable);
            const std::vector<int> path = paths.to(goal);
            CHECK(path.empty() == !reachable);
            if (!reachable) continue;
            CHECK(paths.distance[goal] == expected[goal]);
            CHECK(dijkstra::shortest_paths(graph, start, goal).distance[goal] == expected[goal]);
            CHECK(pairs(start, goal) == expected[goal] && grown(start, goal) == expected[goal]);
            CHECK(!small || few[goal] == expected[goal]);
            CHECK(path.front() == start && path.back() == goal);
            long long cost = 0;
            for (std::size_t i = 0; i + 1 < path.size(); ++i) {
                int cheapest = 1000;
                for (const Arc& arc : arcs) if (arc.a == path[i] && arc.b == path[i + 1]) cheapest = std::min(cheapest, arc.cost);
                cost += cheapest;
            }
            CHECK(cost == expected[goal]);
        }
    }
}

static void sources_of_a_01_bfs_are_all_at_distance_zero() {
    bfs01::Graph graph(4);
    graph[0] = {{1, 1}};
    graph[3] = {{1, 0}};
    CHECK((bfs01::distances(graph, {0, 3}) == std::vector<int>{0, 0, bfs01::UNREACHABLE, 0}));
}

static void sets(std::mt19937& random) {
    const int size = between(random, 1, 12);
    union_find::UnionFind sets(size);
    union_find::RollbackUnionFind undoable(size);
    std::vector<std::vector<int>> labels{std::vector<int>(size)};
    std::iota(labels[0].begin(), labels[0].end(), 0);
    for (int step = 0; step < 15; ++step) {
        const int a = between(random, 0, size - 1), b = between(random, 0, size - 1);
        std::vector<int> next = labels.back();
        const bool apart = next[a] != next[b];
        for (int& label : next) if (label == labels.back()[b]) label = labels.back()[a];
        CHECK(sets.unite(a, b) == apart && undoable.unite(a, b) == apart);
        labels.push_back(next);
        std::map<int, int> sizes;
        for (int label : next) ++sizes[label];
        CHECK(sets.count() == static_cast<int>(sizes.size()));
        for (int i = 0; i < size; ++i) {
            CHECK(sets.size_of(i) == sizes[next[i]]);
            for (int j = 0; j < size; ++j) CHECK(sets.same(i, j) == (next[i] == next[j]));
        }
    }
    while (labels.size() > 1) {
        undoable.undo();
        labels.pop_back();
        for (int i = 0; i < size; ++i) {
            for (int j = 0; j < size; ++j) CHECK(undoable.same(i, j) == (labels.back()[i] == labels.back()[j]));
        }
    }
}

static void spanning_trees(std::mt19937& random) {
    const int size = between(random, 1, 6);
    std::vector<minimum_spanning_tree::Edge<int>> edges;
    std::vector<std::vector<int>> costs(size, std::vector<int>(size, 0));
    for (int a = 0; a < size; ++a) {
        for (int b = 0; b < a; ++b) {
            costs[a][b] = costs[b][a] = between(random, 0, 9);
            edges.push_back({a, b, costs[a][b]});
        }
    }
    int least = 1000;
    for (unsigned subset = 0; subset < 1u << edges.size(); ++subset) {
        if (__builtin_popcount(subset) != size - 1) continue;
        union_find::UnionFind joined(size);
        int cost = 0;
        for (std::size_t i = 0; i < edges.size(); ++i) {
            if (!(subset >> i & 1)) continue;
            cost += edges[i].cost;
            joined.unite(edges[i].a, edges[i].b);
        }
        if (joined.count() == 1) least = std::min(least, cost);
    }
    const auto sparse = minimum_spanning_tree::kruskal(size, edges);
    const auto dense = minimum_spanning_tree::prim<int>(size, [&](int a, int b) { return costs[a][b]; });
    CHECK(sparse.cost == least && dense.cost == least);
    for (const auto& tree : {sparse, dense}) {
        union_find::UnionFind joined(size);
        int cost = 0;
        for (const auto& edge : tree.edges) CHECK(joined.unite(edge.a, edge.b)), cost += edge.cost;
        CHECK(joined.count() == 1 && cost == least);
    }
}

static void flows(std::mt19937& random) {
    const int size = between(random, 2, 7);
    const std::vector<Arc> arcs = random_arcs(random, size, between(random, 0, 14), 6);
    max_flow::MaxFlow<int> network(size);
    for (const Arc& arc : arcs) network.add_edge(arc.a, arc.b, arc.cost);
    const int half = network.run(0, size - 1, 2);
    const int flow = half + network.run(0, size - 1);
    CHECK(half <= 2 && (half == 2 || half == flow));
    int smallest_cut = 1000;
    for (unsigned side = 0; side < 1u << size; ++side) {
        if (!(side & 1) || side >> (size - 1) & 1) continue;
        int cut = 0;
        for (const Arc& arc : arcs) cut += (side >> arc.a & 1) && !(side >> arc.b & 1) ? arc.cost : 0;
        smallest_cut = std::min(smallest_cut, cut);
    }
    CHECK(flow == smallest_cut);
    std::vector<int> surplus(size, 0);
    int cut = 0;
    const std::vector<char> side = network.source_side(0);
    for (std::size_t i = 0; i < arcs.size(); ++i) {
        const int here = network.flow_of(static_cast<int>(i));
        CHECK(0 <= here && here <= arcs[i].cost);
        surplus[arcs[i].a] -= here;
        surplus[arcs[i].b] += here;
        cut += side[arcs[i].a] && !side[arcs[i].b] ? arcs[i].cost : 0;
    }
    CHECK(cut == flow && surplus[size - 1] == flow);
    for (int i = 1; i + 1 < size; ++i) CHECK(surplus[i] == 0);
}

static int cheapest_assignment(const std::vector<std::vector<int>>& costs) {
    std::vector<int> columns(costs[0].size());
    std::iota(columns.begin(), columns.end(), 0);
    int least = 1 << 30;
    do {
        int cost = 0;
        for (std::size_t row = 0; row < costs.size(); ++row) cost += costs[row][columns[row]];
        least = std::min(least, cost);
    } while (std::next_permutation(columns.begin(), columns.end()));
    return least;
}

static void assignments(std::mt19937& random) {
    const int rows = between(random, 1, 5), columns = between(random, rows, 6);
    std::vector<std::vector<int>> costs(rows, std::vector<int>(columns));
    for (auto& row : costs) for (int& cost : row) cost = between(random, 0, 20);
    const int least = cheapest_assignment(costs);
    const auto found = hungarian::assign(costs);
    CHECK(found.cost == least);
    std::vector<char> taken(columns, 0);
    for (int column : found.column_of) CHECK(column >= 0 && !taken[column]), taken[column] = 1;

    min_cost_flow::MinCostFlow<> network(rows + columns + 2);
    std::vector<std::vector<int>> edges(rows, std::vector<int>(columns));
    const int source = rows + columns, sink = source + 1;
    for (int r = 0; r < rows; ++r) {
        network.add_edge(source, r, 1, 0);
        for (int c = 0; c < columns; ++c) edges[r][c] = network.add_edge(r, rows + c, 1, costs[r][c]);
    }
    for (int c = 0; c < columns; ++c) network.add_edge(rows + c, sink, 1, 0);
    const auto result = network.run(source, sink);
    CHECK(result.flow == rows && result.cost == least);
    long long cost = 0;
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c) cost += network.flow_of(edges[r][c]) * costs[r][c];
    }
    CHECK(cost == least);

    for (auto& row : costs) for (int& each : row) each = -each;
    CHECK(hungarian::assign(costs).cost == cheapest_assignment(costs));
}

int main() {
    std::mt19937 random(1);
    sources_of_a_01_bfs_are_all_at_distance_zero();
    for (int i = 0; i < 200; ++i) {
        shortest_paths(random);
        sets(random);
        flows(random);
        assignments(random);
    }
    for (int i = 0; i < 40; ++i) spanning_trees(random);
}
