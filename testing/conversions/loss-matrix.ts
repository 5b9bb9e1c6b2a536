/**
 * What happens to each request feature from each client dialect to each upstream dialect, and to each answer feature on the way back,
 * determined by running the real readers and writers for models without peculiarities.
 */
import type { ConversationCodec, ReadResponse } from '#canonical/codec'
import type { ConversationRequest, ConversationResponse } from '#canonical/conversation'
import { joinLosses, type Loss } from '#canonical/loss'
import { conversationCodecs as codecs, converseCodec } from '#protocols/index'
import { createEnvelopes } from '#reasoning-state/envelope'
import { type Change, changeParts } from '#reasoning-state/state-walk'
import { remoteMedia } from '#relay/conversation/remote-media'
import { sealer } from '#runtime/secrets'
import { GatewayError } from '#shared/errors'
import { type Dialect, dialects, servedBy } from '#shared/ids'
import type { FetchMedia } from '#upstream/media'
import { type AnswerFeature, answerFeatures, answerWith, askedBy } from './answer-features.ts'
import { answerAgain, attempt, noMemo, plain, readBody, testPen, withoutPaths, written } from './codec-runs.ts'
import { conversation } from './conversation.ts'
import { converseAnswer } from './converse-answers.ts'
import type { RequestFeature } from './feature.ts'
import type { Verdict } from './loss-rules.ts'
import { settingFeatures } from './setting-features.ts'
import { toolFeatures } from './tool-features.ts'
import { pdf, png, saidFeatures } from './turn-features.ts'

/** One feature converted from one dialect to another. */
export interface Cell {
  way: 'request' | 'answer'
  row: string
  feature: string
  /** The dialect that is read. */
  from: Dialect
  /** The dialect that is written. */
  to: Dialect
  verdict: Verdict
  /** Canonical names of what is lost, or of what cannot be converted. */
  fields: string[]
  /** Strict mode refuses the loss. */
  meaning: boolean
}

export const requestFeatures: readonly RequestFeature[] = [...saidFeatures, ...toolFeatures, ...settingFeatures]

/** Every pair of different dialects that Parley converts between, as client and upstream. */
const pairs = dialects.flatMap((client) =>
  servedBy[client].filter((upstream) => upstream !== client).map((upstream) => ({ client, upstream })),
)

/** Every cell: all features for all pairs of dialects. */
export async function lossMatrix(): Promise<Cell[]> {
  const requests: Promise<Cell>[] = []
  for (const feature of requestFeatures) {
    for (const { client, upstream } of pairs) {
      const request = sayable(feature, client)
      if (request) requests.push(requestCell(feature, request, upstream))
    }
  }
  const answers = answerFeatures.flatMap((feature) =>
    pairs.flatMap(({ client, upstream }) => (tellable(feature, upstream) ? [answerCell(feature, upstream, client)] : [])),
  )
  return [...(await Promise.all(requests)), ...answers]
}

/**
 * How each request feature is converted for Amazon's Converse, for every client that Messages serves and for Messages itself: its verdict
 * by losses, and the names. The converted request cannot be compared, since there is no reader for Converse requests.
 */
export async function converseCells(): Promise<(Omit<Cell, 'to' | 'way'> & { to: 'converse' })[]> {
  const clients = dialects.filter((client) => client === 'messages' || servedBy[client].includes('messages'))
  const cells: Promise<Omit<Cell, 'to' | 'way'> & { to: 'converse' }>[] = []
  for (const feature of requestFeatures) {
    for (const client of clients) {
      const request = sayable(feature, client)
      if (!request) continue
      const place = { row: feature.row, feature: feature.name, from: client, to: 'converse' as const }
      cells.push(
        sentBy(converseCodec, request).then(({ sent, losses }) =>
          sent instanceof GatewayError
            ? { ...place, verdict: 'refused', fields: [sent.param ?? ''], meaning: true }
            : { ...place, ...judged([...losses, ...sent.losses], true) },
        ),
      )
    }
  }
  return Promise.all(cells)
}

/**
 * How each answer feature that Converse can express is converted, for Messages and every client that Messages serves. The result is
 * compared with the intended answer, not with the one that was read.
 */
export function converseAnswerCells(): (Omit<Cell, 'from' | 'way'> & { from: 'converse' })[] {
  const clients = dialects.filter((client) => client === 'messages' || servedBy[client].includes('messages'))
  return answerFeatures.flatMap((feature) => {
    const meant = answerWith(feature, 'messages')
    const body = converseAnswer(meant)
    if (body === undefined) return []
    const answer = converseCodec.readResponse(body, noMemo, testPen())
    return clients.map((to) => ({ ...deliveredTo(to, feature, answer, meant), from: 'converse' as const }))
  })
}

