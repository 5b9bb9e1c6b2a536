/** Outcomes of an answer to an operation other than generation, at clients of its own style and of the style of the endpoint. */
import { joinLosses } from '#canonical/loss'
import type { Incoming } from '#canonical/operation/operation'
import { operationCodecs } from '#protocols/operations'
import { GatewayError } from '#shared/errors'
import type { SideOperation, Style } from '#shared/ids'
import { createSseSplitter } from '#shared/sse'
import { attempt, testPen } from '#testing/conversions/codec-runs'
import { type OperationAnswerEndpoint, partsOf } from './operation-answers.ts'
import { type Cell, type Converted, compared, type Verdict } from './outcome.ts'
import type { WireCase } from './request-cells.ts'

const sound = { name: 'file', filename: 'a.wav', type: 'audio/wav', size: 4, open: () => new Blob(['RIFF']).stream() }
const upload: Incoming = {
  parts: [{ name: 'model', value: 'asked' }, { name: 'response_format', value: 'verbose_json' }, sound],
  size: 100,
}

/** The smallest request of each operation, to which the answers belong. */
const asked: Readonly<Partial<Record<SideOperation, Incoming>>> = {
  embed: JSON.stringify({ model: 'asked', input: 'Hello' }),
  image: JSON.stringify({ model: 'asked', prompt: 'A house', stream: true }),
  moderate: JSON.stringify({ model: 'asked', input: 'Hello' }),
  rerank: JSON.stringify({ model: 'asked', query: 'Where?', documents: ['Here.'] }),
  transcribe: upload,
}
/** The style of the endpoint that clients use. */
const endpoints: Readonly<Partial<Record<SideOperation, Style>>> = { rerank: 'jina' }

function endpointOf(operation: SideOperation) {
  const style = endpoints[operation] ?? 'openai'
  const codec = operationCodecs[operation][style]
  const body = asked[operation]
  if (!codec || !('readQuestion' in codec) || body === undefined) throw new Error(`Nobody asks for ${operation} in the style of ${style}.`)
  return { style, codec, body, head: codec.readHead(body) }
}

/** The cell of one whole answer. */
export function operationAnswerCells(endpoint: OperationAnswerEndpoint, { path, body, base, hollow }: WireCase): Cell[] {
  const [operation, style] = partsOf(endpoint)
  const client = endpointOf(operation)
  const outcome = style === client.style ? passed(operation, body) : compared(given(operation, style, body), given(operation, style, base))
  return [{ from: `${operation}-${style}`, to: `${operation}-${client.style}`, path, ...outcome, ...(hollow && { hollow }) }]
}

function passed(operation: SideOperation, body: string): Verdict {
  const { codec, head } = endpointOf(operation)
  const read = attempt(() => codec.readWhole(body, {}, head))
  const outcome = read instanceof GatewayError ? 'refused' : read.body === body ? 'same' : 'silent'
  return { plain: outcome, strict: outcome }
}

function given(operation: SideOperation, style: Style, text: string): Converted | GatewayError {
  return attempt(() => {
    const { codec, body, head } = endpointOf(operation)
    const upstream = operationCodecs[operation][style]
    if (!upstream || !('readAnswer' in upstream)) throw new Error(`No upstream answers ${operation} in the style of ${style}.`)
    const question = codec.readQuestion(body)
    const read = upstream.readAnswer([text], question, head)
    const written = codec.writeAnswer(read.answer, question, testPen())
    return { text: written.body, losses: joinLosses(read.losses, written.losses) }
  })
}

/** The cell of one event, which only clients of its own style get. */
export function operationEventCells(endpoint: OperationAnswerEndpoint, { path, body }: WireCase): Cell[] {
  const [operation, style] = partsOf(endpoint)
  const { codec, head } = endpointOf(operation)
  const meter = codec.meter?.({}, head, 'text/event-stream')
  const splitter = createSseSplitter()
  const out: string[] = []
  let isRefused = false
  for (const frame of [...splitter.push(Buffer.from(body)), ...splitter.end()]) {
    const verdict = meter?.push(frame)
    isRefused ||= verdict?.error !== undefined
    out.push(Buffer.from(verdict?.out ?? []).toString())
  }
  const plain = isRefused ? 'refused' : out.join('') === body ? 'same' : 'silent'
  return [{ from: `${operation}-${style}`, to: `${operation}-${style}`, path, plain, strict: plain }]
}
