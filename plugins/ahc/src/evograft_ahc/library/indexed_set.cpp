#ifndef INDEXED_SET_CPP
#define INDEXED_SET_CPP

#include <vector>

namespace indexed_set {

// A set of integers from 0 to size - 1 that is inserted into, erased from and drawn from in constant time.
class IndexedSet {
public:
    explicit IndexedSet(int size) : places(size, -1) {}

    bool contains(int item) const { return places[item] >= 0; }
    int size() const { return static_cast<int>(items.size()); }
    bool empty() const { return items.empty(); }

    // The i-th in an order that changes with every erasure: with a random i, a random item.
    int operator[](int i) const { return items[i]; }

    // Whether it was not in before.
    bool insert(int item) {
        if (contains(item)) return false;
        places[item] = size();
        items.push_back(item);
        return true;
    }

    // Whether it was in. The last item takes its place.
    bool erase(int item) {
        const int place = places[item];
        if (place < 0) return false;
        items[place] = items.back();
        places[items[place]] = place;
        items.pop_back();
        places[item] = -1;
        return true;
    }

    void clear() {
        for (int item : items) places[item] = -1;
        items.clear();
    }

    std::vector<int>::const_iterator begin() const { return items.begin(); }
    std::vector<int>::const_iterator end() const { return items.end(); }

private:
    std::vector<int> items, places;
};

}  // namespace indexed_set

#endif
