/**
 * Tests a single channel, for administrators: a small real conversation with each of its keys, and the upstream's list of models.
 * Nothing is held or charged, and the result does not affect the channel's health.
 */

import type { CodecContext } from '#canonical/codec'
import type { ConversationRequest } from '#canonical/conversation'
import type { Usage } from '#canonical/usage'
import { conversationCodecs } from '#protocols/index'
import { readModelNames } from '#protocols/model-names'
import type { RelayParts } from '#relay/contract/ask'
import { codecFor } from '#relay/conversation/converted'
import { readText } from '#relay/exchange/answer-text'
import { outgoing, signed, splitterOf } from '#relay/exchange/outgoing'
import type { Channel, ChannelKey, ChannelModel, Channels } from '#routing/channel'
import type { Candidate } from '#routing/order'
import { spokenTo } from '#routing/plan'
import { type AbortSignalLike, abortedWithAny } from '#runtime/contract/abort'
import type { ProbeAnswer, ProbeQuestion, ProbeResult, UpstreamModels } from '#shared/console/inspection/probe'
import { asGatewayError, GatewayError } from '#shared/errors'
import { type PhaseTimer, phaseLimits, phaseTimer } from '#upstream/timeouts'
import type { UpstreamAnswer, UpstreamRequest } from '#upstream/upstream'
import { authHeaders } from '#vendors/auth'
import { modelList } from '#vendors/model-list'
import { type ProbeNotes, probeNotes } from './probe-notes.ts'

/** The result of one test request to one key. */
export interface Probed {
  candidate: Candidate
  stream: boolean
  /** When it was sent, in milliseconds since the epoch. */
  at: number
  result: ProbeResult
  /** Usage as the upstream reports it; undefined without a readable answer. */
  usage: Usage | undefined
}

interface Noted extends Probed {
  notes: ProbeNotes
}

type Asked = Pick<Noted, 'candidate' | 'stream' | 'notes'>

export interface Probe {
  /**
   * `onProbed` is called with each result. Throws `not_found` for an unknown channel, `model_not_found` for an unknown model of it,
   * `unsupported_endpoint` when none of its models is a chat model.
   */
  test(channelId: string, question: ProbeQuestion, signal: AbortSignalLike, onProbed?: (probed: Probed) => void): Promise<ProbeAnswer>
  /**
   * Of a channel or a draft of one. Throws `not_found`, `unsupported_endpoint` for a vendor without a model list, or the upstream's
   * refusal.
   */
  models(channel: string | Channel, signal: AbortSignalLike): Promise<UpstreamModels>
}

type Parts = Pick<RelayParts, 'upstream' | 'demo' | 'signer' | 'clock' | 'random' | 'version'> & { channels: Pick<Channels, 'get'> }

const testBytes = 1024 * 1024
const listBytes = 16 * 1024 * 1024
/** At most this many keys are tested. */
const mostKeys = 20
/** Output limit in tokens: enough for one word; some upstreams refuse less. */
const outputTokens = 16
const limits = phaseLimits({ firstEvent: 30, betweenEvents: 30, total: 60 })

const question = (model: string, stream: boolean): ConversationRequest => ({
  dialect: 'chat',
  model,
  instructions: [],
  turns: [{ role: 'user', parts: [{ kind: 'text', text: 'Say OK.' }] }],
  tools: [],
  toolPolicy: { mode: 'auto' },
  output: { maxTokens: outputTokens, format: { kind: 'text' }, modalities: [], stop: [], n: 1 },
  sampling: {},
  reasoning: {},
  cache: {},
  identity: {},
  stream,
  usageAsked: true,
  extensions: {},
})

type Spoken = Omit<Candidate, 'key'>

function spoken(channel: Channel, model: ChannelModel): Spoken | undefined {
  const request = { group: '', model: model.name, models: null, operation: 'generate', dialect: 'chat' } as const
  const how = spokenTo(channel, model, request)
  return how && { channel, model, ...how }
}

function chosen(channel: Channel, model: string | undefined): Spoken {
  const models = [...channel.models.values()].filter(({ name }) => model === undefined || name === model)
  if (models.length === 0) throw new GatewayError('model_not_found', 'The channel does not offer this model.', { param: 'model' })
  const [first] = models.flatMap((one) => spoken(channel, one) ?? [])
  if (!first) throw new GatewayError('unsupported_endpoint', 'This test needs a chat model, and the channel has none.')
  return first
}

type Keys = readonly [ChannelKey | null, ...ChannelKey[]]

function keysOf(channel: Channel): Keys {
  const [first, ...others] = channel.keys.filter((key) => key.enabled).slice(0, mostKeys)
  if (first) return [first, ...others]
  if (channel.vendor.keyless && channel.keys.length === 0) return [null]
  throw new GatewayError('unsupported_endpoint', 'The channel has no enabled key.')
}

