#ifndef ZOBRIST_HASH_CPP
#define ZOBRIST_HASH_CPP

#include <cstdint>
#include <vector>

namespace zobrist_hash {

// A hash of a board that follows each change in constant time: the exclusive or of one number for each (place, value).
class Zobrist {
public:
    Zobrist(int places, int values, std::uint64_t seed = 1)
        : values(values), keys(static_cast<std::size_t>(places) * values) {
        for (std::uint64_t& key : keys) key = mixed(seed += 0x9e3779b97f4a7c15ULL);
    }

    // Flip it into the hash when the value comes to the place and when it goes.
    std::uint64_t key(int place, int value) const { return keys[static_cast<std::size_t>(place) * values + value]; }

    // Of a whole board, value by place.
    template <class Board>
    std::uint64_t hash(const Board& board) const {
        std::uint64_t result = 0;
        int place = 0;
        for (const auto& value : board) result ^= key(place++, static_cast<int>(value));
        return result;
    }

    // The hash after the value of a place has changed.
    std::uint64_t changed(std::uint64_t hash, int place, int from, int to) const {
        return hash ^ key(place, from) ^ key(place, to);
    }

    // The hash after two places have exchanged their values.
    std::uint64_t swapped(std::uint64_t hash, int a, int value_a, int b, int value_b) const {
        return changed(changed(hash, a, value_a, value_b), b, value_b, value_a);
    }

private:
    int values;
    std::vector<std::uint64_t> keys;

    static std::uint64_t mixed(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }
};

}  // namespace zobrist_hash

#endif
