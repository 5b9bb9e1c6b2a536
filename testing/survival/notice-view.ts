/** Listens to and sends the notifications (NOTIFY) that instances exchange: instances of different versions share a database. */
import postgres from 'postgres'
import type { MirroredTable, SignalTopic } from '#store/engine/store'

/** These names are effectively stored: another build may be listening. Names are only ever added, never changed or removed. */
export const noticeChannel = 'parley'
export const noticeTopics = [
  ...(['users', 'sessions', 'api_keys', 'groups', 'channels', 'prices', 'settings', 'accounts', 'leases', 'rates'] as const),
  'health',
] as const satisfies readonly (MirroredTable | SignalTopic)[]

/** A connection that receives and sends notices. */
export interface NoticeView {
  /** Every notice received so far: `origin:topic:id`. */
  readonly heard: readonly string[]
  /** Resolves when a notice about this row has been received. */
  about(topic: (typeof noticeTopics)[number], id: string): Promise<void>
  /** Sends a notice as another instance would. */
  say(topic: (typeof noticeTopics)[number], id: string): Promise<void>
  /** Changes rows as another instance would. */
  run(statement: string): Promise<void>
  close(): Promise<void>
}

/** Connects to the database and starts listening. */
export async function openNoticeView(databaseUrl: string): Promise<NoticeView> {
  const client = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  const heard: string[] = []
  const looks = new Set<() => void>()
  await client.listen(noticeChannel, (text) => {
    heard.push(text)
    for (const look of looks) look()
  })
  return {
    heard,
    about(topic, id) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const look = () => {
        if (!heard.some((text) => /^[0-9a-f]{16}:/.test(text) && text.slice(17) === `${topic}:${id}`)) return
        looks.delete(look)
        resolve()
      }
      looks.add(look)
      look()
      return promise
    },
    async say(topic, id) {
      await client.notify(noticeChannel, `0123456789abcdef:${topic}:${id}`)
    },
    async run(statement) {
      await client.unsafe(statement)
    },
    close: () => client.end({ timeout: 5 }),
  }
}
