// Searches, on problems small enough to know the best answer.
#include "beam_search.cpp"
#include "beam_search_euler.cpp"
#include "check.hpp"
#include "chokudai_search.cpp"
#include "hill_climbing.cpp"
#include "monte_carlo_rollout.cpp"
#include "simulated_annealing.cpp"
#include "tsp_local_search.cpp"
#include "ucb_bandit.cpp"

#include <cmath>
#include <map>
#include <set>

using simulated_annealing::Annealer;
using simulated_annealing::Schedule;
using tsp_local_search::length;

// -- annealing -------------------------------------------------------------------------------------------------------

static void temperatures_fall_from_the_first_to_the_last() {
    for (Schedule schedule : {Schedule::exponential, Schedule::linear, Schedule::cosine}) {
        Annealer annealer({0, 50.0, 2.0, schedule});
        CHECK(near(annealer.temperature(), 50));
        double before = 51;
        for (int i = 0; i <= 10; ++i) {
            annealer.set_progress(i / 10.0);
            CHECK(annealer.temperature() < before);
            before = annealer.temperature();
        }
        CHECK(near(before, 2));
        annealer.set_progress(1.5);
        CHECK(near(annealer.temperature(), 2) && !annealer.running());
    }
    Annealer half({0, 100.0, 1.0});
    half.set_progress(0.5);
    CHECK(near(half.temperature(), 10));
}

static void losses_are_taken_as_often_as_the_temperature_says() {
    for (double loss : {1.0, 5.0, 20.0}) {
        Annealer annealer({0, 5.0, 5.0});
        int taken = 0;
        const int tries = 40000;
        for (int i = 0; i < tries; ++i) taken += annealer.accept(-loss);
        CHECK(near(taken / double(tries), std::exp(-loss / 5), 0.01));
    }
    Annealer annealer({0, 5.0, 5.0});
    for (int i = 0; i < 1000; ++i) CHECK(annealer.accept(0) && annealer.threshold() < 0);
}

static void annealing_leaves_local_optima_that_climbing_does_not() {
    auto height = [](int x) { return x == 90 ? 100.0 : x == 10 ? 50.0 : -std::fmod(std::abs(x - 90), 7); };
    auto climbed = [&](Annealer& annealer, bool cold) {
        int x = 10, best = 10;
        std::mt19937 random(3);
        for (int step = 0; step < 60000; ++step) {
            annealer.set_progress(step / 60000.0);
            const int moved = std::min(100, std::max(0, x + (random() % 2 ? 1 : -1)));
            const double gain = height(moved) - height(x);
            if (cold ? gain >= 0 : annealer.accept(gain)) x = moved;
            if (height(x) > height(best)) best = x;
        }
        return best;
    };
    Annealer annealer({0, 40.0, 5.0});
    CHECK(climbed(annealer, false) == 90);
    CHECK(climbed(annealer, true) == 10);
}

static void an_annealer_stops_by_the_clock() {
    const auto start = std::chrono::steady_clock::now();
    Annealer annealer({0.01, 1.0, 0.1});
    while (annealer.running()) {
    }
    CHECK(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(10));
}

// -- climbing --------------------------------------------------------------------------------------------------------

static void climbing_undoes_losses_and_counts_gains() {
    std::mt19937 random(4);
    std::vector<int> bits(30, 0);
    int last = 0, steps = 0;
    auto move = [&] {
        last = between(random, 0, 29);
        bits[last] ^= 1;
        return bits[last] ? 1.0 : -1.0;
    };
    const auto result = hill_climbing::climb(move, [&] { bits[last] ^= 1; }, [&] { return steps++ < 2000; });
    CHECK(result.gain == 30 && result.moves == 30);
    CHECK(std::count(bits.begin(), bits.end(), 1) == 30);
}

static void the_top_has_no_gain_left(std::mt19937& random) {
    const int size = between(random, 1, 12);
    std::vector<std::vector<double>> weights(size, std::vector<double>(size));
    for (auto& row : weights) for (double& weight : row) weight = between(random, -9, 9);
    std::vector<int> side(size, 1);
    auto gain = [&](int i) {
        double sum = 0;
        for (int j = 0; j < size; ++j) if (j != i) sum -= 2 * side[i] * side[j] * (weights[i][j] + weights[j][i]);
        return sum;
    };
    auto value = [&] {
        double sum = 0;
        for (int i = 0; i < size; ++i) for (int j = 0; j < size; ++j) if (i != j) sum += weights[i][j] * side[i] * side[j];
        return sum;
    };
    const double before = value();
    const auto result = hill_climbing::climb_to_the_top(size, gain, [&](int i) { side[i] = -side[i]; });
    CHECK(near(value(), before + result.gain));
    for (int i = 0; i < size; ++i) CHECK(gain(i) <= 0);
}

// -- beams -----------------------------------------------------------------------------------------------------------

