/**
 * Finished requests of a moment, written down as they end: of most of them ids and numbers in rows of fixed length, beside what many
 * have in common. Nothing is kept of a request but these; the thread that sends them makes the text.
 */
import type { NewLog } from '#store/ledger/ledger'
import type { Vendors } from './conventions.ts'
import { factsOf, type Measured, type MeasuredFacts, measuredOf } from './measurement.ts'
import { hasOutline, type Outline, outlineOf } from './shape.ts'
import { column, columns, hasTemplate, idBytes, type SpanTemplate, templateOf, writeRequestId, writeValues } from './span-template.ts'
import { spansText } from './span-text.ts'
import type { TracedRequest } from './traced-requests.ts'

/** What many requests have in common, by a number. */
export interface NumberedShape {
  number: number
  facts: MeasuredFacts
  template: SpanTemplate
}

/** A request that is like few others: its spans as text, separated by commas, empty where it is not traced. */
export interface WholeRequest {
  facts: MeasuredFacts
  measured: Measured
  text: string
  spans: number
}

/** What was written down. */
export interface TakenLot {
  /** Numbers of shapes begin anew with another epoch. */
  epoch: number
  /** Shapes that no lot of this epoch had before. */
  shapes: readonly NumberedShape[]
  /** `columns` for each request with a shape, and `idBytes`. */
  numbers: Float64Array<ArrayBuffer>
  ids: Uint8Array<ArrayBuffer>
  whole: readonly WholeRequest[]
  /** How many spans all of it is. */
  spans: number
}

/** A lot that is written. */
export interface Lot {
  /** Requests in it. */
  size(): number
  isFull(): boolean
  /** Writes down a finished request; its spans, if it is traced. There must be room. */
  add(row: NewLog, request: TracedRequest, traced: boolean): void
  /** What there is; the next lot is empty. */
  take(): TakenLot
  /** What is known of channels may have changed, or who got the lots has forgotten them: the next lot begins an epoch. */
  forget(): void
}

interface Shape {
  outline: Outline
  facts: MeasuredFacts
  /** From the second request on: a shape that comes once is not worth it. */
  number?: number
}

const mostShapes = 1_000

/** Nothing yet; `most`: requests. `vendors`: of channels as of now; asked for what is new. */
export function createLot(most: number, vendors: () => Vendors): Lot {
  const numbers = new Float64Array(most * columns)
  const ids = new Uint8Array(most * idBytes)
  const shapes = createShapes(vendors)
  let [rows, spans] = [0, 0]
  let whole: WholeRequest[] = []
  let named: NumberedShape[] = []

  function addWhole(row: NewLog, request: TracedRequest, traced: boolean, facts: MeasuredFacts): void {
    const text = traced ? spansText(row, request, vendors()) : ''
    whole.push({ facts, measured: measuredOf(row), text, spans: traced ? 1 + request.attempts.length : 0 })
  }

  return {
    size: () => rows + whole.length,
    isFull: () => rows + whole.length >= most,
    add(row, request, traced) {
      if (traced) spans += 1 + request.attempts.length
      if (!hasTemplate(row, request) || !writeRequestId(row.requestId, ids, rows))
        return addWhole(row, request, traced, factsOf(row, vendors()))
      const { shape, isNew } = shapes.of(row, request)
      if (isNew) return addWhole(row, request, traced, shape.facts)
      if (shape.number === undefined) {
        shape.number = shapes.nextNumber()
        named.push({ number: shape.number, facts: shape.facts, template: templateOf(row, request, vendors()) })
      }
      writeValues(row, request, numbers, ids, rows)
      numbers[rows * columns + column.shape] = shape.number
      numbers[rows * columns + column.isTraced] = traced ? 1 : 0
      rows += 1
    },
    take() {
      const taken = {
        ...{ epoch: shapes.epoch(), shapes: named, whole, spans },
        ...{ numbers: numbers.slice(0, rows * columns), ids: ids.slice(0, rows * idBytes) },
      }
      ;[rows, spans, whole, named] = [0, 0, [], []]
      shapes.tidy()
      return taken
    },
    forget: shapes.forget,
  }
}

/** Shapes by key and model, since there may be as many of both as of shapes. */
function createShapes(vendors: () => Vendors) {
  const byKey = new Map<string | null, Map<string, Shape[]>>()
  let [count, numbered, epoch] = [0, 0, 0]
  let isStale = false

  function siblingsOf({ key = null, model }: NewLog): Shape[] {
    const byModel = byKey.get(key) ?? new Map<string, Shape[]>()
    const siblings = byModel.get(model) ?? []
    if (siblings.length === 0) byKey.set(key, byModel.set(model, siblings))
    return siblings
  }

  return {
    epoch: () => epoch,
    nextNumber: () => numbered++,
    of(row: NewLog, request: TracedRequest): { shape: Shape; isNew: boolean } {
      const siblings = siblingsOf(row)
      for (const shape of siblings) if (hasOutline(shape.outline, row, request)) return { shape, isNew: false }
      const shape = { outline: outlineOf(row, request), facts: factsOf(row, vendors()) }
      siblings.push(shape)
      count += 1
      return { shape, isNew: true }
    },
    forget(): void {
      isStale = true
    },
    /** To be called between two lots: what is in one of them refers to what it began with. */
    tidy(): void {
      if (!isStale && count < mostShapes) return
      byKey.clear()
      ;[count, numbered, isStale] = [0, 0, false]
      epoch += 1
    },
  }
}
