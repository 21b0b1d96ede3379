'use strict';

const Papa = require('papaparse');

/** @param {string} csv @returns {Map<string, number>} the sum of `amount` for each `city` */
module.exports = (csv) => {
    const totals = new Map();
    for (const { city, amount } of Papa.parse(csv, { header: true, skipEmptyLines: true }).data) {
        if (city !== undefined && amount) {
            totals.set(city, (totals.get(city) ?? 0) + Number(amount));
        }
    }
    return totals;
};
