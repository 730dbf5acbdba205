#ifndef BITSET_UTILS_CPP
#define BITSET_UTILS_CPP

#include <cstdint>
#include <vector>

namespace bitset_utils {

inline int count(std::uint64_t bits) { return __builtin_popcountll(bits); }

// Of bits that are not 0.
inline int lowest(std::uint64_t bits) { return __builtin_ctzll(bits); }
inline int highest(std::uint64_t bits) { return 63 - __builtin_clzll(bits); }

template <class Visit>
void for_each_bit(std::uint64_t bits, Visit visit) {
    for (; bits; bits &= bits - 1) visit(lowest(bits));
}

// All subsets of the bits, from all of them down to none.
template <class Visit>
void for_each_subset(std::uint64_t bits, Visit visit) {
    std::uint64_t subset = bits;
    visit(subset);
    while (subset) visit(subset = (subset - 1) & bits);
}

// The next greater number with as many bits set (Gosper); `bits` is not 0.
inline std::uint64_t next_combination(std::uint64_t bits) {
    const std::uint64_t low = bits & (~bits + 1);
    const std::uint64_t carried = bits + low;
    return carried | (((bits ^ carried) >> 2) / low);
}

// The place of the k-th set bit, k from 0; there are more than k.
inline int select(std::uint64_t bits, int k) {
    while (k-- > 0) bits &= bits - 1;
    return lowest(bits);
}

// A set of integers below a size that is known at run time only.
class Bits {
public:
    explicit Bits(int size) : words((size + 63) / 64, 0) {}

    bool operator[](int i) const { return words[i >> 6] >> (i & 63) & 1; }
    void set(int i) { words[i >> 6] |= std::uint64_t{1} << (i & 63); }
    void reset(int i) { words[i >> 6] &= ~(std::uint64_t{1} << (i & 63)); }
    void flip(int i) { words[i >> 6] ^= std::uint64_t{1} << (i & 63); }

    Bits& operator&=(const Bits& other) { return merge(other, [](std::uint64_t a, std::uint64_t b) { return a & b; }); }
    Bits& operator|=(const Bits& other) { return merge(other, [](std::uint64_t a, std::uint64_t b) { return a | b; }); }
    Bits& operator^=(const Bits& other) { return merge(other, [](std::uint64_t a, std::uint64_t b) { return a ^ b; }); }

    bool operator==(const Bits& other) const { return words == other.words; }

    int count() const {
        int total = 0;
        for (std::uint64_t word : words) total += bitset_utils::count(word);
        return total;
    }

    // How many they have in common, without a copy.
    int count_common(const Bits& other) const {
        int total = 0;
        for (std::size_t i = 0; i < words.size(); ++i) total += bitset_utils::count(words[i] & other.words[i]);
        return total;
    }

    template <class Visit>
    void for_each(Visit visit) const {
        for (std::size_t w = 0; w < words.size(); ++w) {
            for_each_bit(words[w], [&](int bit) { visit(static_cast<int>(w) * 64 + bit); });
        }
    }

private:
    std::vector<std::uint64_t> words;

    template <class Operation>
    Bits& merge(const Bits& other, Operation operation) {
        for (std::size_t i = 0; i < words.size(); ++i) words[i] = operation(words[i], other.words[i]);
        return *this;
    }
};

}  // namespace bitset_utils

#endif
