module experiments

go 1.24
