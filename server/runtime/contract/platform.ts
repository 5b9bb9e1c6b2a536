/** Everything that differs between the JavaScript runtimes Parley runs on. `#runtime/platform` chooses one, once. */
import type { HttpClient } from './http-client.ts'
import type { Listener, ListenOptions } from './http-server.ts'

/** Parameters of argon2id. */
export interface PasswordCost {
  /** KiB. */
  memoryCost: number
  timeCost: number
}

export interface Platform {
  /** Opens the port. Throws an Error whose `code` is `EADDRINUSE` when it is taken, and any other when it cannot be opened. */
  listen(options: ListenOptions): Listener
  /** `clock` is used to remember which origins answered recently. */
  createHttpClient(clock: { monotonic(): number }): HttpClient
  /** argon2id with a fresh salt, in PHC string format. */
  hashPassword(password: string, cost: PasswordCost): Promise<string>
  /** Whether the password matches this hash. Rejects for a hash of unknown format. */
  verifyPassword(password: string, hash: string): Promise<boolean>
  /** A file's bytes from the beginning; a missing file makes the stream fail. */
  readFile(path: string): ReadableStream<Uint8Array>
  /**
   * Frees the memory of large dead buffers and strings, if there is much of it: an idle thread does not collect garbage by itself. Then
   * blocks the thread for about 20 ms.
   */
  giveBack(): void
  /** Frees the garbage of a busy period, compiled code included, as soon as the thread is idle: for one that has become idle. */
  shrink(): void
  /** The arguments between the executable and the path of a script. */
  readonly runArguments: readonly string[]
}
