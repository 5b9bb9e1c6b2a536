/**
 * The spans of a finished request as text of OTLP/JSON, whole: the one for the request first, then one for each attempt. Never prompts,
 * answers or secrets. Written piece by piece: building objects for an exporter to serialise costs six times as much. Pure.
 * Read: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding: ids are hexadecimal, 64-bit numbers are text.
 */
import { promptOf } from '#canonical/usage'
import type { NewLog } from '#store/ledger/ledger'
import { operationOf, providerOf, type Vendors } from './conventions.ts'
import type { TracedAttempt, TracedRequest } from './traced-requests.ts'

/** Flags: sampled, with known parent location: local, and remote. */
const [flags, remoteParent] = [0x101, 0x301]
const [server, client] = [2, 3]

/**
 * User-chosen text as JSON in ASCII: one other character would double the whole message in memory. Values generated here from
 * letters and digits need no escaping.
 */
function quoted(text: string): string {
  const json = JSON.stringify(text)
  return foreign.test(json) ? json.replace(everyForeign, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`) : json
}
const foreign = /[^ -~]/
const everyForeign = /[^ -~]/g

/** Each writes one attribute with a comma before it; nothing if it has no value. */
const textAttribute = (name: string) => {
  const begin = `,{"key":"${name}","value":{"stringValue":`
  return (value: string | null | undefined) => (value == null ? '' : `${begin}${quoted(value)}}}`)
}
const wholeAttribute = (name: string) => {
  const begin = `,{"key":"${name}","value":{"intValue":"`
  return (value: number | null | undefined) => (value == null ? '' : `${begin}${value}"}}`)
}
const dollarsAttribute = (name: string) => {
  const begin = `,{"key":"${name}","value":{"doubleValue":`
  return (nano: bigint) => `${begin}${Number(nano) / 1e9}}}`
}

const provider = textAttribute('gen_ai.provider.name')
const model = textAttribute('gen_ai.request.model')
const responseModel = textAttribute('gen_ai.response.model')
const error = textAttribute('error.type')
const status = wholeAttribute('http.response.status_code')
const requestId = textAttribute('parley.request_id')
const dialect = textAttribute('parley.dialect')
const end = textAttribute('parley.end')
const group = textAttribute('parley.group')
const cost = dollarsAttribute('parley.cost_usd')
const user = textAttribute('user.id')
const member = textAttribute('parley.member')
const key = textAttribute('parley.key')
const channel = textAttribute('parley.channel')
const channelKey = textAttribute('parley.channel_key')
const phase = textAttribute('parley.phase')
const inputTokens = wholeAttribute('gen_ai.usage.input_tokens')
const outputTokens = wholeAttribute('gen_ai.usage.output_tokens')
const cachedTokens = wholeAttribute('gen_ai.usage.cache_read.input_tokens')
const reasoningTokens = wholeAttribute('gen_ai.usage.reasoning.output_tokens')

/** Attributes of the caller. */
export const callerText = ({ userId, memberId, key: name }: Pick<NewLog, 'userId' | 'memberId' | 'key'>): string =>
  `${user(userId)}${member(memberId)}${key(name)}`

/** Spans as text, separated by commas: one, and one for each attempt of `request`. */
export function spansText(row: NewLog, request: TracedRequest, vendors: Vendors): string {
  const operation = operationOf(row)
  const begin = `{"traceId":"${request.traceId}","spanId":"`
  let text = `${begin}${request.spanId}"${requestSpan(row, request, operation, vendors)}`
  for (const attempt of request.attempts)
    text += `,${begin}${attempt.spanId}","parentSpanId":"${request.spanId}"${attemptSpan(attempt, row, operation, vendors)}`
  return text
}

function requestSpan(row: NewLog, { parent }: TracedRequest, operation: string, vendors: Vendors): string {
  const at = row.at.getTime()
  const failure = row.error?.code
  return (
    `${parent === undefined ? '' : `,"parentSpanId":"${parent.spanId}"`},${named(operation, row.model, server, at, row.totalMs)}` +
    `${provider(providerOf(row.channel, vendors))}${model(row.model)}${responseModel(row.upstreamModel)}${error(failure)}` +
    `${status(row.status)}${requestId(row.requestId)}${dialect(row.dialect)},{"key":"parley.stream","value":{"boolValue":${row.stream}}}` +
    `${end(row.end)}${group(row.group)}${cost(row.cost)}${callerText(row)}${channel(row.channel)}` +
    `${tokens(row.usage)}]${events(row, at)}${ending(failure, parent === undefined ? flags : remoteParent)}`
  )
}

function attemptSpan({ row: attempt, startedAt }: TracedAttempt, row: NewLog, operation: string, vendors: Vendors): string {
  const asked = attempt.model ?? row.model
  return (
    `,${named(operation, asked, client, startedAt, attempt.ms)}${provider(providerOf(attempt.channel, vendors))}${model(asked)}` +
    `${channel(attempt.channel)}${phase(attempt.phase)}${channelKey(attempt.key)}${status(attempt.status)}${error(attempt.cause)}]` +
    ending(attempt.cause, flags)
  )
}

/** Name, kind and times of a span, and the first of its attributes. */
const named = (operation: string, asked: string, kind: number, at: number, ms: number) =>
  `"name":${quoted(`${operation} ${asked}`.trim())},"kind":${kind},"startTimeUnixNano":"${nanos(at)}","endTimeUnixNano":"${nanos(at + ms)}",` +
  `"attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"${operation}"}}`

function tokens(usage: NewLog['usage']): string {
  if (!usage) return ''
  const { in: input, out } = usage
  const cached = input.cacheRead > 0 ? cachedTokens(input.cacheRead) : ''
  return `${inputTokens(promptOf(usage))}${outputTokens(out.total)}${cached}${out.reasoning > 0 ? reasoningTokens(out.reasoning) : ''}`
}

const eventField = [textAttribute('field'), textAttribute('what'), textAttribute('reason')] as const

function events({ firstTokenMs, losses, totalMs }: NewLog, at: number): string {
  const spanEvents = losses.map(({ field, what, reason }) => {
    const attributes = `${eventField[0](field)}${eventField[1](what)}${eventField[2](reason)}`
    return `{"name":"parley.loss","timeUnixNano":"${nanos(at + totalMs)}","attributes":[${attributes.slice(1)}]}`
  })
  if (firstTokenMs != null) spanEvents.unshift(`{"name":"gen_ai.first_token","timeUnixNano":"${nanos(at + firstTokenMs)}"}`)
  return spanEvents.length === 0 ? '' : `,"events":[${spanEvents.join(',')}]`
}

const ending = (failure: string | null | undefined, its: number) =>
  failure == null ? `,"flags":${its}}` : `,"status":{"code":2,"message":${quoted(failure)}},"flags":${its}}`

/** Nanoseconds since the epoch. */
export const nanos = (ms: number): string => (Number.isInteger(ms) ? `${ms}000000` : `${Math.round(ms * 1000)}000`)
