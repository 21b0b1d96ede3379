module five

go 1.21
