module spin

go 1.21