// A lattice walk: from a column to the same one or its neighbours, each place having a value. Equal places merge.
struct Lattice {
    int width, depth;
    std::vector<std::vector<int>> values;

    Lattice(std::mt19937& random, int width, int depth)
        : width(width), depth(depth), values(depth, std::vector<int>(width)) {
        for (auto& row : values) for (int& value : row) value = between(random, 0, 99);
    }

    int best() const {
        std::vector<int> sums(width, -1000000);
        sums[width / 2] = 0;
        for (const auto& row : values) {
            std::vector<int> next(width, -1000000);
            for (int c = 0; c < width; ++c) {
                for (int step : {-1, 0, 1}) {
                    if (c + step < 0 || c + step >= width) continue;
                    next[c + step] = std::max(next[c + step], sums[c] + row[c + step]);
                }
            }
            sums = next;
        }
        return *std::max_element(sums.begin(), sums.end());
    }

    int value_of(const std::vector<int>& steps) const {
        int column = width / 2, sum = 0;
        for (std::size_t d = 0; d < steps.size(); ++d) sum += values[d][column += steps[d]];
        return sum;
    }
};

struct Walker {
    int column, row, sum;
};

// Wide beams find the best; the two kinds of beam find the same.
static void beams(std::mt19937& random) {
    const Lattice lattice(random, between(random, 1, 9), between(random, 1, 25));
    const Walker start{lattice.width / 2, 0, 0};
    auto expand = [&](const Walker& walker, auto emit) {
        for (int step : {-1, 0, 1}) {
            const int column = walker.column + step;
            if (column < 0 || column >= lattice.width) continue;
            emit(step, walker.sum + lattice.values[walker.row][column], static_cast<std::uint64_t>(column));
        }
    };
    auto apply = [&](Walker& walker, int step) {
        walker.column += step;
        walker.sum += lattice.values[walker.row++][walker.column];
    };
    auto revert = [&](Walker& walker, int step) {
        walker.sum -= lattice.values[--walker.row][walker.column];
        walker.column -= step;
    };
    for (int width : {1, 2, 50}) {
        const auto copied = beam_search::BeamSearch<Walker, int>(width).run(start, lattice.depth, expand, apply);
        const auto walked =
            beam_search_euler::EulerBeamSearch<Walker, int>(width).run(start, lattice.depth, expand, apply, revert);
        for (const auto& [score, actions] : {std::pair(copied.score, copied.actions), std::pair(walked.score, walked.actions)}) {
            CHECK(static_cast<int>(actions.size()) == lattice.depth);
            CHECK(lattice.value_of(actions) == score && score <= lattice.best());
            CHECK(width < 50 || score == lattice.best());
        }
    }
    auto expand_states = [&](const Walker& walker, auto emit) {
        expand(walker, [&](int step, double score, std::uint64_t) {
            Walker next = walker;
            apply(next, step);
            emit(step, next, score, static_cast<std::uint64_t>(next.column * 100000 + next.sum));
        });
    };
    chokudai_search::ChokudaiSearch<Walker, int> anytime(lattice.depth);
    int rounds = 0;
    const auto first = anytime.run(start, expand_states, [&] { return rounds++ < 1; });
    CHECK(static_cast<int>(first.actions.size()) == lattice.depth && lattice.value_of(first.actions) == first.score);
    rounds = 0;
    const auto last = anytime.run(start, expand_states, [&] { return rounds++ < 300; });
    CHECK(last.score >= first.score && lattice.value_of(last.actions) == last.score);
}

// Tours of a knight-like walker that may get stuck: the tree of the beam loses whole branches.
static void both_beams_agree_where_branches_die(std::mt19937& random) {
    const unsigned salt = random();
    auto mix = [salt](unsigned x) { return (x * 2654435761u ^ salt) * 2246822519u >> 7; };
    struct Path {
        std::vector<unsigned> states{1};
    };
    auto expand = [&](const Path& path, auto emit) {
        const unsigned state = path.states.back();
        for (unsigned action = 0; action < mix(state) % 4; ++action) {
            const unsigned next = mix(state * 4 + action);
            emit(static_cast<int>(action), next + (next % 7) / 10.0, next);
        }
    };
    auto apply = [&](Path& path, int action) { path.states.push_back(mix(path.states.back() * 4 + static_cast<unsigned>(action))); };
    auto revert = [&](Path& path, int) { path.states.pop_back(); };
    for (int depth : {0, 1, 4, 15}) {
        const auto copied = beam_search::BeamSearch<Path, int>(6).run(Path{}, depth, expand, apply);
        const auto walked = beam_search_euler::EulerBeamSearch<Path, int>(6).run(Path{}, depth, expand, apply, revert);
        CHECK(copied.actions == walked.actions && copied.score == walked.score);
    }
}

// -- tours -----------------------------------------------------------------------------------------------------------

