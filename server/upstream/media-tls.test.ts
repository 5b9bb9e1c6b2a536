/** The fetcher over TLS, with an authority that is trusted through the environment only, tested in a child process. */
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { respond } from '#testing/upstream/scripted-answers'
import { scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { selfSigned } from '#testing/upstream/self-signed'

const root = new URL('../..', import.meta.url).pathname

/** The outcome for each URL when `files.example` and `other.example` resolve to this machine. */
async function fetchFromChild(addresses: string[], environment: Record<string, string>): Promise<string[]> {
  const program = `
    import { systemClock } from '#runtime/clock'
    import { createMediaFetcher } from '#upstream/media'
    import { publicOnly } from '#upstream/media-policy'
    const policy = { ...publicOnly, schemes: ['https:', 'http:'], allowsPort: () => true, refusesIpv4: () => false }
    const fetchMedia = createMediaFetcher({ clock: systemClock, policy, resolve: async () => ['127.0.0.1'], limits: { failureMs: 0 } })
    const one = (url) => fetchMedia(url, new AbortController().signal).then(({ mimeType }) => mimeType, (error) => String(error.cause))
    const answers = []
    for (const url of ${JSON.stringify(addresses)}) answers.push(await one(url))
    console.log(JSON.stringify(answers))
  `
  const child = Bun.spawn([process.execPath, '-e', program], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  try {
    return JSON.parse(await new Response(child.stdout).text())
  } finally {
    child.kill()
    await child.exited
  }
}

test('S-SSRF-4 the certificate must be that of the name, though the connection goes to an address', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-media-'))
  const certificate = selfSigned('files.example')
  writeFileSync(join(folder, 'authority.pem'), certificate.cert)
  const asked: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls: certificate,
    fetch(request) {
      asked.push(request.headers.get('host') ?? '')
      return new Response('%PDF-1.7 of the server')
    },
  })
  const files = `https://files.example:${server.port}/a`
  const other = `https://other.example:${server.port}/a`
  try {
    const trusted = await fetchFromChild([files, other, files], { NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem') })
    expect(trusted).toEqual(['application/pdf', 'ERR_TLS_CERT_ALTNAME_INVALID', 'application/pdf'])
    expect(asked).toEqual([`files.example:${server.port}`, `files.example:${server.port}`])
    expect(await fetchFromChild([files], {})).not.toEqual(['application/pdf'])
    expect(asked.length).toBe(2)
  } finally {
    await server.stop(true)
    rmSync(folder, { recursive: true })
  }
}, 30_000)

test('proxy variables are ignored: behind a proxy the address would not be the one that was checked', async () => {
  const proxy = await scriptedUpstream(respond(200, {}, '%PDF-1.7 of the proxy'))
  const server = await scriptedUpstream(respond(200, {}, Buffer.from('89504e470d0a1a0a', 'hex')))
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
  try {
    expect(await fetchFromChild([server.url], Object.fromEntries(names.map((name) => [name, proxy.url])))).toEqual(['image/png'])
    expect(proxy.connections.accepted).toBe(0)
  } finally {
    await proxy.close()
    await server.close()
  }
}, 30_000)
