#ifndef TOP_K_HEAP_CPP
#define TOP_K_HEAP_CPP

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace top_k_heap {

// Keeps the k items with the greatest scores of all that are offered.
template <class Item, class Score = double>
class TopK {
public:
    using Entry = std::pair<Score, Item>;

    explicit TopK(int k) : k(static_cast<std::size_t>(k)) { heap.reserve(this->k); }

    // A score must be above this to get in: with it, an item that has no chance need not even be made.
    Score bar() const { return heap.size() < k ? std::numeric_limits<Score>::lowest() : heap.front().first; }

    // Whether it got in.
    bool offer(Score score, Item item) {
        if (heap.size() == k) {
            if (k == 0 || score <= heap.front().first) return false;
            std::pop_heap(heap.begin(), heap.end(), better);
            heap.back() = {score, std::move(item)};
        } else {
            heap.push_back({score, std::move(item)});
        }
        std::push_heap(heap.begin(), heap.end(), better);
        return true;
    }

    std::size_t size() const { return heap.size(); }
    void clear() { heap.clear(); }

    // In no order.
    const std::vector<Entry>& entries() const { return heap; }

    // The best first.
    std::vector<Entry> sorted() const {
        std::vector<Entry> result = heap;
        std::sort(result.begin(), result.end(), better);
        return result;
    }

private:
    std::size_t k;
    std::vector<Entry> heap;  // the worst on top

    static bool better(const Entry& a, const Entry& b) { return a.first > b.first; }
};

}  // namespace top_k_heap

#endif
