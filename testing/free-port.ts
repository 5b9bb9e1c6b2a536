/** A port for a server that must be told its port before it starts. */
import { createServer } from 'node:net'

/** Below the ephemeral ports of any system (Linux from 32768 on), which connections of other tests could take before the server does. */
const [first, count] = [15_000, 16_000]

/** A free port of 127.0.0.1. */
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
