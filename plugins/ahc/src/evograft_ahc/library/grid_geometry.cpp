#ifndef GRID_GEOMETRY_CPP
#define GRID_GEOMETRY_CPP

#include <cstddef>
#include <cstdlib>
#include <vector>

namespace grid_geometry {

struct Cell {
    int row, column;

    bool operator==(const Cell& other) const { return row == other.row && column == other.column; }
    Cell operator+(const Cell& other) const { return {row + other.row, column + other.column}; }
    Cell operator-(const Cell& other) const { return {row - other.row, column - other.column}; }
};

// Up, right, down, left, then the diagonals from upper right on, clockwise; the opposite of d is d ^ 2.
constexpr Cell DIRECTIONS[8] = {{-1, 0}, {0, 1}, {1, 0}, {0, -1}, {-1, 1}, {1, 1}, {1, -1}, {-1, -1}};
constexpr char NAMES[] = "URDL";

constexpr int opposite(int direction) { return direction ^ 2; }

inline int manhattan(Cell a, Cell b) { return std::abs(a.row - b.row) + std::abs(a.column - b.column); }

inline int chebyshev(Cell a, Cell b) {
    const int rows = std::abs(a.row - b.row), columns = std::abs(a.column - b.column);
    return rows > columns ? rows : columns;
}

// A quarter turn clockwise about the origin.
inline Cell turned(Cell cell) { return {cell.column, -cell.row}; }

class Grid {
public:
    Grid(int rows, int columns) : rows(rows), columns(columns) {}

    int size() const { return rows * columns; }
    int index(Cell cell) const { return cell.row * columns + cell.column; }
    Cell cell(int index) const { return {index / columns, index % columns}; }

    bool contains(Cell cell) const {
        return static_cast<unsigned>(cell.row) < static_cast<unsigned>(rows) &&
               static_cast<unsigned>(cell.column) < static_cast<unsigned>(columns);
    }

    // Calls visit(index, direction) for the neighbours that lie on the grid; 8 directions take the diagonals in.
    template <class Visit>
    void for_neighbours(int index, Visit visit, int directions = 4) const {
        const Cell here = cell(index);
        for (int d = 0; d < directions; ++d) {
            const Cell next = here + DIRECTIONS[d];
            if (contains(next)) visit(this->index(next), d);
        }
    }

    // Steps from the nearest source by index, -1 where there is no way; `passable(from, to, direction)` says where one goes.
    template <class Passable>
    std::vector<int> distances(const std::vector<int>& sources, Passable passable) const {
        std::vector<int> distance(size(), -1), queue;
        queue.reserve(size());
        for (int source : sources) {
            if (distance[source] == 0) continue;
            distance[source] = 0;
            queue.push_back(source);
        }
        for (std::size_t head = 0; head < queue.size(); ++head) {
            const int from = queue[head];
            for_neighbours(from, [&](int to, int direction) {
                if (distance[to] >= 0 || !passable(from, to, direction)) return;
                distance[to] = distance[from] + 1;
                queue.push_back(to);
            });
        }
        return distance;
    }

    // A shortest way as directions; empty where there is none (or nothing to go).
    template <class Passable>
    std::vector<int> path(int from, int to, Passable passable) const {
        auto backwards = [&](int a, int b, int direction) { return passable(b, a, opposite(direction)); };
        const std::vector<int> left = distances({to}, backwards);
        std::vector<int> result;
        while (left[from] > 0) {
            int next = -1;
            for_neighbours(from, [&](int cell, int direction) {
                if (next >= 0 || left[cell] != left[from] - 1 || !passable(from, cell, direction)) return;
                next = cell;
                result.push_back(direction);
            });
            from = next;
        }
        return result;
    }

private:
    int rows, columns;
};

// Sums over rectangles of a grid in constant time.
template <class T = long long>
class RectangleSums {
public:
    // `value(row, column)` is asked once for each cell.
    template <class Value>
    RectangleSums(int rows, int columns, Value value) : width(columns + 1), sums((rows + 1) * (columns + 1), 0) {
        for (int r = 0; r < rows; ++r) {
            for (int c = 0; c < columns; ++c) {
                at(r + 1, c + 1) = value(r, c) + at(r, c + 1) + at(r + 1, c) - at(r, c);
            }
        }
    }

    // From `top` and `left` up to, not including, `bottom` and `right`.
    T sum(int top, int left, int bottom, int right) const {
        return get(bottom, right) - get(top, right) - get(bottom, left) + get(top, left);
    }

private:
    int width;
    std::vector<T> sums;

    T& at(int r, int c) { return sums[r * width + c]; }
    T get(int r, int c) const { return sums[r * width + c]; }
};

}  // namespace grid_geometry

#endif
