/** The platform for Deno. The differences from Bun are in docs/runtimes.md. */
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { Platform } from '#runtime/contract/platform'
import { createHttp1Client } from '#runtime/http1-client/http-client'
import { overNodeSocket } from '#runtime/http1-client/node-socket'
import { listen } from './listen.ts'

/** Only loaded here. Creates and verifies argon2id hashes in Bun's format. */
const argon2 = () => import('@node-rs/argon2')

export const denoPlatform: Platform = {
  listen,
  createHttpClient: (clock) => createHttp1Client(clock, overNodeSocket),
  hashPassword: async (password, cost) => (await argon2()).hash(password, { ...cost, parallelism: 1 }),
  verifyPassword: async (password, hash) => (await argon2()).verify(hash, password),
  readFile: (path) => Readable.toWeb(createReadStream(path)) as unknown as ReadableStream<Uint8Array>,
  // V8 collects garbage when idle.
  giveBack: () => undefined,
  shrink: () => undefined,
  runArguments: ['run', '--allow-all', '--no-lock', '--unstable-no-legacy-abort'],
}
