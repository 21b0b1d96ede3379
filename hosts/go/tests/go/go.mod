module server

go 1.25.0

require tierup.local/conformance v0.0.0

require (
	github.com/tetratelabs/wazero v1.12.0 // indirect
	golang.org/x/sys v0.44.0 // indirect
)

// Where `tests/package.rs` writes the package: a workspace says otherwise.
replace tierup.local/conformance => ./package
