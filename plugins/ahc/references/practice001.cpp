// Annealing over trips: huts and runs of huts move, trips exchange their ends, pairs of huts change places.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <vector>

constexpr double SECONDS = 1.8;  // unless the command line says otherwise
constexpr int PORTER = 50;
constexpr int NEIGHBOURS = 12;
constexpr double IMPOSSIBLE = 1e15;

using Trip = std::vector<int>;

struct Place {
    int x, y, height, deliver, collect;
};

struct Random {
    std::uint64_t state = 88172645463325252ULL;

    std::uint32_t below(std::uint32_t bound) {
        state ^= state << 7;
        state ^= state >> 9;
        return static_cast<std::uint32_t>(((state & 0xffffffffULL) * bound) >> 32);
    }

    double unit() { return below(1u << 30) / double(1u << 30); }
};

struct Plan {
    int huts = 0, capacity = 0, steepness = 0;
    std::vector<Place> places;
    std::vector<double> effort;
    std::vector<std::vector<int>> nearest;
    std::vector<Trip> trips;
    std::vector<double> energies;
    std::vector<int> trip_of, index_of;

    void read() {
        std::cin >> huts >> capacity >> steepness;
        places.assign(huts + 1, Place{});
        for (int i = 0; i <= huts; ++i) {
            std::cin >> places[i].x >> places[i].y >> places[i].height;
            if (i > 0) std::cin >> places[i].deliver >> places[i].collect;
        }
        effort.resize((huts + 1) * (huts + 1));
        for (int i = 0; i <= huts; ++i) {
            for (int j = 0; j <= huts; ++j) {
                const Place &a = places[i], &b = places[j];
                effort[i * (huts + 1) + j] = std::hypot(a.x - b.x, a.y - b.y) + steepness * std::max(0, b.height - a.height);
            }
        }
        nearest.resize(huts + 1);
        for (int i = 1; i <= huts; ++i) {
            for (int j = 1; j <= huts; ++j) if (j != i) nearest[i].push_back(j);
            auto both = [&](int j) { return leg(i, j) + leg(j, i); };
            std::sort(nearest[i].begin(), nearest[i].end(), [&](int a, int b) { return both(a) < both(b); });
            nearest[i].resize(std::min(NEIGHBOURS, huts - 1));
        }
    }

    double leg(int from, int to) const { return effort[from * (huts + 1) + to]; }

    double energy(const Trip& trip) const {
        if (trip.empty()) return 0;
        int load = 0;
        for (int hut : trip) load += places[hut].deliver;
        if (load > capacity) return IMPOSSIBLE;
        double total = 0;
        int at = 0;
        for (int hut : trip) {
            total += (PORTER + load) * leg(at, hut);
            load += places[hut].collect - places[hut].deliver;
            if (load > capacity) return IMPOSSIBLE;
            at = hut;
        }
        return total + (PORTER + load) * leg(at, 0);
    }

    void put(int t, Trip& trip, double cost) {
        trips[t].swap(trip);
        energies[t] = cost;
        for (int i = 0; i < int(trips[t].size()); ++i) trip_of[trips[t][i]] = t, index_of[trips[t][i]] = i;
    }

    void start() {
        trips.assign(huts + 1, Trip{});
        energies.assign(huts + 1, 0);
        trip_of.assign(huts + 1, 0);
        index_of.assign(huts + 1, 0);
        for (int hut = 1; hut <= huts; ++hut) {
            Trip alone{hut};
            put(hut, alone, energy(alone));
        }
    }
};

struct Annealing {
    Plan& plan;
    Random random;
    Trip first, second;
    double heat = 0;

    bool accepts(double change) { return change <= 0 || change < -heat * std::log(1.0 - random.unit()); }

    void commit(int a, int b) {
        const double cost_a = plan.energy(first), cost_b = a == b ? 0 : plan.energy(second);
        const double before = plan.energies[a] + (a == b ? 0 : plan.energies[b]);
        if (cost_a >= IMPOSSIBLE || cost_b >= IMPOSSIBLE || !accepts(cost_a + cost_b - before)) return;
        plan.put(a, first, cost_a);
        if (a != b) plan.put(b, second, cost_b);
    }

