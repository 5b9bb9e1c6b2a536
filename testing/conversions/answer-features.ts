/** Everything that an answer can contain, one feature at a time; which dialects can express a feature is determined by trying. */
import type { CallPart, Choice, ConversationRequest, ConversationResponse, FinishReason, Part, TokenLogprob } from '#canonical/conversation'
import { noUsage, type Usage } from '#canonical/usage'
import type { Dialect } from '#shared/ids'
import { conversation, text } from './conversation.ts'
import { citation, png, seal, step } from './turn-features.ts'

/** One feature of an answer. */
export interface AnswerFeature {
  row: string
  name: string
  /** The parts of the smallest answer with this feature. */
  parts(dialect: Dialect): Part[]
  /** How its one choice ends, and the choice's other fields. */
  choice?: Partial<Choice>
  usage?: (usage: Usage) => void
  tier?: string
  /** The feature's content in an answer; equal for answers that agree on it. */
  of(answer: ConversationResponse): unknown
}

/** A request of this dialect that asks for everything an answer can contain. */
export function askedBy(dialect: Dialect): ConversationRequest {
  const reasoning = dialect === 'messages' ? { adaptive: true } : { effort: 'high' as const }
  return conversation({ dialect, usageAsked: true, reasoning: { ...reasoning, visible: 'summary' } })
}

/** The smallest answer with this feature. */
export function answerWith({ parts, choice, usage: counted, tier }: AnswerFeature, dialect: Dialect): ConversationResponse {
  const usage = { ...noUsage(), provenance: 'provider' as const }
  Object.assign(usage.in, { fresh: 100 })
  Object.assign(usage.out, { total: 50 })
  counted?.(usage)
  const said = parts(dialect)
  const reason = said.some((part) => part.kind === 'call')
    ? 'tool-calls'
    : said.some((part) => part.kind === 'refusal')
      ? 'refusal'
      : 'stop'
  const choices = [{ index: 0, parts: said, finish: { reason, raw: '' } as const, ...choice }]
  return { id: 'answer_1', model: 'asked', created: 1_764_000_000, choices, usage, ...(tier !== undefined && { tier }) }
}

type Of = AnswerFeature['of']
const partsOf = (answer: ConversationResponse): Part[] => answer.choices.flatMap((choice) => choice.parts)
const fields =
  (kind: Part['kind'], ...keys: string[]): Of =>
  (answer) =>
    partsOf(answer)
      .filter((part) => part.kind === kind)
      .map((part) => keys.map((key) => (part as unknown as Record<string, unknown>)[key]))
const says = (row: string, name: string, parts: Part[], of: Of): AnswerFeature => ({ row, name, parts: () => parts, of })
const ends = (reason: FinishReason, more: Partial<Choice['finish']> = {}, parts: Part[] = [text('Words.')]): AnswerFeature => ({
  row: '2.7',
  name: `end: ${reason}`,
  parts: () => parts,
  choice: { finish: { reason, raw: '', ...more } },
  of: (answer) => answer.choices.map(({ finish }) => [finish.reason, finish.stopSequence]),
})
const counts = (name: string, usage: (usage: Usage) => void): AnswerFeature => ({
  row: '1.10',
  name,
  parts: () => [text('Words.')],
  usage,
  of: ({ usage }) => [usage.in, usage.out, usage.units.searches],
})
const allText: Of = (answer) => partsOf(answer).map((part) => (part.kind === 'text' || part.kind === 'refusal' ? part.text : ''))

const call = (callId: string, more: Partial<CallPart> = {}): CallPart => ({
  kind: 'call',
  callId,
  name: 'look',
  form: 'json',
  argsText: '{"city":"Rome"}',
  ...more,
})
const calls = fields('call', 'callId', 'name', 'form', 'argsText', 'namespace')
const kinds: Of = (answer) => partsOf(answer).map(({ kind }) => kind)
const sources: Of = (answer) =>
  partsOf(answer).flatMap((part) => (part.kind === 'text' ? (part.citations ?? []).map(({ url, title }) => [url, title]) : []))
const page = {
  type: 'char_location',
  cited_text: 'It is',
  document_index: 0,
  document_title: 'A',
  start_char_index: 0,
  end_char_index: 5,
}
const logprobs: TokenLogprob[] = [{ token: 'Words.', logprob: -0.5, bytes: [87], top: [{ token: 'Hm', logprob: -2, bytes: [72] }] }]
const sealed =
  (form: 'summary' | 'hidden') =>
  (dialect: Dialect): Part[] => [
    {
      kind: 'reasoning',
      text: form === 'hidden' ? [] : ['Hm.'],
      form,
      opaque: [form === 'hidden' && dialect === 'messages' ? { ...seal(dialect), kind: 'redacted' } : seal(dialect)],
    },
    text('Words.'),
  ]

