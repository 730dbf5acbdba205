"""`python -m evograft_ahc …` is `evo ahc …`."""

from evograft_ahc.agent import main

main()
