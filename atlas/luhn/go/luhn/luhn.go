// Package luhn has the Luhn algorithm as one writes it in Go.
package luhn

// IsValid says whether the last digit of a number is the checksum of the others.
func IsValid(number string) (bool, error) {
	sum := 0
	isDoubled := false
	for place := len(number) - 1; place >= 0; place-- {
		digit := int(number[place]) - '0'
		if digit < 0 || digit > 9 {
			return false, nil
		}
		if isDoubled {
			if digit *= 2; digit > 9 {
				digit -= 9
			}
		}
		sum += digit
		isDoubled = !isDoubled
	}
	return number != "" && sum%10 == 0, nil
}