static void tours(std::mt19937& random) {
    const int size = between(random, 5, 8);
    std::vector<std::pair<double, double>> points(size);
    for (auto& [x, y] : points) x = between(random, 0, 1000), y = between(random, 0, 1000);
    tsp_local_search::Matrix distance(size, std::vector<double>(size));
    for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j) distance[i][j] = std::hypot(points[i].first - points[j].first, points[i].second - points[j].second);
    }
    tsp_local_search::Tour tour(size), identity;
    for (int i = 0; i < size; ++i) tour[i] = i;
    identity = tour;
    double shortest = 1e18;
    tsp_local_search::Tour each = tour;
    do shortest = std::min(shortest, length(distance, each));
    while (std::next_permutation(each.begin() + 1, each.end()));
    tsp_local_search::LocalSearch search(distance);
    const double before = length(distance, tour), saved = search.improve(tour);
    CHECK(near(length(distance, tour), before - saved, 1e-6));
    CHECK(length(distance, tour) <= 1.25 * shortest + 1e-9);
    CHECK(search.improve(tour) == 0);
    int rounds = 0;
    search.iterate(tour, random, [&] { return rounds++ < 300; });
    CHECK(size < 8 || near(length(distance, tour), shortest, 1e-6));
    std::sort(tour.begin(), tour.end());
    CHECK(tour == identity);
}

static void a_long_tour_gets_near_what_is_known_of_random_points() {
    std::mt19937 random(9);
    const int size = 300;
    std::vector<std::pair<double, double>> points(size);
    for (auto& [x, y] : points) x = random() / 4294967296.0, y = random() / 4294967296.0;
    tsp_local_search::Matrix distance(size, std::vector<double>(size));
    tsp_local_search::Tour tour(size);
    for (int i = 0; i < size; ++i) {
        tour[i] = i;
        for (int j = 0; j < size; ++j) distance[i][j] = std::hypot(points[i].first - points[j].first, points[i].second - points[j].second);
    }
    tsp_local_search::LocalSearch(distance).improve(tour);
    // The shortest one is about 0.7124 sqrt(n) (1 + 0.33 / n), a local optimum of 2-opt and Or-opt some 5 to 7 % longer.
    CHECK(length(distance, tour) < 0.7124 * std::sqrt(size) * 1.15);
    CHECK(std::set<int>(tour.begin(), tour.end()).size() == static_cast<std::size_t>(size));
}

// -- choices ---------------------------------------------------------------------------------------------------------

static void a_bandit_pulls_the_best_arm_most() {
    const double pay[] = {0.2, 0.5, 0.8, 0.45};
    std::mt19937 random(6);
    ucb_bandit::UcbBandit bandit(4);
    std::vector<int> pulls(4, 0);
    for (int turn = 0; turn < 3000; ++turn) {
        const int arm = bandit.choose();
        CHECK(turn >= 4 || arm == turn);
        ++pulls[arm];
        bandit.reward(arm, random() / 4294967296.0 < pay[arm]);
    }
    CHECK(bandit.best() == 2 && pulls[2] > 2500 && near(bandit.mean(2), 0.8, 0.05));
    for (int turn = 0; turn < 3000; ++turn) {
        const int arm = bandit.choose();
        bandit.fade(0.99);
        bandit.reward(arm, random() / 4294967296.0 < pay[3 - arm]);
    }
    CHECK(bandit.best() == 1);
}

static void rollouts_find_the_better_action_through_the_noise() {
    std::map<int, long long> played;
    auto rollout = [&](int action, std::uint64_t seed) {
        ++played[action];
        std::mt19937 random(static_cast<unsigned>(seed));
        return (action == 5 ? 0.3 : 0.0) + random() / 4294967296.0;
    };
    int rounds = 0;
    const auto choice = monte_carlo_rollout::choose(8, rollout, [&] { return rounds++ < 1000; });
    CHECK(choice.action == 5 && near(choice.mean, 0.8, 0.2));
    long long total = 0;
    for (const auto& [action, count] : played) total += count, CHECK(count <= played[5]);
    CHECK(total == choice.rollouts);
    CHECK(monte_carlo_rollout::choose(1, rollout, [] { return true; }).action == 0);
    CHECK(monte_carlo_rollout::choose(8, rollout, [] { return false; }).rollouts == 8);
}

int main() {
    std::mt19937 random(5);
    temperatures_fall_from_the_first_to_the_last();
    losses_are_taken_as_often_as_the_temperature_says();
    annealing_leaves_local_optima_that_climbing_does_not();
    an_annealer_stops_by_the_clock();
    climbing_undoes_losses_and_counts_gains();
    a_long_tour_gets_near_what_is_known_of_random_points();
    a_bandit_pulls_the_best_arm_most();
    rollouts_find_the_better_action_through_the_noise();
    for (int i = 0; i < 40; ++i) {
        the_top_has_no_gain_left(random);
        beams(random);
        both_beams_agree_where_branches_die(random);
    }
    for (int i = 0; i < 15; ++i) tours(random);
}
