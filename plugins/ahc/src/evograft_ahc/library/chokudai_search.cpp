#ifndef CHOKUDAI_SEARCH_CPP
#define CHOKUDAI_SEARCH_CPP

#include <algorithm>
#include <cstdint>
#include <queue>
#include <unordered_set>
#include <utility>
#include <vector>

namespace chokudai_search {

template <class Action>
struct Result {
    double score = 0;
    std::vector<Action> actions;
};

// A beam search without a width: again and again one state (or a few) of each depth is expanded, until time is up.
// There is a complete answer after the first round, and diversity comes of itself.
//
// expand(state, emit): calls emit(action, next_state, score, hash); great scores are good.
template <class State, class Action>
class ChokudaiSearch {
public:
    // At most `per_depth` states of a depth are kept waiting; it bounds the memory.
    explicit ChokudaiSearch(int depth, int per_depth = 20000) : per_depth(per_depth), queues(depth + 1), seen(depth + 1) {}

    // Goes on while `go_on()` says so; `at_once` states of a depth are expanded in a round.
    template <class Expand, class GoOn>
    Result<Action> run(const State& initial, Expand expand, GoOn go_on, int at_once = 1) {
        nodes.assign(1, {-1, Action{}});
        for (auto& queue : queues) queue = {};
        for (auto& hashes : seen) hashes.clear();
        queues[0].push({0, 0, initial});
        const int depth = static_cast<int>(queues.size()) - 1;
        for (bool moved = true; moved && go_on();) {
            moved = false;
            for (int d = 0; d < depth; ++d) {
                for (int i = 0; i < at_once && !queues[d].empty(); ++i, moved = true) expand_best(d, expand);
            }
        }
        return best();
    }

private:
    struct Waiting {
        double score;
        int node;
        State state;
        bool operator<(const Waiting& other) const { return score < other.score; }
    };
    struct Node {
        int parent;
        Action action;
    };

    int per_depth;
    std::vector<std::priority_queue<Waiting>> queues;
    std::vector<std::unordered_set<std::uint64_t>> seen;
    std::vector<Node> nodes;

    template <class Expand>
    void expand_best(int d, Expand& expand) {
        const Waiting waiting = queues[d].top();
        queues[d].pop();
        expand(waiting.state, [&](const Action& action, const State& state, double score, std::uint64_t hash) {
            auto& queue = queues[d + 1];
            if (static_cast<int>(queue.size()) >= per_depth && score <= queue.top().score) return;
            if (!seen[d + 1].insert(hash).second) return;
            nodes.push_back({waiting.node, action});
            queue.push({score, static_cast<int>(nodes.size()) - 1, state});
        });
    }

    // The best state of the deepest level that was reached.
    Result<Action> best() const {
        Result<Action> result;
        for (int d = static_cast<int>(queues.size()) - 1; d > 0; --d) {
            if (queues[d].empty()) continue;
            result.score = queues[d].top().score;
            for (int node = queues[d].top().node; node > 0; node = nodes[node].parent) {
                result.actions.push_back(nodes[node].action);
            }
            std::reverse(result.actions.begin(), result.actions.end());
            break;
        }
        return result;
    }
};

}  // namespace chokudai_search

#endif
