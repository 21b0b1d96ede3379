// A small server that sends itself requests. It has one hot function, and a package that continues after its caller
// returned.
const http = require('node:http');
const { encode } = require('codes');

function price(text) {
  let sum = 0;
  for (let round = 0; round < 300; round += 1) {
    for (let index = 0; index < text.length; index += 1) sum = (sum * 31 + text.charCodeAt(index)) % 1000003;
  }
  return sum;
}

async function label(text) {
  return encode(`${text} ${price(text)}`);
}

const server = http.createServer(async function answer(request, response) {
  response.end(await label(request.url.repeat(20)));
});

server.listen(0, '127.0.0.1', async () => {
  const agent = new http.Agent({ keepAlive: true });
  const end = Date.now() + 2500;
  for (let number = 0; Date.now() < end; number += 1) {
    await new Promise((resolve) => {
      http.get({ port: server.address().port, host: '127.0.0.1', path: `/item/${number}`, agent }, (response) => {
        response.resume().on('end', resolve);
      });
    });
  }
  agent.destroy();
  server.close();
});
