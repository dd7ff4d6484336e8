"""The web page and the JSON API. They know no game by name: everything they show comes from the contract.

``server`` is the ground: which games are offered, what strangers may ask for, threads for work, how mistakes are told.
``match`` holds games that are played: seats, moves, logs, and ``changes``, which wakes all who wait for news.
``studio`` holds the maps that a person rates, and makes others from that. ``jobs`` does long work: arenas, balance
reports, trainings, compiling ahead. ``host`` joins these: it takes people's moves and lets players think in threads.
``api`` speaks JSON and server-sent events, ``pages`` draws for people, ``app`` puts everything on one port.
``compile_ahead`` is a process of its own, which compiles what the page will need.
"""
