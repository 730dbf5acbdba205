"""Parts of report pages: charts drawn as SVG, colours, numbers, and a document that runs nothing. Public."""
