'use strict';

// Requests that Node's parser gives up on never reach a handler. The answers are Node's own, but for a method that
// nobody knows: it is not allowed, like all but POST.

const { STATUS_CODES } = require('node:http');

const STATUS = {
    HPE_INVALID_METHOD: 405,
    HPE_HEADER_OVERFLOW: 431,
    HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
    ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** @param {import('node:http').Server} server */
module.exports = function answerUnreadable(server) {
    server.on('clientError', (error, socket) => {
        if (error.code === 'ECONNRESET' || !socket.writable) {
            return socket.destroy();
        }
        const status = STATUS[error.code] ?? 400;
        const allow = status === 405 ? 'Allow: POST\r\n' : '';
        socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${allow}Content-Length: 0\r\nConnection: close\r\n\r\n`);
    });
};
