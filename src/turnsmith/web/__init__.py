"""The web page and the JSON API. They know no game by name: everything they show comes from the contract.

``offered`` says which games there are, ``gate`` whom the server answers, ``problems`` how mistakes are told, ``bounds``
what strangers may ask for and ``workers`` how much at once. ``live_match`` is a game being played with its ``log``,
``matches`` has all of them, ``match_store`` keeps them in the store, ``host`` lets people and players move.
``studio`` is where somebody's maps are rated and made, ``studios`` keeps all of them. ``api`` and ``studio_api``
speak JSON, ``board`` and ``forms`` are the parts of which ``pages`` are made, ``server`` puts it together.
"""
