/** The client over real TCP, against servers that are scripted byte by byte. Faulty upstreams are also tested in `#upstream/http`. */
import { afterEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { turnsDuring } from '#testing/event-loop-turns'
import { runSeed } from '#testing/sample'
import { seeded } from '#testing/seeded'
import { blackHole } from '#testing/upstream/black-hole'
import { gate, raw, respond, wait } from '#testing/upstream/scripted-answers'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import type { HttpAnswer, HttpCall } from './contract/http-client.ts'
import { createHttpClient } from './http-client.ts'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

/** How far the clients' clock is ahead, in milliseconds. */
let ahead = 0
function clientOf() {
  const client = createHttpClient({ monotonic: () => performance.now() + ahead })
  undo.push(client.close)
  return client
}

async function vendorOf(script: Script): Promise<ScriptedUpstream> {
  const vendor = await scriptedUpstream(script)
  undo.push(() => vendor.close())
  return vendor
}

/** A server that passes on every connection with the number of request heads received so far. */
async function rawServer(onRequest: (socket: Socket, count: number) => void): Promise<{ url: string; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>()
  let count = 0
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('end', () => socket.end())
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (bytes) => {
      if (bytes.includes(' HTTP/1.1\r\n')) onRequest(socket, count++)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  undo.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, sockets }
}

const callOf = (url: string, more: Partial<HttpCall> = {}): HttpCall => {
  const body = 'body' in more ? more.body : '{"a":1}'
  const length = typeof body === 'string' ? [['content-length', String(Buffer.byteLength(body))] as const] : []
  return {
    method: 'POST',
    url,
    headers: length,
    fresh: false,
    signal: new AbortController().signal,
    connected: () => undefined,
    ...more,
    body,
  }
}

const textOf = async (answer: HttpAnswer) => Buffer.from(await answer.readAll()).toString()
const thrownBy = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing was thrown',
    (error: unknown) => error,
  )

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 500) throw new Error('waited in vain')
    await wait(10)
  }
}

describe('answers, cut anywhere', () => {
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n6;x=y\r\nefghij\r\n0\r\nX-Sum: 1\r\n\r\n'
  const whole = 'HTTP/1.1 200 OK\r\nX-Long: value\r\nContent-Length: 10\r\n\r\nabcdefghij'

  test.each([
    ['with a length', whole],
    ['in chunks', chunked],
  ])('%s: in two at every offset, all over the connections of one pool', async (_, text) => {
    const bytes = Buffer.from(text)
    const server = await rawServer(async (socket, count) => {
      socket.write(bytes.subarray(0, count + 1))
      await wait(1)
      socket.write(bytes.subarray(count + 1))
    })
    const client = clientOf()
    for (let count = 0; count < bytes.length; count++) expect(await textOf(await client.send(callOf(server.url)))).toBe('abcdefghij')
    expect(server.sockets.size).toBe(1)
  })

  test('in random pieces, byte by byte among them', async () => {
    const random = seeded(runSeed)
    const server = await rawServer(async (socket, count) => {
      const bytes = Buffer.from(count % 2 === 0 ? whole : chunked)
      for (const piece of random.cut(bytes, 1 + (count % 9))) {
        socket.write(piece)
        if (random.fraction() < 0.3) await wait(1)
      }
    })
    const client = clientOf()
    for (let count = 0; count < 40; count++) expect(await textOf(await client.send(callOf(server.url)))).toBe('abcdefghij')
    expect(server.sockets.size).toBe(1)
  })

  test('a stream comes in the pieces in which it was sent', async () => {
    const server = await rawServer(async (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
      for (const piece of ['one', 'two', 'three']) {
        await wait(20)
        socket.write(`${piece.length}\r\n${piece}\r\n`)
      }
      socket.write('0\r\n\r\n')
    })
    const answer = await clientOf().send(callOf(server.url))
    const pieces: string[] = []
    for (let piece = await answer.read(); piece !== undefined; piece = await answer.read()) pieces.push(Buffer.from(piece).toString())
    expect(pieces).toEqual(['one', 'two', 'three'])
  })

  test.each(['GET', 'POST'] as const)('%s: 204 and 304 have no body, and the connection serves on', async (method) => {
    const server = await rawServer((socket, count) => void socket.write(`HTTP/1.1 ${count % 2 === 0 ? 204 : 304} x\r\n\r\n`))
    const client = clientOf()
    for (const status of [204, 304, 204]) {
      const answer = await client.send(callOf(server.url, method === 'GET' ? { method, headers: [], body: undefined } : {}))
      expect([answer.status, await answer.read()]).toEqual([status, undefined])
    }
    expect(server.sockets.size).toBe(1)
  })

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const)('%s is decoded, the headers stay, and the connection serves on', async (encoding, compress) => {
    const body = 'plain text '.repeat(10_000)
    const vendor = await vendorOf(respond(200, { 'Content-Encoding': encoding }, compress(Buffer.from(body))))
    const client = clientOf()
    for (let times = 0; times < 2; times++) {
      const answer = await client.send(callOf(vendor.url))
      expect([await textOf(answer), answer.headers.get('content-encoding')]).toEqual([body, encoding])
    }
    expect(vendor.connections.accepted).toBe(1)
  })
})

