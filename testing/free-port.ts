/** A port for a server that must be told its port before it starts. */
import { createServer } from 'node:net'

/** Below what any system gives out by itself (Linux from 32768 on): connections of other tests would take such a port before the server does. */
const [first, count] = [15_000, 16_000]

/** A port of 127.0.0.1 on which nobody listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * count)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
