/** Random answers built from what one dialect can express, and the normal form in which two of them are compared. */
import type { Choice, ConversationResponse, Part, ReasoningPart, TextPart } from '#canonical/conversation'
import { noUsage, type Usage } from '#canonical/usage'
import type { Dialect } from '#shared/ids'
import type { Seeded } from '#testing/seeded'
import { answerFeatures } from './answer-features.ts'
import { tellable } from './loss-matrix.ts'

const words = [
  'a',
  ' ',
  'Hello ',
  '日本🎉',
  '"quoted" \\ \n\n',
  'data: x\n\nevent: error\n\n',
  '\u2028',
  '</s>',
  '\ufeff',
  'x'.repeat(300),
] as const
const someText = (random: Seeded) => Array.from({ length: 1 + random.below(3) }, () => random.pick(words)).join('')

/** Features by the kinds of parts that show them; all others concern the answer as a whole. */
const partFeatures = answerFeatures.filter(({ choice, usage, tier, row }) => !choice && !usage && tier === undefined && row !== '2.7')
const endFeatures = answerFeatures.filter(({ choice }) => choice?.finish)
const logprobFeatures = answerFeatures.filter(({ choice }) => choice?.logprobs)
const usageFeatures = answerFeatures.filter(({ usage }) => usage)

/** The feature names that random answers of a dialect can be built from, and those that it cannot express. */
export interface Vocabulary {
  dialect: Dialect
  parts: string[]
  ends: string[]
  usages: string[]
  /** Whether it can report token probabilities. */
  logprobs: string[]
}

/** Determines a dialect's vocabulary by trying every feature. */
export function vocabularyOf(dialect: Dialect): Vocabulary {
  const names = (features: typeof answerFeatures) => features.filter((feature) => tellable(feature, dialect)).map(({ name }) => name)
  // Where a dialect can express two features together only in this order, each appears alone.
  const parts = names(partFeatures).filter((name) => name !== 'parallel calls' && name !== 'text after a call')
  return { dialect, parts, ends: names(endFeatures), usages: names(usageFeatures), logprobs: names(logprobFeatures) }
}

/** Builds a random answer; `made` counts the features used. */
export function randomAnswer(
  { dialect, parts, ends, usages, logprobs }: Vocabulary,
  random: Seeded,
  made: Map<string, number>,
): ConversationResponse {
  const note = (name: string) => made.set(name, (made.get(name) ?? 0) + 1)
  const said: Part[] = []
  for (let count = random.below(6); count > 0; count--) {
    const name = random.pick(parts as [string])
    const feature = partFeatures.find((one) => one.name === name)
    const added = (feature?.parts(dialect) ?? []).slice(0, 1).map((part) => renewed(part, said.length, random))
    if (added.some((part) => !fits(part, said))) continue
    note(name)
    said.push(...added)
    // In a Gemini stream citations come last, for the text that is open then.
    if (dialect === 'gemini' && said.some(isCited)) break
  }
  const end = random.pick(ends as [string])
  const finish = endFeatures.find((feature) => feature.name === end)?.choice?.finish ?? { reason: 'stop' as const, raw: '' }
  note(end)
  const choice: Choice = { index: 0, parts: said, finish: { ...finish, reason: reasonOf(finish.reason, said) } }
  const [tokens] = random.below(4) === 0 && said.some(({ kind }) => kind === 'text') ? logprobs : []
  if (tokens !== undefined) note(tokens)
  const probable = logprobFeatures.find(({ name }) => name === tokens)?.choice?.logprobs
  const choices = [probable ? { ...choice, logprobs: probable } : choice]
  return { id: 'answer_1', model: 'asked', created: 1_764_000_000, choices, usage: randomUsage(usages, random, note) }
}

/** Thoughts and refusals stand alone between other parts: several dialects allow only one. */
function fits(part: Part, before: readonly Part[]): boolean {
  if (part.kind === 'reasoning') return before.at(-1)?.kind !== 'reasoning'
  if (part.kind === 'refusal') return !before.some(({ kind }) => kind === 'refusal')
  return part.kind !== 'media' || part.media !== 'audio' || !before.some((one) => one.kind === 'media')
}

const isCited = (part: Part) => part.kind === 'text' && part.citations !== undefined