/** Tests channels with real requests. */
export function createProbe(parts: Parts): Probe {
  const { clock, channels } = parts
  const codecContext: CodecContext = { now: clock.now, id: (prefix) => prefix + parts.random.base62(24) }

  function found(id: string): Channel {
    const channel = channels.get(id)
    if (!channel) throw new GatewayError('not_found', 'There is no such channel.')
    return channel
  }

  /** Reads one response to its end and returns the usage that it reports. Throws unless it is a valid answer. */
  async function judge(asked: Asked, answer: UpstreamAnswer, timer: PhaseTimer): Promise<Usage | undefined> {
    const { candidate, stream, notes } = asked
    const codec = codecFor(candidate)
    const memo = { toolNames: {}, wrappedTools: [] }
    if (!stream) {
      const { text } = await readText(answer, testBytes)
      notes.body(text)
      const response = codec.readResponse(text, memo, codecContext)
      notes.response(response)
      return response.usage
    }
    let usage: Usage | undefined
    const reader = codec.reader(memo, codecContext)
    const splitter = splitterOf(candidate)
    for (let size = 0, ended = false; !ended; ) {
      const piece = await answer.read()
      timer.touch()
      size += piece?.byteLength ?? 0
      const frames = piece === undefined ? splitter.end() : splitter.push(piece)
      for (const frame of frames) notes.frame(frame)
      const events = [...frames.flatMap((frame) => reader.push(frame)), ...(piece === undefined ? reader.end(undefined) : [])]
      for (const event of events) notes.event(event)
      const failed = events.find((event) => event.kind === 'error')
      if (failed) throw failed.error
      usage = events.findLast((event) => event.kind === 'usage')?.usage ?? usage
      ended = piece === undefined || size > testBytes || events.some(({ kind }) => kind === 'end')
    }
    return usage
  }

  async function ask(candidate: Candidate, stream: boolean, signal: AbortSignalLike): Promise<Noted> {
    const { channel, model } = candidate
    const codec = codecFor(candidate)
    const [at, startedAt] = [clock.now(), clock.monotonic()]
    const timer = phaseTimer(clock, limits)
    const notes = probeNotes(() => clock.monotonic() - startedAt)
    let status: number | null = null
    let answer: UpstreamAnswer | undefined
    let usage: Usage | undefined
    const ended = (error: ProbeResult['error']): Noted => {
      const result = { ok: error === null, status, ms: Math.round(clock.monotonic() - startedAt), error }
      return { candidate, stream, at, result, usage, notes }
    }
    try {
      const target = { model: model.upstream, capabilities: model.capabilities, stream }
      const { body, headers } = codec.writeRequest(question(model.name, stream), target)
      const request = outgoing({ operation: 'generate', stream, version: parts.version }, candidate, JSON.stringify(body), headers)
      const both = abortedWithAny(signal, timer.signal)
      const upstream = channel.vendor.scripted ? parts.demo : parts.upstream
      if (channel.vendor.scripted) timer.connected()
      answer = await upstream.open(await signed(parts.signer, request, both), both, () => timer.connected())
      status = answer.status
      if (status < 200 || status > 299) {
        const { text } = await readText(answer, testBytes)
        notes.body(text)
        throw codec.readError(status, new Headers([...answer.headers]), text)
      }
      usage = await judge({ candidate, stream, notes }, answer, timer)
      return ended(null)
    } catch (thrown) {
      const { code, publicCode, message } = asGatewayError(thrown)
      return ended({ code: code === 'upstream_rejected' ? (publicCode ?? code) : code, message })
    } finally {
      timer.stop()
      answer?.cancel()
    }
  }

  async function list(channel: Channel, request: UpstreamRequest, signal: AbortSignalLike): Promise<string[]> {
    const timer = phaseTimer(clock, limits)
    try {
      const both = abortedWithAny(signal, timer.signal)
      const answer = await parts.upstream.open(await signed(parts.signer, request, both), both, () => timer.connected())
      const { text } = await readText(answer, listBytes)
      const [dialect = 'chat'] = channel.speaks
      if (answer.status !== 200) throw conversationCodecs[dialect].readError(answer.status, new Headers([...answer.headers]), text)
      const names = readModelNames(text)
      if (!names) throw new GatewayError('upstream_error', 'The upstream answered with something that is not a list of models.')
      return names
    } finally {
      timer.stop()
    }
  }

  return {
    async test(channelId, { model, stream = false, detail = false }, signal, onProbed) {
      const channel = found(channelId)
      const how = chosen(channel, model)
      const askWith = async (key: ChannelKey | null) => {
        const probed = await ask({ ...how, key }, stream, signal)
        onProbed?.(probed)
        const { candidate, result, usage, notes } = probed
        return { key: key?.name ?? null, ...result, ...(detail && { detail: notes.detail(candidate, usage) }) }
      }
      const [first, ...others] = keysOf(channel)
      const answered = await askWith(first)
      const keys = [answered]
      for (const key of others) keys.push(await askWith(key))
      const { key: _, ...shown } = keys.find(({ ok }) => !ok) ?? answered
      return { model: how.model.name, ...shown, keys }
    },
    async models(asked, signal) {
      const channel = typeof asked === 'string' ? found(asked) : asked
      const where = modelList(channel.vendor, channel.baseUrl)
      if (!where) throw new GatewayError('unsupported_endpoint', 'This vendor does not offer a list of its models.')
      const [key] = keysOf(channel)
      const headers = {
        accept: 'application/json',
        'user-agent': `parley/${parts.version}`,
        ...where.headers,
        ...authHeaders(where.auth, key?.secret),
        ...channel.headers,
      }
      const credential = { scheme: where.auth, secret: key?.secret, options: channel.options }
      const names = await list(
        channel,
        { method: 'GET', url: where.url, headers, body: undefined, credential, ...(channel.route && { route: channel.route }) },
        signal,
      )
      const offered = new Set([...channel.models.values()].map(({ upstream }) => upstream))
      return { data: names.map((id) => ({ id, offered: offered.has(id) })) }
    },
  }
}
