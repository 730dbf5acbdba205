// The random numbers of rand 0.8 with rand_chacha 0.3: ChaCha20Rng::seed_from_u64, gen_range and shuffle. Normal
// numbers are made otherwise, so cases with some are others than those of rand.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

class ChaCha20 {
public:
    explicit ChaCha20(std::uint64_t state) {
        for (int i = 0; i < 8; ++i) {
            state = state * 6364136223846793005ULL + 11634580027462260723ULL;
            const std::uint32_t x = static_cast<std::uint32_t>(((state >> 18) ^ state) >> 27);
            const unsigned rot = static_cast<unsigned>(state >> 59);
            key_[i] = (x >> rot) | (x << ((32 - rot) & 31));
        }
    }
    std::uint32_t next_u32() {
        if (at_ == 16) refill();
        return block_[at_++];
    }
    std::uint64_t next_u64() {
        const std::uint64_t low = next_u32();
        return static_cast<std::uint64_t>(next_u32()) << 32 | low;
    }
    // 0 .. range - 1, as gen_range(0..range) of 32-bit integers
    std::uint32_t below(std::uint32_t range) {
        const std::uint32_t zone = (range << __builtin_clz(range)) - 1;
        while (true) {
            const std::uint64_t m = static_cast<std::uint64_t>(next_u32()) * range;
            if (static_cast<std::uint32_t>(m) <= zone) return static_cast<std::uint32_t>(m >> 32);
        }
    }
    int between(int low, int high) { return low + static_cast<int>(below(static_cast<std::uint32_t>(high - low + 1))); }
    // as gen_range(low..high) of f64
    double real(double low, double high) {
        const std::uint64_t bits = (next_u64() >> 12) | (1023ULL << 52);
        double v;
        std::memcpy(&v, &bits, 8);
        return (v - 1.0) * (high - low) + low;
    }
    double normal(double mean, double sd) {  // Box-Muller
        const double u = 1.0 - real(0, 1), v = real(0, 1);
        return mean + sd * std::sqrt(-2 * std::log(u)) * std::cos(2 * std::acos(-1.0) * v);
    }
    template <class T> void shuffle(std::vector<T>& items) {
        for (std::size_t i = items.size(); i-- > 1;)
            std::swap(items[i], items[below(static_cast<std::uint32_t>(i + 1))]);
    }

private:
    static std::uint32_t rotl(std::uint32_t x, int k) { return x << k | x >> (32 - k); }
    static void quarter(std::uint32_t* s, int a, int b, int c, int d) {
        s[a] += s[b]; s[d] = rotl(s[d] ^ s[a], 16);
        s[c] += s[d]; s[b] = rotl(s[b] ^ s[c], 12);
        s[a] += s[b]; s[d] = rotl(s[d] ^ s[a], 8);
        s[c] += s[d]; s[b] = rotl(s[b] ^ s[c], 7);
    }
    void refill() {
        std::uint32_t in[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
        std::copy(key_.begin(), key_.end(), in + 4);
        in[12] = static_cast<std::uint32_t>(counter_);
        in[13] = static_cast<std::uint32_t>(counter_ >> 32);
        in[14] = in[15] = 0;
        std::uint32_t s[16];
        std::copy(in, in + 16, s);
        for (int i = 0; i < 10; ++i) {
            quarter(s, 0, 4, 8, 12); quarter(s, 1, 5, 9, 13); quarter(s, 2, 6, 10, 14); quarter(s, 3, 7, 11, 15);
            quarter(s, 0, 5, 10, 15); quarter(s, 1, 6, 11, 12); quarter(s, 2, 7, 8, 13); quarter(s, 3, 4, 9, 14);
        }
        for (int i = 0; i < 16; ++i) block_[i] = s[i] + in[i];
        ++counter_;
        at_ = 0;
    }
    std::array<std::uint32_t, 8> key_{};
    std::array<std::uint32_t, 16> block_{};
    std::uint64_t counter_ = 0;
    int at_ = 16;
};
