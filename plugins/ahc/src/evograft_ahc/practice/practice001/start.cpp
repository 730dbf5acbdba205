// Fills trips one after the other with huts that are near, then moves single huts to other places in the plan.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <vector>

constexpr double FILL = 0.5;           // evo: param 0.3..1.0 share of the capacity that the first plan uses
constexpr double CLIMB = 0.2;          // evo: param 0.01..3.0 log how much a climb counts when the next hut is chosen
constexpr double HOMEWARD = 0.1;       // evo: param 0.0..1.0 how much the way back to the base counts there
constexpr double START_HEAT = 20000;   // evo: param 100..100000 log
constexpr double END_HEAT = 2000;      // evo: param 1..10000 log
constexpr double SAME_TRIP = 0.8;      // evo: param 0.0..1.0 share of moves within a trip
constexpr int NEIGHBOURS = 60;         // evo: param 2..60 huts beside which another one may be put
constexpr int STEPS = 30000;

constexpr int PORTER = 50;

struct Place {
    int x, y, height, deliver, collect;
};

using Trip = std::vector<int>;

int huts, capacity, steepness;
std::vector<Place> places;
std::vector<std::vector<double>> effort;
std::vector<std::vector<int>> nearest;

std::uint32_t random_state = 2463534242u;

std::uint32_t random_below(std::uint32_t bound) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(random_state) * bound) >> 32);
}

double random_unit() { return random_below(1u << 24) / double(1u << 24); }

// What a trip costs; one that is too heavy costs far more than any other.
double energy(const Trip& trip) {
    int load = 0;
    for (int hut : trip) load += places[hut].deliver;
    if (load > capacity) return 1e12;
    double total = 0;
    int at = 0;
    for (int hut : trip) {
        total += (PORTER + load) * effort[at][hut];
        load += places[hut].collect - places[hut].deliver;
        if (load > capacity) return 1e12;
        at = hut;
    }
    return total + (PORTER + load) * effort[at][0];
}

void read_input() {
    std::cin >> huts >> capacity >> steepness;
    places.resize(huts + 1);
    for (int i = 0; i <= huts; ++i) {
        Place& p = places[i];
        p.deliver = p.collect = 0;
        std::cin >> p.x >> p.y >> p.height;
        if (i > 0) std::cin >> p.deliver >> p.collect;
    }
    effort.assign(huts + 1, std::vector<double>(huts + 1));
    nearest.resize(huts + 1);
    for (int i = 0; i <= huts; ++i) {
        for (int j = 0; j <= huts; ++j) {
            const Place &a = places[i], &b = places[j];
            effort[i][j] = std::hypot(a.x - b.x, a.y - b.y) + steepness * std::max(0, b.height - a.height);
            if (j > 0 && j != i) nearest[i].push_back(j);
        }
        std::sort(nearest[i].begin(), nearest[i].end(), [i](int a, int b) { return effort[i][a] < effort[i][b]; });
        nearest[i].resize(std::min<int>(NEIGHBOURS, nearest[i].size()));
    }
}

std::vector<Trip> first_plan() {
    std::vector<char> done(huts + 1, 0);
    std::vector<Trip> trips;
    for (int left = huts; left > 0;) {
        Trip trip;
        int load = 0, at = 0;
        while (true) {
            int best = 0;
            double best_cost = 1e18;
            for (int hut = 1; hut <= huts; ++hut) {
                if (done[hut]) continue;
                if (!trip.empty() && load + places[hut].deliver > FILL * capacity) continue;
                const Place &a = places[at], &b = places[hut];
                const double flat = std::hypot(a.x - b.x, a.y - b.y);
                const double climb = steepness * std::max(0, b.height - a.height);
                const double cost = flat + CLIMB * climb + HOMEWARD * effort[hut][0];
                Trip longer = trip;
                longer.push_back(hut);
                if (cost < best_cost && energy(longer) < 1e12) best = hut, best_cost = cost;
            }
            if (best == 0) break;
            trip.push_back(best);
            done[best] = 1;
            load += places[best].deliver;
            at = best;
            --left;
        }
        trips.push_back(trip);
    }
    return trips;
}

int position_of(const Trip& trip, int hut) { return int(std::find(trip.begin(), trip.end(), hut) - trip.begin()); }

void improve(std::vector<Trip>& trips) {
    std::vector<int> trip_of(huts + 1);
    for (int t = 0; t < int(trips.size()); ++t) {
        for (int hut : trips[t]) trip_of[hut] = t;
    }
    for (int step = 0; step < STEPS; ++step) {
        const double heat = START_HEAT * std::pow(END_HEAT / START_HEAT, double(step) / STEPS);
        const int hut = 1 + random_below(huts);
        const int from = trip_of[hut];
        const bool stay = random_unit() < SAME_TRIP;
        const int beside = nearest[hut][random_below(nearest[hut].size())];
        const int to = stay ? from : trip_of[beside];
        if (!stay && to == from) continue;
        Trip shorter = trips[from];
        shorter.erase(shorter.begin() + position_of(shorter, hut));
        Trip longer = stay ? shorter : trips[to];
        const int place = stay ? random_below(longer.size() + 1) : position_of(longer, beside) + random_below(2);
        longer.insert(longer.begin() + place, hut);
        const double before = energy(trips[from]) + (stay ? 0 : energy(trips[to]));
        const double after = energy(longer) + (stay ? 0 : energy(shorter));
        if (after - before > -heat * std::log(1.0 - random_unit())) continue;
        if (!stay) trips[from] = shorter;
        trips[to] = longer;
        trip_of[hut] = to;
    }
}

int main() {
    read_input();
    std::vector<Trip> trips = first_plan();
    improve(trips);
    trips.erase(std::remove_if(trips.begin(), trips.end(), [](const Trip& trip) { return trip.empty(); }), trips.end());
    std::cout << trips.size() << "\n";
    for (const Trip& trip : trips) {
        std::cout << trip.size();
        for (int hut : trip) std::cout << " " << hut;
        std::cout << "\n";
    }
}
