// What every generator does: one case for each seed of a file.
#ifndef CASES_HPP
#define CASES_HPP

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

// Writes FOLDER/0000.txt and so on by `write(seed, stream)`; arguments: SEEDS_FILE [FOLDER].
template <class Write>
int write_cases(int argc, char** argv, Write write) {
    if (argc < 2 || argc > 3) {
        std::cerr << "usage: gen SEEDS_FILE [FOLDER]\n";
        return 1;
    }
    std::ifstream seeds(argv[1]);
    const std::filesystem::path folder = argc == 3 ? argv[2] : "in";
    std::filesystem::create_directories(folder);
    std::uint64_t seed = 0;
    for (int number = 0; seeds >> seed; ++number) {
        char name[16];
        std::snprintf(name, sizeof name, "%04d.txt", number);
        std::ofstream file(folder / name);
        write(seed, file);
        if (!file.flush()) {
            std::cerr << "cannot write " << folder / name << "\n";
            return 1;
        }
    }
    if (seeds.eof()) return 0;
    std::cerr << "cannot read seeds from " << argv[1] << "\n";
    return 1;
}

#endif
