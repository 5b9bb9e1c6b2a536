/** The outgoing HTTP of this runtime, with nothing done behind the caller's back. */
import type { HttpClient } from './contract/http-client.ts'
import { platform } from './platform.ts'

/** A client of its own; what it remembers of origins dies with it. */
export const createHttpClient = (clock: { monotonic(): number }): HttpClient => platform.createHttpClient(clock)
