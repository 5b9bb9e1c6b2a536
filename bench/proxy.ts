/** The baseline: a minimal proxy on this runtime. Takes the upstream's URL as its argument and prints its own port. */
const target = process.argv[2] ?? ''
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const body = await request.text()
    const headers = { 'content-type': 'application/json', authorization: 'Bearer upstream' }
    const path = new URL(request.url).pathname
    const answer = await fetch(target + path, { method: 'POST', headers, body, signal: request.signal })
    return new Response(answer.body, { status: answer.status, headers: { 'content-type': answer.headers.get('content-type') ?? '' } })
  },
})
console.log(server.port)
