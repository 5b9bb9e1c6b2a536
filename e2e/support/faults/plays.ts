/** What an upstream does to a whole answer and to a stream, for the rows of the fault matrix. */
import { constants, gzipSync } from 'node:zlib'
import { respond, respondJson, stream, wait } from '#testing/upstream/scripted-answers'
import type { Script } from '#testing/upstream/scripted-upstream'
import type { Place } from './places.ts'
import type { Source } from './sources.ts'

/** The parts of an endpoint's answer that faults are made of. */
export type Played = Pick<Source, 'whole' | 'streamed' | 'refusal' | 'limited'>
/** The scripts for each request; the last one repeats. */
export type Play = (source: Played) => Script[]
/** A script, the address of the channel, or the reason why there is no such cell. */
export type Happening = Play | Place | `- ${string}`

interface Both {
  whole: Happening
  streamed: Happening
}

/** In milliseconds. An immediate reset may discard what has not been read yet. */
const breath = 300

/** The parts of the stream; empty for endpoints that do not stream. */
export const parts = (source: Played) => source.streamed ?? { opening: '', content: '', rest: '', finish: '', error: '' }

/** The stream up to its first content, then this. */
export const begun = (then: (source: Played) => string[], ending: 'end' | 'close' | 'reset' | 'hang'): Play => {
  return (source) => [stream([parts(source).opening, parts(source).content, ...then(source)], { everyMs: breath, ending })]
}

/** The pieces of a stream without a fault. */
export const good = (source: Played) => {
  const { opening, content, rest, finish } = parts(source)
  return [opening, content, rest, finish]
}

/** A stream without a fault. */
export const goodStream: Play = (source) => [stream(good(source))]

/** A whole answer without a fault. */
export const goodWhole: Play = ({ whole }) => [respond(200, { 'Content-Type': whole.type }, whole.body)]

/** Half of a whole answer whose length header promises all of it. */
export const half =
  (ending: 'close' | 'hang'): Play =>
  ({ whole: { type, body } }) => [
    async (exchange) => {
      await exchange.head(200, { 'Content-Type': type, 'Content-Length': String(Buffer.byteLength(body)) })
      await exchange.write(body.slice(0, body.length / 2))
      await wait(breath)
      if (ending === 'close') exchange.close()
    },
  ]

/** Compressed, and cut inside a part that cannot be decoded yet. */
export function cutZipped(type: string, begin: string, rest: string): Script {
  const begun = gzipSync(begin, { finishFlush: constants.Z_SYNC_FLUSH })
  return async (exchange) => {
    const headers = { 'Content-Type': type, 'Content-Encoding': 'gzip', 'Content-Length': String(begun.length + rest.length) }
    await exchange.head(200, headers)
    await exchange.write(begun)
    await wait(breath)
    exchange.close()
  }
}

/** The same answer in unusual but valid JSON. */
export const oddly = (text: string) =>
  `\uFEFF: hello\r\n\r\nretry: 10\r\n\r\n${text.replaceAll('\n\n', '\nid: 7\n: and so on\n\n').replaceAll('\n', '\r\n')}`

/** A stream with edited lines, in pieces of three bytes. */
export const inLines = (edited: (text: string) => string): Both => ({
  whole: '- a whole answer has no lines',
  streamed: (source) => {
    const body = Buffer.from(edited(good(source).join('')))
    return [stream(Array.from({ length: Math.ceil(body.length / 3) }, (_, number) => body.subarray(3 * number, 3 * number + 3)))]
  },
})
/** Ends the lines in the three valid ways in turn, without putting a CR next to an unrelated LF. */
export function mixed(text: string): string {
  const ends = ['\r\n', '\n', '\r']
  return text
    .split('\n')
    .map((line, number) => (number === 0 ? line : ends[number % 3] + line))
    .join('')
}

const every = (play: Play): Both => ({ whole: play, streamed: play })
export const refusing = (status: number, headers: Record<string, string> = {}) =>
  every((source) => [respondJson(status, status === 429 ? source.limited : source.refusal(status), headers)])

/** A channel at this address, for both modes. */
export const placed = (place: Place): Both => ({ whole: place, streamed: place })

/** A script for every request, in both modes. */
export const never = (play: Script) => every(() => [play])

/** Sends the head and nothing more. */
export const headSilence: Play = ({ whole }) => [stream([], { ending: 'hang', headers: { 'Content-Type': whole.type } })]
