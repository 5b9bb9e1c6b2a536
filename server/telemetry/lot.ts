/**
 * A batch of finished requests, encoded as they end: for most of them ids and numbers in rows of fixed length, plus what many
 * have in common. Nothing else is kept of a request; the sending thread produces the text.
 */
import type { NewLog } from '#store/ledger/ledger'
import type { Vendors } from './conventions.ts'
import { factsOf, type Measured, type MeasuredFacts, measuredOf } from './measurement.ts'
import { hasOutline, type Outline, outlineOf } from './shape.ts'
import { column, columns, hasTemplate, idBytes, type SpanTemplate, templateOf, writeRequestId, writeValues } from './span-template.ts'
import { callerText, spansText } from './span-text.ts'
import type { TracedRequest } from './traced-requests.ts'

/** The common part of many requests, by number. */
export interface NumberedShape {
  number: number
  facts: MeasuredFacts
  template: SpanTemplate
}

/** A caller, by number: attributes of a span as text. */
export interface NumberedCaller {
  number: number
  text: string
}

/** An unusual request: its spans as text, separated by commas, empty where it is not traced. */
export interface WholeRequest {
  facts: MeasuredFacts
  measured: Measured
  text: string
  spans: number
}

/** The encoded requests. */
export interface TakenLot {
  /** Numbers of shapes restart with a new epoch. */
  epoch: number
  /** Shapes and callers that are new in this epoch. */
  shapes: readonly NumberedShape[]
  callers: readonly NumberedCaller[]
  /** `columns` for each request with a shape, and `idBytes`. */
  numbers: Float64Array<ArrayBuffer>
  ids: Uint8Array<ArrayBuffer>
  whole: readonly WholeRequest[]
  /** Total number of spans. */
  spans: number
}

/** A lot being filled. */
export interface Lot {
  /** Requests in it. */
  size(): number
  isFull(): boolean
  /** Encodes a finished request, and its spans if it is traced. There must be room. */
  add(row: NewLog, request: TracedRequest, traced: boolean): void
  /** Returns the contents and starts an empty lot. */
  take(): TakenLot
  /** To be called periodically: the next lot begins a new epoch if channels have changed, or shapes had no room. */
  refresh(): void
  /** The receiver has lost its state: the next lot begins a new epoch. */
  forget(): void
}

interface Shape {
  outline: Outline
  facts: MeasuredFacts
  /** Assigned from the second request on: a shape that occurs once is not worth it. */
  number?: number
}

/** An empty lot of `most` requests. `ask`: returns the current vendors of channels. `mostShapes`, `mostCallers`: cache sizes. */
export function createLot(most: number, ask: () => Vendors, { mostShapes = 2_000, mostCallers = 10_000 } = {}): Lot {
  const numbers = new Float64Array(most * columns)
  const ids = new Uint8Array(most * idBytes)
  const known = knownVendors(ask)
  const shapes = createShapes(mostShapes)
  const callers = createCallers(mostCallers)
  let [rows, spans] = [0, 0]
  let whole: WholeRequest[] = []
  let named: NumberedShape[] = []
  let calling: NumberedCaller[] = []

  function addWhole(row: NewLog, request: TracedRequest, traced: boolean, facts = factsOf(row, known.of(row))): void {
    const text = traced ? spansText(row, request, known.of(row)) : ''
    whole.push({ facts, measured: measuredOf(row), text, spans: traced ? 1 + request.attempts.length : 0 })
  }

  return {
    size: () => rows + whole.length,
    isFull: () => rows + whole.length >= most,
    add(row, request, traced) {
      if (traced) spans += 1 + request.attempts.length
      if (!hasTemplate(row, request) || !writeRequestId(row.requestId, ids, rows)) return addWhole(row, request, traced)
      const shape = shapes.find(row, request)
      if (shape === undefined) {
        const facts = factsOf(row, known.of(row))
        shapes.add(row, request, facts)
        return addWhole(row, request, traced, facts)
      }
      if (shape.number === undefined) {
        shape.number = shapes.nextNumber()
        named.push({ number: shape.number, facts: shape.facts, template: templateOf(row, request, known.of(row)) })
      }
      const caller = callers.find(row) ?? callers.add(row)
      if (caller === undefined) return addWhole(row, request, traced, shape.facts)
      if (!caller.isWritten) {
        caller.isWritten = true
        calling.push({ number: caller.number, text: callerText(row) })
      }
      writeValues(row, request, numbers, ids, rows)
      numbers[rows * columns + column.shape] = shape.number
      numbers[rows * columns + column.caller] = caller.number
      numbers[rows * columns + column.isTraced] = traced ? 1 : 0
      rows += 1
    },
    take() {
      const taken = {
        ...{ epoch: shapes.epoch(), shapes: named, callers: calling, whole, spans },
        ...{ numbers: numbers.slice(0, rows * columns), ids: ids.slice(0, rows * idBytes) },
      }
      ;[rows, spans, whole, named, calling] = [0, 0, [], [], []]
      if (shapes.tidy()) callers.clear()
      return taken
    },
    refresh() {
      if (known.haveChanged() || shapes.areFull() || callers.areFull()) shapes.forget()
    },
    forget: shapes.forget,
  }
}

