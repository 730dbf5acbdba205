"""Workspaces: made from the site or from practice contests, and checked before they are worked on."""
