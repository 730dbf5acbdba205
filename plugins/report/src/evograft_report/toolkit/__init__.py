"""What pages of reports are made of: charts drawn as SVG, colours, numbers, and a document that runs nothing. Public."""
