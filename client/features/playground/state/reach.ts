/** Whether there is a way to the server at all. */
import { send } from '#client/api/http.ts'

/** Resolves when the server answers, whatever it says; rejects when nothing does. */
export const reachServer = (): Promise<unknown> => send('GET', '/healthz')
