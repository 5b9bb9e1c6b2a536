/** Every endpoint with an upstream that answers in the same dialect: the request, and the answer in pieces. */
import { wavFile } from '#testing/sound'
import { eventsIn, type Fields, fieldsOf, type Route, routes } from './routes.ts'
import { words as pieces, trueCost, truth, wireNames, wires, text as words } from './wires.ts'

/** One endpoint and its upstream's answers. */
export interface Source {
  route: Route
  channel: object
  /** Absent: this endpoint always streams. */
  whole: { type: string; body: string }
  /** Absent: this endpoint does not stream. */
  streamed?: { opening: string; content: string; rest: string; finish: string; error: string }
  /** What a client reads from a whole answer, from a stream, and from the stream's first piece. */
  says: { whole: string; streamed: string; first: string }
  cost: string | undefined
  /** A whole answer is forwarded as it arrives, so only a broken connection can signal an error. */
  passes?: true
  refusal(status: number): object
  limited: object
}

const json = 'application/json'
const [first = '', second = ''] = pieces

const conversations = wireNames.map((name): [string, Source] => {
  const wire = wires[name]
  const { vendor, speaks, refusal, limited, error } = wire
  return [
    name,
    {
      route: routes[name],
      channel: { vendor, ...(speaks && { speaks }) },
      whole: { type: json, body: wire.whole(truth) },
      streamed: {
        opening: wire.opening(truth),
        content: wire.content(first),
        rest: wire.content(second),
        finish: wire.finish(truth) + wire.terminator(truth),
        error,
      },
      says: { whole: words, streamed: words, first },
      cost: trueCost,
      refusal,
      limited,
    },
  ]
})

const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const { refusal, limited, error } = wires.chat
const openai = { channel: { vendor: 'openai' }, cost: undefined, refusal, limited }
const codeOf = (body: Fields) => String(body.error?.code ?? body.error?.type)

/** Reads streams that end with an event of type `last`; `pieceOf` reads the text of an event. */
function readStream(raw: string, last: string, pieceOf: (event: Fields) => unknown): ReturnType<Route['streamed']> {
  const events = eventsIn(raw).filter(({ data }) => data !== '[DONE]')
  const said = events.map(({ data }) => fieldsOf(data))
  const text = said.map((one) => pieceOf(one) ?? '').join('')
  const end = said.at(-1)
  if (said.slice(0, -1).some((one) => one.error)) throw new Error('an error is not the last word')
  if (end?.error) return { kind: 'error', code: codeOf(end), text }
  if (String(end?.type) !== last) throw new Error('the stream ends without its last event')
  return { kind: 'answer', code: undefined, text }
}

const noStream = (): never => {
  throw new Error('this endpoint does not stream')
}

const embeddings: Source = {
  ...openai,
  cost: '0.001',
  route: {
    path: () => '/v1/embeddings',
    body: (model) => ({ model, input: 'Well?' }),
    textOf: (body) => String(fieldsOf(body).data?.[0]?.embedding),
    streamed: noStream,
    codeOf,
  },
  whole: {
    type: json,
    body: JSON.stringify({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.5, 0.25] }],
      model: 'upstream',
      usage: { prompt_tokens: 1000, total_tokens: 1000 },
    }),
  },
  says: { whole: '0.5,0.25', streamed: '', first: '' },
}

const picture = (what: string) => Buffer.from(what).toString('base64')
const imageUsage = { usage: { input_tokens: 10, output_tokens: 100, total_tokens: 110, input_tokens_details: { text_tokens: 10 } } }
const shown = (type: string, what: string, fields: object = {}) =>
  `event: image_generation.${type}\n${event({ type: `image_generation.${type}`, b64_json: picture(what), created_at: 1, ...fields })}`

const images: Source = {
  ...openai,
  cost: '0.00021',
  route: {
    path: () => '/v1/images/generations',
    body: (model, stream) => ({ model, prompt: 'A fox.', ...(stream && { stream, partial_images: 2 }) }),
    textOf: (body) => String(fieldsOf(body).data?.[0]?.b64_json),
    streamed: (raw) => readStream(raw, 'image_generation.completed', ({ b64_json }) => b64_json),
    codeOf,
  },
  whole: { type: json, body: JSON.stringify({ created: 1, data: [{ b64_json: picture('done') }], ...imageUsage }) },
  streamed: {
    opening: ': wait\n\n',
    content: shown('partial_image', 'begun', { partial_image_index: 0 }),
    rest: shown('partial_image', 'more', { partial_image_index: 1 }),
    finish: shown('completed', 'done', imageUsage),
    error,
  },
  says: { whole: picture('done'), streamed: picture('begun') + picture('more') + picture('done'), first: picture('begun') },
}

const sound = 'one piece of sound and another piece of it'
const heard = (what: string) => event({ type: 'speech.audio.delta', audio: picture(what) })

const speech: Source = {
  ...openai,
  passes: true,
  route: {
    path: () => '/v1/audio/speech',
    body: (model, stream) => ({ model, input: 'Hello.', voice: 'alloy', ...(stream && { stream_format: 'sse' }) }),
    textOf: (body) => body,
    streamed: (raw) => readStream(raw, 'speech.audio.done', ({ audio }) => audio),
    codeOf,
  },
  whole: { type: 'audio/mpeg', body: sound },
  streamed: {
    opening: ': wait\n\n',
    content: heard('one'),
    rest: heard('two'),
    finish: event({ type: 'speech.audio.done', usage: { input_tokens: 9, output_tokens: 130, total_tokens: 139 } }),
    error,
  },
  says: { whole: sound, streamed: picture('one') + picture('two'), first: picture('one') },
}

const tokens = { usage: { type: 'tokens', input_tokens: 44, output_tokens: 12, total_tokens: 56 } }

function recording(model: string, stream: boolean): FormData {
  const form = new FormData()
  form.append('file', new File([wavFile(1)], 'fox.wav', { type: 'audio/wav' }))
  form.append('model', model)
  if (stream) form.append('stream', 'true')
  return form
}

const transcription: Source = {
  ...openai,
  cost: '0.000068',
  route: {
    path: () => '/v1/audio/transcriptions',
    body: recording,
    textOf: (body) => String(fieldsOf(body).text),
    streamed: (raw) => readStream(raw, 'transcript.text.done', ({ delta }) => delta),
    codeOf,
  },
  whole: { type: json, body: JSON.stringify({ text: words, ...tokens }) },
  streamed: {
    opening: ': wait\n\n',
    content: event({ type: 'transcript.text.delta', delta: first }),
    rest: event({ type: 'transcript.text.delta', delta: second }),
    finish: event({ type: 'transcript.text.done', text: words, ...tokens }),
    error,
  },
  says: { whole: words, streamed: words, first },
}

export const sources: Record<string, Source> = { ...Object.fromEntries(conversations), embeddings, images, speech, transcription }
