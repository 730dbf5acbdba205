#ifndef XORSHIFT_CPP
#define XORSHIFT_CPP

#include <cmath>
#include <cstdint>
#include <utility>

namespace xorshift {

// A standard uniform random bit generator: std::shuffle and the distributions of <random> take it too.
class Xorshift64 {
public:
    using result_type = std::uint64_t;

    explicit Xorshift64(std::uint64_t seed = 88172645463325252ULL) : state(seed ? seed : 88172645463325252ULL) {}

    static constexpr result_type min() { return 1; }
    static constexpr result_type max() { return ~result_type{0}; }

    result_type operator()() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return state;
    }

    // 0 to bound - 1, by multiplication: several times as fast as a remainder.
    std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>((((*this)() >> 32) * bound) >> 32);
    }

    // low to high, both included.
    int between(int low, int high) {
        return low + static_cast<int>(below(static_cast<std::uint32_t>(high - low) + 1));
    }

    // From 0 up to, not including, 1.
    double uniform() { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }

    bool chance(double probability) { return uniform() < probability; }

    double normal() {
        const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
        return radius * std::cos(6.283185307179586 * uniform());
    }

    template <class Container>
    void shuffle(Container& items) {
        for (std::uint32_t i = static_cast<std::uint32_t>(items.size()); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
    }

private:
    std::uint64_t state;
};

}  // namespace xorshift

#endif
