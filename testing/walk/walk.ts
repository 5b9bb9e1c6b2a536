/** The walk through the codecs: every case of the installed SDKs' types, to every dialect that serves it. */
import { GoogleGenAI } from '@google/genai'
import type { Dialect } from '#shared/ids'
import { sampled } from '#testing/sample'
import { answerCells, eventCells } from './answer-cells.ts'
import { type AnswerEndpoint, answerGuides, answerTypes, eventGuide, eventTypes } from './answers.ts'
import { type Case, casesOf, type Guide } from './cases.ts'
import { operationAnswerCells, operationEventCells } from './operation-answer-cells.ts'
import { type OperationAnswerEndpoint, operationAnswerGuides, operationAnswerTypes, operationEventTypes } from './operation-answers.ts'
import { operationCells, operationGuides, operationTypes, type WalkedOperation } from './operation-cells.ts'
import { type Cell, holders, withinOthers } from './outcome.ts'
import { realtimeCells, realtimeGuide, realtimeTypes } from './realtime-cells.ts'
import { requestCells, type WireCase } from './request-cells.ts'
import { type Endpoint, requestGuides, requestTypes, sdkImports } from './requests.ts'
import { type Shape, sdkTypes } from './sdk-types.ts'
import { streamAround, withoutItem } from './stream-frames.ts'
import { dialectOf, googleWireCases, wireCases } from './wire.ts'

/** Which half of an exchange is walked; stream events are a separate way. */
export const ways = ['request', 'answer', 'stream'] as const
/** Which half of an exchange is walked. */
export type Way = (typeof ways)[number]

/** The cases of one endpoint and way. */
export interface Walk {
  way: Way
  endpoint: Endpoint | AnswerEndpoint | WalkedOperation | OperationAnswerEndpoint | 'realtime'
  cases: readonly Case[]
}

/** Every case, by way and endpoint. Deterministic for the same SDKs. */
export async function everyCase(): Promise<Walk[]> {
  const named = (way: Way, types: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(types).map(([endpoint, type]) => [`${way} ${endpoint}`, type]))
  const expressions = {
    ...named('request', { ...requestTypes, ...operationTypes, realtime: realtimeTypes.request }),
    ...named('answer', { ...answerTypes, ...operationAnswerTypes }),
    ...named('stream', { ...eventTypes, ...operationEventTypes, realtime: realtimeTypes.stream }),
  }
  const types = Object.entries(await sdkTypes(sdkImports, expressions)) as [string, Shape][]
  return types.map(([name, shape]) => {
    const way = ways.find((one) => name.startsWith(one)) ?? 'request'
    const endpoint = name.slice(way.length + 1)
    return { way, endpoint: endpoint as Endpoint, cases: casesOf(shape, guideOf(way, endpoint)) }
  })
}

const guides: Readonly<Record<Way, Readonly<Record<string, Guide>>>> = {
  request: { ...requestGuides, ...operationGuides },
  answer: { ...answerGuides, ...operationAnswerGuides },
  stream: {},
}

const guideOf = (way: Way, endpoint: string): Guide => (endpoint === 'realtime' ? realtimeGuide : (guides[way][endpoint] ?? eventGuide))

/** About this share of the cases, chosen by the seed of the run, with the cases that contain them; all of them in a deep run. */
export function sampleOf({ cases, ...walk }: Walk, share: number): Walk {
  const chosen = new Set(sampled(cases, Math.ceil(cases.length * share)).flatMap(({ path }) => [path, ...holders(path)]))
  return { ...walk, cases: cases.filter(({ path }) => chosen.has(path)) }
}

/** The cells of these cases. */
export async function cellsOf(walk: Walk): Promise<Cell[]> {
  const { way } = walk
  const cells: Cell[] = []
  for (const one of await wireCasesOf(walk)) cells.push(...(await cellsOfOne(walk, one)))
  // An empty object in an answer means nothing; its possible contents are separate cases.
  const settled = withinOthers(cells).filter(({ hollow, plain }) => way === 'request' || !hollow || plain !== 'silent')
  // Strict mode refuses a request, never an answer.
  return way === 'request' ? settled : settled.map((cell) => ({ ...cell, strict: cell.plain }))
}

async function cellsOfOne({ way, endpoint }: Walk, one: WireCase): Promise<Cell[]> {
  if (endpoint === 'realtime') return realtimeCells(way === 'request' ? way : 'stream', one)
  if (isOperation(endpoint)) return operationCells(endpoint, one)
  if (isOperationAnswer(endpoint)) return way === 'answer' ? operationAnswerCells(endpoint, one) : operationEventCells(endpoint, one)
  const dialect = dialectOf(endpoint as Endpoint)
  if (way === 'request') return requestCells(dialect, one)
  return way === 'answer' ? answerCells(dialect, one) : eventCells(dialect, one)
}

/** The cases as they go over the wire, without those that the SDK does not send. */
export async function wireCasesOf({ way, endpoint, cases }: Walk): Promise<WireCase[]> {
  const wire = await onTheWire(way, endpoint, cases)
  return wire.filter(({ body, base }) => body !== base)
}

/** Whether the endpoint is that of an operation other than generation. */
export const isOperation = (endpoint: Walk['endpoint']): endpoint is WalkedOperation => Object.hasOwn(operationTypes, endpoint)

/** Whether the endpoint is that of answers to such an operation. */
const isOperationAnswer = (endpoint: Walk['endpoint']): endpoint is OperationAnswerEndpoint => Object.hasOwn(operationAnswerTypes, endpoint)

async function onTheWire(way: Way, endpoint: Walk['endpoint'], cases: readonly Case[]): Promise<WireCase[]> {
  if (endpoint === 'realtime') return cases.map((one) => asText(one, (holder) => JSON.stringify(holder.event)))
  if (way === 'stream' && isOperationAnswer(endpoint)) return cases.map((one) => asText(one, ({ event }) => eventText(event)))
  const dialect = dialectOf(endpoint as Endpoint)
  if (way === 'stream') return cases.map((one) => streamCase(one, dialect))
  if (way === 'answer' || isOperation(endpoint)) return cases.map((one) => asText(one, (body) => JSON.stringify(body)))
  return dialect === 'gemini' ? googleWireCases(cases, GoogleGenAI) : wireCases(endpoint as Endpoint, cases)
}

const asText = ({ body, base, ...rest }: Case, write: (value: Holder) => string | undefined): WireCase => ({
  ...rest,
  body: write(body as Holder) ?? '',
  base: write(base as Holder) ?? '',
})

const eventText = (event: Record<string, unknown> | undefined) => `event: ${event?.type}\ndata: ${JSON.stringify(event)}\n\n`

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
    // The content of a chunk is not lost with an empty chunk.
    ...(rest.path === 'event' && { hollow: true as const }),
    body: streamAround(dialect, one, true),
    base: streamAround(dialect, other ?? one, other !== undefined),
  }
}
