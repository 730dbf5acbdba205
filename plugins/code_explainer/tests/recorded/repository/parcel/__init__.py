"""Weighs parcels and says what it costs to send them."""
