/** Moderation of the demo: it knows a few words and no meaning, and says which words it found by their category. */
import { type Fields, isObject } from './chat-rules.ts'
import { tokensIn } from './prompt.ts'
import type { Told } from './refusal.ts'

/** Every category of the vendor, with the words that the demo takes for it. */
const categories: Readonly<Record<string, RegExp | undefined>> = {
  harassment: /\b(idiot|stupid)\b|白痴/i,
  'harassment/threatening': undefined,
  hate: /\bhate\b|仇恨/i,
  'hate/threatening': undefined,
  illicit: /\bsteal\b|偷/i,
  'illicit/violent': undefined,
  'self-harm': undefined,
  'self-harm/intent': undefined,
  'self-harm/instructions': undefined,
  sexual: undefined,
  'sexual/minors': undefined,
  violence: /\b(kill|murder)\b|杀/i,
  'violence/graphic': undefined,
}

/** The answer to a call of `/v1/moderations`, or what a real vendor would refuse in it. */
export function moderate(body: Fields): Told {
  const judged = judgedIn(body.input)
  if (judged === undefined) {
    return { refusal: { status: 400, message: 'input must be text, or a list of texts or parts.', param: 'input', code: null } }
  }
  const tokens = judged.reduce((sum, text) => sum + tokensIn(text), 0)
  return {
    answer: {
      id: 'modr-demo',
      model: body.model,
      results: judged.map(verdict),
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    },
  }
}

/** The texts that get a verdict each: one, several, or that of all parts together. */
function judgedIn(input: unknown): string[] | undefined {
  if (typeof input === 'string') return [input]
  if (!Array.isArray(input) || input.length === 0) return undefined
  if (input.every((item) => typeof item === 'string')) return input
  if (!input.every((part) => isObject(part) && (part.type === 'text' || part.type === 'image_url'))) return undefined
  const texts = input.filter(({ type }) => type === 'text').map(({ text }) => String(text))
  return [texts.join('\n')]
}

function verdict(text: string): Record<string, unknown> {
  const found = Object.entries(categories).map(([name, words]) => [name, words?.test(text) ?? false] as const)
  return {
    flagged: found.some(([, isFound]) => isFound),
    categories: Object.fromEntries(found),
    category_scores: Object.fromEntries(found.map(([name, isFound]) => [name, isFound ? 0.99 : 0.01])),
    // The demo does not look at pictures.
    category_applied_input_types: Object.fromEntries(found.map(([name]) => [name, text === '' ? [] : ['text']])),
  }
}
