// Data structures and geometry, against slow ways to the same answers.
#include "bitset_utils.cpp"
#include "check.hpp"
#include "convex_hull.cpp"
#include "fenwick_tree.cpp"
#include "grid_geometry.cpp"
#include "indexed_set.cpp"
#include "segment_tree.cpp"
#include "top_k_heap.cpp"
#include "zobrist_hash.cpp"

#include <numeric>
#include <set>
#include <string>

static void a_segment_tree_folds_in_order(std::mt19937& random) {
    const int size = between(random, 1, 20);
    auto join = [](const std::string& a, const std::string& b) { return a + b; };
    segment_tree::SegmentTree tree(size, std::string(), join);
    std::vector<std::string> values(size);
    for (int step = 0; step < 30; ++step) {
        const int place = between(random, 0, size - 1);
        values[place] = std::string(random() % 3, static_cast<char>('a' + random() % 26));
        tree.set(place, values[place]);
        int begin = between(random, 0, size), end = between(random, 0, size);
        if (begin > end) std::swap(begin, end);
        CHECK(tree.fold(begin, end) == std::accumulate(values.begin() + begin, values.begin() + end, std::string()));
        CHECK(tree[place] == values[place]);
        const std::size_t longest = random() % 12;
        begin = between(random, 0, size - 1);
        int expected = begin;
        std::size_t length = 0;
        while (expected < size && length + values[expected].size() <= longest) length += values[expected++].size();
        CHECK(tree.max_end(begin, [&](const std::string& text) { return text.size() <= longest; }) == expected);
    }
    CHECK(tree.all() == std::accumulate(values.begin(), values.end(), std::string()));
}

static void a_fenwick_tree_sums_and_finds(std::mt19937& random) {
    const int size = between(random, 1, 20);
    fenwick_tree::FenwickTree<int> tree(size);
    std::vector<int> values(size, 0);
    for (int step = 0; step < 30; ++step) {
        const int place = between(random, 0, size - 1), value = between(random, 0, 3);
        values[place] += value;
        tree.add(place, value);
        const int target = between(random, 0, 30);
        int expected = 0;
        for (int sum = values[0]; sum <= target && ++expected < size;) sum += values[expected];
        CHECK(tree.find(target) == expected);
        for (int end = 0; end <= size; ++end) {
            CHECK(tree.sum(end) == std::accumulate(values.begin(), values.begin() + end, 0));
            CHECK(tree.sum(end / 2, end) == std::accumulate(values.begin() + end / 2, values.begin() + end, 0));
        }
    }
}

static void bits(std::mt19937& random) {
    const std::uint64_t word = (std::uint64_t{random()} << 32 | random()) & (std::uint64_t{random()} << 32 | random());
    std::vector<int> expected, visited;
    for (int i = 0; i < 64; ++i) if (word >> i & 1) expected.push_back(i);
    bitset_utils::for_each_bit(word, [&](int bit) { visited.push_back(bit); });
    CHECK(visited == expected && bitset_utils::count(word) == static_cast<int>(expected.size()));
    CHECK(bitset_utils::lowest(word) == expected.front() && bitset_utils::highest(word) == expected.back());
    for (std::size_t k = 0; k < expected.size(); ++k) CHECK(bitset_utils::select(word, static_cast<int>(k)) == expected[k]);

    const int size = between(random, 1, 200);
    bitset_utils::Bits a(size), b(size);
    std::set<int> in_a, in_b, common, any, one;
    for (int i = 0; i < size; ++i) {
        if (random() % 2) a.set(i), in_a.insert(i);
        if (random() % 3) b.flip(i), in_b.insert(i);
    }
    for (int i = 0; i < size; ++i) {
        CHECK(a[i] == (in_a.count(i) > 0));
        if (in_a.count(i) && in_b.count(i)) common.insert(i);
        if (in_a.count(i) || in_b.count(i)) any.insert(i);
        if (in_a.count(i) != in_b.count(i)) one.insert(i);
    }
    auto members = [](const bitset_utils::Bits& set) {
        std::set<int> result;
        set.for_each([&](int i) { result.insert(i); });
        CHECK(set.count() == static_cast<int>(result.size()));
        return result;
    };
    CHECK(a.count_common(b) == static_cast<int>(common.size()));
    CHECK(members(bitset_utils::Bits(a) &= b) == common && members(bitset_utils::Bits(a) |= b) == any && members(bitset_utils::Bits(a) ^= b) == one);
    for (int i : in_a) a.reset(i);
    CHECK(a.count() == 0 && a == bitset_utils::Bits(size));
}

