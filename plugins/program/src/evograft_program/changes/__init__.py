"""What a candidate changes in the user's own files, and how it is put there."""
