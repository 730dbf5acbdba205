// score INPUT OUTPUT: says on stderr what an answer is worth.
#include "porters.hpp"

#include <cstdio>
#include <exception>
#include <iostream>

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: score INPUT OUTPUT\n";
        return 1;
    }
    try {
        const Mountain mountain = read_mountain(argv[1]);
        std::FILE* answer = std::fopen(argv[2], "rb");
        if (!answer) throw std::runtime_error("cannot read the output");
        const long long score = score_of(mountain, read_trips(mountain, answer));
        std::cerr << "Score = " << score << "\n";
    } catch (const WrongAnswer& err) {
        std::cerr << "wrong answer: " << err.what() << "\nScore = 0\n";
    } catch (const std::exception& err) {
        std::cerr << err.what() << "\n";
        return 1;
    }
}
