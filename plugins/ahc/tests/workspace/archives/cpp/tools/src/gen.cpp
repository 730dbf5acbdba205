#include <cstdio>
#include <sys/stat.h>
int main(int, char** argv) {
    FILE* seeds = fopen(argv[1], "r");
    mkdir("in", 0755);
    long seed;
    for (int n = 0; fscanf(seeds, "%ld", &seed) == 1; ++n) {
        char name[32];
        snprintf(name, sizeof name, "in/%04d.txt", n);
        FILE* file = fopen(name, "w");
        fprintf(file, "%ld\n", seed + 100);
        fclose(file);
    }
}
