"""The task of a run: the user's files, their copy in the run's folder, and the files of candidates."""
