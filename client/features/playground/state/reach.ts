/** Checks whether the server can be reached. */
import { send } from '#client/api/http.ts'

/** Resolves on any response of the server; rejects without one. */
export const reachServer = (): Promise<unknown> => send('GET', '/healthz')
