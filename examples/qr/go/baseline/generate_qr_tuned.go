package baseline

import (
	"bytes"
	"image/png"
	"sync"

	qrcode "github.com/skip2/go-qrcode"
)

// buffers are kept from picture to picture: a compressor's tables are most of what one allocates.
type buffers struct{ pool sync.Pool }

func (buffers *buffers) Get() *png.EncoderBuffer {
	buffer, _ := buffers.pool.Get().(*png.EncoderBuffer)
	return buffer
}

func (buffers *buffers) Put(buffer *png.EncoderBuffer) { buffers.pool.Put(buffer) }

// The library compresses as well as it can, which takes longest.
var encoder = png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: new(buffers)}

// GenerateQrCodeTuned is what an engineer could still gain without Rust: the same modules, compressed quickly.
func GenerateQrCodeTuned(text string) ([]byte, error) {
	code, err := qrcode.New(text, qrcode.Low)
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	if err := encoder.Encode(&file, code.Image(pixels)); err != nil {
		return nil, err
	}
	return file.Bytes(), nil
}