/** The vendors of channels: cached, or read anew for an unknown channel. */
function knownVendors(ask: () => Vendors) {
  let vendors = ask()
  let text = JSON.stringify([...vendors])
  return {
    of({ channel }: Pick<NewLog, 'channel'>): Vendors {
      if (channel != null && !vendors.has(channel)) vendors = ask()
      return vendors
    },
    /** Reads anew, and returns whether anything has changed. */
    haveChanged(): boolean {
      vendors = ask()
      const before = text
      text = JSON.stringify([...vendors])
      return text !== before
    },
  }
}

/** Shapes by model. Those without room are not cached. */
function createShapes(most: number) {
  const byModel = new Map<string, Shape[]>()
  let [count, numbered, epoch] = [0, 0, 0]
  let isStale = false

  return {
    epoch: () => epoch,
    nextNumber: () => numbered++,
    areFull: () => count >= most,
    find(row: NewLog, request: TracedRequest): Shape | undefined {
      const siblings = byModel.get(row.model)
      if (siblings !== undefined) for (const shape of siblings) if (hasOutline(shape.outline, row, request)) return shape
      return undefined
    },
    add(row: NewLog, request: TracedRequest, facts: MeasuredFacts): void {
      if (count >= most) return
      count += 1
      const siblings = byModel.get(row.model) ?? []
      siblings.push({ outline: outlineOf(row, request), facts })
      byModel.set(row.model, siblings)
    },
    forget(): void {
      isStale = true
    },
    /** To be called between two lots, since a lot refers to the shapes at its start. True where all were dropped. */
    tidy(): boolean {
      if (!isStale) return false
      byModel.clear()
      ;[count, numbered, isStale] = [0, 0, false]
      epoch += 1
      return true
    },
  }
}

interface Caller extends Pick<NewLog, 'memberId'> {
  number: number
  isWritten: boolean
}

/** Callers by user and key: many have keys of the same name. Those without room are not cached. */
function createCallers(most: number) {
  const byUser = new Map<string | null | undefined, Map<string | null | undefined, Caller[]>>()
  let count = 0
  return {
    areFull: () => count >= most,
    find({ userId, key, memberId }: NewLog): Caller | undefined {
      const callers = byUser.get(userId)?.get(key)
      if (callers !== undefined) for (const caller of callers) if (caller.memberId === memberId) return caller
      return undefined
    },
    add({ userId, key, memberId }: NewLog): Caller | undefined {
      if (count >= most) return undefined
      const caller = { number: count++, isWritten: false, memberId }
      const byKey = byUser.get(userId) ?? new Map<string | null | undefined, Caller[]>()
      byUser.set(userId, byKey.set(key, [...(byKey.get(key) ?? []), caller]))
      return caller
    },
    clear(): void {
      byUser.clear()
      count = 0
    },
  }
}
