"""The experiments of the Homeguard thesis: do vectors of trees help to remove the maps that somebody dislikes?"""
