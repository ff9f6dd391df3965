"""Puts the lines of a list into the order of an epoch.

usage: shuffle_list.py EPOCH LIST SHUFFLED
"""

import random
import sys

lines = open(sys.argv[2]).readlines()
random.Random(int(sys.argv[1])).shuffle(lines)
open(sys.argv[3], "w").writelines(lines)
