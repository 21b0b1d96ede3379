'use strict';

const http = require('node:http');
const { label, count, barcode, Shelf, Box, answer } = require('./lib/labels');

http.createServer(async (request, response) => {
    const url = new URL(request.url, 'http://x');
    const text = url.searchParams.get('text') ?? '';
    const number = Number(url.searchParams.get('number') ?? 0);
    switch (url.pathname) {
        case '/barcode':
            response.end(await barcode(text, number));
            break;
        case '/label':
            new Shelf().put(new Shelf().twice(text));
            label(text, { length: new Box().twice(text) });
            response.end(JSON.stringify(count(text, number, url.searchParams.has('price') ? 2.5 : undefined)));
            break;
        default:
            answer(request, response);
    }
}).listen(process.env.PORT);
