/** The worker beside PostgreSQL: a few connections of its own, which no query of the console can take. */

import type { CallMessage, Reply } from '#runtime/worker-link'
import { type Connections, connect, type PostgresMessage } from './postgres-connections.ts'
import { createCalls, faultOf, type RunningCall } from './worker-calls.ts'

/** The accounts have one call in flight, and so do the limits; the third is for other calls, the fourth for a backup. */
const connections = 4

let open: { client: Connections; run(message: CallMessage): RunningCall } | undefined

self.onmessage = async ({ data }: MessageEvent<PostgresMessage>) => self.postMessage(await answer(data))

async function answer(message: PostgresMessage): Promise<Reply> {
  const { id } = message
  try {
    switch (message.kind) {
      case 'open': {
        const client = connect(message.url, { most: connections })
        open = { client, run: createCalls({ db: client.db, engine: 'postgres' }) }
        return { id }
      }
      case 'close':
        await open?.client.close()
        return { id }
      case 'call':
        if (!open) throw new Error('the database is not open')
        return await open.run(message).reply
    }
  } catch (thrown) {
    return { id, fault: faultOf(thrown) }
  }
}
