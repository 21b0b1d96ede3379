module atlas-luhn-go

go 1.25.0

require tierup.local/atlas-luhn v0.0.0

require (
	github.com/tetratelabs/wazero v1.12.0 // indirect
	golang.org/x/sys v0.44.0 // indirect
)

// The package that `tierup build` makes.
replace tierup.local/atlas-luhn => ../.tierup/go
