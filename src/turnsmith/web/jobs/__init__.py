"""Long work behind the page: arenas, balance reports, trainings, compiling ahead."""
