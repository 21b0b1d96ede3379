// Package baseline is tier 0: how the server made its QR codes before there was any Rust.
package baseline

import qrcode "github.com/skip2/go-qrcode"

const pixels = 200

// GenerateQrCode makes a PNG of 200 x 200 pixels.
func GenerateQrCode(text string) ([]byte, error) {
	return qrcode.Encode(text, qrcode.Low, pixels)
}
