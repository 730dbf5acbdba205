// The mountain, what a trip costs, and how an answer is read.
#ifndef PORTERS_HPP
#define PORTERS_HPP

#include "reader.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

constexpr int PORTER = 50;  // kg, without a load

struct Place {
    int x, y, height;
    int deliver, collect;  // kg; the base has 0 of both
};

struct Mountain {
    int huts, capacity, steepness;
    std::vector<Place> places;  // 0 is the base
};

using Trip = std::vector<int>;

inline Mountain read_mountain(const std::string& path) {
    std::ifstream file(path);
    Mountain m{};
    file >> m.huts >> m.capacity >> m.steepness;
    if (!file || m.huts < 1 || m.huts > 1000) throw std::runtime_error("cannot read the input " + path);
    m.places.resize(static_cast<std::size_t>(m.huts) + 1);
    for (std::size_t i = 0; i < m.places.size(); ++i) {
        Place& p = m.places[i];
        file >> p.x >> p.y >> p.height;
        if (i > 0) file >> p.deliver >> p.collect;
    }
    if (!file) throw std::runtime_error("cannot read the input " + path);
    return m;
}

inline double effort(const Mountain& m, int from, int to) {
    const Place &a = m.places[static_cast<std::size_t>(from)], &b = m.places[static_cast<std::size_t>(to)];
    return std::hypot(a.x - b.x, a.y - b.y) + m.steepness * std::max(0, b.height - a.height);
}

// The loads on the legs of a trip, the last one being the way home.
inline std::vector<int> loads_of(const Mountain& m, const Trip& trip) {
    std::vector<int> loads(1, 0);
    for (int hut : trip) loads[0] += m.places[static_cast<std::size_t>(hut)].deliver;
    for (int hut : trip) {
        const Place& p = m.places[static_cast<std::size_t>(hut)];
        loads.push_back(loads.back() - p.deliver + p.collect);
    }
    return loads;
}

inline double energy_of(const Mountain& m, const Trip& trip) {
    const std::vector<int> loads = loads_of(m, trip);
    double energy = 0;
    int at = 0;
    for (std::size_t leg = 0; leg < loads.size(); ++leg) {
        const int to = leg < trip.size() ? trip[leg] : 0;
        energy += (PORTER + loads[leg]) * effort(m, at, to);
        at = to;
    }
    return energy;
}

inline double energy_of(const Mountain& m, const std::vector<Trip>& trips) {
    double energy = 0;
    for (const Trip& trip : trips) energy += energy_of(m, trip);
    return energy;
}

inline long long score_of(const Mountain& m, const std::vector<Trip>& trips) {
    double alone = 0;
    for (int hut = 1; hut <= m.huts; ++hut) alone += energy_of(m, Trip{hut});
    return std::llround(1e6 * alone / energy_of(m, trips));
}

inline void check_loads(const Mountain& m, const Trip& trip, const std::string& name) {
    const std::vector<int> loads = loads_of(m, trip);
    for (std::size_t leg = 0; leg < loads.size(); ++leg) {
        if (loads[leg] <= m.capacity) continue;
        throw WrongAnswer(name + ": " + std::to_string(loads[leg]) + " kg on leg " + std::to_string(leg + 1) +
                          ", more than the capacity of " + std::to_string(m.capacity));
    }
}

// Reads an answer; one that breaks a rule throws WrongAnswer.
inline std::vector<Trip> read_trips(const Mountain& m, std::FILE* file) {
    Reader reader(file);
    std::vector<char> visited(m.places.size(), 0);
    std::vector<Trip> trips(static_cast<std::size_t>(reader.integer("the number of trips", 1, m.huts)));
    for (std::size_t t = 0; t < trips.size(); ++t) {
        const std::string name = "trip " + std::to_string(t + 1);
        trips[t].resize(static_cast<std::size_t>(reader.integer(name + ": the number of huts", 1, m.huts)));
        for (std::size_t i = 0; i < trips[t].size(); ++i) {
            const int hut = static_cast<int>(reader.integer(name + ": hut " + std::to_string(i + 1), 1, m.huts));
            char& seen = visited[static_cast<std::size_t>(hut)];
            if (seen) throw WrongAnswer(name + ": hut number " + std::to_string(hut) + " was visited before");
            seen = 1;
            trips[t][i] = hut;
        }
        check_loads(m, trips[t], name);
    }
    if (!reader.at_end()) throw WrongAnswer("there is more after the last trip");
    for (int hut = 1; hut <= m.huts; ++hut) {
        if (!visited[static_cast<std::size_t>(hut)]) throw WrongAnswer("hut number " + std::to_string(hut) + " is not visited");
    }
    return trips;
}

#endif
