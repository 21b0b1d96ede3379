'use strict';
// The smallest possible server, which `tierup serve` starts here.

const http = require('node:http');
const { echoText, tier } = require('conformance').with({ baseline: { echoText: (text) => text } });

const server = http.createServer(async (request, response) => {
  const text = new URL(request.url, 'http://localhost').searchParams.get('text') ?? '';
  response.end(await echoText(text));
});

server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
  console.log(`listening on port ${server.address().port} (tier ${tier})`);
});

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => server.close(() => process.exit(0)));
}
