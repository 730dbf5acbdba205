"""Configuration files of other engines, mapped to settings of a pipeline."""