static void subsets_and_combinations() {
    std::set<std::uint64_t> seen;
    bitset_utils::for_each_subset(0b101101, [&](std::uint64_t subset) {
        CHECK((subset & ~std::uint64_t{0b101101}) == 0);
        seen.insert(subset);
    });
    CHECK(seen.size() == 16);
    std::uint64_t bits = 0b111;
    for (std::uint64_t next = 8; next < 256; ++next) {
        if (__builtin_popcountll(next) != 3) continue;
        CHECK((bits = bitset_utils::next_combination(bits)) == next);
    }
}

static void a_zobrist_hash_follows_the_board(std::mt19937& random) {
    const zobrist_hash::Zobrist zobrist(9, 4, 5);
    std::vector<int> board(9, 0);
    std::uint64_t hash = zobrist.hash(board);
    for (int step = 0; step < 50; ++step) {
        const int a = between(random, 0, 8), b = between(random, 0, 8), value = between(random, 0, 3);
        hash = zobrist.changed(hash, a, board[a], value);
        board[a] = value;
        if (a != b) {
            hash = zobrist.swapped(hash, a, board[a], b, board[b]);
            std::swap(board[a], board[b]);
        }
        CHECK(hash == zobrist.hash(board));
    }
    std::set<std::uint64_t> keys;
    for (int place = 0; place < 9; ++place) for (int value = 0; value < 4; ++value) keys.insert(zobrist.key(place, value));
    CHECK(keys.size() == 36);
    CHECK(zobrist_hash::Zobrist(9, 4, 5).hash(board) == hash && zobrist_hash::Zobrist(9, 4, 6).hash(board) != hash);
}

static void the_top_k_are_those_of_a_sort(std::mt19937& random) {
    const int k = between(random, 0, 6);
    top_k_heap::TopK<int, int> best(k);
    std::vector<int> all;
    for (int i = 0; i < 20; ++i) {
        const int score = between(random, 0, 30);
        const bool full = static_cast<int>(best.size()) == k;
        const bool above = full && k > 0 && score > best.entries()[0].first;
        CHECK(best.offer(score, 7 * score) == (above || !full));
        all.push_back(score);
    }
    std::sort(all.rbegin(), all.rend());
    const auto sorted = best.sorted();
    CHECK(sorted.size() == static_cast<std::size_t>(k));
    for (int i = 0; i < k; ++i) CHECK(sorted[i].first == all[i] && sorted[i].second == 7 * all[i]);
    if (k > 0) CHECK(best.bar() == all[k - 1]);
}

static void an_indexed_set_is_a_set(std::mt19937& random) {
    indexed_set::IndexedSet set(15);
    std::set<int> expected;
    for (int step = 0; step < 200; ++step) {
        const int item = between(random, 0, 14);
        if (random() % 2) {
            CHECK(set.insert(item) == expected.insert(item).second);
        } else {
            CHECK(set.erase(item) == (expected.erase(item) > 0));
        }
        if (step == 100) set.clear(), expected.clear();
        CHECK(std::set<int>(set.begin(), set.end()) == expected && set.size() == static_cast<int>(expected.size()));
        for (int i = 0; i < 15; ++i) CHECK(set.contains(i) == (expected.count(i) > 0));
        for (int i = 0; i < set.size(); ++i) CHECK(expected.count(set[i]));
        CHECK(set.empty() == expected.empty());
    }
}

