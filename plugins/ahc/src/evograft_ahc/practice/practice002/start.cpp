// Keeps a running mean of each bread's sales and bakes a little more than that.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

constexpr double LEARNING = 0.9;      // evo: param 0.02..1.0 how fast the mean follows the latest day
constexpr double RESERVE = 1.2;       // evo: param 0.5..2.0 loaves baked for each one expected to be sold
constexpr double SOLD_OUT = 1.1;      // evo: param 1.0..2.0 how much higher demand is thought when nothing was left
constexpr double MARGIN_WEIGHT = 0.0; // evo: param 0.0..3.0 how strongly profitable breads are preferred
constexpr double SHARE_FIRST = 1.0;   // evo: param 0.2..1.0 share of the capacity that is used on the first day
constexpr double WEEKDAY = 0.0;       // evo: param 0.0..1.0 how far the weekday's own mean replaces the overall one

constexpr int MINUTES = 600;

struct Bread {
    double price, cost, expected;
};

int main() {
    int kinds, days, capacity, substitution;
    std::cin >> kinds >> days >> capacity >> substitution;
    std::vector<Bread> breads(kinds);
    for (Bread& bread : breads) {
        std::cin >> bread.price >> bread.cost;
        bread.expected = SHARE_FIRST * capacity / kinds;
    }
    std::vector<double> weekday(7, 1.0);
    for (int day = 0; day < days; ++day) {
        std::vector<double> wish(kinds);
        double total = 0;
        for (int k = 0; k < kinds; ++k) {
            const Bread& bread = breads[k];
            const double factor = 1 + WEEKDAY * (weekday[day % 7] - 1);
            const double margin = (bread.price - bread.cost) / bread.price;
            wish[k] = bread.expected * factor * RESERVE * std::pow(2 * margin, MARGIN_WEIGHT);
            total += wish[k];
        }
        const double scale = std::min(1.0, capacity / total);
        for (int k = 0; k < kinds; ++k) std::cout << int(wish[k] * scale) << (k + 1 < kinds ? " " : "\n");
        std::cout << std::flush;
        std::vector<int> sold(kinds), minute(kinds);
        for (int& number : sold) std::cin >> number;
        for (int& number : minute) std::cin >> number;
        double seen = 0, thought = 0;
        for (int k = 0; k < kinds; ++k) {
            const double demand = std::max(1.0, sold[k] * (minute[k] < MINUTES ? SOLD_OUT : 1.0));
            seen += demand;
            thought += breads[k].expected;
            const double factor = 1 + WEEKDAY * (weekday[day % 7] - 1);
            breads[k].expected += LEARNING * (demand / factor - breads[k].expected);
        }
        if (thought > 0) weekday[day % 7] += 0.3 * (std::clamp(seen / thought, 0.5, 2.0) - weekday[day % 7]);
    }
}
