// The load test for k6: 3,000 users, each of whom sends the same experiment as fast as it is answered.
//
//     k6 run load.js                                      against http://127.0.0.1:3000
//     k6 run -e URL=http://10.128.0.2:3000 load.js        against another machine, as it should be
//     k6 run -e FINGERPRINT=md5 load.js                   with an MD5 for each request
//     k6 run --vus 100 --duration 10s load.js             for a short look

import http from 'k6/http';
import { check } from 'k6';

const base = __ENV.URL || 'http://127.0.0.1:3000';
const query = __ENV.FINGERPRINT ? `?fingerprint=${__ENV.FINGERPRINT}` : '';
const url = `${base}/experiments${query}`;

const body = JSON.stringify({
    name: 'new_home_page',
    variants: [
        { name: 'blue_button', allocation_percent: 50.0 },
        { name: 'red_button', allocation_percent: 50.0 },
    ],
});
const params = { headers: { 'Content-Type': 'application/json' } };

export const options = {
    vus: 3000,
    iterations: 1000000,
    thresholds: {
        // A wrong answer is a failure, never throughput.
        checks: ['rate==1'],
        http_req_failed: ['rate==0'],
    },
};

export default function () {
    const answer = http.post(url, body, params);
    check(answer, { 'the experiment comes back': ({ status, body: text }) => status === 200 && isRight(text) });
}

/** A fingerprint is 32 digits in the place of the name. */
function isRight(text) {
    return query === '' ? text === body : /^\{"name":"[0-9a-f]{32}","variants":\[\{"name":"blue_button",/.test(text);
}
