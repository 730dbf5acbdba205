"""The search inside an operator: thousands of formulas on the search's graphs, of which a trial keeps the best."""
