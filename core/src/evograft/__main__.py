"""`python -m evograft` is `evo`."""

from evograft.cli import main

if __name__ == "__main__":
    main()
