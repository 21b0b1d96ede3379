# Made by tierup; the same in every package.
