"""Learning from games: columns on disk, honest splits and scores, small nets that play without their trainer."""
