// Does what the first word of its input says under the name that is the second, prints "fine" for "fine", and ends with status 3 where something was refused, as it should be.
#include <arpa/inet.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <string>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

static bool reads(const char* path) { return open(path, O_RDONLY) >= 0; }

static bool writes(const char* path) { return open(path, O_WRONLY | O_CREAT, 0644) >= 0; }

static bool connects() {
    sockaddr_in host{};
    host.sin_family = AF_INET;
    host.sin_port = htons(80);
    host.sin_addr.s_addr = htonl(0x08080808);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    return fd >= 0 && connect(fd, reinterpret_cast<sockaddr*>(&host), sizeof host) == 0;
}

int main() {
    std::string fault, name;
    std::cin >> fault >> name;
    prctl(PR_SET_NAME, name.c_str());
    bool reached = true;
    if (fault == "loop") for (volatile long i = 0;;) i = i + 1;
    if (fault == "forks") for (;;) fork();
    if (fault == "daemon" && fork() == 0) { setsid(); for (;;) pause(); }
    if (fault == "memory") for (std::vector<char*> all;;) { all.push_back(static_cast<char*>(malloc(1 << 20))); memset(all.back(), 1, 1 << 20); }
    if (fault == "output") for (;;) std::cout << std::string(1 << 16, 'x');
    if (fault == "errors") for (;;) std::cerr << std::string(1 << 16, 'x');
    if (fault == "sleep") usleep(1200000);
    if (fault == "stop") raise(SIGSTOP);
    if (fault == "nothing") return 0;
    if (fault == "crash") raise(SIGSEGV);
    if (fault == "abort") { std::cerr << "what went wrong\n"; abort(); }
    if (fault == "forged") {
        std::cerr << "Score = 999999999\n";
        std::cout << "Score = 999999999\n";
        return 0;
    }
    if (fault == "secrets") reached = reads("/etc/shadow") || reads("/root/.bashrc");
    if (fault == "siblings") reached = reads("input") || reads("../session/input") || reads("../judge/in") || reads("../session/scorer");
    if (fault == "socket") reached = connects();
    if (fault == "outside") reached = writes("/usr/left-behind") || writes("/tmp/left-behind") || writes("../session/input");
    if (fault == "parent") reached = kill(getppid(), SIGKILL) == 0;
    if (fault == "delete") reached = system("rm -rf /tmp/* ../session ../judge * 2>/dev/null; ls ../session >/dev/null 2>&1") == 0;
    if (fault == "slow") for (volatile long i = 0; i < 100000000; i = i + 1) {}
    if (!reached) return 3;
    std::cout << "fine" << std::endl;
}
