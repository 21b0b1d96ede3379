'use strict';

/** @param {string} number @returns {boolean} whether its checksum by the Luhn algorithm is right */
module.exports = (number) => {
    let sum = 0;
    let isDoubled = false;
    for (let place = number.length - 1; place >= 0; place--) {
        const digit = number.charCodeAt(place) - 48;
        if (digit < 0 || digit > 9) {
            return false;
        }
        const value = isDoubled ? digit * 2 : digit;
        sum += value > 9 ? value - 9 : value;
        isDoubled = !isDoubled;
    }
    return number !== '' && sum % 10 === 0;
};
