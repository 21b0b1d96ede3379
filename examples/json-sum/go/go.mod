module json-sum-go

go 1.25.0

require (
	github.com/go-json-experiment/json v0.0.0-20251027170946-4849db3c2f7e
	tierup.local/json-sum v0.0.0
)

require (
	github.com/tetratelabs/wazero v1.12.0 // indirect
	golang.org/x/sys v0.44.0 // indirect
)

// The package that `tierup build` makes.
replace tierup.local/json-sum => ../.tierup/go
