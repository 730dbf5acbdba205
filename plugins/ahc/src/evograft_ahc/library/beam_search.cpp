#ifndef BEAM_SEARCH_CPP
#define BEAM_SEARCH_CPP

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

namespace beam_search {

template <class Action>
struct Result {
    double score = 0;
    std::vector<Action> actions;
};

// The best `width` states of each depth, no two with the same hash. States are copied: for large ones see the Euler tour.
//
// expand(state, emit): calls emit(action, score, hash) for each action; `score` (great is good) and `hash` are those of
//     the state that the action leads to.
// apply(state, action): carries an action out.
template <class State, class Action>
class BeamSearch {
public:
    explicit BeamSearch(int width) : width(width) {}

    // Goes `depth` actions deep, less where nothing can be done; returns the way to the best state of the last depth.
    template <class Expand, class Apply>
    Result<Action> run(const State& initial, int depth, Expand expand, Apply apply) {
        nodes.clear();
        std::vector<Held> beam{{initial, -1, 0}}, next;
        for (int d = 0; d < depth; ++d) {
            offers.clear();
            for (int i = 0; i < static_cast<int>(beam.size()); ++i) {
                expand(beam[i].state, [this, i](const Action& action, double score, std::uint64_t hash) {
                    offers.push_back({score, hash, i, action});
                });
            }
            if (offers.empty()) break;
            next.clear();
            for (const Offer& offer : chosen()) {
                nodes.push_back({beam[offer.parent].node, offer.action});
                next.push_back({beam[offer.parent].state, static_cast<int>(nodes.size()) - 1, offer.score});
                apply(next.back().state, offer.action);
            }
            beam.swap(next);
        }
        return way_to(beam.front());
    }

private:
    struct Held {
        State state;
        int node;
        double score;
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
    };

    int width;
    std::vector<Node> nodes;
    std::vector<Offer> offers;
    std::unordered_set<std::uint64_t> seen;

    static bool better(const Offer& a, const Offer& b) { return a.score > b.score; }

    // The best first. Duplicates are rare enough that sorting a little more than `width` is mostly all there is to do.
    std::vector<Offer> chosen() {
        std::vector<Offer> best;
        seen.clear();
        std::size_t sorted = 0;
        while (sorted < offers.size() && static_cast<int>(best.size()) < width) {
            const std::size_t end = std::min(offers.size(), sorted + static_cast<std::size_t>(width) + width / 4 + 1);
            std::partial_sort(offers.begin() + sorted, offers.begin() + end, offers.end(), better);
            for (; sorted < end && static_cast<int>(best.size()) < width; ++sorted) {
                if (seen.insert(offers[sorted].hash).second) best.push_back(offers[sorted]);
            }
        }
        return best;
    }

    Result<Action> way_to(const Held& held) const {
        Result<Action> result;
        result.score = held.score;
        for (int node = held.node; node >= 0; node = nodes[node].parent) result.actions.push_back(nodes[node].action);
        std::reverse(result.actions.begin(), result.actions.end());
        return result;
    }
};

}  // namespace beam_search

#endif
