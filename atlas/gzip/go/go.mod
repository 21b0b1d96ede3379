module atlas-gzip-go

go 1.25.0

require (
	github.com/klauspost/compress v1.20.4
	tierup.local/atlas-gzip v0.0.0
)

require (
	github.com/tetratelabs/wazero v1.12.0 // indirect
	golang.org/x/sys v0.44.0 // indirect
)

// The package that `tierup build` makes.
replace tierup.local/atlas-gzip => ../.tierup/go
