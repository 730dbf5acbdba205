// Chance, time, clusters and beliefs.
#include "bayes_update.cpp"
#include "check.hpp"
#include "k_means.cpp"
#include "kalman_filter.cpp"
#include "timer.cpp"
#include "xorshift.cpp"

#include <algorithm>
#include <set>

static void numbers_keep_to_their_ranges_evenly() {
    xorshift::Xorshift64 random(7);
    std::vector<int> counts(10, 0);
    double sum = 0, squares = 0;
    const int draws = 100000;
    for (int i = 0; i < draws; ++i) {
        ++counts[random.below(10)];
        const int between = random.between(-2, 2);
        CHECK(-2 <= between && between <= 2);
        const double uniform = random.uniform(), normal = random.normal();
        CHECK(0 <= uniform && uniform < 1);
        sum += normal;
        squares += normal * normal;
    }
    for (int count : counts) CHECK(std::abs(count - draws / 10) < 500);
    CHECK(near(sum / draws, 0, 0.02) && near(squares / draws, 1, 0.03));
}

static void equal_seeds_give_equal_numbers() {
    xorshift::Xorshift64 a(5), b(5), c(6), zero(0);
    CHECK(a() == b() && a() == b() && a() != c());
    CHECK(zero() != zero());
    std::vector<int> order(20), shuffled;
    for (int i = 0; i < 20; ++i) order[i] = i;
    shuffled = order;
    a.shuffle(shuffled);
    CHECK(shuffled != order);
    std::sort(shuffled.begin(), shuffled.end());
    CHECK(shuffled == order);
    std::shuffle(shuffled.begin(), shuffled.end(), a);
}

static void a_timer_goes_forward_and_ends() {
    timer::Timer clock(0.005);
    CHECK(clock.progress() < 1e6);
    double before = 0;
    while (!clock.over()) {
        CHECK(clock.seconds() >= before);
        before = clock.seconds();
    }
    CHECK(clock.progress() >= 1 && clock.seconds() >= 0.005);
    timer::SparseTimer<4> sparse(0.0);
    CHECK(!sparse.over() && !sparse.over() && !sparse.over() && sparse.over());
}

static void clusters_that_stand_apart_are_found(std::mt19937& random) {
    const int k = between(random, 1, 5);
    std::vector<k_means::Point<2>> points;
    for (int i = 0; i < 60; ++i) {
        points.push_back({1000.0 * (i % k) + between(random, 0, 9), static_cast<double>(between(random, 0, 9))});
    }
    const auto found = k_means::cluster(points, k, std::mt19937_64(random()));
    double cost = 0;
    for (int i = 0; i < 60; ++i) {
        CHECK(found.cluster_of[i] == found.cluster_of[i % k]);
        cost += k_means::squared_distance(points[i], found.centres[found.cluster_of[i]]);
    }
    CHECK(near(cost, found.cost, 1e-6));
    CHECK(std::set<int>(found.cluster_of.begin(), found.cluster_of.end()).size() == static_cast<std::size_t>(k));
    const auto one = k_means::cluster(std::vector<k_means::Point<1>>{{2.0}, {4.0}}, 1, std::mt19937_64(1));
    CHECK(near(one.centres[0][0], 3) && near(one.cost, 2));
    const auto same = k_means::cluster(std::vector<k_means::Point<1>>(3, {2.0}), 3, std::mt19937_64(1));
    CHECK(same.cost == 0);
}

// With weights of one number only, the joint belief is as many single ones.
static void a_joint_belief_agrees_with_single_ones(std::mt19937& random) {
    kalman_filter::Belief belief({1, 2, 3}, 4);
    std::vector<kalman_filter::Estimate> single = {{1, 4}, {2, 4}, {3, 4}};
    for (int step = 0; step < 20; ++step) {
        const int i = between(random, 0, 2);
        const double value = between(random, -5, 5);
        std::vector<double> weights(3, 0);
        weights[i] = 1;
        CHECK(near(belief.expected(weights), single[i].mean) && near(belief.variance_of(weights), single[i].variance));
        belief.observe(weights, value, 2);
        single[i].observe(value, 2);
        belief.drift(0.1);
        for (auto& each : single) each.drift(0.1);
        for (int j = 0; j < 3; ++j) CHECK(near(belief.mean(j), single[j].mean) && near(belief.variance(j), single[j].variance));
    }
}