/** The request as it is sent, with its files fetched and the losses of fetching them; or why it is not sent. */
async function sentBy(codec: ConversationCodec, request: ConversationRequest) {
  const target = { model: request.model, capabilities: {}, stream: false }
  const withBytes = remoteMedia(fetchFixture, new AbortController().signal)
  const fetched = await withBytes(request, (part) => codec.needsBytes(part, target))
  return { sent: attempt(() => written(codec, fetched.request)), losses: fetched.losses }
}

/** A client's request with the feature, as Parley reads it; undefined if the dialect cannot express it. */
export function sayable(feature: RequestFeature, dialect: Dialect): ConversationRequest | undefined {
  const wanted = conversation({ dialect, ...feature.fields(dialect) })
  const read = attempt(() => clientRequest(feature, wanted))
  if (read instanceof GatewayError) return undefined
  const says = feature.body?.[dialect] !== undefined || alike(feature.of(read), feature.of(wanted))
  return says && !alike(feature.of(read), feature.of(conversation())) ? read : undefined
}

function clientRequest({ body }: RequestFeature, wanted: ConversationRequest): ConversationRequest {
  const { dialect } = wanted
  const own = body?.[dialect]
  return own === undefined ? again(codecs[dialect], wanted) : withoutPaths(readBody(codecs[dialect], own))
}

function again(codec: ConversationCodec, request: ConversationRequest): ConversationRequest {
  return withoutPaths(readBody(codec, written(codec, request).body, request.model))
}

async function requestCell(feature: RequestFeature, request: ConversationRequest, to: Dialect): Promise<Cell> {
  const place = { way: 'request' as const, row: feature.row, feature: feature.name, from: request.dialect, to }
  const codec = codecs[to]
  const { sent, losses } = await sentBy(codec, request)
  if (sent instanceof GatewayError) return { ...place, verdict: 'refused', fields: [sent.param ?? ''], meaning: true }
  const arrived = withoutPaths(readBody(codec, sent.body, request.model))
  return { ...place, ...judged([...losses, ...sent.losses], alike(feature.of(arrived), feature.of(request))) }
}

/** The files at the addresses that the features use. */
const fetchFixture: FetchMedia = (url) =>
  Promise.resolve(
    url.endsWith('.pdf')
      ? { mimeType: 'application/pdf', data: pdf, bytes: pdf.length }
      : { mimeType: 'image/png', data: png, bytes: png.length },
  )

function judged(losses: readonly Loss[], isSame: boolean): Pick<Cell, 'verdict' | 'fields' | 'meaning'> {
  const dropped = losses.filter(({ what }) => what === 'dropped')
  const listed = dropped.length > 0 ? dropped : losses
  const verdict = dropped.length > 0 ? 'dropped' : losses.length > 0 ? 'changed' : isSame ? 'carried' : 'unreported'
  return { verdict, fields: listed.map(({ field }) => field), meaning: losses.some(({ meaning }) => meaning) }
}

/** Whether an upstream of this dialect can express it. */
export function tellable(feature: AnswerFeature, dialect: Dialect): boolean {
  const answer = answerWith(feature, dialect)
  const again = attempt(() => answerAgain(codecs[dialect], answer, askedBy(dialect)))
  return !(again instanceof GatewayError) && alike(feature.of(again), feature.of(answer))
}

function answerCell(feature: AnswerFeature, from: Dialect, to: Dialect): Cell {
  const written = codecs[from].writeResponse(answerWith(feature, from), askedBy(from), testPen())
  const answer = codecs[from].readResponse(written.body, noMemo, testPen())
  return { way: 'answer', from, ...deliveredTo(to, feature, answer, answer) }
}

/** What a client of this dialect gets of an answer, with the intended answer. */
function deliveredTo(to: Dialect, feature: AnswerFeature, answer: ReadResponse, meant: ConversationResponse): Omit<Cell, 'way' | 'from'> {
  const outward = withState(answer, (opaque) => wrap(tenant, to, opaque))
  const { body, losses: written } = codecs[to].writeResponse(outward, askedBy(to), testPen())
  const losses = joinLosses(answer.losses, written)
  const arrived = attempt(() => withState(codecs[to].readResponse(body, noMemo, testPen()), (opaque) => unwrap(tenant, opaque)))
  const place = { row: feature.row, feature: feature.name, to }
  if (arrived instanceof GatewayError) return { ...place, verdict: 'refused', fields: ['response.finish'], meaning: true }
  return { ...place, ...judged(losses, alike(feature.of(arrived), feature.of(meant))) }
}

const tenant = 'anna'
/** Opaque vendor state travels in sealed envelopes, as in the relay. */
const { wrap, unwrap } = createEnvelopes(sealer('ab'.repeat(32)))
const withState = (answer: ConversationResponse, change: Change): ConversationResponse => ({
  ...answer,
  choices: answer.choices.map((choice) => ({ ...choice, parts: changeParts(choice.parts, change) })),
})

const alike = (a: unknown, b: unknown) => Bun.deepEquals(plain({ a }), plain({ a: b }))
