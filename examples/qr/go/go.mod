module qr-go

go 1.25.0

require (
	github.com/skip2/go-qrcode v0.0.0-20200617195104-da1b6568686e
	tierup.local/qr v0.0.0
)

require (
	github.com/tetratelabs/wazero v1.12.0 // indirect
	golang.org/x/sys v0.44.0 // indirect
)

// The package that `tierup build` makes.
replace tierup.local/qr => ../.tierup/go
