"""The ground everything stands on: refusals, settings as texts, files written whole."""
