/** nginx as a reverse proxy: the minimum cost of passing bytes on. */
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathOf, subjectOf } from './subject.ts'

const program = '/usr/sbin/nginx'

const configuration = (folder: string, port: number, providerPort: number) => `
daemon off;
worker_processes 1;
worker_rlimit_nofile 65536;
pid ${folder}/pid;
error_log ${folder}/log error;
events { worker_connections 30000; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  client_max_body_size 64m;
  client_body_buffer_size 2m;
  keepalive_requests 1000000000;
  keepalive_timeout 300s;
  upstream provider {
    server 127.0.0.1:${providerPort};
    keepalive 4096;
    keepalive_requests 1000000000;
  }
  server {
    listen 127.0.0.1:${port} backlog=8192;
    location / {
      proxy_pass http://provider;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_request_buffering off;
      proxy_read_timeout 900s;
    }
  }
}
`

/** nginx, from Debian's package. */
export const nginx = subjectOf({
  name: 'nginx',
  missing: () => (existsSync(program) ? undefined : 'apt install nginx-light'),
  // It passes on every request.
  ask: ({ client }) => ({ path: pathOf(client), model: 'bench', headers: [] }),
  command({ folder, port, providerPort }) {
    // Its worker runs as another user.
    chmodSync(folder, 0o755)
    writeFileSync(join(folder, 'nginx.conf'), configuration(folder, port, providerPort))
    return { words: [program, '-c', join(folder, 'nginx.conf')] }
  },
})
