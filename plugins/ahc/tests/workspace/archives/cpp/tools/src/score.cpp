#include <cstdio>
int main(int, char** argv) {
    long limit = 0, answer = 0;
    if (fscanf(fopen(argv[1], "r"), "%ld", &limit) != 1) return 1;
    if (fscanf(fopen(argv[2], "r"), "%ld", &answer) != 1 || answer > limit) {
        printf("Illegal answer\nScore = 0\n");
        return 0;
    }
    printf("Score = %ld\n", answer);
}
