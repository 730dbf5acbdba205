// Integers from text that nobody trusts: it may be empty, endless, or no text at all.
#ifndef READER_HPP
#define READER_HPP

#include <cctype>
#include <cstdio>
#include <stdexcept>
#include <string>

// The answer is at fault. Messages never quote it: it could pretend to be a score.
struct WrongAnswer : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Reader {
public:
    explicit Reader(std::FILE* file) : file(file) {}

    // The next integer; `what` is how a message names it.
    long long integer(const std::string& what, long long low, long long high) {
        const std::string word = next_word(what);
        const std::string range = " is not an integer from " + std::to_string(low) + " to " + std::to_string(high);
        if (!is_integer(word)) throw WrongAnswer(what + range);
        const long long value = std::stoll(word);
        if (value < low || value > high) throw WrongAnswer(what + range);
        return value;
    }

    bool at_end() { return skip_space() == EOF; }

private:
    static constexpr std::size_t LONGEST = 18;  // characters that always fit a long long

    std::FILE* file;

    int skip_space() {
        int c = std::getc(file);
        while (c != EOF && std::isspace(c)) c = std::getc(file);
        return c;
    }

    std::string next_word(const std::string& what) {
        int c = skip_space();
        if (c == EOF) throw WrongAnswer("the output ends before " + what);
        std::string word;
        for (; c != EOF && !std::isspace(c) && word.size() <= LONGEST; c = std::getc(file)) word += static_cast<char>(c);
        return word;
    }

    static bool is_integer(const std::string& word) {
        const std::size_t sign = word[0] == '-' ? 1 : 0;
        if (word.size() == sign || word.size() > LONGEST) return false;
        for (std::size_t i = sign; i < word.size(); ++i) {
            if (word[i] < '0' || word[i] > '9') return false;
        }
        return true;
    }
};

#endif
