// vis INPUT OUTPUT: draws 70 days of baking as vis.html in the current folder and prints their score.
#include "bakery.hpp"

#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <ostream>

constexpr double STEP = 12;    // a day's width
constexpr double HEIGHT = 90;  // of a bread's chart
constexpr double LEFT = 40;

struct Chart {
    double top, highest;

    double x(int day) const { return LEFT + STEP * day; }
    double y(double loaves) const { return top + HEIGHT * (1 - loaves / highest); }
};

static void draw_bar(std::ostream& page, const Chart& chart, int day, int loaves, const char* colour, double width) {
    page << "<rect x=\"" << chart.x(day) << "\" y=\"" << chart.y(loaves) << "\" width=\"" << width << "\" height=\""
         << HEIGHT * loaves / chart.highest << "\" fill=\"" << colour << "\"/>";
}

static void draw_day(std::ostream& page, const Chart& chart, int number, const Day& day, std::size_t k) {
    page << "<g><title>day " << number + 1 << ": baked " << day.baked[k] << ", sold " << day.sold[k] << ", wanted first "
         << day.wanted[k] << ", last one sold at minute " << day.minute[k] << "</title>";
    draw_bar(page, chart, number, day.baked[k], "#d9b98a", STEP - 3);
    draw_bar(page, chart, number, day.sold[k], "#8a5a22", STEP - 3);
    page << "<line x1=\"" << chart.x(number) - 1 << "\" x2=\"" << chart.x(number) + STEP - 2 << "\" y1=\""
         << chart.y(day.wanted[k]) << "\" y2=\"" << chart.y(day.wanted[k]) << "\" stroke=\"crimson\" stroke-width=\"2\"/></g>\n";
}

static void draw_bread(std::ostream& page, const Bakery& b, const std::vector<Day>& days, std::size_t k) {
    Chart chart{20 + (HEIGHT + 36) * static_cast<double>(k), 1};
    for (const Day& day : days) chart.highest = std::max<double>(chart.highest, std::max(day.baked[k], day.wanted[k]));
    page << "<text x=\"" << LEFT << "\" y=\"" << chart.top - 5 << "\">bread " << k + 1 << ": price " << b.breads[k].price
         << ", cost " << b.breads[k].cost << "</text><text x=\"4\" y=\"" << chart.top + 10 << "\">" << chart.highest
         << "</text>\n";
    for (std::size_t day = 0; day < days.size(); ++day) draw_day(page, chart, static_cast<int>(day), days[day], k);
}

static void draw(std::ostream& page, const Bakery& b, const std::vector<Day>& days, const std::string& verdict) {
    page << "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><meta charset=\"utf-8\"/>"
         << "<title>The Baker's Apprentice</title></head>\n"
         << "<body style=\"font-family:sans-serif;background:white;color:black\">\n<p>" << verdict << "; " << b.kinds
         << " breads, capacity " << b.capacity << ", " << b.substitution << "% take a second choice</p>\n"
         << "<p>Light: baked. Dark: sold. Red line: customers whose first choice it was. Point at a day for its numbers.</p>\n"
         << "<svg xmlns=\"http://www.w3.org/2000/svg\" font-size=\"12\" width=\"" << 2 * LEFT + STEP * b.days << "\" height=\""
         << 40 + (HEIGHT + 36) * b.kinds << "\">\n";
    for (std::size_t k = 0; k < b.breads.size(); ++k) draw_bread(page, b, days, k);
    page << "</svg>\n</body></html>\n";
}

// The days up to the first order that breaks a rule; `problem` says which, or is empty.
static std::vector<Day> read_days(const Bakery& b, std::FILE* file, std::string& problem) {
    Reader reader(file);
    std::vector<Day> days;
    try {
        for (int day = 0; day < b.days; ++day) days.push_back(sell(b, day, read_order(b, day, reader)));
    } catch (const WrongAnswer& err) {
        problem = err.what();
    }
    return days;
}

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: vis INPUT OUTPUT\n";
        return 1;
    }
    try {
        const Bakery bakery = read_bakery(argv[1]);
        std::FILE* orders = std::fopen(argv[2], "rb");
        if (!orders) throw std::runtime_error("cannot read the output");
        std::string problem;
        const std::vector<Day> days = read_days(bakery, orders, problem);
        const std::string score = "Score = " + std::to_string(problem.empty() ? score_of(bakery, days) : 0);
        if (!problem.empty()) std::cout << "wrong answer: " << problem << "\n";
        std::cout << score << "\n";
        std::ofstream page("vis.html");
        draw(page, bakery, days, problem.empty() ? score : "wrong answer: " + problem);
        if (!page.flush()) throw std::runtime_error("cannot write vis.html");
    } catch (const std::exception& err) {
        std::cerr << err.what() << "\n";
        return 1;
    }
}
