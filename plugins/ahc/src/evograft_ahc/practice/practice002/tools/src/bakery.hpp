// The bakery: its breads, its customers, and what a day's baking earns.
#ifndef BAKERY_HPP
#define BAKERY_HPP

#include "random.hpp"
#include "reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

constexpr int MINUTES = 600;  // a day's opening hours

struct Bread {
    int price, cost;
};

struct Bakery {
    int kinds, days, capacity, substitution;  // substitution in percent
    std::vector<Bread> breads;
    std::vector<std::vector<double>> rates;  // customers a day, by day and bread; hidden
    std::uint64_t seed;                      // of the customers; hidden
};

struct Customer {
    int minute, first, second;  // second: -1 if they leave rather than take another bread
};

struct Day {
    std::vector<int> baked, sold, minute;  // minute: when the last loaf went, MINUTES if some are left
    std::vector<int> wanted;               // first choices
    long long profit = 0;
};

inline Bakery read_bakery(const std::string& path) {
    std::ifstream file(path);
    Bakery b{};
    file >> b.kinds >> b.days >> b.capacity >> b.substitution;
    if (!file || b.kinds < 2 || b.kinds > 100 || b.days < 1 || b.days > 1000) {
        throw std::runtime_error("cannot read the input " + path);
    }
    b.breads.resize(static_cast<std::size_t>(b.kinds));
    for (Bread& bread : b.breads) file >> bread.price >> bread.cost;
    b.rates.assign(static_cast<std::size_t>(b.days), std::vector<double>(static_cast<std::size_t>(b.kinds)));
    for (auto& day : b.rates) {
        for (double& rate : day) file >> rate;
    }
    file >> b.seed;
    if (!file) throw std::runtime_error("cannot read the input " + path);
    return b;
}

// A bread by its share in the rates, `without` left out (-1: none).
inline int draw_bread(const std::vector<double>& rates, int without, Random& random) {
    double total = 0;
    for (std::size_t k = 0; k < rates.size(); ++k) total += static_cast<int>(k) == without ? 0 : rates[k];
    double left = random.uniform(0, total);
    int last = 0;
    for (std::size_t k = 0; k < rates.size(); ++k) {
        if (static_cast<int>(k) == without) continue;
        last = static_cast<int>(k);
        left -= rates[k];
        if (left < 0) break;
    }
    return last;
}

// Who comes on a day: it depends on nothing that is baked.
inline std::vector<Customer> customers_of(const Bakery& b, int day) {
    Random random(b.seed + 1000003ULL * static_cast<std::uint64_t>(day));
    const std::vector<double>& rates = b.rates[static_cast<std::size_t>(day)];
    const double gap = MINUTES / std::accumulate(rates.begin(), rates.end(), 0.0);
    std::vector<Customer> customers;
    for (double time = random.exponential(gap); time < MINUTES; time += random.exponential(gap)) {
        const int first = draw_bread(rates, -1, random);
        const int second = draw_bread(rates, first, random);
        const bool takes_second = random.between(1, 100) <= b.substitution;
        customers.push_back({static_cast<int>(time), first, takes_second ? second : -1});
    }
    return customers;
}

inline Day sell(const Bakery& b, int day, const std::vector<int>& baked) {
    const std::size_t kinds = baked.size();
    Day d;
    d.baked = baked;
    d.sold.assign(kinds, 0);
    d.minute.assign(kinds, MINUTES);
    d.wanted.assign(kinds, 0);
    for (std::size_t k = 0; k < kinds; ++k) {
        if (baked[k] == 0) d.minute[k] = 0;
    }
    for (const Customer& customer : customers_of(b, day)) {
        ++d.wanted[static_cast<std::size_t>(customer.first)];
        for (int choice : {customer.first, customer.second}) {
            if (choice < 0) break;
            const std::size_t k = static_cast<std::size_t>(choice);
            if (d.sold[k] == baked[k]) continue;
            if (++d.sold[k] == baked[k]) d.minute[k] = customer.minute;
            break;
        }
    }
    for (std::size_t k = 0; k < kinds; ++k) {
        d.profit += static_cast<long long>(b.breads[k].price) * d.sold[k] - static_cast<long long>(b.breads[k].cost) * baked[k];
    }
    return d;
}

// The profit of a day of someone who knows all first choices and bakes for them, the most profitable breads first.
inline long long foreseen_profit(const Bakery& b, int day) {
    std::vector<int> wanted(b.breads.size(), 0);
    for (const Customer& customer : customers_of(b, day)) ++wanted[static_cast<std::size_t>(customer.first)];
    std::vector<std::size_t> order(b.breads.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    auto margin = [&b](std::size_t k) { return b.breads[k].price - b.breads[k].cost; };
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return margin(i) > margin(j); });
    int left = b.capacity;
    long long profit = 0;
    for (std::size_t k : order) {
        const int loaves = std::min(left, wanted[k]);
        profit += static_cast<long long>(margin(k)) * loaves;
        left -= loaves;
    }
    return profit;
}

inline long long score_of(const Bakery& b, const std::vector<Day>& days) {
    long long profit = 0, foreseen = 0;
    for (int day = 0; day < b.days; ++day) foreseen += foreseen_profit(b, day);
    for (const Day& day : days) profit += day.profit;
    return std::max(0LL, std::llround(1e6 * static_cast<double>(profit) / static_cast<double>(std::max(1LL, foreseen))));
}

// Reads what is baked on a day; an order that breaks a rule throws WrongAnswer.
inline std::vector<int> read_order(const Bakery& b, int day, Reader& reader) {
    const std::string name = "day " + std::to_string(day + 1);
    std::vector<int> baked;
    int total = 0;
    for (int k = 1; k <= b.kinds; ++k) {
        baked.push_back(static_cast<int>(reader.integer(name + ": bread " + std::to_string(k), 0, b.capacity)));
        total += baked.back();
    }
    if (total > b.capacity) {
        throw WrongAnswer(name + ": " + std::to_string(total) + " loaves, more than the capacity of " + std::to_string(b.capacity));
    }
    return baked;
}

#endif
