/** The outgoing HTTP of this runtime, without any implicit behaviour. */
import type { HttpClient } from './contract/http-client.ts'
import { platform } from './platform.ts'

/** A new client, with its own memory of origins. */
export const createHttpClient = (clock: { monotonic(): number }): HttpClient => platform.createHttpClient(clock)
