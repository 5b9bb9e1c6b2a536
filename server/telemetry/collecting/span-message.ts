/**
 * A message of spans as bytes of OTLP/JSON, assembled from lots: templates with holes, and the values for them. Pure except for its buffer.
 */
import { column, columns, type Hole, holes, idBytes, place, type SpanTemplate } from '#telemetry/span-template'
import { nanos } from '#telemetry/span-text'

/** A template as bytes. */
export interface ReadyShape {
  pieces: readonly Uint8Array[]
  /** Which of `holes` follows each piece but the last one. */
  holes: readonly number[]
  /** Upper bound of the bytes of a request's spans. */
  room: number
}

/** Attributes of a caller, encoded; all ASCII. */
export const readyCaller = (text: string): Uint8Array => encoder.encode(text)

/** Spans of a lot. */
export interface WrittenLot {
  count: number
  shapes: ReadonlyMap<number, ReadyShape>
  /** Attributes of callers, encoded. */
  callers: ReadonlyMap<number, Uint8Array>
  numbers: Float64Array
  ids: Uint8Array
  /** Spans already in text form, separated by commas. */
  texts: readonly string[]
}

/** Most characters of a value. */
const mostOfHole = 64
const comma = 0x2c
const zero = 0x30
const encoder = new TextEncoder()

/** The template as it is written. */
export function readyShape({ pieces, holes: found }: SpanTemplate): ReadyShape {
  const bytes = pieces.map((piece) => encoder.encode(piece))
  const room = bytes.reduce((sum, { length }) => sum + length + mostOfHole, 1)
  return { room, pieces: bytes, holes: found.map((hole) => holes.indexOf(hole)) }
}

/** Writes messages with this head and tail. The result is valid until the next call. */
export function spanMessages(head: string, tail: string): (lots: readonly WrittenLot[]) => Uint8Array<ArrayBuffer> {
  const [begin, end] = [encoder.encode(head), encoder.encode(tail)]
  let bytes = new Uint8Array(0)

  function makeRoom(room: number): void {
    if (bytes.length < room) bytes = new Uint8Array(Math.ceil(room * 1.25))
  }

  return (lots) => {
    makeRoom(begin.length + end.length + lots.reduce((sum, lot) => sum + roomFor(lot), 0))
    bytes.set(begin)
    let at = begin.length
    for (const lot of lots) at = writeLot(lot, bytes, at)
    // Each request is followed by a comma.
    if (at > begin.length) at -= 1
    bytes.set(end, at)
    return bytes.subarray(0, at + end.length)
  }
}

function roomFor({ numbers, shapes, callers, texts }: WrittenLot): number {
  // All of it is ASCII.
  let room = texts.reduce((sum, { length }) => sum + length + 1, 0)
  for (let at = 0; at < numbers.length; at += columns) {
    room += shapes.get(numbers[at + column.shape] ?? -1)?.room ?? 0
    room += callers.get(numbers[at + column.caller] ?? -1)?.length ?? 0
  }
  return room
}

function writeLot({ numbers, ids, shapes, callers, texts }: WrittenLot, out: Uint8Array, from: number): number {
  let at = from
  for (let request = 0; request * columns < numbers.length; request += 1) {
    const first = request * columns
    const shape = numbers[first + column.isTraced] === 1 ? shapes.get(numbers[first + column.shape] ?? -1) : undefined
    if (shape !== undefined) at = writeRequest(shape, { numbers, first, ids, begin: request * idBytes, callers }, out, at)
  }
  for (const text of texts) {
    at += encoder.encodeInto(text, out.subarray(at)).written
    out[at++] = comma
  }
  return at
}

interface Row {
  numbers: Float64Array
  first: number
  ids: Uint8Array
  begin: number
  callers: WrittenLot['callers']
}

function writeRequest({ pieces, holes }: ReadyShape, row: Row, out: Uint8Array, from: number): number {
  let at = from
  for (let next = 0; next < pieces.length; next += 1) {
    const piece = pieces[next]
    if (piece === undefined) break
    out.set(piece, at)
    at += piece.length
    const hole = holes[next]
    if (hole !== undefined) at = writers[hole]?.(row, out, at) ?? at
  }
  out[at] = comma
  return at + 1
}

type Writer = (row: Row, out: Uint8Array, at: number) => number

const id =
  (from: number, length: number): Writer =>
  ({ ids, begin }, out, at) =>
    copied(ids, begin + from, length, out, at)
const whole =
  (from: number): Writer =>
  ({ numbers, first }, out, at) =>
    writeWhole(numbers[first + from] ?? 0, out, at)
/** A moment, or an offset in milliseconds from one. */
const moment =
  (from: number, after?: number): Writer =>
  ({ numbers, first }, out, at) =>
    writeNanos((numbers[first + from] ?? 0) + (after === undefined ? 0 : (numbers[first + after] ?? 0)), out, at)

const byHole: Record<Hole, Writer> = {
  traceId: id(place.traceId, 32),
  spanId: id(place.spanId, 16),
  parentId: id(place.parentId, 16),
  attemptId: id(place.attemptId, 16),
  requestId: ({ ids, begin, numbers, first }, out, at) =>
    copied(ids, begin + place.requestId, numbers[first + column.idLength] ?? 0, out, at),
  start: moment(column.at),
  end: moment(column.at, column.totalMs),
  firstToken: moment(column.at, column.firstTokenMs),
  attemptStart: moment(column.attemptAt),
  attemptEnd: moment(column.attemptAt, column.attemptMs),
  cost: ({ numbers, first }, out, at) => writeText(String(numbers[first + column.cost]), out, at),
  input: whole(column.input),
  output: whole(column.output),
  cacheRead: whole(column.cacheRead),
  reasoning: whole(column.reasoning),
  caller({ numbers, first, callers }, out, at) {
    const text = callers.get(numbers[first + column.caller] ?? -1)
    if (text === undefined) return at
    out.set(text, at)
    return at + text.length
  },
}
const writers = holes.map((hole) => byHole[hole])

function copied(bytes: Uint8Array, from: number, length: number, out: Uint8Array, at: number): number {
  for (let next = 0; next < length; next += 1) out[at + next] = bytes[from + next] ?? 0
  return at + length
}

function writeText(text: string, out: Uint8Array, at: number): number {
  for (let next = 0; next < text.length; next += 1) out[at + next] = text.charCodeAt(next)
  return at + text.length
}

function writeWhole(value: number, out: Uint8Array, at: number): number {
  if (!(value >= 0 && value < 1e9) || !Number.isInteger(value)) return writeText(String(value), out, at)
  let length = 1
  for (let power = 10; value >= power; power *= 10) length += 1
  return writeDigits(value, length, out, at)
}

/** As `nanos` writes it: microseconds, and three zeros. */
function writeNanos(ms: number, out: Uint8Array, at: number): number {
  const micros = Math.round(ms * 1000)
  const seconds = Math.floor(micros / 1e6)
  // Ten digits, and within 32-bit integers.
  if (!(seconds >= 1e9 && seconds < 2 ** 31)) return writeText(nanos(ms), out, at)
  const after = writeDigits(micros - seconds * 1e6, 6, out, writeDigits(seconds, 10, out, at))
  out[after] = out[after + 1] = out[after + 2] = zero
  return after + 3
}

function writeDigits(value: number, length: number, out: Uint8Array, at: number): number {
  let left = value | 0
  for (let next = at + length - 1; next >= at; next -= 1) {
    const rest = (left / 10) | 0
    out[next] = zero + left - rest * 10
    left = rest
  }
  return at + length
}
