#ifndef UNION_FIND_CPP
#define UNION_FIND_CPP

#include <utility>
#include <vector>

namespace union_find {

class UnionFind {
public:
    explicit UnionFind(int size) : parents(size, -1), sets(size) {}

    int root(int x) {
        while (parents[x] >= 0) {
            if (parents[parents[x]] >= 0) parents[x] = parents[parents[x]];
            x = parents[x];
        }
        return x;
    }

    // Whether they were apart.
    bool unite(int a, int b) {
        a = root(a);
        b = root(b);
        if (a == b) return false;
        if (parents[a] > parents[b]) std::swap(a, b);
        parents[a] += parents[b];
        parents[b] = a;
        --sets;
        return true;
    }

    bool same(int a, int b) { return root(a) == root(b); }

    int size_of(int x) { return -parents[root(x)]; }

    int count() const { return sets; }

private:
    std::vector<int> parents;  // of a root: minus the size of its set
    int sets;
};

// No path compression, so that unions can be taken back in reverse order: for search that tries and undoes.
class RollbackUnionFind {
public:
    explicit RollbackUnionFind(int size) : parents(size, -1) {}

    int root(int x) const {
        while (parents[x] >= 0) x = parents[x];
        return x;
    }

    bool unite(int a, int b) {
        a = root(a);
        b = root(b);
        if (parents[a] > parents[b]) std::swap(a, b);
        history.push_back({a, a == b ? -1 : b, a == b ? 0 : parents[b]});
        if (a == b) return false;
        parents[a] += parents[b];
        parents[b] = a;
        return true;
    }

    bool same(int a, int b) const { return root(a) == root(b); }

    // Takes the last `unite` back, whether it joined anything or not.
    void undo() {
        const Change change = history.back();
        history.pop_back();
        if (change.child < 0) return;
        parents[change.child] = change.size;
        parents[change.root] -= change.size;
    }

private:
    struct Change {
        int root, child, size;
    };

    std::vector<int> parents;
    std::vector<Change> history;
};

}  // namespace union_find

#endif
