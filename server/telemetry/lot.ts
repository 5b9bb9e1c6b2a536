/**
 * Finished requests of a moment, written down as they end: spans as bytes of OTLP/JSON, measurements as numbers. Nothing is kept of a
 * request but these, so that a lot is as cheap for the memory as for the processor.
 */
import type { NewLog } from '#store/ledger/ledger'
import type { Vendors } from './conventions.ts'
import { factsOf, type Measured, type MeasuredFacts, type Measurements, measuredOf } from './measurement.ts'
import { hasTemplate, roomFor, type SpanTemplate, shapeOf, templateOf, valuesOf, writeSpans } from './span-template.ts'
import { spansText } from './span-text.ts'
import type { TracedRequest } from './traced-requests.ts'

/** What was written down. */
export interface TakenLot {
  /** Spans, separated by commas, and how many there are. */
  spans: { bytes: ArrayBuffer; count: number }
  measurements: readonly Measurements[]
}

/** A lot that is written. */
export interface Lot {
  /** Requests in it. */
  size(): number
  /** Whether it should go. */
  isFull(): boolean
  /** Writes down a finished request; its spans, if it is traced. */
  add(row: NewLog, request: TracedRequest, traced: boolean): void
  /** What there is; the next lot is empty. */
  take(): TakenLot
  /** What is known of channels may have changed. */
  forget(): void
}

/** What requests of one shape have in common. */
interface Shape {
  facts: MeasuredFacts
  /** From the second one on: a shape that comes once is not worth it. */
  template?: SpanTemplate
  room: number
}

/** Bytes of a lot. */
const lotBytes = 262_144
const mostShapes = 1_000
const comma = 0x2c
const encoder = new TextEncoder()

/** Nothing yet. `vendors`: of channels as of now; asked for what is new. */
export function createLot(most: number, vendors: () => Vendors): Lot {
  const shapes = new Map<string, Shape>()
  let bytes = new Uint8Array(0)
  let [used, spans, requests] = [0, 0, 0]
  let measured = new Map<MeasuredFacts, Measured[]>()

  function shapeAt(name: string, row: NewLog): { shape: Shape; isNew: boolean } {
    const known = shapes.get(name)
    if (known) return { shape: known, isNew: false }
    if (shapes.size >= mostShapes) shapes.clear()
    const shape = { facts: factsOf(row, vendors()), room: 0 }
    shapes.set(name, shape)
    return { shape, isNew: true }
  }

  /** Room for so many bytes and a comma; more than a lot's only where one request alone needs it. */
  function makeRoom(room: number): void {
    if (bytes.length - used > room) return
    const larger = new Uint8Array(Math.max(lotBytes, used + room + 1))
    larger.set(bytes.subarray(0, used))
    bytes = larger
  }

  function addText(row: NewLog, request: TracedRequest): void {
    const text = spansText(row, request, vendors())
    makeRoom(text.length)
    separate()
    // All of it is ASCII.
    used += encoder.encodeInto(text, bytes.subarray(used)).written
  }

  function addByTemplate(template: SpanTemplate, room: number, row: NewLog, request: TracedRequest): void {
    makeRoom(room)
    separate()
    used = writeSpans(template, valuesOf(row, request), bytes, used)
  }

  function separate(): void {
    if (used > 0) bytes[used++] = comma
  }

  function measure(facts: MeasuredFacts, row: NewLog): void {
    const values = measured.get(facts)
    if (values) values.push(measuredOf(row))
    else measured.set(facts, [measuredOf(row)])
  }

  return {
    size: () => requests,
    isFull: () => requests >= most || used > lotBytes * 0.9,
    add(row, request, traced) {
      requests += 1
      if (traced) spans += 1 + request.attempts.length
      if (!hasTemplate(row, request)) {
        measure(factsOf(row, vendors()), row)
        if (traced) addText(row, request)
        return
      }
      const { shape, isNew } = shapeAt(shapeOf(row, request), row)
      measure(shape.facts, row)
      if (!traced) return
      if (isNew) return addText(row, request)
      if (!shape.template) {
        shape.template = templateOf(row, request, vendors())
        shape.room = roomFor(shape.template)
      }
      addByTemplate(shape.template, shape.room, row, request)
    },
    take() {
      const taken = {
        spans: { bytes: bytes.buffer.slice(0, used), count: spans },
        measurements: [...measured].map(([facts, values]) => ({ ...facts, values })),
      }
      ;[used, spans, requests] = [0, 0, 0]
      measured = new Map()
      return taken
    },
    forget: () => shapes.clear(),
  }
}
