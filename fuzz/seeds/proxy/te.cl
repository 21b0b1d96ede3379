POST / HTTP/1.1
Host: a
Transfer-Encoding: chunked
Content-Length: 4

20
GET /inner HTTP/1.1
Host: a


0

