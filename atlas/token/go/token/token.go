// Package token verifies signed tokens by crypto/hmac.
package token

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// Verify says whether the signature of `CONTENT.SIGNATURE` is the HMAC-SHA-256 of the content, in base64url without padding.
func Verify(token, key string) (bool, error) {
	dot := strings.LastIndexByte(token, '.')
	if dot < 0 || key == "" {
		return false, nil
	}
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(token[:dot]))
	right := base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(right), []byte(token[dot+1:])), nil
}
