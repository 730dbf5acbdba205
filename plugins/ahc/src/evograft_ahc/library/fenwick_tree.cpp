#ifndef FENWICK_TREE_CPP
#define FENWICK_TREE_CPP

#include <vector>

namespace fenwick_tree {

// Sums of values at places 0 to size - 1.
template <class T = long long>
class FenwickTree {
public:
    explicit FenwickTree(int size) : sums(size + 1, 0) {
        while (2 * top <= size) top *= 2;
    }

    void add(int place, T value) {
        for (int i = place + 1; i < static_cast<int>(sums.size()); i += i & -i) sums[i] += value;
    }

    // Of the places before `end`.
    T sum(int end) const {
        T total = 0;
        for (int i = end; i > 0; i &= i - 1) total += sums[i];
        return total;
    }

    T sum(int begin, int end) const { return sum(end) - sum(begin); }

    // The first place whose sum with all before it is above `target`, values being 0 or more; the size if there is none.
    // With a random target below the whole sum it draws a place by weight.
    int find(T target) const {
        int place = 0;
        for (int step = top; step > 0; step /= 2) {
            if (place + step >= static_cast<int>(sums.size()) || sums[place + step] > target) continue;
            place += step;
            target -= sums[place];
        }
        return place;
    }

private:
    std::vector<T> sums;
    int top = 1;
};

}  // namespace fenwick_tree

#endif