    // Takes a run of up to three huts to beside a neighbour of its first, maybe turned round.
    void move_run() {
        const int hut = 1 + random.below(plan.huts), a = plan.trip_of[hut], from = plan.index_of[hut];
        const int size = std::min<int>(1 + random.below(3), plan.trips[a].size() - from);
        first = plan.trips[a];
        Trip run(first.begin() + from, first.begin() + from + size);
        first.erase(first.begin() + from, first.begin() + from + size);
        if (random.below(3) == 0) std::reverse(run.begin(), run.end());
        if (random.below(40) == 0) return alone(a, run);
        const int beside = plan.nearest[hut][random.below(plan.nearest[hut].size())], b = plan.trip_of[beside];
        if (a == b) {
            auto place = std::find(first.begin(), first.end(), beside);
            if (place == first.end()) return;
            first.insert(place + random.below(2), run.begin(), run.end());
        } else {
            second = plan.trips[b];
            second.insert(second.begin() + plan.index_of[beside] + random.below(2), run.begin(), run.end());
        }
        commit(a, b);
    }

    void alone(int a, const Trip& run) {
        for (int t = 1; t <= plan.huts; ++t) {
            if (!plan.trips[t].empty()) continue;
            second = run;
            return commit(a, t);
        }
    }

    void exchange_ends() {
        const int hut = 1 + random.below(plan.huts);
        const int other = plan.nearest[hut][random.below(plan.nearest[hut].size())];
        const int a = plan.trip_of[hut], b = plan.trip_of[other];
        if (a == b) return;
        const int i = plan.index_of[hut] + 1, j = plan.index_of[other];
        const Trip &ta = plan.trips[a], &tb = plan.trips[b];
        first.assign(ta.begin(), ta.begin() + i);
        first.insert(first.end(), tb.begin() + j, tb.end());
        second.assign(tb.begin(), tb.begin() + j);
        second.insert(second.end(), ta.begin() + i, ta.end());
        commit(a, b);
    }

    void swap_huts() {
        const int hut = 1 + random.below(plan.huts);
        const int near = plan.nearest[hut][random.below(plan.nearest[hut].size())];
        const int other = plan.nearest[near][random.below(plan.nearest[near].size())];
        if (other == hut) return;
        const int a = plan.trip_of[hut], b = plan.trip_of[other];
        first = plan.trips[a];
        second = plan.trips[b];
        first[plan.index_of[hut]] = other;
        (a == b ? first : second)[plan.index_of[other]] = hut;
        commit(a, b);
    }

    void turn_run() {
        const int hut = 1 + random.below(plan.huts), a = plan.trip_of[hut];
        first = plan.trips[a];
        if (first.size() < 2) return;
        int i = plan.index_of[hut], j = random.below(first.size());
        if (i > j) std::swap(i, j);
        std::reverse(first.begin() + i, first.begin() + j + 1);
        commit(a, a);
    }

    void step() {
        const std::uint32_t kind = random.below(100);
        if (kind < 55) move_run();
        else if (kind < 75) exchange_ends();
        else if (kind < 90) swap_huts();
        else turn_run();
    }
};

int main(int argc, char** argv) {
    const double seconds = argc > 1 ? std::atof(argv[1]) : SECONDS;
    const auto begin = std::chrono::steady_clock::now();
    Plan plan;
    plan.read();
    plan.start();
    Annealing annealing{plan, Random{}, {}, {}, 0};
    double mean = 0;
    for (double energy : plan.energies) mean += energy / plan.huts;
    std::vector<Trip> best = plan.trips;
    double best_total = 1e18;
    for (long long step = 0;; ++step) {
        if (step % 128 == 0) {
            const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / seconds;
            if (passed >= 1) break;
            annealing.heat = mean * 0.1 * std::pow(0.004, passed);
            double total = 0;
            for (double energy : plan.energies) total += energy;
            if (passed > 0.5 && total < best_total) best_total = total, best = plan.trips;
        }
        annealing.step();
    }
    int count = 0;
    for (const Trip& trip : best) count += !trip.empty();
    std::cout << count << "\n";
    for (const Trip& trip : best) {
        if (trip.empty()) continue;
        std::cout << trip.size();
        for (int hut : trip) std::cout << " " << hut;
        std::cout << "\n";
    }
}
