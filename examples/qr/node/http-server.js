'use strict';

// The HTTP server below an Express app.

const http = require('node:http');

/**
 * Express makes every request and every answer one of its own by changing its prototype. V8 then knows neither by
 * its shape, looks up each of their properties the slow way, and most of a short request's time goes there. Here
 * they are made as Express wants them, and it changes nothing.
 *
 * @param {import('express').Express} app
 * @returns {http.Server}
 */
module.exports = function createServer(app) {
    class Request extends http.IncomingMessage {}
    class Response extends http.ServerResponse {}
    Object.setPrototypeOf(Request.prototype, app.request);
    Object.setPrototypeOf(Response.prototype, app.response);
    app.request = Request.prototype;
    app.response = Response.prototype;
    return http.createServer({ IncomingMessage: Request, ServerResponse: Response }, app);
};