/** The same kind of part with other words. Parts that are bound to their words keep them. */
function renewed(part: Part, at: number, random: Seeded): Part {
  switch (part.kind) {
    case 'text':
      return part.citations ? part : { ...part, text: someText(random) }
    case 'refusal':
      return { ...part, text: someText(random) }
    case 'reasoning':
      return { ...part, text: part.text.map(() => `t${someText(random)}.`) }
    case 'call': {
      const callId = `call_${at}`
      if (part.form === 'text') return { ...part, callId, argsText: someText(random) }
      return {
        ...part,
        callId,
        argsText: part.argsText.endsWith('}') ? JSON.stringify({ city: someText(random), n: [1, { a: null }] }) : part.argsText,
      }
    }
    case 'media':
    case 'native':
    case 'result':
      return part
  }
}

/** Calls and refusals determine the finish reason of an answer that has no other. */
function reasonOf(reason: Choice['finish']['reason'], parts: readonly Part[]): Choice['finish']['reason'] {
  if (reason !== 'stop' && reason !== 'tool-calls' && reason !== 'refusal') return reason
  if (parts.some(({ kind }) => kind === 'call')) return 'tool-calls'
  return parts.some(({ kind }) => kind === 'refusal') ? 'refusal' : 'stop'
}

function randomUsage(usages: readonly string[], random: Seeded, note: (name: string) => void): Usage {
  const usage = { ...noUsage(), provenance: 'provider' as const }
  usage.in.fresh = 100 + random.below(100)
  usage.out.total = 2000 + random.below(100)
  for (const feature of usageFeatures) {
    if (!usages.includes(feature.name) || random.below(2) === 0) continue
    feature.usage?.(usage)
    note(feature.name)
  }
  return usage
}

/** The form in which two answers are compared. Chat and Completions group parts by kind, the others keep their order. */
export function normal({ choices, usage }: ConversationResponse, dialect: Dialect): unknown {
  const isFlat = dialect === 'chat' || dialect === 'completions'
  return {
    choices: choices.map(({ index, parts, finish, logprobs }) => ({
      index,
      parts: (isFlat ? flat(parts) : joined(dialect === 'gemini' ? withCallsSorted(parts) : parts)).map(bare),
      reason: finish.reason,
      sequence: finish.stopSequence,
      logprobs,
    })),
    in: usage.in,
    out: usage.out,
  }
}

/** Merges neighbouring texts. */
function joined(parts: readonly Part[]): Part[] {
  const result: Part[] = []
  for (const part of parts) {
    const last = result.at(-1)
    if (part.kind === 'text' && last?.kind === 'text' && last.phase === part.phase) result[result.length - 1] = added(last, part)
    else result.push(part)
  }
  return result
}

/** A Gemini stream sends each call once it is complete, in whatever order they began. */
function withCallsSorted(parts: readonly Part[]): Part[] {
  const result: Part[] = []
  for (const part of parts) {
    let at = result.length
    for (
      let before = result[at - 1];
      part.kind === 'call' && before?.kind === 'call' && before.callId > part.callId;
      before = result[at - 1]
    )
      at--
    result.splice(at, 0, part)
  }
  return result
}

const added = (a: TextPart, b: TextPart): TextPart => ({
  ...a,
  text: a.text + b.text,
  citations: [...(a.citations ?? []), ...(b.citations ?? [])],
})

function flat(parts: readonly Part[]): Part[] {
  const thoughts = parts.filter((part) => part.kind === 'reasoning')
  const thought: ReasoningPart = {
    kind: 'reasoning',
    form: 'full',
    text: [
      thoughts
        .flatMap(({ text }) => text.join(''))
        .join('')
        .replaceAll('\n\n', ''),
    ],
    opaque: thoughts.flatMap(({ opaque }) => opaque),
  }
  const texts = joined(parts.filter((part) => part.kind === 'text'))
  const others = (['refusal', 'native', 'call'] as const).flatMap((kind) => parts.filter((part) => part.kind === kind))
  const media = (['image', 'audio'] as const).flatMap((kind) => parts.filter((part) => part.kind === 'media' && part.media === kind))
  return [...(thoughts.length > 0 ? [thought] : []), ...texts, ...media, ...others]
}

/** Ignores a citation's position, which depends on preceding text, and a reader's own summary of a block. */
function bare(part: Part): unknown {
  if (part.kind === 'text') return { ...part, citations: (part.citations ?? []).map(({ url, title }) => [url, title]) }
  if (part.kind === 'reasoning') return { ...part, form: part.form === 'hidden' ? part.form : 'shown' }
  if (part.kind === 'native') return { kind: part.kind, raw: part.raw }
  return part
}