static void sums_tell_what_their_parts_are(std::mt19937& random) {
    const std::vector<double> truth = {5, -3, 8, 1};
    kalman_filter::Belief belief({0, 0, 0, 0}, 100);
    for (int step = 0; step < 200; ++step) {
        std::vector<double> weights(4);
        double value = 0;
        for (int i = 0; i < 4; ++i) weights[i] = between(random, 0, 1), value += weights[i] * truth[i];
        belief.observe(weights, value + between(random, -10, 10) / 100.0, 0.01);
    }
    for (int i = 0; i < 4; ++i) {
        CHECK(near(belief.mean(i), truth[i], 0.1) && belief.variance(i) < 0.01);
        for (int j = 0; j < 4; ++j) CHECK(near(belief.covariance(i, j), belief.covariance(j, i)));
    }
    belief.observe({0, 0, 0, 0}, 1, 0);
}

static void probabilities_follow_the_rule(std::mt19937& random) {
    std::vector<int> items(6);
    std::vector<double> weights(6, 1);
    for (int i = 0; i < 6; ++i) items[i] = i;
    bayes_update::Posterior<int> posterior(items);
    CHECK(near(posterior.entropy(), std::log2(6)));
    for (int step = 0; step < 300; ++step) {
        std::vector<double> likelihood(6);
        for (double& each : likelihood) each = between(random, 1, 20) / 20.0;
        double total = 0;
        for (int i = 0; i < 6; ++i) total += weights[i] *= likelihood[i];
        for (double& weight : weights) weight /= total;
        posterior.observe([&](int i) { return std::log(likelihood[i]); });
        for (int i = 0; i < 6; ++i) CHECK(near(posterior.probability(i), weights[i], 1e-6));
    }
    const std::size_t best = std::max_element(weights.begin(), weights.end()) - weights.begin();
    CHECK(posterior.likeliest() == best);
    CHECK(near(posterior.expected([](int) { return 1.0; }), 1));
    CHECK(posterior.draw(0.0) < 6 && posterior.draw(0.999999) < 6);
    posterior.keep_likeliest(2);
    CHECK(posterior.size() == 2 && posterior[posterior.likeliest()] == static_cast<int>(best));
    CHECK(near(posterior.probability(0) + posterior.probability(1), 1));
}

static void a_hypothesis_that_comes_late_has_its_due_weight() {
    bayes_update::Posterior<double> early({0.2, 0.5, 0.9}), late({0.2, 0.5});
    double seen = 0;
    for (int step = 0; step < 10; ++step) {
        auto log_likelihood = [step](double p) { return std::log(step % 3 ? p : 1 - p); };
        early.observe(log_likelihood);
        late.observe(log_likelihood);
        seen += log_likelihood(0.9);
    }
    late.add(0.9, seen);
    for (int i = 0; i < 3; ++i) CHECK(near(early.probability(i), late.probability(i)));
    CHECK(near(bayes_update::log_normal(3, 1, 2), std::log(0.1209853622595717)));
}

int main() {
    std::mt19937 random(8);
    numbers_keep_to_their_ranges_evenly();
    equal_seeds_give_equal_numbers();
    a_timer_goes_forward_and_ends();
    a_hypothesis_that_comes_late_has_its_due_weight();
    for (int i = 0; i < 30; ++i) {
        clusters_that_stand_apart_are_found(random);
        a_joint_belief_agrees_with_single_ones(random);
        sums_tell_what_their_parts_are(random);
        probabilities_follow_the_rule(random);
    }
}
