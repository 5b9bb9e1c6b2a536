/**
 * Sends spans to the configured collector by the HTTP client for upstreams: only OpenTelemetry's settings are used,
 * since its transport costs several times as much as the sending itself. Retries as the protocol requires, as long as there is time.
 * Read: https://opentelemetry.io/docs/specs/otlp/#otlphttp-request.
 */
import { gzip } from 'node:zlib'
import { convertLegacyHttpOptions } from '@opentelemetry/otlp-exporter-base/node-http'
import type { Clock } from '#runtime/clock'
import { Abort } from '#runtime/contract/abort'
import type { HttpAnswer } from '#runtime/contract/http-client'
import type { TlsIdentity } from '#runtime/contract/route'
import { createHttpClient } from '#runtime/http-client'
import { spanMessages, type WrittenLot } from './span-message.ts'
import type { SpanSender } from './span-queue.ts'

/** Resource and scope of the spans. */
export interface SpanOrigin {
  resource: Record<string, string>
  scope: { name: string; version: string }
}

/** A collector's refusal of a message. */
class Refusal extends Error {
  override readonly name = 'OTLPExporterError'
  /** The HTTP status. */
  readonly code: number
  constructor(code: number) {
    super(`the collector answered ${code}`)
    this.code = code
  }
}

/** Statuses after which the message may be sent again. */
const passing = new Set([429, 502, 503, 504])
/** Most bytes of an answer to read. */
const mostAnswer = 1024 * 1024
/** Milliseconds: the first pause between two tries, the factor of the next one, and the longest. */
const [firstPause, growth, longestPause] = [1_000, 1.5, 5_000]

/** Sends to the collector; `tls`: certificates from its variables. */
export function createSpanSender(
  { resource, scope }: SpanOrigin,
  tls: TlsIdentity | undefined,
  clock: Pick<Clock, 'after' | 'monotonic' | 'sleep'>,
): SpanSender<WrittenLot> {
  const {
    url: given,
    headers,
    timeoutMillis,
    compression,
  } = convertLegacyHttpOptions({}, 'TRACES', 'v1/traces', {
    'Content-Type': 'application/json',
  })
  const { url, credentials } = apart(given)
  const route = tls && { name: 'the collector', tls }
  const client = createHttpClient(clock)
  const attributes = Object.entries(resource).map(([key, stringValue]) => ({ key, value: { stringValue } }))
  const messageOf = spanMessages(
    `{"resourceSpans":[{"resource":${JSON.stringify({ attributes })},"scopeSpans":[{"scope":${JSON.stringify(scope)},"spans":[`,
    ']}]}]}',
  )

  /** One try. Resolves to the milliseconds to wait before the next one, or to undefined when the message was taken. */
  async function ask(
    body: Uint8Array<ArrayBuffer>,
    withinMs: number,
  ): Promise<{ waitMs: number | undefined; refusal: unknown } | undefined> {
    const abort = new Abort()
    const timer = clock.after(withinMs, () => abort.abort(new Error('the collector did not answer in time')))
    try {
      const wanted = { ...credentials, ...(await headers()), ...(compression === 'gzip' && { 'Content-Encoding': 'gzip' }) }
      const sent = { ...wanted, 'User-Agent': `parley/${scope.version}`, 'Content-Length': String(body.length) }
      const answer = await client.send({
        ...{ method: 'POST', url, route, headers: Object.entries(sent), body: streamOf(body), fresh: false },
        ...{ signal: abort, connected: () => undefined },
      })
      await readToEnd(answer)
      if (answer.status >= 200 && answer.status <= 299) return undefined
      if (!passing.has(answer.status)) throw new Refusal(answer.status)
      return { waitMs: retryAfterOf(answer), refusal: new Refusal(answer.status) }
    } catch (thrown) {
      if (thrown instanceof Refusal) throw thrown
      return { waitMs: undefined, refusal: thrown }
    } finally {
      timer.cancel()
    }
  }

  return {
    close: client.close,
    async send(lots) {
      const message = messageOf(lots)
      const body = compression === 'gzip' ? await zipped(message) : message
      const until = clock.monotonic() + timeoutMillis
      for (let pause = firstPause; ; pause = Math.min(pause * growth, longestPause)) {
        const again = await ask(body, until - clock.monotonic())
        if (again === undefined) return
        const waitMs = again.waitMs ?? pause
        if (clock.monotonic() + waitMs >= until) throw again.refusal
        await clock.sleep(waitMs)
      }
    },
  }
}

/** The bytes as they are: a Blob would copy them. */
const streamOf = (bytes: Uint8Array) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes)
      controller.close()
    },
  })

/** A user and password in the URL become a header. */
function apart(given: string): { url: string; credentials: Record<string, string> } {
  const url = new URL(given)
  const { username, password } = url
  if (username === '' && password === '') return { url: given, credentials: {} }
  const pair = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  url.username = ''
  url.password = ''
  return { url: url.href, credentials: { Authorization: `Basic ${pair}` } }
}

/** Drains the answer, which is not used, so that the connection can be reused. */
async function readToEnd(answer: HttpAnswer): Promise<void> {
  let left = mostAnswer
  for (let piece = await answer.read(); piece !== undefined && left > 0; piece = await answer.read()) left -= piece.length
  if (left <= 0) answer.cancel()
}

/** Milliseconds from Retry-After. */
function retryAfterOf({ headers }: HttpAnswer): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return seconds >= 0 ? seconds * 1000 : undefined
}

const zipped = (bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> =>
  new Promise((resolve, reject) => gzip(bytes, { level: 1 }, (error, result) => (error ? reject(error) : resolve(new Uint8Array(result)))))