export const answerFeatures: readonly AnswerFeature[] = [
  says('2.2', 'text', [text('日本 🎉')], allText),
  { ...says('2.2', 'source on the web', [], sources), parts: (dialect) => [{ ...text('It is so.'), citations: [citation(dialect)] }] },
  says(
    '2.2',
    'place in a document',
    [{ ...text('It is so.'), citations: [{ kind: 'document', title: 'A', citedText: 'It is', raw: page }] }],
    (answer) => partsOf(answer).flatMap((part) => (part.kind === 'text' ? (part.citations ?? []).map(({ raw }) => raw) : [])),
  ),
  says('2.2', 'refusal', [{ kind: 'refusal', text: 'No.' }], fields('refusal', 'text')),
  says(
    '2.2',
    'image',
    [{ kind: 'media', media: 'image', source: { data: png }, mimeType: 'image/png' }],
    fields('media', 'media', 'source'),
  ),
  says(
    '2.2',
    'audio',
    [{ kind: 'media', media: 'audio', source: { data: 'UklGRg==' }, mimeType: 'audio/pcm;rate=24000' }],
    fields('media', 'media', 'source'),
  ),
  says(
    '2.2',
    'transcript of audio',
    [{ kind: 'media', media: 'audio', source: { data: 'UklGRg==' }, mimeType: 'audio/pcm;rate=24000', transcript: 'Words.' }],
    fields('media', 'transcript'),
  ),
  says('2.1', 'phase', [{ ...text('Words.'), phase: 'final_answer' }], fields('text', 'phase')),
  says('2.3', 'call', [call('call_1')], calls),
  says('2.3', 'parallel calls', [call('call_1'), call('call_2')], calls),
  says('2.3', 'call without arguments', [call('call_1', { argsText: '{}' })], calls),
  says('2.3', 'call whose arguments are no JSON', [call('call_1', { argsText: '{"city":' })], calls),
  says('2.3', 'call with free text', [call('call_1', { form: 'text', argsText: 'ls' })], fields('call', 'form', 'argsText')),
  says('2.3', 'call of a tool in a namespace', [call('call_1', { namespace: 'web' })], calls),
  says('2.3', 'text after a call', [call('call_1'), text('Words.')], kinds),
  {
    ...says('2.3', 'step of a vendor’s own tool', [], fields('native', 'raw')),
    parts: (dialect) => [{ kind: 'native', dialect, raw: step(dialect) }, text('Words.')],
  },
  says('2.4', 'thoughts', [{ kind: 'reasoning', text: ['Hm.'], form: 'summary', opaque: [] }, text('Words.')], fields('reasoning', 'text')),
  says(
    '2.4',
    'thoughts in several segments',
    [{ kind: 'reasoning', text: ['Hm.', 'So.'], form: 'summary', opaque: [] }, text('Words.')],
    fields('reasoning', 'text'),
  ),
  { ...says('2.4', 'thoughts with their seal', [], fields('reasoning', 'text', 'opaque')), parts: sealed('summary') },
  { ...says('2.4', 'hidden thoughts', [], fields('reasoning', 'text', 'opaque')), parts: sealed('hidden') },
  {
    ...says('2.5', 'log probabilities', [text('Words.')], (answer) => answer.choices.map((choice) => choice.logprobs)),
    choice: { logprobs },
  },
  ends('stop'),
  ends('stop-sequence', { stopSequence: 'END' }),
  ends('tool-calls', {}, [call('call_1')]),
  ends('length'),
  ends('context-full'),
  ends('content-filter'),
  ends('refusal', {}, [{ kind: 'refusal', text: 'No.' }]),
  ends('paused'),
  ends('bad-tool-call'),
  counts('tokens in and out', () => undefined),
  counts('tokens from the cache', (usage) => Object.assign(usage.in, { cacheRead: 40 })),
  counts('tokens into the cache', (usage) => Object.assign(usage.in.cacheWrite, { other: 30 })),
  counts('tokens into the cache for five minutes', (usage) => Object.assign(usage.in.cacheWrite, { '5m': 30 })),
  counts('tokens into the cache for an hour', (usage) => Object.assign(usage.in.cacheWrite, { '1h': 30 })),
  counts('tokens of thoughts', (usage) => Object.assign(usage.out, { reasoning: 20 })),
  counts('tokens of audio and images', (usage) => {
    Object.assign(usage.in, { audio: 5, image: 6 })
    Object.assign(usage.out, { audio: 7, image: 8 })
  }),
  { ...says('2.8', 'tier that served', [text('Words.')], (answer) => answer.tier), tier: 'priority' },
]
