import { afterEach, describe, expect, test } from 'bun:test'
import { createServer, type Server, type Socket } from 'node:net'
import { wait } from '#testing/upstream/scripted-answers'
import { type OpenSocket, openSockets, strays } from './open-sockets.ts'

/** Listens on a port, which it prints, and opens an idle connection to another one; may then block. */
const leaking = (to: number, stands: boolean) => `
  const net = require('node:net')
  const kept = net.connect({ port: ${to}, host: '127.0.0.1', allowHalfOpen: true })
  kept.on('error', () => {}).pause()
  const server = net.createServer().listen(0, '127.0.0.1', () => kept.write('x', () => {
    require('node:fs').writeSync(1, String(server.address().port))
    if (${stands}) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  }))`

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** A program that keeps a socket to this process. */
async function leaker({ stands = false } = {}) {
  const arrived = Promise.withResolvers<Socket>()
  const server: Server = createServer({ allowHalfOpen: true }, arrived.resolve)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const child = Bun.spawn([process.execPath, '-e', leaking(port, stands)], { stdout: 'pipe' })
  ends.push(() => child.kill('SIGKILL'))
  const printed = await child.stdout.pipeThrough(new TextDecoderStream()).getReader().read()
  const peer = await arrived.promise
  peer.on('error', () => {})
  ends.push(
    () => peer.destroy(),
    () => server.close(),
  )
  return { pid: child.pid, url: `http://127.0.0.1:${Number(printed.value)}`, port, peer }
}

/** What the kernel reports about the leaked socket within two seconds. */
async function leakedAs(pid: number, url: string, state: string): Promise<OpenSocket[]> {
  for (let waited = 0; waited < 2_000; waited += 20) {
    const found = strays(pid, url)
    if (found.some((one) => (one.state ?? one.kind) === state)) return found
    await wait(20)
  }
  return strays(pid, url)
}

describe('the sockets of a process', () => {
  test('its own port and who came there are no strays', async () => {
    const { pid, url, port } = await leaker()
    const answer = Bun.connect({ hostname: '127.0.0.1', port: Number(new URL(url).port), socket: { data() {} } })
    const guest = await answer
    ends.push(() => guest.end())
    await leakedAs(pid, url, 'ESTABLISHED')
    expect(openSockets(pid).filter(({ state }) => state === 'LISTEN')).toEqual([
      { kind: 'tcp', state: 'LISTEN', localPort: Number(new URL(url).port), remotePort: 0 },
    ])
    expect(strays(pid, url).map(({ remotePort }) => remotePort)).toEqual([port])
  })

  test('one that leaks is found, whatever became of its peer', async () => {
    const { pid, url, port, peer } = await leaker()
    expect(await leakedAs(pid, url, 'ESTABLISHED')).toMatchObject([{ kind: 'tcp', state: 'ESTABLISHED', remotePort: port }])
    peer.end()
    expect(await leakedAs(pid, url, 'CLOSE_WAIT')).toMatchObject([{ kind: 'tcp', state: 'CLOSE_WAIT', remotePort: port }])
  })

  test('one that was reset is found while its owner does not see it', async () => {
    const { pid, url, peer } = await leaker({ stands: true })
    peer.resetAndDestroy()
    expect(await leakedAs(pid, url, 'dead')).toEqual([{ kind: 'dead' }])
  })

  test('there is no such process', () => {
    expect(() => openSockets(2 ** 22)).toThrow()
  })
})
