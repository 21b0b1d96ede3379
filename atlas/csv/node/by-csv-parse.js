'use strict';

const { parse } = require('csv-parse/sync');

/** @param {string} csv @returns {Map<string, number>} the sum of `amount` for each `city` */
module.exports = (csv) => {
    const totals = new Map();
    for (const { city, amount } of rows(csv)) {
        if (city !== undefined && amount) {
            totals.set(city, (totals.get(city) ?? 0) + Number(amount));
        }
    }
    return totals;
};

const rows = (csv) => {
    try {
        return parse(csv, { columns: true, relax_column_count: true });
    } catch {
        return [];
    }
};
