'use strict';
// A small server: GET /slug?text=…

const http = require('node:http');
// TIERUP_TIER decides how slugify runs: 0 is the baseline, 3:native an addon, …
const baseline = require('./baseline');
const { slugify, checkHealth, tier } = require('{{name}}').with({ baseline });

const host = process.env.HOST || '127.0.0.1';
const port = Number(process.env.PORT || 8080);

const PATHS = ['/slug', '/livez', '/readyz'];

async function answer(request, response) {
  const url = new URL(request.url, 'http://localhost');
  if (!PATHS.includes(url.pathname)) return send(response, 404, 'not found');
  if (!['GET', 'HEAD'].includes(request.method)) {
    response.setHeader('Allow', 'GET, HEAD');
    return send(response, 405, 'method not allowed');
  }
  switch (url.pathname) {
    case '/slug': {
      const text = url.searchParams.get('text');
      if (!text) return send(response, 400, 'query parameter "text" is missing');
      try {
        return send(response, 200, await slugify(text));
      } catch (error) {
        // The function's own error is for the caller. The message of any other error may be private.
        if (error.code !== 'TIERUP_ERR' && !(error instanceof baseline.SlugError)) throw error;
        return send(response, 400, error.message);
      }
    }
    case '/livez':
      return send(response, 200, 'ok');
    case '/readyz':
      return checkHealth().then(
        () => send(response, 200, 'ok'),
        (error) => {
          console.error(error);
          send(response, 503, 'not ready');
        },
      );
  }
}

function send(response, status, text) {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

const server = http.createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error);
    if (!response.headersSent) send(response, 500, 'internal error');
  });
});

server.on('error', (error) => {
  console.error(error.code === 'EADDRINUSE' ? `port ${port} is in use by another program` : error.message);
  process.exit(1);
});

server.listen(port, host, () => {
  console.log(`listening on http://${host}:${server.address().port} (tier ${tier})`);
});

// Running requests are finished first; then the process has nothing left to do.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    server.close(() => process.exit(0));
    server.closeIdleConnections();
  });
}
