/** The platform for Bun. */
import type { Platform } from '#runtime/contract/platform'
import { createHttp1Client } from '#runtime/http1-client/http-client'
import { listen } from './listen.ts'
import { overOwnSocket } from './own-socket.ts'

/** Bytes outside of objects, dead or alive, from which a collection is worthwhile; an idle process has a tenth of it. */
const muchBytes = 24 * 1024 * 1024

export const bunPlatform: Platform = {
  listen,
  createHttpClient: (clock) => createHttp1Client(clock, overOwnSocket),
  hashPassword: (password, cost) => Bun.password.hash(password, { algorithm: 'argon2id', ...cost }),
  verifyPassword: (password, hash) => Bun.password.verify(password, hash),
  readFile: (path) => Bun.file(path).stream(),
  giveBack() {
    if (process.memoryUsage().external > muchBytes) Bun.gc(true)
  },
  shrink: () => Bun.shrink(),
  runArguments: [],
}