test('an encoding of nothing is nothing; one that is given up is not read on', async () => {
  const vendor = await vendorOf(respond(200, { 'Content-Encoding': 'gzip' }))
  const client = clientOf()
  expect(await textOf(await client.send(callOf(vendor.url)))).toBe('')
  const bytes = gzipSync(Buffer.from('plain text '.repeat(1000)))
  vendor.answer(
    raw(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n'), bytes.subarray(0, -9)]), { open: true }),
  )
  const answer = await client.send(callOf(vendor.url))
  const reading = thrownBy(textOf(answer))
  await wait(20)
  answer.cancel()
  expect(await reading).toBeInstanceOf(Error)
  await vendor.exchanges[1]?.gone
})

describe('what arrived before a break', () => {
  test('is handed on before the fault, also when the process was busy while it broke', async () => {
    // In another process, because this one is kept busy.
    const program = `
      require('node:net').createServer((socket) => {
        socket.on('error', () => undefined)
        socket.once('data', async () => {
          socket.write('HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n')
          for (const piece of ['one', 'two', 'six']) {
            await Bun.sleep(40)
            socket.write('3\\r\\n' + piece + '\\r\\n')
          }
          await Bun.sleep(40)
          socket.resetAndDestroy()
        })
      }).listen(0, '127.0.0.1', function () { console.log(this.address().port) })
    `
    const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe', stderr: 'inherit' })
    undo.push(() => child.kill())
    const { value } = await child.stdout.getReader().read()
    const answer = await clientOf().send(callOf(`http://127.0.0.1:${Number(new TextDecoder().decode(value))}`))
    const busyUntil = performance.now() + 600
    while (performance.now() < busyUntil);
    let text = ''
    const fault = await thrownBy(
      (async () => {
        for (let piece = await answer.read(); piece !== undefined; piece = await answer.read()) text += Buffer.from(piece).toString()
      })(),
    )
    expect([text, (fault as { code?: string }).code]).toEqual(['onetwosix', 'ECONNRESET'])
    // And it stays broken.
    expect(await thrownBy(answer.read())).toBe(fault)
  }, 20_000)

  test('a broken chunk takes nothing with it', async () => {
    const vendor = await vendorOf(
      raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\nzz\r\n', { open: true }),
    )
    const answer = await clientOf().send(callOf(vendor.url))
    expect(Buffer.from((await answer.read()) ?? []).toString()).toBe('onetwo')
    expect(await thrownBy(answer.read())).toMatchObject({ code: 'HTTP_MALFORMED' })
    await vendor.exchanges[0]?.gone
  })
})

describe('connections', () => {
  test('one after the other shares one, at the same time everybody has their own', async () => {
    const held = gate(respond(200, {}, 'ok'))
    const vendor = await vendorOf(held.script)
    const client = clientOf()
    const answers = Array.from({ length: 20 }, () => client.send(callOf(vendor.url)).then(textOf))
    await vendor.received(19)
    held.open()
    expect(await Promise.all(answers)).toEqual(new Array(20).fill('ok'))
    for (let times = 0; times < 20; times++) expect(await textOf(await client.send(callOf(vendor.url)))).toBe('ok')
    expect(vendor.connections.accepted).toBe(20)
  })

  test('a connection whose answer was not read to its end is closed, not reused', async () => {
    const vendor = await vendorOf(raw('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nnot', { open: true }))
    const client = clientOf()
    const answer = await client.send(callOf(vendor.url))
    answer.cancel()
    expect(await thrownBy(answer.read())).toMatchObject({ code: 'ABORT_ERR' })
    await vendor.exchanges[0]?.gone
    vendor.answer(respond(200, {}, 'other'))
    expect(await textOf(await client.send(callOf(vendor.url)))).toBe('other')
    expect(vendor.connections.accepted).toBe(2)
  })

  const second = 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nplanted'
  test.each([
    ['with a length', `HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok${second}`],
    ['in chunks', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n${second}`],
    ['without a body', `HTTP/1.1 204 No Content\r\n\r\n${second}`],
  ])('bytes behind an answer %s are never the next one', async (_, text) => {
    for (const pause of [undefined, 1, 20]) {
      const server = await rawServer(async (socket, count) => {
        if (count > 0) return void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nreal')
        const at = text.length - second.length
        socket.write(pause === undefined ? text : text.slice(0, at))
        if (pause === undefined) return
        await wait(pause)
        socket.write(text.slice(at))
      })
      const client = clientOf()
      await textOf(await client.send(callOf(server.url)))
      const [first] = server.sockets
      // The client closes it as soon as the bytes arrive.
      await until(() => first !== undefined && !server.sockets.has(first))
      expect(await textOf(await client.send(callOf(server.url)))).toBe('real')
    }
  })

  test('what the other side closes while it waits is out of the pool at once', async () => {
    const server = await rawServer((socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'))
    const client = clientOf()
    for (const close of [(socket: Socket) => socket.end(), (socket: Socket) => socket.resetAndDestroy()]) {
      await textOf(await client.send(callOf(server.url)))
      const [socket] = server.sockets
      if (socket !== undefined) close(socket)
      await until(() => server.sockets.size === 0)
      // Not repeated but sent once, over a new connection.
      expect(await textOf(await client.send(callOf(server.url)))).toBe('ok')
      expect(server.sockets.size).toBe(1)
    }
  })

  test('a connection that had ended unnoticed fails the request: it is not sent twice', async () => {
    const vendor = await vendorOf(respond(200, {}, 'ok'))
    const client = clientOf()
    await textOf(await client.send(callOf(vendor.url)))
    vendor.answer((exchange) => exchange.reset())
    expect(await thrownBy(client.send(callOf(vendor.url)))).toMatchObject({ code: 'ECONNRESET' })
    expect([vendor.requests.length, vendor.connections.accepted]).toEqual([2, 1])
  })

  test('is not kept if the head forbids it, nor longer than the other side keeps it, nor for ever', async () => {
    const heads = ['Connection: close', 'Keep-Alive: timeout=1', 'Keep-Alive: timeout=5', 'X: y', 'X: y', 'X: y']
    const server = await rawServer(
      (socket, count) => void socket.write(`HTTP/1.1 200 OK\r\n${heads[count]}\r\nContent-Length: 2\r\n\r\nok`),
    )
    const client = clientOf()
    const ask = async () => textOf(await client.send(callOf(server.url)))
    for (let times = 0; times < 2; times++) {
      await ask()
      await until(() => server.sockets.size === 0)
    }
    for (const ms of [4_001, 90_001]) {
      await ask()
      const [before] = server.sockets
      ahead += ms
      await ask()
      await until(() => server.sockets.size === 1)
      expect(before !== undefined && server.sockets.has(before)).toBe(false)
    }
  })

  test('at most 256 wait for one origin, and none after the client is closed', async () => {
    const held = gate(respond(200, {}, 'ok'))
    const vendor = await vendorOf(held.script)
    const client = clientOf()
    const answers = Array.from({ length: 300 }, () => client.send(callOf(vendor.url)).then(textOf))
    await vendor.received(299)
    held.open()
    await Promise.all(answers)
    await until(() => vendor.connections.open === 256)
    client.close()
    await until(() => vendor.connections.open === 0)
    expect(await textOf(await client.send(callOf(vendor.url)))).toBe('ok')
    await until(() => vendor.connections.open === 0)
  })

  test('those that wait do not keep the process running', async () => {
    const vendor = await vendorOf(respond(200, {}, 'ok'))
    const program = `
      import { createHttpClient } from '#runtime/http-client'
      const headers = [['content-length', '2']]
      const call = { method: 'POST', url: ${JSON.stringify(vendor.url)}, headers, body: '{}', fresh: false, signal: new AbortController().signal, connected() {} }
      const answer = await createHttpClient({ monotonic: () => performance.now() }).send(call)
      console.log(new TextDecoder().decode(await answer.readAll()))
    `
    const child = Bun.spawn([process.execPath, '-e', program], { cwd: `${import.meta.dir}/../..`, stdout: 'pipe', stderr: 'inherit' })
    undo.push(() => child.kill())
    expect([await new Response(child.stdout).text(), await child.exited]).toEqual(['ok\n', 0])
  })

  test.skipIf(!existsSync('/proc/self/fd'))('nothing is left of a connection that was given up while it was made', async () => {
    const hole = await blackHole()
    undo.push(() => hole.close())
    const sockets = () => readdirSync('/proc/self/fd').filter((name) => linkOf(`/proc/self/fd/${name}`).startsWith('socket:')).length
    const before = sockets()
    const leaving = new AbortController()
    const calls = Array.from({ length: 10 }, () => thrownBy(clientOf().send(callOf(hole.url, { signal: leaving.signal }))))
    await until(() => sockets() === before + 10)
    leaving.abort(new Error('left'))
    for (const fault of await Promise.all(calls)) expect(fault).toMatchObject({ message: 'left' })
    await until(() => sockets() === before)
  })

  test('goes to the given addresses, whatever DNS says, and to the next one where one refuses', async () => {
    const vendor = await vendorOf(respond(200, {}, 'ok'))
    const { port } = new URL(vendor.url)
    const url = `http://no-such-name.invalid:${port}/path`
    const client = clientOf()
    for (const addresses of [['127.0.0.1'], ['127.0.0.9', '127.0.0.1'], ['::1', '127.0.0.1']]) {
      expect(await textOf(await client.send(callOf(url, { addresses, fresh: true })))).toBe('ok')
    }
    expect(vendor.requests.map((request) => request.header('host'))).toEqual(new Array(3).fill(`no-such-name.invalid:${port}`))
    expect(await thrownBy(client.send(callOf(url, { addresses: ['127.0.0.9'], fresh: true })))).toMatchObject({ code: 'ECONNREFUSED' })
  })
})

describe('requests', () => {
  test('a text of any size and any characters goes out as it is', async () => {
    const vendor = await vendorOf(respond(200, {}, 'ok'))
    const client = clientOf()
    const bodies = ['', '{}', 'é\u{1F600}\uD800', 'x'.repeat(64 * 1024), 'é'.repeat(70_000), 'é\u{1F600}'.repeat(1_500_000)]
    for (const body of bodies) expect(await textOf(await client.send(callOf(vendor.url, { body })))).toBe('ok')
    for (const [at, body] of bodies.entries()) expect(Buffer.from(vendor.requests[at]?.body ?? []).equals(Buffer.from(body))).toBe(true)
    expect(vendor.connections.accepted).toBe(1)
  })

  test('bytes above ASCII in a header are bytes', async () => {
    const vendor = await vendorOf(respond(200, {}, 'ok'))
    await textOf(
      await clientOf().send(
        callOf(vendor.url, {
          body: 'é',
          headers: [
            ['content-length', '2'],
            ['x-byte', '\xe9'],
          ],
        }),
      ),
    )
    expect([vendor.requests[0]?.header('x-byte'), vendor.requests[0]?.text()]).toEqual(['\xe9', 'é'])
  })

  test('nothing is sent of what cannot be written, and no connection is made', async () => {
    const vendor = await vendorOf(respond(200, {}, 'ok'))
    const length = ['content-length', '7'] as const
    for (const headers of [[length, ['x', 'a\r\nhost: b']], [length, ['x\n', 'a']], [['content-length', '6']], []] as [
      string,
      string,
    ][][]) {
      expect(await thrownBy(clientOf().send(callOf(vendor.url, { headers })))).toMatchObject({ code: 'HTTP_MALFORMED' })
    }
    expect(vendor.connections.accepted).toBe(0)
  })

  const pieces = (...texts: string[]) =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (const text of texts) controller.enqueue(Buffer.from(text))
        controller.close()
      },
    })

  test.each([
    ['shorter', ['ab'], ''],
    ['longer', ['abc', 'POST /planted HTTP/1.1\r\n\r\n'], 'abc'],
  ])('a streamed body that is %s than it was said to be breaks its connection', async (_, texts, received) => {
    let bytes = ''
    const ended = Promise.withResolvers<void>()
    const server = createServer((socket) => {
      socket.on('data', (some) => {
        bytes += some.toString()
      })
      socket.on('error', () => undefined).on('close', () => ended.resolve())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    undo.push(() => server.close())
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    const call = callOf(url, { body: pieces(...texts), headers: [['content-length', '3']] })
    expect(await thrownBy(clientOf().send(call))).toMatchObject({ code: 'HTTP_MALFORMED' })
    await ended.promise
    expect(bytes.split('\r\n\r\n').slice(1).join()).toEqual(expect.stringMatching(new RegExp(`^(${received})?(ab)?$`)))
  })

  test('a streamed body that breaks takes its connection with it', async () => {
    const vendor = await vendorOf(respond(200, {}, 'ok'))
    let pulls = 0
    const broken = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (pulls++ === 0) controller.enqueue(Buffer.from('a'))
        else controller.error(Object.assign(new Error('gone'), { code: 'ENOENT' }))
      },
    })
    const fault = await thrownBy(clientOf().send(callOf(vendor.url, { body: broken, headers: [['content-length', '3']] })))
    expect([(fault as { code?: string }).code, vendor.requests.length]).toEqual(['ENOENT', 0])
    await until(() => vendor.connections.open === 0)
  })

  test('others have their turn while a body is sent that is here already, however much the upstream takes', async () => {
    const vendor = await vendorOf(respond(200, {}, 'ok'))
    let sinceTurn = 0
    let most = 0
    let left = 256
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          sinceTurn += 64 * 1024
          most = Math.max(most, sinceTurn)
          controller.enqueue(new Uint8Array(64 * 1024))
          if (--left === 0) controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    const call = callOf(vendor.url, { body, headers: [['content-length', `${256 * 64 * 1024}`]] })
    await turnsDuring(
      () => clientOf().send(call),
      () => {
        sinceTurn = 0
      },
    )
    expect(most).toBeLessThan(1024 * 1024)
  })

  test('an answer that comes before the body is sent is handed on, and the rest of the body let go', async () => {
    const server = await rawServer((socket) => {
      socket.pause()
      socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 9\r\n\r\ntoo large')
    })
    let cancelled = 0
    const endless = new ReadableStream<Uint8Array>(
      { pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)), cancel: () => void cancelled++ },
      { highWaterMark: 0 },
    )
    const client = clientOf()
    const answer = await client.send(callOf(server.url, { body: endless, headers: [['content-length', '999999999']] }))
    expect([answer.status, await textOf(answer)]).toEqual([413, 'too large'])
    await until(() => cancelled === 1)
    for (const socket of server.sockets) socket.resume()
    await until(() => server.sockets.size === 0)
  })

  test('a large text that is refused early, too', async () => {
    const server = await rawServer((socket) => {
      socket.pause()
      socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 9\r\n\r\ntoo large')
    })
    const answer = await clientOf().send(callOf(server.url, { body: 'x'.repeat(30_000_000) }))
    expect([answer.status, await textOf(answer)]).toEqual([413, 'too large'])
    for (const socket of server.sockets) socket.resume()
    await until(() => server.sockets.size === 0)
  })
})

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