static void ways_on_a_grid(std::mt19937& random) {
    const int rows = between(random, 1, 6), columns = between(random, 1, 6);
    const grid_geometry::Grid grid(rows, columns);
    std::vector<char> wall(grid.size());
    for (char& each : wall) each = random() % 4 == 0;
    auto passable = [&](int from, int to, int direction) {
        CHECK((grid.cell(to) - grid.cell(from) == grid_geometry::DIRECTIONS[direction]));
        return !wall[to] && !wall[from];
    };
    const int start = between(random, 0, grid.size() - 1);
    std::vector<int> expected(grid.size(), 1000);
    expected[start] = 0;
    for (int round = 0; round < grid.size(); ++round) {
        for (int a = 0; a < grid.size(); ++a) {
            for (int b = 0; b < grid.size(); ++b) {
                if (grid_geometry::manhattan(grid.cell(a), grid.cell(b)) != 1 || wall[a] || wall[b]) continue;
                expected[b] = std::min(expected[b], expected[a] + 1);
            }
        }
    }
    const std::vector<int> distance = grid.distances({start}, passable);
    for (int goal = 0; goal < grid.size(); ++goal) {
        CHECK(distance[goal] == (expected[goal] == 1000 ? -1 : expected[goal]));
        const std::vector<int> path = grid.path(start, goal, passable);
        CHECK(static_cast<int>(path.size()) == std::max(0, distance[goal]));
        grid_geometry::Cell at = grid.cell(start);
        for (int direction : path) at = at + grid_geometry::DIRECTIONS[direction];
        CHECK(path.empty() || grid.index(at) == goal);
    }
}

static void a_way_through_one_way_doors_goes_forwards() {
    const grid_geometry::Grid grid(1, 3);
    auto eastwards = [](int from, int to, int) { return to > from; };
    CHECK((grid.path(0, 2, eastwards) == std::vector<int>{1, 1}));
    CHECK(grid.path(2, 0, eastwards).empty());
}

static void directions_and_sums(std::mt19937& random) {
    for (int d = 0; d < 8; ++d) {
        const auto back = grid_geometry::DIRECTIONS[d] + grid_geometry::DIRECTIONS[grid_geometry::opposite(d)];
        CHECK((back == grid_geometry::Cell{0, 0}));
        CHECK((grid_geometry::turned(grid_geometry::DIRECTIONS[d]) == grid_geometry::DIRECTIONS[d / 4 * 4 + (d + 1) % 4]));
    }
    CHECK(grid_geometry::chebyshev({0, 0}, {2, -5}) == 5);
    int neighbours = 0;
    grid_geometry::Grid(3, 3).for_neighbours(4, [&](int, int) { ++neighbours; }, 8);
    CHECK(neighbours == 8);
    int values[4][5];
    for (auto& row : values) for (int& value : row) value = between(random, -9, 9);
    const grid_geometry::RectangleSums<int> sums(4, 5, [&](int r, int c) { return values[r][c]; });
    const int top = between(random, 0, 4), left = between(random, 0, 5), bottom = between(random, top, 4), right = between(random, left, 5);
    int expected = 0;
    for (int r = top; r < bottom; ++r) for (int c = left; c < right; ++c) expected += values[r][c];
    CHECK(sums.sum(top, left, bottom, right) == expected);
}

static void a_hull_holds_its_points_and_no_other(std::mt19937& random) {
    using Point = convex_hull::Point<int>;
    std::vector<Point> points(between(random, 1, 12));
    for (Point& point : points) point = {between(random, 0, 6), between(random, 0, 6)};
    const std::vector<Point> corners = convex_hull::hull(points);
    if (corners.size() < 3) return CHECK(convex_hull::doubled_area(corners) == 0);
    CHECK(convex_hull::doubled_area(corners) > 0);
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const Point &a = corners[i], &b = corners[(i + 1) % corners.size()], &c = corners[(i + 2) % corners.size()];
        CHECK(convex_hull::cross(a, b, c) > 0);
        CHECK(std::find(points.begin(), points.end(), a) != points.end());
    }
    for (const Point& point : points) CHECK(convex_hull::contains(corners, point));
    for (int x = -1; x <= 7; ++x) {
        for (int y = -1; y <= 7; ++y) {
            bool inside = true;
            for (std::size_t i = 0; i < corners.size(); ++i) {
                inside &= convex_hull::cross(corners[i], corners[(i + 1) % corners.size()], Point{x, y}) >= 0;
            }
            CHECK(convex_hull::contains(corners, Point{x, y}) == inside);
        }
    }
}

int main() {
    std::mt19937 random(2);
    subsets_and_combinations();
    a_way_through_one_way_doors_goes_forwards();
    for (int i = 0; i < 100; ++i) {
        a_segment_tree_folds_in_order(random);
        a_fenwick_tree_sums_and_finds(random);
        bits(random);
        a_zobrist_hash_follows_the_board(random);
        the_top_k_are_those_of_a_sort(random);
        an_indexed_set_is_a_set(random);
        ways_on_a_grid(random);
        directions_and_sums(random);
        a_hull_holds_its_points_and_no_other(random);
    }
}
