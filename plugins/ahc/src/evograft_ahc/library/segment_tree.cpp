#ifndef SEGMENT_TREE_CPP
#define SEGMENT_TREE_CPP

#include <utility>
#include <vector>

namespace segment_tree {

// Values at places 0 to size - 1, folded over ranges by `combine`, which is associative and has `identity`.
template <class T, class Combine>
class SegmentTree {
public:
    SegmentTree(int size, T identity, Combine combine)
        : size(size), identity(std::move(identity)), combine(std::move(combine)) {
        while (leaves < size) leaves *= 2;
        nodes.assign(2 * leaves, this->identity);
    }

    const T& operator[](int place) const { return nodes[place + leaves]; }

    void set(int place, T value) {
        int node = place + leaves;
        nodes[node] = std::move(value);
        while (node /= 2) nodes[node] = combine(nodes[2 * node], nodes[2 * node + 1]);
    }

    // Of the places from `begin` up to, not including, `end`.
    T fold(int begin, int end) const {
        T left = identity, right = identity;
        for (begin += leaves, end += leaves; begin < end; begin /= 2, end /= 2) {
            if (begin & 1) left = combine(left, nodes[begin++]);
            if (end & 1) right = combine(nodes[--end], right);
        }
        return combine(left, right);
    }

    const T& all() const { return nodes[1]; }

    // The greatest `end` for which `holds(fold(begin, end))`. It holds for `identity`, and once false it stays false.
    template <class Holds>
    int max_end(int begin, Holds holds) const {
        T sum = identity;
        int node = begin + leaves;
        do {
            while (node % 2 == 0) node /= 2;
            T longer = combine(sum, nodes[node]);
            if (!holds(longer)) return descend(node, std::move(sum), holds);
            sum = std::move(longer);
            ++node;
        } while ((node & (node - 1)) != 0);  // a power of two: that was the right edge
        return size;
    }

private:
    int size;
    int leaves = 1;
    T identity;
    Combine combine;
    std::vector<T> nodes;

    // Below a node that is too much.
    template <class Holds>
    int descend(int node, T sum, Holds& holds) const {
        while (node < leaves) {
            node *= 2;
            T longer = combine(sum, nodes[node]);
            if (!holds(longer)) continue;
            sum = std::move(longer);
            ++node;
        }
        return node - leaves;
    }
};

template <class T, class Combine>
SegmentTree(int, T, Combine) -> SegmentTree<T, Combine>;

}  // namespace segment_tree

#endif
