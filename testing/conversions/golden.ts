/**
 * Golden cases of a codec: a folder each, with the wire form (`request.json`, `response.json`, `stream.sse`), the result of reading it
 * (`canonical.json`, written by the program) and its source (`note.txt`). Files that do not apply to a case are absent.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConversationCodec } from '#canonical/codec'
import type { ConversationRequest } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import { seeded } from '#testing/seeded'
import { attempt, eventsOf, noMemo, plain, testPen } from './codec-runs.ts'

/** One golden case. */
export interface GoldenCase {
  name: string
  has(file: string): boolean
  read(file: string): string
  stream(): Uint8Array<ArrayBuffer>
  request: ConversationRequest
  /** The events of the stream, read in one piece. */
  events(): ConversationEvent[]
  /** Everything in the case as it is read now. */
  now(): unknown
  golden(): { events: unknown }
}

/** Every case in a folder. */
export function goldenCases(codec: ConversationCodec, folder: string): GoldenCase[] {
  const cases = readdirSync(folder)
    .sort()
    .map((name) => goldenCase(codec, folder, name))
  for (const { name, now } of cases) updateGolden(join(folder, name), now)
  return cases
}

/** With `PARLEY_UPDATE_FIXTURES=1` writes the current result of reading the case in this folder, for review. */
export function updateGolden(folder: string, now: () => unknown): void {
  if (process.env.PARLEY_UPDATE_FIXTURES !== '1') return
  writeFileSync(join(folder, 'canonical.json'), `${JSON.stringify(now(), null, 2)}\n`)
}

function goldenCase(codec: ConversationCodec, folder: string, name: string): GoldenCase {
  const path = (file: string) => join(folder, name, file)
  const read = (file: string) => readFileSync(path(file), 'utf8')
  const has = (file: string) => existsSync(path(file))
  const stream = () => new Uint8Array(readFileSync(path('stream.sse')))
  const events = () => eventsOf(codec, [stream()])
  const request = codec.readRequest(read('request.json'))
  return {
    name,
    has,
    read,
    stream,
    request,
    events,
    now: () =>
      plain({
        request: { ...request, paths: undefined },
        ...(has('response.json') && { response: attempt(() => codec.readResponse(read('response.json'), noMemo, testPen())) }),
        ...(has('stream.sse') && { events: events() }),
      }),
    golden: () => JSON.parse(read('canonical.json')),
  }
}

/** The stream's events when it arrives in random pieces; the same seed gives the same pieces. */
export function eventsInPieces(codec: ConversationCodec, bytes: Uint8Array, seed: number): unknown {
  const random = seeded(seed)
  return plain(eventsOf(codec, random.cut(bytes, random.pick([1, 7, 200]))))
}
