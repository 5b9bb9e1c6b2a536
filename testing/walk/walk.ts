/** The walk through the codecs: every case of the installed SDKs' types, to every dialect that serves it. */
import { GoogleGenAI } from '@google/genai'
import type { Dialect } from '#shared/ids'
import { sampled } from '#testing/sample'
import { answerCells, eventCells } from './answer-cells.ts'
import { type AnswerDoor, answerGuides, answerTypes, eventGuide, eventTypes } from './answers.ts'
import { type Case, casesOf, type Guide } from './cases.ts'
import { operationCells, operationGuides, operationTypes, type WalkedOperation } from './operation-cells.ts'
import { type Cell, holders, withinOthers } from './outcome.ts'
import { requestCells, type WireCase } from './request-cells.ts'
import { type Door, requestGuides, requestTypes, sdkImports } from './requests.ts'
import { type Shape, sdkTypes } from './sdk-types.ts'
import { streamAround, withoutItem } from './stream-frames.ts'
import { dialectOf, googleWireCases, wireCases } from './wire.ts'

/** Which half of an exchange is walked; events of streams are a way of their own. */
export const ways = ['request', 'answer', 'stream'] as const
/** Which half of an exchange is walked. */
export type Way = (typeof ways)[number]

/** The cases of one door and way. */
export interface Walk {
  way: Way
  door: Door | AnswerDoor | WalkedOperation
  cases: readonly Case[]
}

/** Every case, by way and door. The same for the same SDKs. */
export async function everyCase(): Promise<Walk[]> {
  const named = (way: Way, types: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(types).map(([door, type]) => [`${way} ${door}`, type]))
  const expressions = {
    ...named('request', { ...requestTypes, ...operationTypes }),
    ...named('answer', answerTypes),
    ...named('stream', eventTypes),
  }
  const types = Object.entries(await sdkTypes(sdkImports, expressions)) as [string, Shape][]
  return types.map(([name, shape]) => {
    const way = ways.find((one) => name.startsWith(one)) ?? 'request'
    const door = name.slice(way.length + 1)
    const guides: Readonly<Record<string, Guide>> = way === 'request' ? { ...requestGuides, ...operationGuides } : answerGuides
    const guide = (way === 'stream' ? undefined : guides[door]) ?? eventGuide
    return { way, door: door as Door, cases: casesOf(shape, guide) }
  })
}

/** About this share of the cases, chosen by the seed of the run, with those that they are inside of; all of them in a deep run. */
export function sampleOf({ cases, ...walk }: Walk, share: number): Walk {
  const chosen = new Set(sampled(cases, Math.ceil(cases.length * share)).flatMap(({ path }) => [path, ...holders(path)]))
  return { ...walk, cases: cases.filter(({ path }) => chosen.has(path)) }
}

/** The cells of these cases. */
export async function cellsOf(walk: Walk): Promise<Cell[]> {
  const { way } = walk
  const dialect = dialectOf(walk.door as Door)
  const cells: Cell[] = []
  for (const one of await wireCasesOf(walk)) {
    if (isOperation(walk.door)) cells.push(...operationCells(walk.door, one))
    else if (way === 'request') cells.push(...(await requestCells(dialect, one)))
    else cells.push(...(way === 'answer' ? answerCells(dialect, one) : eventCells(dialect, one)))
  }
  // An empty object in an answer says nothing; what it may hold is tried by itself.
  const settled = withinOthers(cells).filter(({ hollow, plain }) => way === 'request' || !hollow || plain !== 'silent')
  // Strict mode refuses a request, never an answer.
  return way === 'request' ? settled : settled.map((cell) => ({ ...cell, strict: cell.plain }))
}

/** The cases as they go over the wire. What the SDK does not send is no case. */
export async function wireCasesOf({ way, door, cases }: Walk): Promise<WireCase[]> {
  const wire = await onTheWire(way, door, dialectOf(door as Door), cases)
  return wire.filter(({ body, base }) => body !== base)
}

/** Whether the door is that of an operation other than generation. */
export const isOperation = (door: Walk['door']): door is WalkedOperation => Object.hasOwn(operationTypes, door)

async function onTheWire(way: Way, door: Walk['door'], dialect: Dialect, cases: readonly Case[]): Promise<WireCase[]> {
  if (way === 'stream') return cases.map((one) => streamCase(one, dialect))
  if (way === 'answer' || isOperation(door))
    return cases.map(({ body, base, ...rest }) => ({ ...rest, body: JSON.stringify(body), base: JSON.stringify(base) }))
  return dialect === 'gemini' ? googleWireCases(cases, GoogleGenAI) : wireCases(door as Door, cases)
}

interface Holder {
  event?: Record<string, unknown>
}

/** A case is an event of a stream; without it the stream lacks the event, or has it without that field. */
function streamCase({ body, base, ...rest }: Case, dialect: Dialect): WireCase {
  const [one, other] = [(body as Holder).event, (base as Holder).event]
  const item = withoutItem(dialect, one)
  return {
    ...rest,
    ...(item && { item }),
    // What a chunk holds is not lost with a chunk that holds nothing.
    ...(rest.path === 'event' && { hollow: true as const }),
    body: streamAround(dialect, one, true),
    base: streamAround(dialect, other ?? one, other !== undefined),
  }
}
