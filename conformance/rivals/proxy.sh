#!/bin/sh
# Measures what a proxy costs: tierup (alone, and with mirror and compare), nginx (alone, and with `mirror`) and HAProxy, each
# with one thread, in turns, in front of one static nginx; wrk asks. Prints requests per second, processor time per
# request, and the client's p50 and p99: medians over the rounds, with the lowest and the highest.
# Usage: proxy.sh PATH/TO/tierup [ROUNDS] [SECONDS]; it needs nginx, haproxy, wrk, python3 and Linux.
set -eu

tierup=$(realpath "$1")
rounds=${2:-7}
seconds=${3:-4}
for program in nginx haproxy wrk python3; do
    command -v "$program" > /dev/null || { echo "$program is missing (Debian's package has its name)" >&2; exit 1; }
done
work=$(mktemp -d)
started=
finish() {
    # Ends only the processes that were started here, by their ids.
    for pid in $started; do kill "$pid" 2> /dev/null || true; done
    for pid in $started; do wait "$pid" 2> /dev/null || true; done
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

# Free ports, as the system gives them.
set -- $(python3 -c '
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(6)]
print(*[one.getsockname()[1] for one in sockets])')
server=$1 plain=$2 mirroring=$3 nginx=$4 nginx_mirror=$5 haproxy=$6

# `nginx_conf NAME` reads the servers of NAME.conf.
nginx_conf() {
    servers=$(cat)
    cat > "$work/$1.conf" << END
pid $work/$1-nginx.pid; worker_processes 1; daemon off; master_process off; error_log stderr crit;
events { worker_connections 4096; }
http {
    client_body_temp_path $work/body; proxy_temp_path $work/proxy; fastcgi_temp_path $work/fastcgi;
    uwsgi_temp_path $work/uwsgi; scgi_temp_path $work/scgi; access_log off; keepalive_requests 1000000000;
    upstream control { server 127.0.0.1:$server; keepalive 256; keepalive_requests 1000000000; }
    proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host \$host;
    proxy_set_header X-Forwarded-For \$proxy_add_x_forwarded_for;
    $servers
}
END
}
nginx_conf server << END
server {
    listen 127.0.0.1:$server backlog=4096;
    location / { return 200 "hello, this is a static answer of about forty bytes\n"; }
}
END
nginx_conf nginx << END
server { listen 127.0.0.1:$nginx backlog=4096; location / { proxy_pass http://control; } }
END
nginx_conf nginx-mirror << END
server {
    listen 127.0.0.1:$nginx_mirror backlog=4096;
    location / { mirror /copy; proxy_pass http://control; }
    location = /copy { internal; proxy_pass http://control\$request_uri; }
}
END
cat > "$work/haproxy.cfg" << END
global
    nbthread 1
    maxconn 8192
defaults
    mode http
    timeout connect 5s
    timeout client 60s
    timeout server 60s
    http-reuse always
    option forwardfor
frontend clients
    bind 127.0.0.1:$haproxy
    default_backend control
backend control
    server control 127.0.0.1:$server pool-max-conn 256
END

# `start NAME COMMAND…` leaves the process id in NAME.pid.
start() {
    name=$1
    shift
    "$@" > "$work/$name.log" 2>&1 &
    started="$started $!"
    echo $! > "$work/$name.pid"
}
for name in server nginx nginx-mirror; do
    start "$name" nginx -p "$work" -c "$work/$name.conf"
done
start haproxy haproxy -db -f "$work/haproxy.cfg"
# One request in a billion is copied, that is, none in this run.
start tierup "$tierup" shadow --control "http://127.0.0.1:$server" --candidate "http://127.0.0.1:$server" \
    --listen "127.0.0.1:$plain" --threads 1 --sample 0.000000001
start tierup-mirror "$tierup" shadow --control "http://127.0.0.1:$server" --candidate "http://127.0.0.1:$server" \
    --listen "127.0.0.1:$mirroring" --threads 1

cat > "$work/figures.lua" << 'END'
done = function(summary, latency)
    io.write(string.format("figures %d %d %d %d %d\n", summary.requests, summary.duration, latency:percentile(50),
        latency:percentile(99), summary.errors.connect + summary.errors.read + summary.errors.write
        + summary.errors.status + summary.errors.timeout))
end
END
echo "$(date -u +%Y-%m-%d), $(nproc) x $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), load $(cut -d ' ' -f 1-3 /proc/loadavg) before"
echo "$("$tierup" --version); $(nginx -v 2>&1); $(haproxy -v | head -n 1); $(wrk -v 2>&1 | head -n 1)"
echo "$rounds rounds of $seconds s, 64 connections, one thread each"
python3 - "$work" "$rounds" "$seconds" "tierup=$plain" "nginx=$nginx" "haproxy=$haproxy" \
    "tierup-mirror=$mirroring" "nginx-mirror=$nginx_mirror" << 'END'
import os, pathlib, random, re, socket, statistics, subprocess, sys, time
work, rounds, seconds, rows = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
rows = dict(row.split("=") for row in rows)
pids = {name: int((work / f"{name}.pid").read_text()) for name in rows}

def processor(pid):
    "Seconds that all threads of a process have used."
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

def ask(name, for_seconds):
    before = processor(pids[name])
    shown = subprocess.run(["wrk", "-t1", "-c64", f"-d{for_seconds}", "-s", work / "figures.lua",
                            f"http://127.0.0.1:{rows[name]}/"], capture_output=True, text=True, check=True).stdout
    requests, duration, p50, p99, errors = map(int, re.search(r"figures (.*)", shown)[1].split())
    assert errors == 0, f"{name}: {errors} errors"
    used = processor(pids[name]) - before
    return requests / duration * 1e6, used / requests * 1e6, p50 / 1e3, p99 / 1e3

for name, port in rows.items():
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", int(port))).close()
            break
        except OSError:
            time.sleep(0.1)
    else:
        sys.exit(f"{name} does not listen: {(work / f'{name}.log').read_text()}")
    ask(name, "1")
taken = {name: [] for name in rows}
for _ in range(rounds):
    for name in random.sample(list(rows), len(rows)):
        taken[name].append(ask(name, seconds))
print(f"{'':14}{'requests/s':>24}{'us CPU a request':>24}{'p50 ms':>24}{'p99 ms':>24}")
def shown(values, digits):
    return f"{statistics.median(values):.{digits}f} [{min(values):.{digits}f}, {max(values):.{digits}f}]"
for name, figures in taken.items():
    cells = [shown(values, digits) for values, digits in zip(zip(*figures), (0, 1, 2, 2))]
    print(f"{name:14}" + "".join(f"{cell:>24}" for cell in cells))
def ratio(one, other, figure):
    # Both figures are from the same round, so that other work on the machine disturbs both.
    return shown([a[figure] / b[figure] for a, b in zip(taken[one], taken[other])], 2)
for one, other, aim in [("tierup", "haproxy", 0.9), ("tierup-mirror", "nginx-mirror", 1)]:
    print(f"{one} / {other}: requests/s {ratio(one, other, 0)} (aim: {aim}), CPU a request {ratio(one, other, 1)}")
END
