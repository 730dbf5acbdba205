// vis INPUT OUTPUT: draws an answer as vis.html in the current folder and prints its score.
#include "porters.hpp"

#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <ostream>
#include <sstream>

constexpr double SCALE = 0.8;
constexpr double MARGIN = 20;

static double on_page(int coordinate) { return MARGIN + SCALE * coordinate; }

// Hues that stay apart however many trips there are: multiples of the golden angle.
static std::string colour(std::size_t trip) {
    return "hsl(" + std::to_string(static_cast<int>(137.5 * static_cast<double>(trip)) % 360) + ",65%,45%)";
}

static void draw_trip(std::ostream& page, const Mountain& m, const Trip& trip, std::size_t number) {
    const std::vector<int> loads = loads_of(m, trip);
    std::ostringstream title;
    title << "trip " << number + 1 << ": " << trip.size() << " huts, energy " << std::llround(energy_of(m, trip));
    page << "<g stroke=\"" << colour(number) << "\"><title>" << title.str() << "</title>\n";
    int at = 0;
    for (std::size_t leg = 0; leg < loads.size(); ++leg) {
        const int to = leg < trip.size() ? trip[leg] : 0;
        const Place &a = m.places[static_cast<std::size_t>(at)], &b = m.places[static_cast<std::size_t>(to)];
        page << "<line x1=\"" << on_page(a.x) << "\" y1=\"" << on_page(a.y) << "\" x2=\"" << on_page(b.x) << "\" y2=\""
             << on_page(b.y) << "\" stroke-width=\"" << 1 + 4.0 * loads[leg] / m.capacity << "\"/>\n";
        at = to;
    }
    page << "</g>\n";
}

static void draw_places(std::ostream& page, const Mountain& m) {
    int highest = 1;
    for (const Place& p : m.places) highest = std::max(highest, p.height);
    for (std::size_t i = 1; i < m.places.size(); ++i) {
        const Place& p = m.places[i];
        page << "<circle cx=\"" << on_page(p.x) << "\" cy=\"" << on_page(p.y) << "\" r=\"6\" fill=\"hsl(30,50%,"
             << 90 - 65 * p.height / highest << "%)\" stroke=\"black\"><title>hut " << i << ": height " << p.height
             << ", deliver " << p.deliver << ", collect " << p.collect << "</title></circle>\n";
    }
    const Place& base = m.places[0];
    page << "<rect x=\"" << on_page(base.x) - 9 << "\" y=\"" << on_page(base.y) - 9
         << "\" width=\"18\" height=\"18\" fill=\"crimson\" stroke=\"black\"><title>base, height " << base.height
         << "</title></rect>\n";
}

static void draw(std::ostream& page, const Mountain& m, const std::vector<Trip>& trips, const std::string& verdict) {
    page << "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><meta charset=\"utf-8\"/>"
         << "<title>Porters</title></head>\n<body style=\"font-family:sans-serif;background:white;color:black\">\n<p>"
         << verdict << "; " << m.huts << " huts, capacity " << m.capacity << " kg, steepness " << m.steepness << ", "
         << trips.size() << " trips</p>\n"
         << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"840\" height=\"840\" style=\"border:1px solid gray\">\n";
    for (std::size_t t = 0; t < trips.size(); ++t) draw_trip(page, m, trips[t], t);
    draw_places(page, m);
    page << "</svg>\n<p>Darker huts are higher; a line is the thicker the heavier the load. Point at anything for its numbers.</p>\n"
         << "</body></html>\n";
}

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: vis INPUT OUTPUT\n";
        return 1;
    }
    try {
        const Mountain mountain = read_mountain(argv[1]);
        std::FILE* answer = std::fopen(argv[2], "rb");
        if (!answer) throw std::runtime_error("cannot read the output");
        std::vector<Trip> trips;
        std::string verdict;
        try {
            trips = read_trips(mountain, answer);
            verdict = "Score = " + std::to_string(score_of(mountain, trips));
            std::cout << verdict << "\n";
        } catch (const WrongAnswer& err) {
            verdict = std::string("wrong answer: ") + err.what();
            std::cout << verdict << "\nScore = 0\n";
        }
        std::ofstream page("vis.html");
        draw(page, mountain, trips, verdict);
        if (!page.flush()) throw std::runtime_error("cannot write vis.html");
    } catch (const std::exception& err) {
        std::cerr << err.what() << "\n";
        return 1;
    }
}
