/**
 * A port on 127.0.0.1 that drops packets as a firewall does: its listener is stopped and its queue full, so the kernel drops further
 * connections.
 */
import { connect, type Socket } from 'node:net'

/** A port that never accepts. */
export interface BlackHole {
  /** `http://127.0.0.1:PORT` */
  url: string
  close(): void
}

/** Listens, prints its port, and suspends itself until it is killed. */
const listener = `
  const server = require('node:net').createServer()
  server.listen(0, '127.0.0.1', () => postMessage(server.address().port))
  onmessage = ({ data }) => {
    Atomics.wait(new Int32Array(data), 0, 0)
    process.exit()
  }
`
/** Milliseconds after which a connection that is not established never will be. */
const patience = 300
/** More than any system queues. */
const most = 10_000

/** Opens such a port and fills its queue. */
export async function blackHole(): Promise<BlackHole> {
  const worker = new Worker(URL.createObjectURL(new Blob([listener])))
  const port = await new Promise<number>((resolve) => {
    worker.onmessage = ({ data }) => resolve(data)
  })
  const stop = new SharedArrayBuffer(4)
  worker.postMessage(stop)
  const waiting: Socket[] = []
  for (let stands = true; stands && waiting.length < most; ) {
    const socket = connect(port, '127.0.0.1')
    waiting.push(socket)
    stands = await new Promise<boolean>((resolve) => {
      const late = setTimeout(() => resolve(false), patience)
      socket.once('connect', () => {
        clearTimeout(late)
        resolve(true)
      })
      socket.on('error', () => resolve(false))
    })
  }
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      for (const socket of waiting) socket.destroy()
      Atomics.store(new Int32Array(stop), 0, 1)
      Atomics.notify(new Int32Array(stop), 0)
      worker.terminate()
    },
  }
}
