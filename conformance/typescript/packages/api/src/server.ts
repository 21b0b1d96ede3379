import http from 'node:http';
import { priceBasket, type Line } from '@shop/core';

http.createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://x');
    const lines: Line[] = [];
    for (let at = 0; at < 200; at += 1) {
        lines.push({ sku: `sku-${at}`, quantity: (at % 7) + 1, unitPrice: at + 0.25 });
    }
    response.end(JSON.stringify({ price: priceBasket(lines, url.searchParams.get('coupon')) }));
}).listen(Number(process.env.PORT));
