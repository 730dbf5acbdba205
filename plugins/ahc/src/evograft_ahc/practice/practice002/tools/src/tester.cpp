// tester COMMAND... < INPUT > OUTPUT: plays the bakery with a program and says on stderr what it earned.
// OUTPUT gets the program's orders. What the program writes to stderr goes where the tester's does.
#include "bakery.hpp"

#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

class Program {
public:
    explicit Program(char** command) {
        int to[2], from[2];
        if (pipe(to) != 0 || pipe(from) != 0) throw std::runtime_error("cannot make a pipe");
        process = fork();
        if (process < 0) throw std::runtime_error("cannot start a process");
        if (process == 0) become(command, to, from);
        close(to[0]);
        close(from[1]);
        in = fdopen(to[1], "w");
        out = fdopen(from[0], "r");
    }

    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    ~Program() {
        if (process <= 0) return;
        kill(process, SIGKILL);
        waitpid(process, nullptr, 0);
    }

    void tell(const std::string& line) {
        // A program that has gone is noticed when its next order is missing.
        std::fputs(line.c_str(), in);
        std::fflush(in);
    }

    std::FILE* orders() { return out; }

    // Waits for the end; a program that fails there has failed.
    void finish() {
        std::fclose(in);
        char rest[4096];
        while (std::fread(rest, 1, sizeof rest, out) > 0) {
        }
        int status = 0;
        waitpid(process, &status, 0);
        process = 0;
        if (WIFSIGNALED(status)) throw WrongAnswer("the program was ended by signal " + std::to_string(WTERMSIG(status)));
        if (WEXITSTATUS(status) != 0) throw WrongAnswer("the program ended with status " + std::to_string(WEXITSTATUS(status)));
    }

private:
    pid_t process = 0;
    std::FILE *in = nullptr, *out = nullptr;

    [[noreturn]] static void become(char** command, int* to, int* from) {
        std::signal(SIGPIPE, SIG_DFL);
        dup2(to[0], 0);
        dup2(from[1], 1);
        for (int end : {to[0], to[1], from[0], from[1]}) close(end);
        execvp(command[0], command);
        _exit(127);
    }
};

static std::string line_of(const std::vector<int>& numbers) {
    std::string line;
    for (int number : numbers) line += (line.empty() ? "" : " ") + std::to_string(number);
    return line + "\n";
}

static std::string opening(const Bakery& b) {
    std::string text = line_of({b.kinds, b.days, b.capacity, b.substitution});
    for (const Bread& bread : b.breads) text += line_of({bread.price, bread.cost});
    return text;
}

// The case holds what the program is not to know, and a child can look at its parent.
static Bakery read_case_and_hide_it() {
    Bakery bakery = read_bakery("/dev/stdin");
    if (!std::freopen("/dev/null", "r", stdin)) throw std::runtime_error("cannot open /dev/null");
#ifdef __linux__
    prctl(PR_SET_DUMPABLE, 0);
#endif
    return bakery;
}

static long long play(const Bakery& b, char** command) {
    Program program(command);
    Reader reader(program.orders());
    program.tell(opening(b));
    std::vector<Day> days;
    for (int day = 0; day < b.days; ++day) {
        const std::vector<int> baked = read_order(b, day, reader);
        std::cout << line_of(baked) << std::flush;
        days.push_back(sell(b, day, baked));
        program.tell(line_of(days.back().sold) + line_of(days.back().minute));
    }
    program.finish();
    return score_of(b, days);
}

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "usage: tester COMMAND... < INPUT > OUTPUT\n";
        return 1;
    }
    std::signal(SIGPIPE, SIG_IGN);
    try {
        const Bakery bakery = read_case_and_hide_it();
        const long long score = play(bakery, argv + 1);
        std::cerr << "Score = " << score << "\n";
    } catch (const WrongAnswer& err) {
        std::cerr << "wrong answer: " << err.what() << "\nScore = 0\n";
    } catch (const std::exception& err) {
        std::cerr << err.what() << "\n";
        return 1;
    }
}
