"""What all solvers share: bit boards, the trick search, files, the machine."""
