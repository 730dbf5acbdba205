#ifndef BEAM_SEARCH_EULER_CPP
#define BEAM_SEARCH_EULER_CPP

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

namespace beam_search_euler {

template <class Action>
struct Result {
    double score = 0;
    std::vector<Action> actions;
};

// A beam search over one state that walks along the tree of the beam (its Euler tour) by doing and undoing actions.
// It is the faster one where a state is large and an action changes little of it.
//
// expand(state, emit): calls emit(action, score, hash) for each action; `score` (great is good) and `hash` are those of
//     the state that the action leads to.
// apply(state, action), revert(state, action): carry an action out, take it back. An action must know enough for that.
template <class State, class Action>
class EulerBeamSearch {
public:
    explicit EulerBeamSearch(int width) : width(width) {}

    // Goes `depth` actions deep, less where nothing can be done; returns the way to the best state of the last depth.
    template <class Expand, class Apply, class Revert>
    Result<Action> run(State state, int depth, Expand expand, Apply apply, Revert revert) {
        nodes.clear();
        offers.clear();
        expand(state, collector(-1));
        Result<Action> result;
        if (depth == 0 || offers.empty()) return result;
        choose();
        tour.clear();
        for (int node = first_new; node < static_cast<int>(nodes.size()); ++node) tour.push_back({LEAF, node});
        for (int d = 1; d < depth; ++d) {
            offers.clear();
            walk(state, expand, apply, revert);
            if (offers.empty()) break;
            choose();
            regrow();
            descend(state, apply);
        }
        return way_to(best_node());
    }

private:
    enum Kind { DOWN, UP, LEAF };
    struct Step {
        Kind kind;
        int node;
    };
    struct Offer {
        double score;
        std::uint64_t hash;
        int parent;
        Action action;
    };
    struct Node {
        int parent;
        Action action;
        double score;
    };

    int width;
    int first_new = 0;  // nodes from here on are the beam
    std::vector<Node> nodes;
    std::vector<Offer> offers;
    std::vector<Step> tour, next_tour;
    std::unordered_set<std::uint64_t> seen;

    auto collector(int parent) {
        return [this, parent](const Action& action, double score, std::uint64_t hash) {
            offers.push_back({score, hash, parent, action});
        };
    }

    template <class Expand, class Apply, class Revert>
    void walk(State& state, Expand& expand, Apply& apply, Revert& revert) {
        for (const Step& step : tour) {
            if (step.kind != UP) apply(state, nodes[step.node].action);
            if (step.kind == LEAF) expand(state, collector(step.node));
            if (step.kind != DOWN) revert(state, nodes[step.node].action);
        }
    }

    // The best offers become nodes, in the order of their parents, which is that of the tour.
    void choose() {
        std::sort(offers.begin(), offers.end(), [](const Offer& a, const Offer& b) { return a.score > b.score; });
        seen.clear();
        std::size_t kept = 0;
        for (std::size_t i = 0; i < offers.size() && static_cast<int>(kept) < width; ++i) {
            if (seen.insert(offers[i].hash).second) std::swap(offers[kept++], offers[i]);
        }
        offers.resize(kept);
        std::stable_sort(offers.begin(), offers.end(), [](const Offer& a, const Offer& b) { return a.parent < b.parent; });
        first_new = static_cast<int>(nodes.size());
        for (const Offer& offer : offers) nodes.push_back({offer.parent, offer.action, offer.score});
    }

    // Leaves that have children become inner nodes, those that have none go, and so does every branch without leaves.
    void regrow() {
        next_tour.clear();
        int child = first_new;
        for (const Step& step : tour) {
            if (step.kind == DOWN) {
                next_tour.push_back(step);
            } else if (step.kind == UP) {
                rise(step.node);
            } else if (child < static_cast<int>(nodes.size()) && nodes[child].parent == step.node) {
                next_tour.push_back({DOWN, step.node});
                while (child < static_cast<int>(nodes.size()) && nodes[child].parent == step.node) {
                    next_tour.push_back({LEAF, child++});
                }
                next_tour.push_back({UP, step.node});
            }
        }
        tour.swap(next_tour);
    }

    void rise(int node) {
        if (!next_tour.empty() && next_tour.back().kind == DOWN) {
            next_tour.pop_back();
        } else {
            next_tour.push_back({UP, node});
        }
    }

    // Where all of the beam hangs on one branch, the state goes down there for good.
    template <class Apply>
    void descend(State& state, Apply& apply) {
        std::size_t top = 0;
        while (tour[top].kind == DOWN && tour[tour.size() - 1 - top].node == tour[top].node) {
            apply(state, nodes[tour[top].node].action);
            ++top;
        }
        tour.erase(tour.end() - top, tour.end());
        tour.erase(tour.begin(), tour.begin() + top);
    }

    int best_node() const {
        int best = first_new;
        for (int node = first_new; node < static_cast<int>(nodes.size()); ++node) {
            if (nodes[node].score > nodes[best].score) best = node;
        }
        return best;
    }

    Result<Action> way_to(int node) const {
        Result<Action> result;
        result.score = nodes[node].score;
        for (; node >= 0; node = nodes[node].parent) result.actions.push_back(nodes[node].action);
        std::reverse(result.actions.begin(), result.actions.end());
        return result;
    }
};

}  // namespace beam_search_euler

#endif
