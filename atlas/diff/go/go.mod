module atlas-diff-go

go 1.25.0

require (
	github.com/sergi/go-diff v1.4.0
	tierup.local/atlas-diff v0.0.0
)

require (
	github.com/tetratelabs/wazero v1.12.0 // indirect
	golang.org/x/sys v0.44.0 // indirect
)

// The package that `tierup build` makes.
replace tierup.local/atlas-diff => ../.tierup/go
