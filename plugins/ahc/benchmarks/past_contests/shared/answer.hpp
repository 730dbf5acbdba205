// What every scorer does: open both files, say the score on stdout, and `wrong answer: ...` and 0 for an answer that
// breaks a rule.
#pragma once
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
struct Wrong : std::runtime_error { using std::runtime_error::runtime_error; };
template <class Score> int judge(int argc, char** argv, Score score) {
    if (argc != 3) { std::cerr << "usage: score INPUT OUTPUT\n"; return 1; }
    std::ifstream in(argv[1]), out(argv[2]);
    if (!in || !out) { std::cerr << "cannot read a file\n"; return 1; }
    try {
        const long long points = score(in, out);
        std::cout << "Score = " << points << "\n";
    } catch (const Wrong& err) {
        std::cout << "wrong answer: " << err.what() << "\nScore = 0\n";
    }
    return 0;
}
