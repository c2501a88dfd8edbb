"""`python -m homeward` is the command `homeward`."""

import sys

from homeward.cli import main

sys.exit(main())
