"""The web page and the JSON door. They know no game by name: everything they show comes from the contract.

``workers`` bounds what searches may take, ``matches`` holds the games being played and keeps them in the store,
``door`` speaks JSON, ``board`` and ``forms`` are the parts of which ``pages`` are made, ``server`` puts it together.
"""
