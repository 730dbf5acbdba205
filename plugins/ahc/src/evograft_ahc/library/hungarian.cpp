#ifndef HUNGARIAN_CPP
#define HUNGARIAN_CPP

#include <limits>
#include <vector>

namespace hungarian {

template <class Cost>
struct Assignment {
    Cost cost = 0;
    std::vector<int> column_of;  // by row
};

// Gives every row a column of its own at the least cost in all; there are at least as many columns as rows.
template <class Cost>
Assignment<Cost> assign(const std::vector<std::vector<Cost>>& costs) {
    const int rows = static_cast<int>(costs.size());
    const int columns = rows ? static_cast<int>(costs[0].size()) : 0;
    std::vector<Cost> row_price(rows + 1, 0), column_price(columns + 1, 0);
    std::vector<int> row_of(columns + 1, 0), came(columns + 1, 0);  // numbered from 1; 0: nobody
    for (int row = 1; row <= rows; ++row) {
        std::vector<Cost> slack(columns + 1, std::numeric_limits<Cost>::max());
        std::vector<char> done(columns + 1, 0);
        int column = 0;
        row_of[0] = row;
        do {
            done[column] = 1;
            const int current = row_of[column];
            Cost step = std::numeric_limits<Cost>::max();
            int nearest = 0;
            for (int j = 1; j <= columns; ++j) {
                if (done[j]) continue;
                const Cost reduced = costs[current - 1][j - 1] - row_price[current] - column_price[j];
                if (reduced < slack[j]) slack[j] = reduced, came[j] = column;
                if (slack[j] < step) step = slack[j], nearest = j;
            }
            for (int j = 0; j <= columns; ++j) {
                if (done[j]) {
                    row_price[row_of[j]] += step;
                    column_price[j] -= step;
                } else {
                    slack[j] -= step;
                }
            }
            column = nearest;
        } while (row_of[column] != 0);
        for (; column != 0; column = came[column]) row_of[column] = row_of[came[column]];
    }
    Assignment<Cost> assignment;
    assignment.column_of.assign(rows, -1);
    for (int j = 1; j <= columns; ++j) {
        if (row_of[j] == 0) continue;
        assignment.column_of[row_of[j] - 1] = j - 1;
        assignment.cost += costs[row_of[j] - 1][j - 1];
    }
    return assignment;
}

}  // namespace hungarian

#endif
