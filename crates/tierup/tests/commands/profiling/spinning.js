'use strict';

// Busy functions for servers to profile.

exports.hotFunction = function hotFunction(count) {
    let sum = 0;
    for (let i = 0; i < count; i++) {
        sum += Math.sqrt(i);
    }
    return sum;
};

exports.otherFunction = function otherFunction(count) {
    let sum = 0;
    for (let i = 0; i < count; i++) {
        sum += Math.cbrt(i);
    }
    return sum;
};
