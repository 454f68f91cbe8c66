"""`python -m laconic`: the command line."""

from laconic.cli.main import main

if __name__ == "__main__":
    main()
