import { expect, test } from 'bun:test'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { cuttable } from './cuttable.ts'
import { wait } from './scripted-answers.ts'

test('bytes that a slow server sent arrive before those it sends once it is fast again', async () => {
  const accepted = Promise.withResolvers<Socket>()
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    accepted.resolve(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxy = await cuttable(`tcp://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const client = connect(Number(new URL(proxy.url).port), '127.0.0.1')
  try {
    let received = ''
    const whole = new Promise<void>((resolve) => {
      client.on('data', (bytes) => {
        received += bytes
        if (received.length === 2) resolve()
      })
    })
    const socket = await accepted.promise
    proxy.slow(300)
    socket.write('1')
    await wait(100)
    proxy.slow(0)
    socket.write('2')
    await whole
    expect(received).toBe('12')
  } finally {
    client.destroy()
    await proxy.cut()
    server.close()
  }
})
