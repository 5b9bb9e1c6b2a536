/** What an upstream does to a whole answer and to a stream, for the rows of the fault matrix. */
import { constants, gzipSync } from 'node:zlib'
import { respond, respondJson, stream, wait } from '#testing/upstream/scripted-answers'
import type { Script } from '#testing/upstream/scripted-upstream'
import type { Place } from './places.ts'
import type { Source } from './sources.ts'

/** As much of a door's upstream as a fault is made of. */
export type Played = Pick<Source, 'whole' | 'streamed' | 'refusal' | 'limited'>
/** What happens, request by request; the last goes on. */
export type Play = (source: Played) => Script[]
/** Or where the channel is said to be, or why this is no cell. */
export type Happening = Play | Place | `- ${string}`

interface Both {
  whole: Happening
  streamed: Happening
}

/** Milliseconds. What breaks at once may take with it what has not been read yet. */
const breath = 300

export const parts = (source: Played) => source.streamed ?? { opening: '', content: '', rest: '', finish: '', error: '' }

/** The stream up to its first content, then this. */
export const begun = (then: (source: Played) => string[], ending: 'end' | 'close' | 'reset' | 'hang'): Play => {
  return (source) => [stream([parts(source).opening, parts(source).content, ...then(source)], { everyMs: breath, ending })]
}
export const good = (source: Played) => {
  const { opening, content, rest, finish } = parts(source)
  return [opening, content, rest, finish]
}
export const goodStream: Play = (source) => [stream(good(source))]
export const goodWhole: Play = ({ whole }) => [respond(200, { 'Content-Type': whole.type }, whole.body)]

/** Half of a whole answer that says it is longer. */
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

/** Compressed, and cut inside what is not decoded yet. */
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

/** The same answer as text that only a patient reader understands. */
export const oddly = (text: string) =>
  `\uFEFF: hello\r\n\r\nretry: 10\r\n\r\n${text.replaceAll('\n\n', '\nid: 7\n: and so on\n\n').replaceAll('\n', '\r\n')}`

/** A stream with other lines, in pieces of three bytes. */
export const inLines = (edited: (text: string) => string): Both => ({
  whole: '- a whole answer has no lines',
  streamed: (source) => {
    const body = Buffer.from(edited(good(source).join('')))
    return [stream(Array.from({ length: Math.ceil(body.length / 3) }, (_, number) => body.subarray(3 * number, 3 * number + 3)))]
  },
})
/** Each line ends in the next of the three kinds; a CR is never beside an LF that is none of its own. */
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
export const placed = (place: Place): Both => ({ whole: place, streamed: place })
export const never = (play: Script) => every(() => [play])

export const headSilence: Play = ({ whole }) => [stream([], { ending: 'hang', headers: { 'Content-Type': whole.type } })]
