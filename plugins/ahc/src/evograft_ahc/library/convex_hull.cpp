#ifndef CONVEX_HULL_CPP
#define CONVEX_HULL_CPP

#include <algorithm>
#include <tuple>
#include <vector>

namespace convex_hull {

template <class T = long long>
struct Point {
    T x, y;

    bool operator<(const Point& other) const { return std::tie(x, y) < std::tie(other.x, other.y); }
    bool operator==(const Point& other) const { return x == other.x && y == other.y; }
};

// Above 0: b lies counter-clockwise of a, seen from `origin`. Twice the area of the triangle.
template <class T>
T cross(const Point<T>& origin, const Point<T>& a, const Point<T>& b) {
    return (a.x - origin.x) * (b.y - origin.y) - (a.y - origin.y) * (b.x - origin.x);
}

// The corners counter-clockwise from the leftmost, without points on the edges.
template <class T>
std::vector<Point<T>> hull(std::vector<Point<T>> points) {
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    if (points.size() < 3) return points;
    std::vector<Point<T>> corners;
    auto sweep = [&corners](auto begin, auto end) {
        const std::size_t base = corners.size();
        for (; begin != end; ++begin) {
            while (corners.size() >= base + 2 && cross(corners[corners.size() - 2], corners.back(), *begin) <= 0) {
                corners.pop_back();
            }
            corners.push_back(*begin);
        }
        corners.pop_back();  // the other half begins with it
    };
    sweep(points.begin(), points.end());
    sweep(points.rbegin(), points.rend());
    return corners;
}

template <class T>
T doubled_area(const std::vector<Point<T>>& polygon) {
    T sum = 0;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        const Point<T>&a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
        sum += a.x * b.y - a.y * b.x;
    }
    return sum;
}

// Whether a hull of three corners or more holds the point; its edges belong to it.
template <class T>
bool contains(const std::vector<Point<T>>& hull, const Point<T>& point) {
    const std::size_t size = hull.size();
    if (cross(hull[0], hull[1], point) < 0 || cross(hull[0], hull[size - 1], point) > 0) return false;
    std::size_t low = 1, high = size - 1;
    while (high - low > 1) {
        const std::size_t middle = (low + high) / 2;
        (cross(hull[0], hull[middle], point) >= 0 ? low : high) = middle;
    }
    if (cross(hull[low], hull[high], point) < 0) return false;
    // On the ray along an edge at the first corner, beyond its end.
    auto squared = [&](const Point<T>& p) { return (p.x - hull[0].x) * (p.x - hull[0].x) + (p.y - hull[0].y) * (p.y - hull[0].y); };
    if (cross(hull[0], hull[1], point) == 0) return squared(point) <= squared(hull[1]);
    if (cross(hull[0], hull[size - 1], point) == 0) return squared(point) <= squared(hull[size - 1]);
    return true;
}

}  // namespace convex_hull

#endif
