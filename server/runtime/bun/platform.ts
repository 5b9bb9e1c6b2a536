/** Bun. */
import type { Platform } from '#runtime/contract/platform'
import { createHttpClient } from './http-client.ts'
import { listen } from './listen.ts'

/** The platform of a process that Bun runs. */
export const bunPlatform: Platform = {
  listen,
  createHttpClient,
  hashPassword: (password, cost) => Bun.password.hash(password, { algorithm: 'argon2id', ...cost }),
  verifyPassword: (password, hash) => Bun.password.verify(password, hash),
  readFile: (path) => Bun.file(path).stream(),
  runArguments: [],
}
