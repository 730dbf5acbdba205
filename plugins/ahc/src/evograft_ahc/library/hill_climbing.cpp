#ifndef HILL_CLIMBING_CPP
#define HILL_CLIMBING_CPP

namespace hill_climbing {

struct Result {
    double gain = 0;      // in all
    long long moves = 0;  // that were kept
};

// Random moves. `move()` changes the state and returns the gain, `undo()` takes that change back.
// Moves that change nothing are kept: plateaus are walked on. Ends when `go_on()` says no.
template <class Move, class Undo, class GoOn>
Result climb(Move move, Undo undo, GoOn go_on) {
    Result result;
    while (go_on()) {
        const double gain = move();
        if (gain < 0) {
            undo();
            continue;
        }
        result.gain += gain;
        ++result.moves;
    }
    return result;
}

// Moves 0 to count - 1 in turn, until none of them is a gain. `gain(i)` looks at a move, `apply(i)` carries it out.
template <class Gain, class Apply>
Result climb_to_the_top(int count, Gain gain, Apply apply, double least = 1e-9) {
    Result result;
    for (int i = 0, since = 0; since < count; i = i + 1 == count ? 0 : i + 1, ++since) {
        const double value = gain(i);
        if (value < least) continue;
        apply(i);
        result.gain += value;
        ++result.moves;
        since = -1;
    }
    return result;
}

}  // namespace hill_climbing

#endif
