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
  /** `clock` serves to remember which origins answered a moment ago. */
  createHttpClient(clock: { monotonic(): number }): HttpClient
  /** argon2id with a fresh salt, as one text in PHC form. */
  hashPassword(password: string, cost: PasswordCost): Promise<string>
  /** Whether the password made this hash. Rejects for a hash of unknown form. */
  verifyPassword(password: string, hash: string): Promise<boolean>
  /** A file's bytes from the beginning; a missing file makes the stream fail. */
  readFile(path: string): ReadableStream<Uint8Array>
  /**
   * Gives memory back that large buffers and strings held, if there is much of it: a thread that has nothing to do does not collect by
   * itself. Holds the thread for about 20 ms then.
   */
  giveBack(): void
  /** Gives back what a busy thread has gathered, compiled code too, as soon as it has nothing to do: for one that has come to rest. */
  shrink(): void
  /** What stands between the executable and the path of a script that is to be run. */
  readonly runArguments: readonly string[]
}
