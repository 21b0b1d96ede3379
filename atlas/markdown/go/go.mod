module atlas-markdown-go

go 1.25.0

require (
	github.com/yuin/goldmark v1.8.7
	tierup.local/atlas-markdown v0.0.0
)

require (
	github.com/tetratelabs/wazero v1.12.0 // indirect
	golang.org/x/sys v0.44.0 // indirect
)

// The package that `tierup build` makes.
replace tierup.local/atlas-markdown => ../.tierup/go
