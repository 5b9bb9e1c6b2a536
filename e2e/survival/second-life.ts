/** The second of a fixture's two runs: requests in every state that the journal can record, and `kill -9` during them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Program } from '#testing/program/program'
import { journalEntries } from '#testing/survival/journal-view'
import { type RealtimeVendor, responseEvents, sessionCreated } from '#testing/vendors/realtime-vendor'
import { realtimeClient } from '../support/realtime/client.ts'
import type { Made } from './first-life.ts'
import { models, type Stage } from './scene.ts'

const settledAtOnce = 12

/** Resolves when the process is gone. `stall`: stops the database from accepting anything from the program. */
export async function liveUntilKilled(program: Program, made: Made, play: Stage, voice: RealtimeVendor, stall: () => Promise<unknown>) {
  const gone = (thrown: unknown) => void thrown
  const ask = (content: string, stream = false) =>
    fetch(`${program.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${made.user.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: models.chat, stream, messages: [{ role: 'user', content }] }),
    })
  const entries = async () => (await journalEntries(`${program.folder}/data`)).filter(({ read }) => read?.kind !== 'v')
  /** Number of requests with a line of this kind. */
  const count = async (kind: string) =>
    new Set((await entries()).filter(({ written }) => written.kind === kind).map(({ written }) => written.id)).size

  for (let n = 0; n < 3; n++) await (await ask('done')).text()
  for (let n = 0; n < 2; n++) ask('opened').catch(gone)
  for (const content of ['streaming', 'streaming', 'grown']) (await ask(content, true)).text().catch(gone)
  voice.next((call) => call.send(sessionCreated))
  const headers = { authorization: `Bearer ${made.user.key}` }
  const client = await realtimeClient(`${program.url.replace('http', 'ws')}/v1/realtime?model=${models.realtime}`, [], headers)
  await client.event('session.created')
  const call = await voice.call(0)
  for (const event of responseEvents('four words were said')) await call.send(event)
  await client.event('response.done')
  for (let n = 0; n < settledAtOnce; n++)
    ask('settled')
      .then((answer) => answer.text())
      .catch(gone)
  while (play.waiting.waiting() < settledAtOnce || (await count('p')) < 4 || (await count('g')) < 1) await sleep(20)
  // The last lines of the streams are written within a second.
  await sleep(1500)

  await stall()
  const before = await count('s')
  play.waiting.open()
  while ((await count('s')) < before + settledAtOnce) await new Promise((resolve) => setImmediate(resolve))
  process.kill(program.pid, 'SIGKILL')
  await program.stop()
}
